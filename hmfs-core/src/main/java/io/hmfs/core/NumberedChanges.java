package io.hmfs.core;

import io.hmfs.core.engine.Engine;
import io.hmfs.core.layout.ChangeRecord;
import io.hmfs.core.layout.ChangeRing;
import io.hmfs.core.layout.EntryRecord;
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
    public static final int KEPT = ChangeRing.RECORDS;

    private final Engine engine;
    private final OperationGuard guard;

    NumberedChanges(Engine engine, OperationGuard guard) {
        this.engine = engine;
        this.guard = guard;
    }

    /**
     * The ring of a client, for it alone until {@link #release}: the one that it had, or another, which knows nothing of numbers below
     * {@code next}. {@link #NONE}: all are held. Client and user are told by numbers that others do not have.
     */
    public long hold(long client, long user, long next) {
        long[] ring = new long[1];
        guard.stopping(() -> {
            int pin = engine.epochs.pin();
            try {
                ring[0] = engine.rings.hold(client, user, next);
                return Status.OK;
            } finally {
                engine.epochs.unpin(pin);
            }
        });
        return ring[0];
    }

    /** The client has gone away, and nothing of it is being executed: others may have the ring if they need it. */
    public void release(long ring) {
        engine.rings.release(ring);
    }

    /** The lowest number that a ring can know. */
    public long first(long ring) {
        int pin = engine.epochs.pin();
        try {
            return ChangeRing.first(engine.pmem, ring);
        } finally {
            engine.epochs.unpin(pin);
        }
    }

    /** Tells all numbers whose changes were executed, as far as the ring remembers. None of the client is being executed. */
    public void read(long ring, LongConsumer numbers) {
        int pin = engine.epochs.pin();
        try {
            for (int i = 0; i < KEPT; i++) {
                long at = ChangeRing.record(ring, i);
                long number = ChangeRecord.number(engine.pmem, at);
                if (number != 0 && isOf(ring, at)) {
                    numbers.accept(ChangeRecord.sequence(number));
                }
            }
        } finally {
            engine.epochs.unpin(pin);
        }
    }

    /** Whether a record is of the client that has the ring now. */
    private boolean isOf(long ring, long at) {
        return ChangeRecord.time(engine.pmem, at) > ChangeRing.since(engine.pmem, ring);
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
        long at = ChangeRing.record(ring, number);
        long owner = ChangeRecord.owner(pmem, at);
        out.id = ChangeRecord.id(pmem, at);
        out.parentId = ChangeRecord.parent(pmem, at);
        out.timeNanos = ChangeRecord.time(pmem, at);
        out.uid = Owner.uid(owner);
        out.gid = Owner.gid(owner);
        int evidence = ChangeRecord.evidence(pmem, at);
        out.kind = kind(evidence, ChangeRecord.change(pmem, at));
        boolean mayRemove = evidence == ChangeRecord.MADE || evidence == ChangeRecord.GONE;
        out.removedId = mayRemove ? ChangeRecord.first(pmem, at) : 0;
        out.removedSize = out.removedId == 0 ? 0 : ChangeRecord.second(pmem, at);
        return ChangeRecord.sequence(ChangeRecord.number(pmem, at)) == number && isOf(ring, at);
    }

    private static ChangeOutcome.Kind kind(int evidence, int change) {
        return switch (evidence) {
            case ChangeRecord.MADE ->
                switch (change) {
                    case ChangeRecord.MOVED -> ChangeOutcome.Kind.RENAME;
                    case EntryRecord.KIND_DIRECTORY -> ChangeOutcome.Kind.MKDIR;
                    case EntryRecord.KIND_SYMLINK -> ChangeOutcome.Kind.SYMLINK;
                    default -> ChangeOutcome.Kind.CREATE;
                };
            case ChangeRecord.GONE ->
                change == EntryRecord.KIND_DIRECTORY ? ChangeOutcome.Kind.RMDIR : ChangeOutcome.Kind.DELETE;
            case ChangeRecord.RESIZED ->
                change == ChangeRecord.APPENDED ? ChangeOutcome.Kind.APPEND : ChangeOutcome.Kind.TRUNCATE;
            case ChangeRecord.TIMED -> ChangeOutcome.Kind.SET_TIMES;
            case ChangeRecord.CHAINED ->
                change == ChangeRecord.ATTRIBUTE_SET ? ChangeOutcome.Kind.SET_XATTR : ChangeOutcome.Kind.REMOVE_XATTR;
            default ->
                switch (change) {
                    case ChangeRecord.OF_MODE -> ChangeOutcome.Kind.CHMOD;
                    case ChangeRecord.OF_ACL -> ChangeOutcome.Kind.CHANGE_ACL;
                    default -> ChangeOutcome.Kind.CHOWN;
                };
        };
    }
}
