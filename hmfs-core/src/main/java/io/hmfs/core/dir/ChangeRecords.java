package io.hmfs.core.dir;

import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.OutcomeRecord;
import io.hmfs.core.layout.OutcomeRing;
import io.hmfs.core.pmem.Pmem;

/**
 * Records of changes that their clients have numbered: what a change is about to do, durable before it does it. A change that comes to
 * nothing leaves none. The number is its thread's, from {@link #enter} to {@link #leave}; without one, nothing here does anything.
 *
 * <p>† The writer lock of the key is held from the record to the commit. So nobody else comes between them, and what is found at the
 * object after a crash tells whether it was this change.
 */
public final class ChangeRecords {
    private final Engine engine;
    private final Pmem pmem;

    ChangeRecords(Engine engine) {
        this.engine = engine;
        this.pmem = engine.pmem;
    }

    /** The next change of this thread is this one; it goes with the removal of a file (or of none: 0) that is done already. */
    public void enter(long ring, long sequence, long removedId, long removedSize) {
        Engine.Scratch scratch = engine.scratch();
        scratch.record = ring == Pmem.NULL ? Pmem.NULL : OutcomeRing.record(ring, sequence);
        scratch.sequence = sequence;
        scratch.removedId = removedId;
        scratch.removedSize = removedSize;
    }

    /** What this thread changes from now on has no number. */
    public void leave() {
        engine.scratch().record = Pmem.NULL;
    }

    /** Whether what this thread changes now has a number. */
    public boolean isNumbered() {
        return engine.scratch().record != Pmem.NULL;
    }

    /**
     * The change makes what stands at {@code at}, CREATING, with the time of its making in the death word. Written back, not fenced:
     * the fence that precedes every link is this record's too.
     */
    public void made(long at) {
        Engine.Scratch scratch = engine.scratch();
        int shown = OutcomeRecord.shown(OutcomeRecord.MADE, EntryRecord.kind(EntryRecord.status(pmem, at)));
        write(scratch, shown, at, EntryRecord.death(pmem, at), scratch.removedId, scratch.removedSize);
    }

    /** The same of a rename, which replaces a file with this id, or none: 0. */
    public void moved(long at, long replacedId, long replacedSize) {
        int shown = OutcomeRecord.shown(OutcomeRecord.MADE, OutcomeRecord.MOVED);
        write(engine.scratch(), shown, at, EntryRecord.death(pmem, at), replacedId, replacedSize);
    }

    /** The change takes away what stands at {@code at}; with it goes a file with this id, or none: 0. Durable on return. */
    public void gone(long at, long removedId, long removedSize) {
        if (goes(at, removedId, removedSize)) {
            // [once.3] † Durable before the commit, which goes out with the next fence.
            fence();
        }
    }

    /** The same, not fenced: whether {@link #fence} must come before the commit. */
    public boolean goes(long at, long removedId, long removedSize) {
        int shown = OutcomeRecord.shown(OutcomeRecord.GONE, EntryRecord.kind(EntryRecord.status(pmem, at)));
        return write(engine.scratch(), shown, at, engine.clock.next(), removedId, removedSize);
    }

    /** The change gives what stands at {@code at} this word of a unit, which is higher than the one before. Durable on return. */
    public void changes(int shown, long at, long word) {
        if (willChange(shown, at, word)) {
            // [once.4] † As above; the lock is a writer's here too, so nobody else gives the unit that word.
            fence();
        }
    }

    /** The same, not fenced: whether {@link #fence} must come before the commit. */
    public boolean willChange(int shown, long at, long word) {
        return write(engine.scratch(), shown, at, engine.clock.next(), word, 0);
    }

    /**
     * The change sets times of what stands at {@code at}, -1: keeps one. They are several units: what a crash has cut off between them, a
     * start carries out. The ctime of this time, which counts as issued, is stored last. Durable on return.
     */
    public void times(long at, long time, long mtime, long atime) {
        if (write(engine.scratch(), OutcomeRecord.shown(OutcomeRecord.TIMED, 0), at, time, mtime, atime)) {
            // [once.8] † Before the first of them is stored.
            fence();
        }
    }

    /**
     * The change gives what stands at {@code at} this ctime, then another chain than this one. Written back, not fenced: the fence
     * between the two is this record's too.
     */
    public void chains(int change, long at, long ctime, long chain) {
        int shown = OutcomeRecord.shown(OutcomeRecord.CHAINED, change);
        write(engine.scratch(), shown, at, engine.clock.next(), ctime, chain);
    }

    /** The change gives what stands at {@code at} this word with another ACL and mode, then this ctime. Written back, not fenced: as above. */
    public void changesAcl(long at, long ctime, long links) {
        int shown = OutcomeRecord.shown(OutcomeRecord.OWNED, OutcomeRecord.OF_ACL);
        write(engine.scratch(), shown, at, engine.clock.next(), ctime, links);
    }

    /** What was written so far is durable on return. */
    public void fence() {
        pmem.fence();
    }

    private boolean write(Engine.Scratch scratch, int shown, long object, long time, long first, long second) {
        long at = scratch.record;
        if (at == Pmem.NULL) {
            return false;
        }
        OutcomeRecord.write(pmem, at, scratch.sequence, shown, object, time, first, second);
        // [once.1]
        pmem.writeBack(at, OutcomeRecord.SIZE);
        return true;
    }

    /** What was about to be made never comes to be. Durable on return, before the slot may be another's. */
    public void forget() {
        long at = engine.scratch().record;
        if (at != Pmem.NULL) {
            OutcomeRecord.clear(pmem, at);
            // [once.5] †
            pmem.persist(at, OutcomeRecord.SIZE);
        }
    }
}
