package io.hmfs.core.check;

import io.hmfs.core.engine.IdSource;
import io.hmfs.core.layout.DirContentRecord;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.PoolHeader;
import io.hmfs.core.layout.SlotState;
import io.hmfs.core.pmem.Pmem;

/**
 * Every slot for entries, after index and lists have been walked: an object that lives is on the list of its directory and in the index,
 * one that is neither is what a crash left. A status that cannot be is told by the rest: a name that the index has, a content that points
 * here.
 */
final class EntryCheck {
    /** The directory that the root stands in. */
    static final long ROOT_PARENT = 0;

    private final PoolView view;
    private final Pmem pmem;
    private final IndexView index;
    private final Marks marks;
    private final Contents contents;
    private final InodeCheck inodes;
    private final IdCheck ids;
    private final long root;

    private EntryCheck(
            PoolView view, IndexView index, Marks marks, Contents contents, InodeCheck inodes, IdCheck ids, long root) {
        this.view = view;
        this.pmem = view.pmem;
        this.index = index;
        this.marks = marks;
        this.contents = contents;
        this.inodes = inodes;
        this.ids = ids;
        this.root = root;
    }

    static void run(PoolView view, IndexView index, Marks marks, Contents contents, long root) {
        InodeCheck inodes = new InodeCheck(view, index);
        IdCheck ids = new IdCheck(view, index, marks, contents, inodes);
        // An entry whose parent has lost its content is put back into it, so all contents come first.
        view.eachEntry("directories", at -> {
            boolean live = view.isEntryStatus(at) && EntryRecord.state(view.pmem, at) == SlotState.NORMAL;
            if (at != root && live && view.isDirectory(at)) {
                DirectoryCheck.run(view, contents, marks, at);
            } else if (at != root
                    && live
                    && ids.look(at)
                    && EntryRecord.isIndirect(EntryRecord.status(view.pmem, at))) {
                inodes.readable(at);
            }
        });
        ids.others();
        view.eachEntry("entries", new EntryCheck(view, index, marks, contents, inodes, ids, root)::slot);
        inodes.counts();
        ChainCheck.slots(view);
    }

    private void damage(long field, long at, String expected, String found, String action, Runnable repair) {
        view.findings.damage(field, view.describe(at), expected, found, action, repair);
    }

    private void slot(long at) {
        long status = EntryRecord.status(pmem, at);
        if (at == root) {
            return; // RootCheck
        }
        if (status == SlotState.FREE && !marks.has(Marks.REACHED, at)) {
            free(at);
            return;
        }
        if (view.isInode(at) || view.isChain(at)) {
            return; // InodeCheck, ChainCheck
        }
        if (view.isDeadInode(at)) {
            deadInode(at, status);
            return;
        }
        if (!view.isEntryStatus(at)) {
            unreadable(at, status);
            return;
        }
        int state = EntryRecord.state(status);
        if (EntryRecord.isIndirect(status) && state != SlotState.NORMAL && state != SlotState.DELETED) {
            inodes.halfDone(at);
        }
        if (state == SlotState.NORMAL) {
            live(at, status);
        } else if (state == SlotState.CREATING) {
            view.findings.count("half done", 1);
            halfDone(at, "an object half made", "the next start finishes or undoes it");
        } else {
            ending(at, status, state);
        }
    }

    private void free(long at) {
        view.findings.count("free entry slots", 1);
        if (!view.isIssued(EntryRecord.death(pmem, at))) {
            // A start takes a slot that was freed after it began for one that it knows.
            damage(
                    at + EntryRecord.DEATH_OFFSET,
                    at,
                    "a time that was issued",
                    "freed at " + EntryRecord.death(pmem, at),
                    "store 0, so that the slot is used again",
                    () -> view.store(at + EntryRecord.DEATH_OFFSET, 0));
        }
    }

    /** The status with which the index has this slot under this parent, or 0. */
    private long provenStatus(long at, long parent) {
        for (int length = Math.max(1, view.nameMin(at)); length <= view.nameMax(at); length++) {
            long hash = view.isValidName(at, length) ? view.keys.ofEntry(parent, view.name(at, length)) : 0;
            if (hash != 0 && index.names(hash, at)) {
                return EntryRecord.withCheck(
                        EntryRecord.status(SlotState.NORMAL, kindOf(at, EntryRecord.KIND_FILE), length),
                        EntryRecord.check(hash, EntryRecord.id(pmem, at)));
            }
        }
        return 0;
    }

    /** A directory whose entry is damaged has its content all the same; ContentCheck would give it to another. */
    private boolean claimsContent(long at) {
        long content = contents.of(EntryRecord.id(pmem, at));
        boolean claims = content != Pmem.NULL && DirContentRecord.access(pmem, content) == at;
        if (claims) {
            marks.set(Marks.REACHED, content);
        }
        return claims;
    }

    /** What a live entry is: one bit makes another of it, and no operation does but the first link, which needs an inode. */
    private int kindOf(long at, int said) {
        if (said == EntryRecord.KIND_DIRECTORY || claimsContent(at)) {
            return EntryRecord.KIND_DIRECTORY;
        }
        if (said == EntryRecord.KIND_INDIRECT || inodes.lacks(EntryRecord.id(pmem, at))) {
            return EntryRecord.KIND_INDIRECT;
        }
        return ChainCheck.objectKind(view, at, said);
    }

    private void unreadable(long at, long status) {
        boolean directory = claimsContent(at);
        if (!directory && inodes.isLost(at)) {
            int kind = ChainCheck.objectKind(view, at, EntryRecord.KIND_FILE);
            long id = EntryRecord.id(pmem, at);
            setStatus(
                    at,
                    EntryRecord.withCheck(
                            EntryRecord.inodeStatus(SlotState.NORMAL, kind),
                            EntryRecord.check(view.keys.ofInode(id), id)),
                    "store the status that the index proves");
            return;
        }
        long proven = provenStatus(at, EntryRecord.parent(pmem, at));
        if (proven != 0) {
            setStatus(at, proven, "store the status that the index proves");
            if (EntryRecord.isIndirect(proven)) {
                inodes.name(at);
            }
        } else if (!marks.has(Marks.REACHED, at)) {
            damage(
                    at,
                    at,
                    "an object's status or 0",
                    "0x" + Long.toHexString(status),
                    "free it: nothing leads here",
                    () -> {
                        view.store(at + EntryRecord.DEATH_OFFSET, 0);
                        view.store(at, SlotState.FREE);
                    });
        } else if (status == SlotState.FREE) {
            damage(
                    at,
                    at,
                    "an object",
                    "a free slot on a list",
                    "take it off the list",
                    () -> view.repairs().unlink(contents.of(EntryRecord.parent(pmem, at)), at));
        } else if (EntryRecord.death(pmem, at) > EntryRecord.birth(pmem, at)
                && EntryRecord.death(pmem, at) < view.future) {
            long dead = EntryRecord.status(SlotState.DELETED, EntryRecord.KIND_FILE, Math.max(1, view.nameMin(at)));
            // It may have been renamed: then its data belongs to another entry.
            setStatus(at, EntryRecord.withoutData(dead), "make it deleted: it has died and no name leads to it");
        } else {
            damage(
                    at,
                    at,
                    "an object's status",
                    "0x" + Long.toHexString(status),
                    "give it a new name, and make it a " + (directory ? "directory" : "file"),
                    () -> view.repairs().renameInPlace(at, directory));
        }
    }

    private void setStatus(long at, long status, String action) {
        damage(
                at,
                at,
                "status 0x" + Long.toHexString(status),
                "0x" + Long.toHexString(EntryRecord.status(pmem, at)),
                action,
                () -> view.store(at, status));
    }

    private void halfDone(long at, String found, String action) {
        view.findings.pending(at, view.describe(at), "nothing half done", found, action);
    }

    private void live(long at, long status) {
        boolean directory = EntryRecord.kind(status) == EntryRecord.KIND_DIRECTORY;
        view.findings.count(directory ? "directories" : "files", 1);
        if (!view.isValidName(at, EntryRecord.nameLength(status))) {
            damage(
                    at + EntryRecord.NAME_OFFSET,
                    at,
                    "a valid name",
                    "'" + view.name(at) + "'",
                    "give it another name",
                    () -> view.repairs().renameInPlace(at, directory));
        }
        AttributeCheck.padding(view, at, EntryRecord.nameLength(status));
        link(at);
        if (!ids.judge(at)) {
            id(at);
        }
        int kind = kindOf(at, EntryRecord.kind(status));
        if (kind != EntryRecord.kind(status)) {
            setStatus(
                    at,
                    EntryRecord.withCheck(
                            EntryRecord.status(SlotState.NORMAL, kind, EntryRecord.nameLength(status)),
                            EntryRecord.check(EntryRecord.status(pmem, at))),
                    "store the kind that its content, its inode or its chain proves");
        }
        if (kind == EntryRecord.KIND_INDIRECT) {
            inodes.name(at);
            ChainCheck.owner(view, at); // from the time when it was a file
        } else {
            AttributeCheck.run(view, at);
        }
        indexed(at);
        if (!marks.has(Marks.REACHED, at)) {
            orphan(at);
        }
    }

    private void indexed(long at) {
        if (index.isUsable() && !marks.has(Marks.INDEXED, at) && !index.names(view.hashOf(at), at)) {
            damage(
                    at,
                    at,
                    "a word in the index",
                    "none under its key",
                    "add one",
                    () -> view.repairs().addWord(at));
        }
    }

    private void orphan(long at) {
        long content = contents.of(EntryRecord.parent(pmem, at));
        if (content != Pmem.NULL || contents.expects(EntryRecord.parent(pmem, at))) {
            damage(at, at, "an entry on the list of its directory", "one on no list", "link it there again", () -> {
                if (content != Pmem.NULL) {
                    view.repairs().link(content, at);
                    marks.set(Marks.REACHED, at);
                }
            });
        } else {
            damage(
                    at + EntryRecord.PARENT_OFFSET,
                    at,
                    "a parent that exists",
                    "" + EntryRecord.parent(pmem, at),
                    "move it to /lost+found",
                    () -> view.repairs().toLostAndFound(at));
        }
    }

    private void link(long at) {
        long link = EntryRecord.link(pmem, at);
        if (link != Pmem.NULL && view.isEntry(link)) {
            halfDone(at, "a rename that was cut off after its commit", "the next start finishes it");
        } else if (link != Pmem.NULL) {
            damage(
                    at + EntryRecord.LINK_OFFSET,
                    at,
                    "an entry or 0 as partner of a rename",
                    "0x" + Long.toHexString(link),
                    "store 0",
                    () -> view.store(at + EntryRecord.LINK_OFFSET, 0));
        }
    }

    private void id(long at) {
        long id = EntryRecord.id(pmem, at);
        if (PoolView.isIdNumber(id)) {
            return;
        }
        long number = id & ((1L << IdSource.PARTITION_SHIFT) - 1);
        long lease = pmem.get(view.header + PoolHeader.ID_LEASE_OFFSET);
        boolean known = number > 1 && number < lease;
        damage(
                at + EntryRecord.ID_OFFSET,
                at,
                "an id of partition 0",
                "0x" + Long.toHexString(id),
                known ? "store " + number : "give it a new id: its data, if it is a file, is not found under that",
                () -> {
                    if (known) {
                        view.store(at + EntryRecord.ID_OFFSET, number);
                    } else {
                        view.repairs().withoutData(at);
                    }
                });
    }

    /** DELETING, DELETED, MOVING, REPLACED: each died after it was born, and one that died for good may be on a list or on none. */
    private void ending(long at, long status, int state) {
        long death = EntryRecord.death(pmem, at);
        boolean comesBack = state == SlotState.DELETING && death == 0; // its undoing was cut off
        if (!comesBack && (death <= EntryRecord.birth(pmem, at) || death >= view.future)) {
            neverDied(at, status, state);
            return;
        }
        long link = EntryRecord.link(pmem, at);
        boolean renamed = state == SlotState.MOVING || state == SlotState.REPLACED;
        if (link == Pmem.NULL ? renamed : !view.isEntry(link)) {
            boolean lives = renamed && marks.has(Marks.INDEXED, at);
            damage(
                    at + EntryRecord.LINK_OFFSET,
                    at,
                    "the successor of a rename" + (renamed ? "" : " or 0"),
                    "0x" + Long.toHexString(link),
                    renamed ? (lives ? "undo the rename" : "make it deleted: no name leads to it") : "store 0",
                    () -> {
                        if (renamed) {
                            view.store(
                                    at,
                                    lives
                                            ? EntryRecord.withState(status, SlotState.NORMAL)
                                            : EntryRecord.withoutData(EntryRecord.buried(status)));
                        }
                        view.store(at + EntryRecord.LINK_OFFSET, 0);
                    });
            return;
        }
        if (renamed && hasMoved(at, link)) {
            // A successor stops to point back after its origin is DELETED, durably.
            setStatus(
                    at, EntryRecord.withoutData(EntryRecord.buried(status)), "make it deleted: it lives on elsewhere");
            return;
        }
        if (renamed && isLeftBehind(at, link)) {
            setStatus(at, EntryRecord.buried(status), "make it deleted: its successor was born when it died");
            return;
        }
        boolean listed = marks.has(Marks.REACHED, at);
        if (state == SlotState.DELETED) {
            view.findings.count("deleted entries", 1);
            if (!listed) {
                removed(at, status);
            }
            return;
        }
        view.findings.count("half done", 1);
        if (listed || isSettled(at, state, death, link)) {
            halfDone(at, "an object half " + (renamed ? "renamed" : "deleted"), "the next start finishes or undoes it");
        } else {
            damage(at, at, "an entry on the list of its directory", "one on no list", "undo what was half done", () -> {
                view.store(at, EntryRecord.withState(status, SlotState.NORMAL));
                view.store(at + EntryRecord.LINK_OFFSET, 0);
            });
        }
    }

    /** A deleted object on no list. A start that knows removed files by their data has it until the data is gone. */
    private void removed(long at, long status) {
        if (view.knowsRemoved && EntryRecord.holdsData(status) && EntryRecord.unlisted(status)) {
            view.findings.count("removed files on no list", 1);
        } else {
            halfDone(at, "a deleted entry on no list", "the next start frees it, or hands its data out to be removed");
        }
    }

    /** On no list as long as it is there; it died after it was made, or no start hands it out. */
    private void deadInode(long at, long status) {
        long death = EntryRecord.death(pmem, at);
        if (death <= EntryRecord.birth(pmem, at) || death >= view.future) {
            damage(
                    at + EntryRecord.DEATH_OFFSET,
                    at,
                    "a death after its birth " + EntryRecord.birth(pmem, at),
                    "dead at " + death,
                    "store a time of death",
                    () -> storeDeath(at));
        } else {
            removed(at, status);
        }
    }

    private void storeDeath(long at) {
        long birth = EntryRecord.birth(pmem, at);
        long born = birth > 0 && birth < view.future - 1 ? birth : 1;
        view.store(at + EntryRecord.BIRTH_OFFSET, born);
        view.store(at + EntryRecord.DEATH_OFFSET, born + 1);
    }

    private boolean hasMoved(long at, long successor) {
        return view.isEntryStatus(successor)
                && EntryRecord.state(pmem, successor) == SlotState.NORMAL
                && EntryRecord.id(pmem, successor) == EntryRecord.id(pmem, at)
                && EntryRecord.link(pmem, successor) != at;
    }

    /** Whether a rename that is over has left it: its successor was born when it died, and points back at nothing any more, which it stops after that death is durable. */
    private boolean isLeftBehind(long at, long successor) {
        return view.isEntryStatus(successor)
                && EntryRecord.state(pmem, successor) == SlotState.NORMAL
                && EntryRecord.birth(pmem, successor) == EntryRecord.death(pmem, at)
                && EntryRecord.link(pmem, successor) == Pmem.NULL;
    }

    /** Whether the next start will not bring an object back to life that is on no list. */
    private boolean isSettled(long at, int state, long death, long link) {
        if (state == SlotState.DELETING) {
            long content = contents.of(EntryRecord.parent(pmem, at));
            return death != 0 && (content == Pmem.NULL || death <= DirContentRecord.mtime(pmem, content));
        }
        return view.isEntryStatus(link) && EntryRecord.state(pmem, link) == SlotState.NORMAL;
    }

    private void neverDied(long at, long status, int state) {
        long death = EntryRecord.death(pmem, at);
        claimsContent(at);
        boolean lives = marks.has(Marks.INDEXED, at) || state != SlotState.DELETED;
        damage(
                at,
                at,
                "a death after its birth " + EntryRecord.birth(pmem, at),
                "state " + state + ", dead at " + death,
                lives ? "bring it back to life" : "store a time of death",
                () -> {
                    if (lives) {
                        view.store(at + EntryRecord.DEATH_OFFSET, 0);
                        view.store(at, EntryRecord.revived(status, SlotState.NORMAL));
                    } else {
                        storeDeath(at);
                    }
                });
    }
}
