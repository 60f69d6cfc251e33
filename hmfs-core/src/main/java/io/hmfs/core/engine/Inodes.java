package io.hmfs.core.engine;

import io.hmfs.core.alloc.SlotAllocator;
import io.hmfs.core.index.HashIndex;
import io.hmfs.core.layout.CorruptPoolException;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.InodeRecord;
import io.hmfs.core.layout.SlotState;
import io.hmfs.core.lock.LockTable;
import io.hmfs.core.pmem.Pmem;

/**
 * Inodes and their names (HMFS §3.7): a file with several names is an {@link InodeRecord} under its id and one indirect entry for
 * each name. A link or unlink puts its entry in flight in the inode's names word, durably before its own commit, and takes it out
 * again afterwards; in between, the number of names follows from the state of that entry. So nothing is replayed at a start, and
 * name and count are never seen to differ. The key lock of the inode, in writer mode, is held by the thread that has an entry in flight.
 */
public final class Inodes {
    private final Pmem pmem;
    private final HashIndex index;
    private final Keys keys;
    private final LockTable locks;
    private final Clock clock;
    private final SlotAllocator entrySlots;
    private final Chains chains;
    private final RemovedData removed;
    private final ThreadLocal<long[]> candidates = ThreadLocal.withInitial(() -> new long[HashIndex.CANDIDATES_MAX]);

    Inodes(
            Pmem pmem,
            HashIndex index,
            Keys keys,
            LockTable locks,
            Clock clock,
            SlotAllocator entrySlots,
            Chains chains,
            RemovedData removed) {
        this.pmem = pmem;
        this.index = index;
        this.keys = keys;
        this.locks = locks;
        this.clock = clock;
        this.entrySlots = entrySlots;
        this.chains = chains;
        this.removed = removed;
    }

    /** The lock of an inode: one of the key locks. */
    public int lockOf(long id) {
        return locks.of(keys.ofInode(id));
    }

    /** The inode with this id, or {@code Pmem.NULL}. The caller has pinned an epoch. */
    public long find(long id) {
        long[] seen = candidates.get();
        int count = index.candidates(keys.ofInode(id), seen);
        for (int i = 0; i < count; i++) {
            long status = EntryRecord.status(pmem, seen[i]);
            if (isLive(status) && EntryRecord.id(pmem, seen[i]) == id) {
                return seen[i];
            }
        }
        return Pmem.NULL;
    }

    /** Whether this is the status of an inode that has names, or has yet to be found to have none. */
    public static boolean isLive(long status) {
        return EntryRecord.kind(status) == EntryRecord.KIND_INODE && EntryRecord.state(status) == SlotState.NORMAL;
    }

    /** The inode of an indirect entry whose lock the caller holds: the name keeps the inode. */
    public long of(long at) {
        long id = EntryRecord.id(pmem, at);
        long inode = find(id);
        if (inode == Pmem.NULL) {
            throw new CorruptPoolException(at, "an inode with id " + id, Pmem.NULL);
        }
        return inode;
    }

    /** Where the attributes of an object stand whose key lock the caller holds: in the entry, or in its inode. */
    public long attributesOf(long at) {
        if (!EntryRecord.isIndirect(EntryRecord.status(pmem, at))) {
            return at;
        }
        long inode = of(at);
        secure(inode);
        return inode;
    }

    /**
     * † A thread that changes attributes in an inode, or counts its names, relies on the store that has made the file one. The process
     * that stored it may have died before it was durable; the entry in flight tells.
     */
    public void secure(long inode) {
        long entry = InodeRecord.entry(InodeRecord.names(pmem, inode));
        if (entry != Pmem.NULL) {
            pmem.persist(entry, Pmem.LINE);
        }
    }

    /** How many names there are in this instant. */
    public int count(long inode) {
        long id = EntryRecord.id(pmem, inode);
        for (; ; ) {
            long names = InodeRecord.names(pmem, inode);
            int count = InodeRecord.count(names, isThere(InodeRecord.entry(names), id));
            if (InodeRecord.names(pmem, inode) == names) { // else the entry's slot may be another's by now
                return count;
            }
        }
    }

    /** An entry in flight that an earlier start left half done, so that it is not known yet what it counts; or NULL. */
    public long stale(long inode) {
        long names = InodeRecord.names(pmem, inode);
        long entry = InodeRecord.entry(names);
        boolean stale =
                entry != Pmem.NULL && EntryStates.isStale(pmem, clock.start(), entry, EntryRecord.status(pmem, entry));
        return stale && InodeRecord.names(pmem, inode) == names ? entry : Pmem.NULL;
    }

    /** Whether this is a name of this object. */
    private boolean isThere(long entry, long id) {
        return entry != Pmem.NULL
                && EntryRecord.isIndirect(EntryRecord.status(pmem, entry))
                && EntryRecord.id(pmem, entry) == id
                && EntryStates.isThere(pmem, entry);
    }

    /**
     * Puts an entry in flight. The caller holds the inode's lock, has called {@link #takeUp}, and lets a fence follow before
     * anything that commits.
     */
    public void launch(long inode, long entry, int what) {
        int count = InodeRecord.count(InodeRecord.names(pmem, inode));
        pmem.setRelease(inode + InodeRecord.NAMES_OFFSET, InodeRecord.names(count, entry, what));
        pmem.writeBack(inode, Pmem.LINE);
    }

    /**
     * Takes an entry out of flight whose state is final, and counts it. Written back, not fenced: must be durable before the
     * slot of the entry is another name of the same file, and the thread that makes it one writes this line back too, before the fence
     * of its commit. Returns how many names there are.
     */
    public int land(long inode, long entry) {
        long id = EntryRecord.id(pmem, inode);
        for (; ; ) {
            long names = InodeRecord.names(pmem, inode);
            // Another than ours, or none, if ours has landed: a sweep does that as soon as it is dead.
            int count = InodeRecord.count(names, isThere(InodeRecord.entry(names), id));
            if (InodeRecord.entry(names) != entry
                    || pmem.cas8(inode + InodeRecord.NAMES_OFFSET, names, InodeRecord.names(count, Pmem.NULL, 0))) {
                pmem.writeBack(inode, Pmem.LINE);
                return count;
            }
        }
    }

    /**
     * What is in flight, left by an earlier start or by the making of the inode, landed. The caller holds the inode's lock, so
     * nothing else is in flight. An entry that must be recovered first, without the lock; NULL if there is none.
     */
    public long takeUp(long inode) {
        long entry = InodeRecord.entry(InodeRecord.names(pmem, inode));
        if (entry != Pmem.NULL) {
            long stale = stale(inode);
            if (stale != Pmem.NULL) {
                return stale;
            }
            secure(inode); // the count must not be durable before what it rests on
            land(inode, entry);
        }
        return Pmem.NULL;
    }

    /**
     * Lands an entry that an earlier start left in flight, before it goes another way: a rename, or the end of its slot. The
     * caller holds its key lock, or is the only thread that still has it. † Written back also if it has landed: the thread that did so may
     * have died before that was durable. Not fenced; false: there was nothing to write back.
     */
    public boolean release(long entry) {
        if (EntryRecord.isIndirect(EntryRecord.status(pmem, entry))) {
            long inode = find(EntryRecord.id(pmem, entry));
            if (inode != Pmem.NULL) {
                secure(inode);
                land(inode, entry);
                return true;
            }
        }
        return false;
    }

    /**
     * Whether this inode has been that of a file: only a crash leaves another, which was made for a file that stayed a plain one, and whose data
     * is not its own. The caller holds the inode's lock, and its entry in flight is not half done.
     */
    public boolean wasReal(long inode) {
        long entry = InodeRecord.entry(InodeRecord.names(pmem, inode));
        long id = EntryRecord.id(pmem, inode);
        return find(id) == inode
                && (entry == Pmem.NULL
                        || (EntryRecord.isIndirect(EntryRecord.status(pmem, entry))
                                && EntryRecord.id(pmem, entry) == id));
    }

    /** The last name of a file has gone: its inode is freed, when its data has been removed if that is kept elsewhere. */
    public void remove(long inode) {
        if (!removed.isKept() || EntryRecord.object(EntryRecord.status(pmem, inode)) != EntryRecord.KIND_FILE) {
            drop(inode);
            return;
        }
        chains.freeOf(inode);
        if (InodeRecord.bury(pmem, inode, clock.next())) {
            // [removed.1] † Before the index forgets it: an inode without a word is taken for one that never had a
            // name.
            pmem.persist(inode, Pmem.LINE);
            index.remove(keys.ofInode(EntryRecord.id(pmem, inode)), inode);
            removed.add(inode);
        }
    }

    /** Frees an inode that has no names, once: of several threads the first. */
    public void drop(long inode) {
        long id = EntryRecord.id(pmem, inode);
        chains.freeOf(inode);
        if (InodeRecord.free(pmem, inode, clock.next())) {
            index.remove(keys.ofInode(id), inode);
            // Durable before the file is made an inode again, which would be one of the two that a crash leaves.
            pmem.persist(inode, Pmem.LINE);
            entrySlots.retire(inode);
        }
    }
}
