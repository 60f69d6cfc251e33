package io.hmfs.core;

import io.hmfs.core.engine.Engine;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.OutcomeRecord;
import io.hmfs.core.layout.OutcomeRing;
import io.hmfs.core.layout.Owner;
import io.hmfs.core.pmem.Pmem;
import io.hmfs.core.type.ChangeOutcome;
import io.hmfs.core.type.Status;
import java.util.function.LongConsumer;

/**
 * Changes that a client numbers, and their records: one that was executed can be told from one that was not, also after a crash. A
 * client has a ring of the last {@link #KEPT} of its numbers; it asks for none that is older than that. A record is made by each operation
 * but link, and only if it changes something: one that failed can as well be executed again. It costs a line, and a fence where an
 * operation has only one.
 */
public final class NumberedChanges {
    /** No ring. */
    public static final long NONE = Pmem.NULL;

    /** Numbers that a ring remembers. */
    public static final int KEPT = OutcomeRing.RECORDS;

    /** Whose ring a client may have that has none. */
    public enum From {
        /** Its own, which it had before. */
        CLIENT,
        /** One of its user's, or one that nobody has had. */
        USER,
        /** The one whose client has been away for the longest. */
        ANYBODY
    }

    private final Engine engine;
    private final OperationGuard guard;

    NumberedChanges(Engine engine, OperationGuard guard) {
        this.engine = engine;
        this.guard = guard;
    }

    /**
     * The ring of a client, for it alone until {@link #release}: the one that it had, or another, which knows nothing of numbers below
     * {@code next}. {@link #NONE}: all of {@code from} are held. Client and user are told by numbers that others do not have.
     */
    public long hold(long client, long user, long next, From from) {
        long[] ring = new long[1];
        guard.stopping(() -> {
            int pin = engine.epochs.pin();
            try {
                ring[0] = switch (from) {
                    case CLIENT -> engine.ringOwners.holdAgain(client, user);
                    case USER -> engine.ringOwners.hold(client, user, next, false);
                    case ANYBODY -> engine.ringOwners.hold(client, user, next, true);
                };
                return Status.OK;
            } finally {
                engine.epochs.unpin(pin);
            }
        });
        return ring[0];
    }

    /** Rings that there can be in this pool. */
    public int ringsMax() {
        return engine.ringOwners.max();
    }

    /** The client has gone away, and nothing of it is being executed: others may have the ring if they need it. */
    public void release(long ring) {
        engine.ringOwners.release(ring);
    }

    /** The lowest number that a ring can know. */
    public long first(long ring) {
        int pin = engine.epochs.pin();
        try {
            return OutcomeRing.first(engine.pmem, ring);
        } finally {
            engine.epochs.unpin(pin);
        }
    }

    /** Tells all numbers whose changes were executed, as far as the ring remembers. None of the client is being executed. */
    public void read(long ring, LongConsumer numbers) {
        int pin = engine.epochs.pin();
        try {
            for (int i = 0; i < KEPT; i++) {
                long at = OutcomeRing.record(ring, i);
                long number = OutcomeRecord.number(engine.pmem, at);
                if (number != 0 && isOf(ring, at)) {
                    numbers.accept(OutcomeRecord.sequence(number));
                }
            }
        } finally {
            engine.epochs.unpin(pin);
        }
    }

    /** Whether a record is of the client that has the ring now. */
    private boolean isOf(long ring, long at) {
        return OutcomeRecord.time(engine.pmem, at) > OutcomeRing.since(engine.pmem, ring);
    }

    /** What became of a number that {@link #read} has told; false if the ring has forgotten it. */
    public boolean find(long ring, long number, ChangeOutcome out) {
        int pin = engine.epochs.pin();
        try {
            return readRecord(ring, number, out);
        } finally {
            engine.epochs.unpin(pin);
        }
    }

    private boolean readRecord(long ring, long number, ChangeOutcome out) {
        Pmem pmem = engine.pmem;
        long at = OutcomeRing.record(ring, number);
        long owner = OutcomeRecord.owner(pmem, at);
        out.id = OutcomeRecord.id(pmem, at);
        out.parentId = OutcomeRecord.parent(pmem, at);
        out.timeNanos = OutcomeRecord.time(pmem, at);
        out.uid = Owner.uid(owner);
        out.gid = Owner.gid(owner);
        int evidence = OutcomeRecord.evidence(pmem, at);
        out.kind = kind(evidence, OutcomeRecord.change(pmem, at));
        boolean mayRemove = evidence == OutcomeRecord.MADE || evidence == OutcomeRecord.GONE;
        out.removedId = mayRemove ? OutcomeRecord.first(pmem, at) : 0;
        out.removedSize = out.removedId == 0 ? 0 : OutcomeRecord.second(pmem, at);
        return OutcomeRecord.sequence(OutcomeRecord.number(pmem, at)) == number && isOf(ring, at);
    }

    private static ChangeOutcome.Kind kind(int evidence, int change) {
        return switch (evidence) {
            case OutcomeRecord.MADE ->
                switch (change) {
                    case OutcomeRecord.MOVED -> ChangeOutcome.Kind.RENAME;
                    case EntryRecord.KIND_DIRECTORY -> ChangeOutcome.Kind.MKDIR;
                    case EntryRecord.KIND_SYMLINK -> ChangeOutcome.Kind.SYMLINK;
                    default -> ChangeOutcome.Kind.CREATE;
                };
            case OutcomeRecord.GONE ->
                change == EntryRecord.KIND_DIRECTORY ? ChangeOutcome.Kind.RMDIR : ChangeOutcome.Kind.DELETE;
            case OutcomeRecord.RESIZED ->
                change == OutcomeRecord.APPENDED ? ChangeOutcome.Kind.APPEND : ChangeOutcome.Kind.TRUNCATE;
            case OutcomeRecord.TIMED -> ChangeOutcome.Kind.SET_TIMES;
            case OutcomeRecord.CHAINED ->
                change == OutcomeRecord.ATTRIBUTE_SET ? ChangeOutcome.Kind.SET_XATTR : ChangeOutcome.Kind.REMOVE_XATTR;
            default ->
                switch (change) {
                    case OutcomeRecord.OF_MODE -> ChangeOutcome.Kind.CHMOD;
                    case OutcomeRecord.OF_ACL -> ChangeOutcome.Kind.CHANGE_ACL;
                    default -> ChangeOutcome.Kind.CHOWN;
                };
        };
    }
}
