package io.hmfs.core.engine;

import io.hmfs.core.alloc.Regions;
import io.hmfs.core.alloc.Summary;
import io.hmfs.core.layout.CorruptPoolException;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.Owner;
import io.hmfs.core.layout.SlotState;
import io.hmfs.core.pmem.Pmem;
import io.hmfs.core.type.RemovedFile;
import java.lang.System.Logger.Level;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Removed files whose data, which is kept elsewhere, has still to be removed. The DELETED slot of such a file is the record of it: two must be
 * done with it before it is free, the list, which a sweep takes it off, and the data, which {@link #done} tells of. Each says so in the status word;
 * the one that comes second frees the slot. So nothing is written for the data's sake, and nothing has a bound but the pool.
 *
 * <p>Slots are handed out by stacks that are linked through their {@code next}: threads push what they have removed, the consumer takes all of
 * it at once. Owners whose numbers are alike in their last bits share a stack, and stacks take turns, so a user who removes a million files holds up only
 * those who share the stack. After a crash the background scan pushes what it finds; after a clean close the summary has the first of them, in one chain,
 * of which each look puts some on their owners' stacks.
 *
 * <p>† A slot that holds data is pushed once in each start, and not free before it was handed out and {@link #done}.
 */
public final class RemovedData {
    /** Hands back the slot of a DELETED object with this status, to be free once no reader can be on it; false if the status is another by now. */
    @FunctionalInterface
    interface Retirement {
        boolean retire(long at, long status);
    }

    private static final System.Logger LOG = System.getLogger(RemovedData.class.getName());
    private static final int STACKS = 64;
    private static final int INHERITED_AT_ONCE = 64;

    private final Pmem pmem;
    private final Keys keys;
    private final Regions regions;
    private final Retirement slots;
    private final boolean kept;
    private final AtomicLongArray newest = new AtomicLongArray(STACKS);
    private final LongAdder count = new LongAdder();

    /** In {@code next} of a slot that is handed out: no slot stands there. Means nothing to a later start. */
    private static final long HANDED_OUT = 1;

    /** A token is a slot and a mark of the time when the file died: the slot may be another file's by now, that is handed out too. */
    private static final long SLOT_MASK = ((1L << 48) - 1) & -Pmem.LINE;

    private static final long MARK_FACTOR = 0x9e37_79b9_7f4a_7c15L;

    // Under this object's monitor:

    /** Of each stack the first of those that were taken off it and not handed out. */
    private final long[] taken = new long[STACKS];

    /** The stack that is looked at first. */
    private int turn;

    /** The first of those that a clean close left and that are on no stack yet. */
    private long inherited = Pmem.NULL;

    private boolean toldStrange;

    private volatile @Nullable Thread waiting;

    /** {@code kept}: data is kept elsewhere; if not, nothing is ever held back. */
    RemovedData(Pmem pmem, Keys keys, Regions regions, Summary summary, boolean kept, Retirement slots) {
        this.pmem = pmem;
        this.keys = keys;
        this.regions = regions;
        this.slots = slots;
        this.kept = kept;
        if (kept) {
            inherited = summary.removed();
            count.add(summary.removedCount());
        }
    }

    /** Whether data is kept elsewhere. */
    public boolean isKept() {
        return kept;
    }

    /** Whether the slot with this status must not be free yet for its data's sake. */
    public boolean holds(long status) {
        return kept && EntryRecord.holdsData(status);
    }

    /** Takes an object that is DELETED by now; does nothing if it holds no data. The caller is the only thread that adds this one. */
    public void add(long at) {
        if (holds(EntryRecord.status(pmem, at))) {
            count.increment();
            push(at);
        }
    }

    private int owner(long at) {
        return Owner.uid(pmem.getAcquire(at + EntryRecord.OWNER_OFFSET));
    }

    private void push(long at) {
        int stack = owner(at) & (STACKS - 1);
        long next;
        do {
            next = newest.get(stack);
            pmem.set(at + EntryRecord.NEXT_OFFSET, next);
        } while (!newest.compareAndSet(stack, next, at));
        Thread thread = waiting;
        if (thread != null) {
            waiting = null;
            LockSupport.unpark(thread);
        }
    }

    /** Hands one of them out: its slot, its id, and its size; false if there is none now. The caller has pinned an epoch. */
    public synchronized boolean next(RemovedFile out) {
        distribute();
        long at = takeNext();
        while (at != Pmem.NULL && !keys.fitsObject(at, EntryRecord.status(pmem, at))) {
            // Its id may be that of a file that lives, so nothing is removed by it. A crash makes such a record, too,
            // if it loses that the data was gone and not the name of the slot's next object.
            tellStrange(at);
            forget(at);
            at = takeNext();
        }
        if (at == Pmem.NULL) {
            return false;
        }
        pmem.set(at + EntryRecord.NEXT_OFFSET, HANDED_OUT);
        out.token = token(at);
        out.removedNanos = EntryRecord.death(pmem, at);
        out.id = EntryRecord.id(pmem, at);
        out.uid = owner(at);
        out.size = EntryRecord.size(pmem.getAcquire(at + EntryRecord.LENGTH_OFFSET));
        return true;
    }

    /** Takes the next off its stack; NULL: there is none now. */
    private long takeNext() {
        int stack = turn;
        while (!fill(stack)) {
            stack = stack + 1 & (STACKS - 1);
            if (stack == turn) {
                return Pmem.NULL;
            }
        }
        turn = stack + 1 & (STACKS - 1);
        long at = taken[stack];
        long status = statusOf(at);
        if (!EntryRecord.holdsData(status)) {
            throw new CorruptPoolException(at, "a removed file that holds data", status);
        }
        taken[stack] = pmem.get(at + EntryRecord.NEXT_OFFSET);
        return at;
    }

    private void tellStrange(long at) {
        if (!toldStrange) {
            toldStrange = true;
            LOG.log(
                    Level.WARNING,
                    "the record at {0} of a removed file does not fit its name: its data is not removed, for its id {1} may be that of another file."
                            + " Either the machine has failed when that data was gone already, or the pool is damaged, and objects stay that"
                            + " hmfs gc finds. Further ones are not told",
                    Long.toHexString(at),
                    Long.toHexString(EntryRecord.id(pmem, at)));
        }
    }

    private void distribute() {
        for (int i = 0; i < INHERITED_AT_ONCE && inherited != Pmem.NULL; i++) {
            long at = inherited;
            statusOf(at); // or it is no slot
            inherited = pmem.get(at + EntryRecord.NEXT_OFFSET);
            int stack = owner(at) & (STACKS - 1);
            pmem.set(at + EntryRecord.NEXT_OFFSET, taken[stack]);
            taken[stack] = at;
        }
    }

    /** Whether there is one of this stack to hand out. */
    private boolean fill(int stack) {
        if (taken[stack] == Pmem.NULL && newest.get(stack) != Pmem.NULL) {
            taken[stack] = newest.getAndSet(stack, Pmem.NULL);
        }
        return taken[stack] != Pmem.NULL;
    }

    private long statusOf(long at) {
        if (!regions.isEntrySlot(at)) {
            throw new CorruptPoolException(at, "the slot of a removed file", Pmem.NULL);
        }
        return EntryRecord.status(pmem, at);
    }

    private long token(long at) {
        long mixed = EntryRecord.death(pmem, at) * MARK_FACTOR;
        return at | ((mixed ^ mixed >>> 43) & ~SLOT_MASK & Long.MAX_VALUE);
    }

    /** The slot of a file that is handed out with this token, and is not any more: of two threads that say it at once one is refused. */
    private long takeBack(long token) {
        long at = token & SLOT_MASK;
        boolean known = regions.isEntrySlot(at)
                && EntryRecord.holdsData(EntryRecord.status(pmem, at))
                && token(at) == token
                && pmem.cas8(at + EntryRecord.NEXT_OFFSET, HANDED_OUT, Pmem.NULL);
        if (!known) {
            throw new IllegalArgumentException("no file that is handed out: " + token);
        }
        return at;
    }

    /** Takes back one that was handed out, to hand it out again. The caller has pinned an epoch. */
    public void giveBack(long token) {
        push(takeBack(token));
    }

    /**
     * The data of one that was handed out is gone. Not written back: a crash that loses this hands the file out again, which does no harm. The
     * caller has pinned an epoch.
     */
    public void done(long token) {
        forget(takeBack(token));
    }

    private void forget(long at) {
        long status;
        do {
            status = EntryRecord.status(pmem, at);
            // [removed.2] † One store; whether the list was first is told by the same word.
        } while (!pmem.cas8(at + EntryRecord.STATUS_OFFSET, status, EntryRecord.withoutData(status)));
        count.decrement();
        if (EntryRecord.unlisted(status)) {
            slots.retire(at, EntryRecord.withoutData(status));
        }
    }

    /**
     * The list has let go of a DELETED object, durably†: frees it, or leaves that to {@link #done}. Does nothing if another thread has said so before,
     * or freed it. The caller has pinned an epoch since before it found the object DELETED.
     */
    public void unlisted(long at) {
        boolean said = false;
        while (!said) {
            long status = EntryRecord.status(pmem, at);
            if (EntryRecord.state(status) != SlotState.DELETED) {
                return;
            }
            if (!holds(status)) {
                said = slots.retire(at, status);
            } else {
                // [removed.3] † As above.
                said = EntryRecord.unlisted(status)
                        || pmem.cas8(at + EntryRecord.STATUS_OFFSET, status, EntryRecord.asUnlisted(status));
            }
        }
    }

    /** Removed files whose data is not known to be gone. Exact when nothing is under way. */
    public long count() {
        return count.sum();
    }

    /** Returns when there is one to hand out, or after so many nanoseconds; for the one thread that does. */
    public void await(long nanos) {
        waiting = Thread.currentThread();
        if (isEmpty()) {
            LockSupport.parkNanos(this, nanos);
        }
        waiting = null;
    }

    private synchronized boolean isEmpty() {
        boolean empty = inherited == Pmem.NULL;
        for (int stack = 0; stack < STACKS && empty; stack++) {
            empty = taken[stack] == Pmem.NULL && newest.get(stack) == Pmem.NULL;
        }
        return empty;
    }

    /**
     * The first of all that are not {@link #done}, chained, for a {@link Summary}; -1 if some were handed out and not given
     * back, so that only a scan finds them. Called when no thread uses the pool any more.
     */
    public synchronized long gather() {
        long head = inherited;
        inherited = Pmem.NULL;
        long found = prepend(head);
        for (int stack = 0; stack < STACKS; stack++) {
            found += prepend(newest.getAndSet(stack, Pmem.NULL));
            found += prepend(taken[stack]);
            taken[stack] = Pmem.NULL;
        }
        return found == count() ? inherited : -1;
    }

    /** Puts a chain before the one that is inherited; returns how long it is. */
    private long prepend(long head) {
        long found = 0;
        long last = Pmem.NULL;
        for (long at = head; at != Pmem.NULL; at = pmem.get(at + EntryRecord.NEXT_OFFSET)) {
            last = at;
            found++;
        }
        if (last != Pmem.NULL) {
            pmem.set(last + EntryRecord.NEXT_OFFSET, inherited);
            inherited = head;
        }
        return found;
    }
}
