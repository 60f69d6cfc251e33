package io.hmfs.core.dir;

import io.hmfs.core.alloc.Clock;
import io.hmfs.core.alloc.Epochs;
import io.hmfs.core.alloc.IdSource;
import io.hmfs.core.alloc.OutcomeRings;
import io.hmfs.core.alloc.Regions;
import io.hmfs.core.alloc.SlotAllocator;
import io.hmfs.core.alloc.Summary;
import io.hmfs.core.index.HashIndex;
import io.hmfs.core.layout.DirContentRecord;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.RegionKind;
import io.hmfs.core.layout.SlotState;
import io.hmfs.core.lock.LockTable;
import io.hmfs.core.pmem.Pmem;
import io.hmfs.core.type.Name;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** The parts of an open pool that operations work on, and the look-ups that all of them share. */
public final class Engine {
    /** Candidates that one look-up can yield: the words of two buckets. */
    static final int CANDIDATES = 64;

    private static final int LOCKS = 1 << 16;
    private static final int SWEEPERS = 1 << 10;

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
    public final LockTable locks = new LockTable(LOCKS);

    /** Sweeper locks, by content offset: one sweeper a directory at a time. */
    public final LockTable sweepers = new LockTable(SWEEPERS);

    public final DeadCounts dead = new DeadCounts();

    /** The objects behind files with several names. */
    public final Inodes inodes;

    /** Records of the changes that are numbered, and the rings where they stand. */
    public final ChangeRecords records;

    public final OutcomeRings rings;

    /** Objects of an earlier start that were finished or undone. */
    public final AtomicLong recovered = new AtomicLong();

    /** Whether units are marked until they are written back (I2); without write-back there is nothing to mark. */
    public final boolean marksDirty;

    /** What the last close has told. */
    public final Summary summary;

    private final long start;
    private final ThreadLocal<Scratch> scratch = ThreadLocal.withInitial(Scratch::new);

    public Engine(
            Pmem pmem,
            Regions regions,
            HashIndex index,
            Keys keys,
            Epochs epochs,
            Clock clock,
            IdSource ids,
            Summary summary) {
        this.pmem = pmem;
        this.regions = regions;
        this.index = index;
        this.keys = keys;
        this.epochs = epochs;
        this.clock = clock;
        this.ids = ids;
        this.start = clock.start();
        this.summary = summary;
        this.marksDirty = pmem.persistence().writesBack();
        this.contentSlots = slotsOf(RegionKind.CONTENT_SLOTS);
        this.entrySlots = slotsOf(RegionKind.ENTRY_SLOTS);
        this.longEntrySlots = slotsOf(RegionKind.LONG_ENTRY_SLOTS);
        this.chains = new Chains(this);
        this.inodes = new Inodes(this);
        this.records = new ChangeRecords(this);
        this.rings = new OutcomeRings(pmem, regions, clock);
        this.slots = List.of(contentSlots, entrySlots, longEntrySlots);
    }

    private SlotAllocator slotsOf(RegionKind kind) {
        return new SlotAllocator(pmem, regions, epochs, kind, start, summary);
    }

    /** Buffers of one thread, reused by every look-up. */
    public static final class Scratch {
        public final long[] seen = new long[CANDIDATES];
        public final long[] again = new long[CANDIDATES];
        final long[] contents = new long[CANDIDATES];
        public final int[] locks = new int[3];
        public final Name name = new Name();

        /** Where the record of this thread's change goes, or NULL; its sequence; and the file that went before it. */
        long record;

        long sequence;
        long removedId;
        long removedSize;
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

    /** Whether an entry that is dead and listed was counted: by this start, or by the one before, which told. */
    boolean isDeadCounted(long at) {
        return summary.isValid() || EntryRecord.death(pmem, at) >= start;
    }

    /** Whether a transient state was left by an earlier start: then its operation died half way. */
    public boolean isStale(long at, long status) {
        return switch (EntryRecord.state(status)) {
            case SlotState.CREATING -> EntryRecord.birth(pmem, at) < start;
            case SlotState.DELETING, SlotState.MOVING, SlotState.REPLACED -> EntryRecord.death(pmem, at) < start;
            default -> false;
        };
    }

    /**
     * Whether a stat would find this entry in this instant: what is about to go still exists, and so does what moves away or is
     * replaced until its successor is NORMAL. What an earlier start left half done is recovered before.
     */
    public boolean isThere(long at) {
        for (; ; ) {
            long status = EntryRecord.status(pmem, at);
            int state = EntryRecord.state(status);
            if (state == SlotState.NORMAL || state == SlotState.DELETING) {
                return true;
            }
            if (state != SlotState.MOVING && state != SlotState.REPLACED) {
                return false;
            }
            boolean there = EntryRecord.state(pmem, EntryRecord.link(pmem, at)) == SlotState.CREATING;
            if (EntryRecord.status(pmem, at) == status) {
                return there;
            }
        }
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
     * offset of one that an earlier start left half done and that must be recovered, without the lock, before anything else.
     */
    public long findLocked(long hash, long parent, Name name) {
        long[] seen = scratch().seen;
        int count = index.candidates(hash, seen);
        long found = Pmem.NULL;
        for (int i = 0; i < count; i++) {
            long at = seen[i];
            long status = EntryRecord.status(pmem, at);
            if (!EntryRecord.hasKey(pmem, at, status, parent, name)) {
                continue;
            }
            int state = EntryRecord.state(status);
            if (state == SlotState.NORMAL) {
                // A link on a NORMAL object that nobody works on: its rename was cut off after the commit, or only the
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
        return found;
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
     * Hands back the slot of an entry that others may have seen, and its chain: FREE from now on, reused after two epochs. FREE is not
     * written back: what it follows is durable, so that a crash that loses it leaves what the scan frees again; and it is durable
     * before what comes to stand in the same line.
     */
    public void retire(long at, SlotAllocator slots) {
        chains.freeOf(at);
        inodes.release(at); // I5: a slot that an inode's count still looks at must not come to be another object's
        // A death of this start tells the background scan that the slot is known to be free.
        pmem.set(at + EntryRecord.DEATH_OFFSET, clock.next());
        pmem.setRelease(at + EntryRecord.STATUS_OFFSET, SlotState.FREE);
        slots.retire(at);
    }

    /**
     * Takes the content of directory {@code id} out of the index and frees it, once, whoever comes first. Not written back, as in
     * {@link #retire}.
     */
    public void dropContent(long content, long id) {
        if (DirContentRecord.free(pmem, content, id, clock.next())) {
            index.remove(keys.ofContent(id), content);
            contentSlots.retire(content);
        }
    }
}
