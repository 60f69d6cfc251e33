package io.hmfs.server.metrics;

import io.hmfs.client.ResultCode;
import io.hmfs.server.protocol.RequestKind;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * What one thread counts of its requests; no other thread writes here, a scrape adds up the meters of all threads. A cell is one
 * load and one store, so a scrape may see a request in one cell and not yet in another.
 *
 * <p>Latencies fall into buckets, two for each power of two nanoseconds: bucket b > 0 holds what is longer than {@code bound(b - 1)}
 * and not longer than {@code bound(b)}; the last one holds all the rest.
 */
@SuppressWarnings("EnumOrdinal") // cells live as long as the process, so any numbering will do
public final class WorkerMeter {
    private static final VarHandle CELL =
            MethodHandles.arrayElementVarHandle(long[].class).withInvokeExactBehavior();

    private static final int SHORTEST = 9; // below 2^9 ns nothing is told apart
    private static final int LONGEST = 35; // nor above 2^35 ns, half a minute

    /** Buckets of an operation, the last one without an upper bound. */
    static final int BUCKETS = 2 * (LONGEST - SHORTEST) + 2;

    private static final int STATUSES = ResultCode.values().length;
    private static final int NANOS = STATUSES;
    private static final int FIRST_BUCKET = NANOS + 1;
    private static final int STRIDE = FIRST_BUCKET + BUCKETS;
    private static final int TALLIES = RequestKind.count() * STRIDE;

    /** What is counted beside requests. */
    public enum Tally {
        CONNECTIONS_ACCEPTED,
        CONNECTIONS_REFUSED,
        RECEIVED_BYTES,
        SENT_BYTES,
        FRAMES_REFUSED,

        /** Connections that ended because memory for their buffers could not be had. */
        ALLOCATIONS_FAILED,
        SLOW_OPERATIONS,
        AUDIT_DROPPED,
        /** Paths from the root whose directories were all known, those of which some had to be looked up, and directories found changed. */
        PATH_HITS,
        PATH_MISSES,
        PATH_INVALIDATIONS,
        /** Bytes of replies that wait for the log, now. */
        HELD_BYTES,
        /** Batches of replies that have waited for the log. */
        HOLDS,
        HOLD_NANOS,
        /** Bytes of long replies that were written into clients' memory by RDMA, and of long requests that were read there. */
        RDMA_WRITTEN_BYTES,
        RDMA_READ_BYTES
    }

    private final long[] cells = new long[TALLIES + Tally.values().length];

    private void addTo(int cell, long amount) {
        CELL.setOpaque(cells, cell, cells[cell] + amount);
    }

    private long cell(int cell) {
        return (long) CELL.getOpaque(cells, cell);
    }

    void count(RequestKind operation, ResultCode outcome, long nanos) {
        int base = operation.ordinal() * STRIDE;
        addTo(base + outcome.ordinal(), 1);
        addTo(base + NANOS, nanos);
        addTo(base + FIRST_BUCKET + bucket(nanos), 1);
    }

    /** Adds to a tally; on the meter's own thread, as everything that changes it. */
    public void add(Tally tally, long amount) {
        addTo(TALLIES + tally.ordinal(), amount);
    }

    /** From any thread, as what follows. */
    long requests(RequestKind operation, ResultCode outcome) {
        return cell(operation.ordinal() * STRIDE + outcome.ordinal());
    }

    long nanos(RequestKind operation) {
        return cell(operation.ordinal() * STRIDE + NANOS);
    }

    long inBucket(RequestKind operation, int bucket) {
        return cell(operation.ordinal() * STRIDE + FIRST_BUCKET + bucket);
    }

    long tally(Tally tally) {
        return cell(TALLIES + tally.ordinal());
    }

    /** The bucket of a latency. */
    static int bucket(long nanos) {
        long past = nanos - 1; // a bound belongs to the bucket below it
        int power = 63 - Long.numberOfLeadingZeros(Math.max(past, 1));
        if (power < SHORTEST) {
            return 0;
        }
        int half = (int) (past >>> (power - 1)) & 1;
        return Math.min(2 * (power - SHORTEST) + half + 1, BUCKETS - 1);
    }

    /** The longest latency of a bucket but the last. */
    static long bound(int bucket) {
        long power = 1L << (SHORTEST + bucket / 2);
        return bucket % 2 == 0 ? power : power + power / 2;
    }
}
