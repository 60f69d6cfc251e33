package io.hmfs.core.engine;

import io.hmfs.core.alloc.Epochs;
import io.hmfs.core.alloc.Regions;
import io.hmfs.core.alloc.SlotAllocator;
import io.hmfs.core.alloc.Summary;
import io.hmfs.core.index.HashIndex;
import io.hmfs.core.layout.DirContentRecord;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.RegionKind;
import io.hmfs.core.layout.SlotState;
import io.hmfs.core.lock.LockOrder;
import io.hmfs.core.lock.LockRank;
import io.hmfs.core.lock.LockTable;
import io.hmfs.core.pmem.Pmem;
import io.hmfs.core.type.Name;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** The parts of an open pool that operations work on, and the look-ups that all of them share. */
public final class Engine {
    private static final int LOCKS_MIN = 1 << 12;
    private static final int LOCKS_MAX = 1 << 16;

    /** Bytes of the pool for each key lock: a pool of 64 MiB or more has {@link #LOCKS_MAX}. */
    private static final int POOL_OF_A_LOCK = 1 << 10;

    private static final int SWEEPERS = 1 << 10;

    /** In place of an object that was looked up: its record is damaged, and what it says is not believed. */
    public static final long DAMAGED = Long.MIN_VALUE;

    /** Dead entries that a sweep takes off a list between two fences. */
    private static final int DEAD = 1 << 9;

    public final Pmem pmem;
    public final Regions regions;
    public final HashIndex index;
    public final Keys keys;
    public final Epochs epochs;
    public final Clock clock;
    public final IdSource ids;
    public final SlotAllocator contentSlots;
    public final SlotAllocator entrySlots;
    public final SlotAllocator longEntrySlots;
    public final Chains chains;
    private final List<SlotAllocator> slots;

    /** Key locks. */
    public final LockTable locks;

    /** Sweeper locks, by content offset: one sweeper a directory at a time. */
    public final LockTable sweepers = new LockTable(LockRank.SWEEPER, SWEEPERS);

    public final DeadCounts dead = new DeadCounts();

    /** Removed files whose data, kept elsewhere, has still to be removed. */
    public final RemovedData removed;

    /** The objects behind files with several names. */
    public final Inodes inodes;

    /** Records of the changes that are numbered, and the rings where they stand. */
    public final OutcomeRecorder outcomes;

    public final OutcomeRingOwners ringOwners;

    /** Objects of an earlier start that were finished or undone. */
    public final AtomicLong recovered = new AtomicLong();

    /** Whether units are marked until they are written back (I2); without write-back there is nothing to mark. */
    public final boolean marksDirty;

    /** What the last close has told. */
    public final Summary summary;

    private final long start;
    private volatile boolean deadCounted;
    private final ThreadLocal<Scratch> scratch = ThreadLocal.withInitial(Scratch::new);

    public Engine(
            Pmem pmem,
            Regions regions,
            HashIndex index,
            Keys keys,
            Epochs epochs,
            Clock clock,
            IdSource ids,
            Summary summary,
            boolean keepsData) {
        LockOrder.forget(); // what the thread held in an engine that failed, it holds for ever
        this.pmem = pmem;
        this.regions = regions;
        this.locks = new LockTable(
                LockRank.KEY,
                Math.clamp(Long.highestOneBit(regions.capacity() / POOL_OF_A_LOCK), LOCKS_MIN, LOCKS_MAX));
        this.index = index;
        this.keys = keys;
        this.epochs = epochs;
        this.clock = clock;
        this.ids = ids;
        this.start = clock.start();
        this.summary = summary;
        this.deadCounted = summary.isValid();
        this.marksDirty = pmem.persistence().writesBack();
        this.contentSlots = slotsOf(RegionKind.CONTENT_SLOTS);
        this.entrySlots = slotsOf(RegionKind.ENTRY_SLOTS);
        this.longEntrySlots = slotsOf(RegionKind.LONG_ENTRY_SLOTS);
        this.chains = new Chains(pmem, clock, regions, longEntrySlots);
        this.removed = new RemovedData(pmem, keys, regions, summary, keepsData, this::retireDead);
        this.inodes = new Inodes(pmem, index, keys, locks, clock, entrySlots, chains, removed);
        this.outcomes = new OutcomeRecorder(pmem, clock);
        this.ringOwners = new OutcomeRingOwners(pmem, regions, clock);
        this.slots = List.of(contentSlots, entrySlots, longEntrySlots);
    }

    private SlotAllocator slotsOf(RegionKind kind) {
        return new SlotAllocator(pmem, regions, epochs, kind, start, summary);
    }

    /** Buffers of one thread, reused by every look-up. */
    public static final class Scratch {
        public final long[] seen = new long[HashIndex.CANDIDATES_MAX];
        public final long[] again = new long[HashIndex.CANDIDATES_MAX];
        final long[] contents = new long[HashIndex.CANDIDATES_MAX];
        public final int[] locks = new int[3];

        /** What a sweep has taken off a list and not let go yet. */
        public final long[] dead = new long[DEAD];

        public final Name name = new Name();
    }

    public Scratch scratch() {
        return scratch.get();
    }

    /** The allocators of all kinds of slots. */
    public List<SlotAllocator> slots() {
        return slots;
    }

    public SlotAllocator slotsFor(long slotSize) {
        return slotSize == EntryRecord.SIZE ? entrySlots : longEntrySlots;
    }

    /** Bytes of the slot of the entry whose status word this is. */
    public static long slotSize(long status) {
        return EntryRecord.sizeFor(EntryRecord.nameLength(status));
    }

    /** Whether an entry that is dead and listed was counted: by this start, by the one before, which told, or by the scan. */
    public boolean isDeadCounted(long at) {
        return deadCounted || EntryRecord.death(pmem, at) >= start;
    }

    /** Says that what earlier starts left dead and listed is all counted. */
    public void deadAreCounted() {
        deadCounted = true;
    }

    /** See {@link EntryStates#isStale}. */
    public boolean isStale(long at, long status) {
        return EntryStates.isStale(pmem, start, at, status);
    }

    /** See {@link EntryStates#isThere}. */
    public boolean isThere(long at) {
        return EntryStates.isThere(pmem, at);
    }

    /** See {@link EntryStates#isSameRename}. */
    public boolean isSameRename(long at, long status, long successor) {
        return EntryStates.isSameRename(pmem, at, status, successor);
    }

    /** The content of a directory, or {@code Pmem.NULL}. The caller has pinned an epoch. */
    public long findContent(long id) {
        long[] seen = scratch().contents;
        int count = index.candidates(keys.ofContent(id), seen);
        for (int i = 0; i < count; i++) {
            long status = EntryRecord.status(pmem, seen[i]);
            if (EntryRecord.kind(status) == EntryRecord.KIND_CONTENT
                    && EntryRecord.state(status) == SlotState.NORMAL
                    && DirContentRecord.id(pmem, seen[i]) == id) {
                return seen[i];
            }
        }
        return Pmem.NULL;
    }

    /**
     * The live object under a key whose lock the caller holds, in either mode; {@code Pmem.NULL} if there is none; the negative
     * offset of one that an earlier start left half done and that must be recovered, without the lock, before anything else; or {@link
     * #DAMAGED}: nothing is to be changed.
     */
    public long findLocked(long hash, long parent, Name name) {
        long[] seen = scratch().seen;
        int count = index.candidates(hash, seen);
        long found = Pmem.NULL;
        boolean strange = false;
        for (int i = 0; i < count; i++) {
            long at = seen[i];
            long status = EntryRecord.status(pmem, at);
            if (!EntryRecord.hasKey(pmem, at, status, parent, name)) {
                strange |= isStrange(at, status);
                continue;
            }
            int state = EntryRecord.state(status);
            if (isDamaged(at, status, hash)) {
                return DAMAGED;
            }
            if (state == SlotState.NORMAL) {
                // A link on a NORMAL object that no thread works on: its rename was cut off after the commit, or only
                // the
                // clearing of the link was. Either way it is finished first, or its origin would come back to life.
                if (EntryRecord.link(pmem, at) != Pmem.NULL) {
                    return -at;
                }
                found = at;
            } else if (SlotState.isTransient(state)) {
                if (!isStale(at, status)) {
                    throw new IllegalStateException("object at " + at + " is in state " + state + " under a held lock");
                }
                return -at;
            }
        }
        boolean damaged = found == Pmem.NULL ? strange : lacksInode(found);
        return damaged ? DAMAGED : found;
    }

    /**
     * Whether the object that has the key with this hash is not to be believed. Not asked of one that is only being made, or is DELETED: beside the one the slot
     * may still have the last object's name after a crash, beside the other the next one's already.
     */
    public boolean isDamaged(long at, long status, long hash) {
        int state = EntryRecord.state(status);
        return isWhole(state) && !EntryRecord.fits(pmem, at, status, hash);
    }

    /** The same of an object to which another one has led, and not its key. */
    public boolean isDamaged(long at, long status) {
        return isWhole(EntryRecord.state(status)) && !keys.fitsObject(at, status);
    }

    private static boolean isWhole(int state) {
        return state != SlotState.DELETED && state != SlotState.CREATING;
    }

    /**
     * Whether an object to which the index leads, though it has not the key that is looked for, has not its own key either: it is the one that is looked
     * for, perhaps, with a damaged name. In another state than NORMAL a crash may have left it with a part of a key, or in a slot with another's name.
     */
    public boolean isStrange(long at, long status) {
        return EntryRecord.state(status) == SlotState.NORMAL && !keys.fitsObject(at, status);
    }

    /** Whether a live name, whose lock the caller holds, is one of a file that is not there. */
    private boolean lacksInode(long at) {
        return EntryRecord.isIndirect(EntryRecord.status(pmem, at))
                && inodes.find(EntryRecord.id(pmem, at)) == Pmem.NULL;
    }

    /** Whether the access object of this directory stands at {@code at}, in whatever state. */
    public boolean isAccessOf(long at, long id) {
        return at != Pmem.NULL
                && EntryRecord.kind(EntryRecord.status(pmem, at)) == EntryRecord.KIND_DIRECTORY
                && EntryRecord.id(pmem, at) == id;
    }

    /** Stores (state, time of death) as one unit. The caller holds the object's key lock. */
    public void setFate(long at, int state, long death) {
        for (; ; ) {
            long status = EntryRecord.status(pmem, at);
            long before = EntryRecord.death(pmem, at);
            if (pmem.cas16(
                    at + EntryRecord.STATUS_OFFSET, status, before, EntryRecord.withState(status, state), death)) {
                return;
            }
        }
    }

    /**
     * DELETED, of what a rename has moved or replaced. † One swap stores the birth of the successor as the time of death too: from then on the two are
     * equal, and {@link #successorOf} knows the successor by that. A slot that is used again gets a later birth, so this holds over sweeps and restarts.
     */
    public void buryFor(long at, long successor) {
        long birth = EntryRecord.birth(pmem, successor);
        for (; ; ) {
            // [rename.13]
            long status = EntryRecord.status(pmem, at);
            long before = EntryRecord.death(pmem, at);
            if (pmem.cas16(at + EntryRecord.STATUS_OFFSET, status, before, EntryRecord.buried(status), birth)) {
                return;
            }
        }
    }

    /** The object that a rename put into the place of this DELETED one; {@code Pmem.NULL} if none did, or if its slot has been used again. */
    public long successorOf(long at) {
        long link = EntryRecord.link(pmem, at);
        boolean known = link != Pmem.NULL
                && EntryRecord.isEntry(EntryRecord.status(pmem, link))
                && EntryRecord.birth(pmem, link) == EntryRecord.death(pmem, at);
        return known ? link : Pmem.NULL;
    }

    /**
     * Hands back the slot of an entry that others may have seen, and its chain: FREE from now on, reused after two epochs. FREE is not
     * written back: what it follows is durable, so that a crash that loses it leaves what the scan frees again; and it is durable
     * before what comes to stand in the same line.
     */
    public void retire(long at, SlotAllocator slots) {
        leave(at);
        // A death of this start tells the background scan that the slot is known to be free.
        pmem.set(at + EntryRecord.DEATH_OFFSET, clock.next());
        pmem.setRelease(at + EntryRecord.STATUS_OFFSET, SlotState.FREE);
        slots.retire(at);
    }

    /**
     * Hands back a DELETED object, which a sweep, the scan and the end of its data may all come to free: † one swap of (status, time of death)
     * frees it, so only one thread does. False if the status is another by now. The caller has pinned an epoch since before it read this status.
     */
    public boolean retireDead(long at, long status) {
        leave(at);
        long death = EntryRecord.death(pmem, at);
        if (!pmem.cas16(at + EntryRecord.STATUS_OFFSET, status, death, SlotState.FREE, clock.next())) {
            return false;
        }
        slotsFor(slotSize(status)).retire(at);
        return true;
    }

    /** Frees the chain of an object that is about to be free, and takes it out of flight; may be done again. */
    private void leave(long at) {
        chains.freeOf(at);
        if (inodes.release(at)) {
            // I5: a slot that an inode's count still looks at must not come to be another object's, durably so: what an
            // inode
            // has in flight tells whether it was one.
            pmem.fence();
        }
    }

    /**
     * Takes the content of directory {@code id} out of the index and frees it, once: of several threads the first. Not written back, as in
     * {@link #retire}.
     */
    public void dropContent(long content, long id) {
        if (DirContentRecord.free(pmem, content, id, clock.next())) {
            index.remove(keys.ofContent(id), content);
            contentSlots.retire(content);
        }
    }
}
