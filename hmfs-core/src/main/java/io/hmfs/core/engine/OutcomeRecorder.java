package io.hmfs.core.engine;

import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.OutcomeRecord;
import io.hmfs.core.layout.OutcomeRing;
import io.hmfs.core.pmem.Pmem;
import io.hmfs.core.type.Change;

/**
 * Records of changes whose clients may ask for them again: what a change is about to do, durable before it does it. A change that comes
 * to nothing leaves none. Of a change that is recorded nowhere, no method does anything.
 *
 * <p>† The writer lock of the key is held from the record to the commit. So no other thread comes between them, and what is found at the
 * object after a crash tells whether it was this change.
 */
public final class OutcomeRecorder {
    private final Pmem pmem;
    private final Clock clock;

    OutcomeRecorder(Pmem pmem, Clock clock) {
        this.pmem = pmem;
        this.clock = clock;
    }

    /**
     * The change makes what stands at {@code at}, CREATING, with the time of its making in the death word. Written back, not fenced:
     * the fence that precedes every link is this record's too.
     */
    public void made(Change change, long at) {
        if (change.isRecorded()) {
            int shown = OutcomeRecord.shown(OutcomeRecord.MADE, EntryRecord.kind(EntryRecord.status(pmem, at)));
            write(change, shown, at, EntryRecord.death(pmem, at), 0, 0);
        }
    }

    /** The change is a rename that makes what stands at {@code at}, and replaces a file with this id, or none: 0. As {@link #made}. */
    public void moved(Change change, long at, long replacedId, long replacedSize) {
        if (change.isRecorded()) {
            int shown = OutcomeRecord.shown(OutcomeRecord.MADE, OutcomeRecord.MOVED);
            write(change, shown, at, EntryRecord.death(pmem, at), replacedId, replacedSize);
        }
    }

    /** The change takes away what stands at {@code at}; with it goes a file with this id, or none: 0. Durable on return. */
    public void gone(Change change, long at, long removedId, long removedSize) {
        if (goes(change, at, removedId, removedSize)) {
            // [once.3] † Durable before the commit, which goes out with the next fence.
            fence();
        }
    }

    /** As {@link #gone}, not fenced: whether {@link #fence} must come before the commit. */
    public boolean goes(Change change, long at, long removedId, long removedSize) {
        if (!change.isRecorded()) {
            return false;
        }
        int shown = OutcomeRecord.shown(OutcomeRecord.GONE, EntryRecord.kind(EntryRecord.status(pmem, at)));
        write(change, shown, at, clock.next(), removedId, removedSize);
        return true;
    }

    /** The change gives what stands at {@code at} this word of a unit, which is higher than the one before. Durable on return. */
    public void changes(Change change, int shown, long at, long word) {
        if (willChange(change, shown, at, word)) {
            // [once.4] † As above; the lock is a writer's here too, so no other thread gives the unit that word.
            fence();
        }
    }

    /** As {@link #changes}, not fenced: whether {@link #fence} must come before the commit. */
    public boolean willChange(Change change, int shown, long at, long word) {
        if (change.isRecorded()) {
            write(change, shown, at, clock.next(), word, 0);
        }
        return change.isRecorded();
    }

    /**
     * The change sets times of what stands at {@code at}, -1: keeps one. They are several units: what a crash has cut off between them, a
     * start carries out. The ctime of this time, which counts as issued, is stored last. Durable on return.
     */
    public void times(Change change, long at, long time, long mtime, long atime) {
        if (change.isRecorded()) {
            write(change, OutcomeRecord.shown(OutcomeRecord.TIMED, 0), at, time, mtime, atime);
            // [once.8] † Before the first of them is stored.
            fence();
        }
    }

    /**
     * The change gives what stands at {@code at} this ctime, then another chain than this one. Written back, not fenced: the fence
     * between the two is this record's too.
     */
    public void chains(Change change, int kind, long at, long ctime, long chain) {
        if (change.isRecorded()) {
            write(change, OutcomeRecord.shown(OutcomeRecord.CHAINED, kind), at, clock.next(), ctime, chain);
        }
    }

    /** The change gives what stands at {@code at} this word with another ACL and mode, then this ctime. Written back, not fenced: as above. */
    public void changesAcl(Change change, long at, long ctime, long links) {
        if (change.isRecorded()) {
            int shown = OutcomeRecord.shown(OutcomeRecord.OWNED, OutcomeRecord.OF_ACL);
            write(change, shown, at, clock.next(), ctime, links);
        }
    }

    /** What was written so far is durable on return. */
    public void fence() {
        pmem.fence();
    }

    private void write(Change change, int shown, long object, long time, long first, long second) {
        long at = OutcomeRing.record(change.ring(), change.sequence());
        OutcomeRecord.write(pmem, at, change.sequence(), shown, object, time, first, second);
        // [once.1]
        pmem.writeBack(at, OutcomeRecord.SIZE);
    }

    /** What was about to be made never comes to be. Durable on return, before the slot may be another's. */
    public void forget(Change change) {
        if (change.isRecorded()) {
            long at = OutcomeRing.record(change.ring(), change.sequence());
            OutcomeRecord.clear(pmem, at);
            // [once.5] †
            pmem.persist(at, OutcomeRecord.SIZE);
        }
    }
}
