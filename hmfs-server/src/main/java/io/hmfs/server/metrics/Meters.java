package io.hmfs.server.metrics;

import io.hmfs.client.ResultCode;
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
    void count(WorkerMeter meter, Operation operation, ResultCode outcome, long nanos) {
        meter.count(operation, outcome, nanos);
        if (outcome == ResultCode.NO_SPACE && takesRoom(operation)) {
            full = true;
        } else if (full && outcome == ResultCode.OK && (takesRoom(operation) || makesRoom(operation))) {
            full = false;
        }
    }

    private static boolean takesRoom(Operation operation) {
        return operation == Operation.CREATE || operation == Operation.MKDIR || operation == Operation.RENAME;
    }

    private static boolean makesRoom(Operation operation) {
        return operation == Operation.DELETE || operation == Operation.RMDIR;
    }

    /** Whether the pool has had no room for a request, and nothing was made or removed since. */
    public boolean isFull() {
        return full;
    }

    long requests(Operation operation, ResultCode outcome) {
        long sum = 0;
        for (WorkerMeter meter : all) {
            sum += meter.requests(operation, outcome);
        }
        return sum;
    }

    long nanos(Operation operation) {
        long sum = 0;
        for (WorkerMeter meter : all) {
            sum += meter.nanos(operation);
        }
        return sum;
    }

    /** Requests by bucket of their latency. */
    long[] buckets(Operation operation) {
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
