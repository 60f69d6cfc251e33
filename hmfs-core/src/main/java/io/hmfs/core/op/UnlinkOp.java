package io.hmfs.core.op;

import io.hmfs.core.engine.Engine;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.InodeRecord;
import io.hmfs.core.pmem.Pmem;
import io.hmfs.core.recovery.Recovery;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Change;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import org.jspecify.annotations.Nullable;

/** delete of a name that is, or was, one of several (HMFS §3.7): the writer locks of key and inode, three fences. */
final class UnlinkOp {
    private final Engine engine;
    private final Pmem pmem;
    private final Recovery recovery;
    private final AttributeReader reader;
    private final AttributeOps attributes;
    private final EntryRemoval removal;

    UnlinkOp(Engine engine, Recovery recovery, AttributeReader reader, AttributeOps attributes, EntryRemoval removal) {
        this.engine = engine;
        this.pmem = engine.pmem;
        this.recovery = recovery;
        this.reader = reader;
        this.attributes = attributes;
        this.removal = removal;
    }

    /** Null: the name is no longer one of several; look again. */
    @Nullable
    Status run(long parent, Name name, Change change, Attributes removed) {
        long hash = engine.keys.ofEntry(parent, name);
        int inodeLock = -1;
        int pin = engine.epochs.pin();
        try {
            for (; ; ) {
                long content = recovery.openContent(parent);
                if (content == Pmem.NULL) {
                    return Status.NO_SUCH_DIRECTORY;
                }
                int[] locks = {engine.locks.of(hash), inodeLock};
                engine.locks.lockWriteAll(locks);
                long at = engine.findLocked(hash, parent, name);
                long stale = at < 0 ? -at : Pmem.NULL;
                boolean indirect = at > 0 && EntryRecord.isIndirect(EntryRecord.status(pmem, at));
                int needed = indirect ? engine.inodes.lockOf(EntryRecord.id(pmem, at)) : -1;
                boolean held = indirect && needed == inodeLock;
                if (held) {
                    long inode = engine.inodes.of(at);
                    stale = engine.inodes.takeUp(inode);
                    if (stale == Pmem.NULL) {
                        unlinkLocked(at, inode, hash, parent, content, change, removed);
                    }
                }
                engine.locks.unlockWriteAll(locks);
                if (at == Engine.DAMAGED) {
                    return Status.DAMAGED;
                }
                if (stale != Pmem.NULL) {
                    recovery.recover(stale);
                } else if (held) {
                    return Status.OK;
                } else if (!indirect) {
                    return null;
                }
                inodeLock = needed;
            }
        } finally {
            engine.epochs.unpin(pin);
        }
    }

    private void unlinkLocked(
            long at, long inode, long hash, long parent, long content, Change change, Attributes removed) {
        reader.read(at, EntryRecord.status(pmem, at), removed);
        // [unlink.1] The inode says what is about to go, durably before it may be gone.
        engine.inodes.launch(inode, at, InodeRecord.LEAVING);
        pmem.fence();
        // [unlink.2] The steps of delete. Name and count go in one instant, with the state DELETED.
        boolean last = removed.nlink == 1;
        removal.remove(change, at, hash, content, last && !removed.isSymlink() ? removed.id : 0, removed.size);
        // [unlink.3] Counted before the entry's slot can be another's; touch has the fence.
        removed.nlink = engine.inodes.land(inode, at);
        attributes.touch(inode);
        if (removed.nlink == 0) {
            engine.inodes.remove(inode);
        }
        engine.dead.died(pmem, parent, content);
    }
}
