package io.hmfs.core.recovery;

import io.hmfs.core.dir.ChildList;
import io.hmfs.core.engine.Engine;
import io.hmfs.core.layout.CorruptPoolException;
import io.hmfs.core.layout.Ctime;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.OutcomeRecord;
import io.hmfs.core.layout.OutcomeRing;
import io.hmfs.core.layout.SlotState;
import io.hmfs.core.pmem.Pmem;
import java.util.BitSet;

/**
 * Which of the changes that clients have numbered were executed. Asked at a start before anything else happens: all that the answer
 * rests on is as the end before left it. The number of records does not grow with that of files.
 *
 * <p>† Two passes. The first makes the objects and words durable that verdicts rest on, and settles what dies; the second makes the
 * verdicts durable. So a durable verdict rests on what is durable, and a start that is cut off here leaves the next one the same to judge.
 */
public final class OutcomeRecovery {
    private final Engine engine;
    private final Pmem pmem;
    private final Recovery recovery;
    private final LinkSearch links;

    public OutcomeRecovery(Engine engine, ChildList lists, Recovery recovery) {
        this.engine = engine;
        this.pmem = engine.pmem;
        this.recovery = recovery;
        this.links = new LinkSearch(engine, lists);
    }

    /** Leaves in each ring only records of changes that were executed. */
    public void run() {
        int rings = engine.ringOwners.count();
        if (rings == 0) {
            return;
        }
        BitSet open = new BitSet(rings * OutcomeRing.RECORDS);
        BitSet executed = new BitSet(rings * OutcomeRing.RECORDS);
        int pin = engine.epochs.pin();
        try {
            for (int i = 0; i < rings; i++) {
                judge(i, open, executed);
            }
        } finally {
            engine.epochs.unpin(pin);
        }
        // [once.6] † What the verdicts rest on, before them.
        pmem.fence();
        for (int i = open.nextSetBit(0); i >= 0; i = open.nextSetBit(i + 1)) {
            long at = record(i / OutcomeRing.RECORDS, i % OutcomeRing.RECORDS);
            if (executed.get(i)) {
                OutcomeRecord.confirm(pmem, at);
            } else {
                OutcomeRecord.clear(pmem, at);
            }
            pmem.writeBack(at, OutcomeRecord.SIZE);
        }
        // [once.7] † Before any thread changes what they rest on.
        pmem.fence();
    }

    private long record(int ring, int number) {
        return OutcomeRing.record(engine.ringOwners.at(ring), number);
    }

    private void judge(int ring, BitSet open, BitSet executed) {
        long since = OutcomeRing.since(pmem, engine.ringOwners.at(ring));
        for (int i = 0; i < OutcomeRing.RECORDS && since != 0; i++) {
            long at = record(ring, i);
            long number = OutcomeRecord.number(pmem, at);
            if (OutcomeRecord.time(pmem, at) <= since) {
                continue; // none, or of the client that had the ring before
            }
            if (number == 0) {
                // [once.11] † Cleared, perhaps by a process that died before that was durable: the record must not come
                // back.
                pmem.writeBack(at, OutcomeRecord.SIZE);
                continue;
            }
            engine.ringOwners.usedLast(ring, OutcomeRecord.time(pmem, at));
            if (OutcomeRecord.phase(number) == OutcomeRecord.WRITTEN) {
                int bit = ring * OutcomeRing.RECORDS + i;
                open.set(bit);
                executed.set(bit, isExecuted(at));
            }
        }
    }

    private boolean isExecuted(long at) {
        long object = OutcomeRecord.object(pmem, at);
        if (!engine.regions.isEntrySlot(object)) {
            throw new CorruptPoolException(at + OutcomeRecord.OBJECT_OFFSET, "the slot of an entry", object);
        }
        long time = OutcomeRecord.time(pmem, at);
        long id = OutcomeRecord.id(pmem, at);
        long word = OutcomeRecord.first(pmem, at);
        boolean executed = switch (OutcomeRecord.evidence(pmem, at)) {
            case OutcomeRecord.MADE -> isMade(object, time);
            case OutcomeRecord.GONE -> isGone(object, id, time);
            case OutcomeRecord.RESIZED ->
                !isThere(object, id, time) || pmem.get(object + EntryRecord.MTIME_OFFSET) >= word;
            case OutcomeRecord.OWNED ->
                !isThere(object, id, time)
                        || isAclChanged(at, object)
                        || Ctime.time(pmem.get(object + EntryRecord.CTIME_OFFSET)) >= Ctime.time(word);
            case OutcomeRecord.TIMED -> {
                carryOut(at, object, id, time);
                yield true;
            }
            case OutcomeRecord.CHAINED -> !isThere(object, id, time) || isChained(at, object);
            default ->
                throw new CorruptPoolException(
                        at + OutcomeRecord.OBJECT_OFFSET,
                        "what shows that a change was executed",
                        OutcomeRecord.evidence(pmem, at));
        };
        pmem.writeBack(object, 2 * Pmem.LINE);
        return executed;
    }

    /** Sets the times that were to be set, if they are not. No other thread has come between: the lock was the change's until its end. */
    private void carryOut(long at, long object, long id, long time) {
        long ctime = pmem.get(object + EntryRecord.CTIME_OFFSET);
        if (!isThere(object, id, time) || Ctime.time(ctime) >= time) {
            return;
        }
        // [once.9] † Its process may have died before the record was durable: what is begun here must not be without
        // it.
        pmem.persist(at, OutcomeRecord.SIZE);
        long mtime = OutcomeRecord.first(pmem, at);
        long atime = OutcomeRecord.second(pmem, at);
        if (atime >= 0) {
            pmem.set(object + EntryRecord.ATIME_OFFSET, atime);
        }
        if (mtime >= 0) {
            pmem.set(object + EntryRecord.OVERRIDE_OFFSET, mtime);
            pmem.set(object + EntryRecord.SET_AT_OFFSET, time);
        }
        // [once.10] † As [times.3].
        pmem.setRelease(object + EntryRecord.CTIME_OFFSET, Ctime.of(time, Ctime.mode(ctime)));
    }

    /** With this ctime, which stands in the same line, a mode in the links word is of a change of the ACL that came later. */
    private boolean isChained(long at, long object) {
        long ctime = Ctime.time(pmem.get(object + EntryRecord.CTIME_OFFSET));
        long changed = Ctime.time(OutcomeRecord.first(pmem, at));
        long chain = EntryRecord.chain(EntryRecord.links(pmem, object));
        boolean listed = EntryRecord.form(EntryRecord.links(pmem, object)) == EntryRecord.LINKS_WITH_MODE;
        if (listed && ctime == changed) {
            return true;
        }
        return ctime > changed || (ctime == changed && chain != OutcomeRecord.second(pmem, at));
    }

    /** A change of an ACL commits in the links word, and raises the ctime next. */
    private boolean isAclChanged(long at, long object) {
        return OutcomeRecord.change(pmem, at) == OutcomeRecord.OF_ACL
                && (EntryRecord.links(pmem, object) & ~EntryRecord.LINKS_DIRTY) == OutcomeRecord.second(pmem, at);
    }

    /**
     * Whether an object that a create or a rename has begun at this time came to be, whatever became of it since. The slot may not have
     * it durably: then its times are older. A later owner of the slot, also one that frees it, leaves later times: only what came to be
     * gives its slot up to another one while its record stands.
     */
    private boolean isMade(long at, long time) {
        long status = EntryRecord.status(pmem, at);
        long death = EntryRecord.death(pmem, at);
        return switch (EntryRecord.state(status)) {
            case SlotState.FREE -> death > time;
            case SlotState.CREATING -> death == time ? links.isLinked(at, status) : EntryRecord.birth(pmem, at) > time;
            default -> Math.max(death, EntryRecord.birth(pmem, at)) >= time;
        };
    }

    /** Whether an object is gone that was there before this time. One that is dying is settled first, for others may let it go on. */
    private boolean isGone(long at, long id, long time) {
        if (EntryRecord.state(pmem, at) == SlotState.DELETING) {
            recovery.recover(at);
        }
        return !isThere(at, id, time);
    }

    /** Whether the object that was there before this time is there still. */
    private boolean isThere(long at, long id, long time) {
        int state = EntryRecord.state(pmem, at);
        return state != SlotState.FREE
                && state != SlotState.DELETED
                && EntryRecord.id(pmem, at) == id
                && EntryRecord.birth(pmem, at) < time;
    }
}
