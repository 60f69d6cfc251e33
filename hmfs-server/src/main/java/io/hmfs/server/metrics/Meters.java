package io.hmfs.server.metrics;

import io.hmfs.client.ResultCode;
import io.hmfs.server.protocol.RequestKind;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** The meters of all threads of a server, and sums over them. Thread-safe. */
public final class Meters {
    private final List<WorkerMeter> all = new CopyOnWriteArrayList<>();
    private volatile boolean full;

    /** A meter for one thread. */
    public WorkerMeter newMeter() {
        WorkerMeter meter = new WorkerMeter();
        all.add(meter);
        return meter;
    }

    /** Counts a request on its thread's meter. */
    void count(WorkerMeter meter, RequestKind operation, ResultCode outcome, long nanos) {
        meter.count(operation, outcome, nanos);
        if (outcome == ResultCode.NO_SPACE && takesRoom(operation)) {
            full = true;
        } else if (full && outcome == ResultCode.OK && (takesRoom(operation) || makesRoom(operation))) {
            full = false;
        }
    }

    private static boolean takesRoom(RequestKind operation) {
        return switch (operation) {
            case CREATE, MKDIR, SYMLINK, RENAME -> true;
            default -> false;
        };
    }

    private static boolean makesRoom(RequestKind operation) {
        return switch (operation) {
            case DELETE, RMDIR, REMOVE_TREE -> true;
            default -> false;
        };
    }

    /** Whether the pool has had no room for a request, and nothing was made or removed since. */
    public boolean isFull() {
        return full;
    }

    long requests(RequestKind operation, ResultCode outcome) {
        long sum = 0;
        for (WorkerMeter meter : all) {
            sum += meter.requests(operation, outcome);
        }
        return sum;
    }

    long nanos(RequestKind operation) {
        long sum = 0;
        for (WorkerMeter meter : all) {
            sum += meter.nanos(operation);
        }
        return sum;
    }

    /** Requests by bucket of their latency. */
    long[] buckets(RequestKind operation) {
        long[] sums = new long[WorkerMeter.BUCKETS];
        for (WorkerMeter meter : all) {
            for (int i = 0; i < sums.length; i++) {
                sums[i] += meter.inBucket(operation, i);
            }
        }
        return sums;
    }

    /** The sum of a tally over all threads. */
    public long tally(WorkerMeter.Tally tally) {
        long sum = 0;
        for (WorkerMeter meter : all) {
            sum += meter.tally(tally);
        }
        return sum;
    }
}
