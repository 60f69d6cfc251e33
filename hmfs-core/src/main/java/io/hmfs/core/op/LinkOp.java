package io.hmfs.core.op;

import io.hmfs.core.alloc.SlotAllocator;
import io.hmfs.core.dir.ChildList;
import io.hmfs.core.engine.Engine;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.InodeRecord;
import io.hmfs.core.layout.SlotState;
import io.hmfs.core.pmem.Pmem;
import io.hmfs.core.recovery.Recovery;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import org.jspecify.annotations.Nullable;

/**
 * link (HMFS §3.7): one more name of a file, an indirect entry. The first time, the file becomes an inode and its name an indirect
 * entry too, in its place. Writer locks of both keys and of the inode; four fences, three more the first time.
 */
final class LinkOp {
    private final Engine engine;
    private final Pmem pmem;
    private final ChildList lists;
    private final Recovery recovery;
    private final AttributeReader reader;
    private final AttributeOps attributes;

    LinkOp(Engine engine, ChildList lists, Recovery recovery, AttributeReader reader, AttributeOps attributes) {
        this.engine = engine;
        this.pmem = engine.pmem;
        this.lists = lists;
        this.recovery = recovery;
        this.reader = reader;
        this.attributes = attributes;
    }

    Status run(long directory, Name name, long target, Name targetName, Attributes out) {
        Status valid = name.check() != Status.OK ? name.check() : targetName.check();
        if (valid != Status.OK) {
            return valid;
        }
        Link link = new Link(directory, name, target, targetName);
        int pin = engine.epochs.pin();
        try {
            for (; ; ) {
                Status status = attempt(link, out);
                if (status != null) {
                    return status;
                }
            }
        } finally {
            engine.epochs.unpin(pin);
        }
    }

    /** One link's arguments and what was found for them. */
    private final class Link {
        final long directory;
        final Name name;
        final long target;
        final Name targetName;
        final long hash;
        final long targetHash;
        long targetContent;
        long existing;
        long inode;
        int inodeLock = -1;

        /** What must be recovered first, or NULL. */
        long stale;

        Link(long directory, Name name, long target, Name targetName) {
            this.directory = directory;
            this.name = name;
            this.target = target;
            this.targetName = targetName;
            this.hash = engine.keys.ofEntry(directory, name);
            this.targetHash = engine.keys.ofEntry(target, targetName);
        }
    }

    /** Null: something had to be settled first; try again. */
    private @Nullable Status attempt(Link link, Attributes out) {
        link.targetContent = recovery.openContent(link.target);
        if (recovery.openContent(link.directory) == Pmem.NULL || link.targetContent == Pmem.NULL) {
            return Status.NO_SUCH_DIRECTORY;
        }
        link.stale = Pmem.NULL;
        int[] locks = {engine.locks.of(link.hash), engine.locks.of(link.targetHash), link.inodeLock};
        engine.locks.lockWriteAll(locks);
        Status status = checkLocked(link);
        if (status == Status.OK) {
            status = linkLocked(link, out);
        }
        engine.locks.unlockWriteAll(locks);
        if (link.stale != Pmem.NULL) {
            recovery.recover(link.stale);
        } else if (status == Status.NO_SUCH_DIRECTORY && recovery.awaitClosed(link.target)) {
            return null;
        }
        return status;
    }

    /** OK: both names are as they must be, and the inode's lock is held. */
    private @Nullable Status checkLocked(Link link) {
        link.existing = engine.findLocked(link.hash, link.directory, link.name);
        long there = link.existing < 0 ? Pmem.NULL : engine.findLocked(link.targetHash, link.target, link.targetName);
        if (link.existing == Engine.DAMAGED || there == Engine.DAMAGED) {
            return Status.DAMAGED;
        }
        if (link.existing < 0 || there < 0) {
            link.stale = link.existing < 0 ? -link.existing : -there;
            return null;
        }
        if (link.existing == Pmem.NULL) {
            return Status.NOT_FOUND;
        }
        if (EntryRecord.kind(EntryRecord.status(pmem, link.existing)) == EntryRecord.KIND_DIRECTORY) {
            return Status.IS_DIRECTORY;
        }
        if (there != Pmem.NULL) {
            return Status.EXISTS;
        }
        int needed = engine.inodes.lockOf(EntryRecord.id(pmem, link.existing));
        if (needed != link.inodeLock) {
            link.inodeLock = needed;
            return null;
        }
        return Status.OK;
    }

    private @Nullable Status linkLocked(Link link, Attributes out) {
        if (EntryRecord.isIndirect(EntryRecord.status(pmem, link.existing))) {
            link.inode = engine.inodes.of(link.existing);
        } else if (!makeInode(link)) {
            return Status.NO_SPACE;
        }
        // [inode.3] Counts the first name too, durably before its entry can go any other way.
        link.stale = engine.inodes.takeUp(link.inode);
        if (link.stale != Pmem.NULL) {
            return null;
        }
        if (engine.inodes.count(link.inode) >= InodeRecord.NAMES_MAX) {
            return Status.TOO_MANY_LINKS;
        }
        return addName(link, out);
    }

    /**
     * Makes the file an inode with one name. No reader sees a difference, before or after a crash: the entry's kind, one store,
     * decides where the object is.
     */
    private boolean makeInode(Link link) {
        long id = EntryRecord.id(pmem, link.existing);
        long old = engine.inodes.find(id);
        if (old != Pmem.NULL) {
            engine.inodes.drop(old); // of an earlier start, which died before the commit
        }
        link.inode = engine.entrySlots.allocate();
        if (link.inode == Pmem.NULL) {
            return false;
        }
        int check = EntryRecord.check(engine.keys.ofInode(id), id);
        InodeRecord.init(pmem, link.inode, link.existing, check, engine.clock.next());
        boolean copied = engine.chains.copy(link.existing, link.inode);
        pmem.writeBack(link.inode, InodeRecord.SIZE);
        if (!copied || !engine.index.insert(engine.keys.ofInode(id), link.inode)) {
            engine.inodes.drop(link.inode);
            return false;
        }
        // [inode.1] The inode and its index word are durable before anything needs them.
        pmem.fence();
        // [inode.2] The commit, durable when it is counted, next. The writer lock holds off a thread that would change
        // the
        // attributes in the entry.
        long status = EntryRecord.status(pmem, link.existing);
        pmem.setRelease(link.existing + EntryRecord.STATUS_OFFSET, EntryRecord.asIndirect(status));
        return true;
    }

    private Status addName(Link link, Attributes out) {
        SlotAllocator slots = engine.slotsFor(EntryRecord.sizeFor(link.targetName.length()));
        long at = slots.allocate();
        if (at == Pmem.NULL) {
            return Status.NO_SPACE;
        }
        long time = engine.clock.next();
        long id = EntryRecord.id(pmem, link.existing);
        // [hardlink.1] As create fills its slot; durable before the inode names it, or a crash could leave the slot
        // free, and
        // another name of the same file, renamed to where it stands, would be taken for it.
        int check = EntryRecord.check(link.targetHash, id);
        EntryRecord.init(pmem, at, EntryRecord.KIND_INDIRECT, id, check, link.target, link.targetName, time, 0, 0);
        pmem.writeBack(at, EntryRecord.filledSize(link.targetName.length()));
        if (!engine.index.insert(link.targetHash, at)) {
            engine.retire(at, slots);
            return Status.NO_SPACE;
        }
        pmem.fence();
        // [hardlink.2] The inode says what is about to come, durably before it may be there: link's first fence.
        engine.inodes.launch(link.inode, at, InodeRecord.ARRIVING);
        // [hardlink.3] The commit.
        if (!lists.link(link.targetContent, at, time)) {
            engine.index.remove(link.targetHash, at);
            engine.retire(at, slots); // which takes it out of flight first
            return Status.NO_SUCH_DIRECTORY;
        }
        // [hardlink.4] Name and count come in one instant.
        EntryRecord.setState(pmem, at, SlotState.NORMAL);
        // [hardlink.5] Counted before the entry goes any other way; touch has the fence.
        engine.inodes.land(link.inode, at);
        attributes.touch(link.inode);
        reader.read(at, EntryRecord.status(pmem, at), out);
        return Status.OK;
    }
}
