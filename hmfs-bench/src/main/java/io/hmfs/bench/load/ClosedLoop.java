package io.hmfs.bench.load;

import java.util.Arrays;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A client that keeps a fixed number of requests in flight: each answer starts the next request, on the thread that brought the
 * answer.
 */
public final class ClosedLoop {
    private static final int SAMPLES_MAX = 1 << 20;
    private static final int PERCENT_99 = 99;

    private final Supplier<? extends CompletableFuture<?>> request;
    private final long nanos;
    private final long answersMax;
    private final CountDownLatch ended;
    private final long[] latencies;

    // Of the thread that brings answers; published by the latch.
    private long startNanos; // the first answer's: what comes before is connection and first use
    private long answers;
    private @Nullable Throwable failure;

    private ClosedLoop(
            Supplier<? extends CompletableFuture<?>> request,
            int inFlight,
            long nanos,
            long answersMax,
            boolean timesEach) {
        this.request = request;
        this.nanos = nanos;
        this.answersMax = answersMax;
        this.ended = new CountDownLatch(inFlight);
        this.latencies = timesEach ? new long[SAMPLES_MAX] : new long[0];
    }

    /** What a loop found out: requests per second, or nanoseconds from request to answer. */
    public record Latency(double medianNanos, double p99Nanos) {}

    /**
     * Answers per second with so many in flight, for a time or until so many are there. {@code request} is called by one thread at a
     * time, and {@code answersMax + inFlight} times at the most, but for first answers that came too early.
     */
    public static double throughput(
            Supplier<? extends CompletableFuture<?>> request, int inFlight, long nanos, long answersMax)
            throws InterruptedException {
        ClosedLoop loop = new ClosedLoop(request, inFlight, nanos, answersMax, false);
        loop.begin(inFlight);
        return loop.answers * 1e9 / (System.nanoTime() - loop.startNanos);
    }

    /** Latencies with one in flight; no thread waits for an answer. */
    public static Latency latency(Supplier<? extends CompletableFuture<?>> request, long nanos)
            throws InterruptedException {
        ClosedLoop loop = new ClosedLoop(request, 1, nanos, Long.MAX_VALUE, true);
        loop.begin(1);
        return summary(loop.latencies, (int) Math.min(loop.answers, SAMPLES_MAX));
    }

    /** Latencies of a call that returns with its answer, one after the other on the calling thread. */
    public static Latency blockingLatency(Callable<?> call, long nanos) throws InterruptedException {
        long[] latencies = new long[SAMPLES_MAX];
        int count = 0;
        long end = System.nanoTime() + nanos;
        try {
            for (long now = System.nanoTime(); (now < end || count == 0) && count < SAMPLES_MAX; count++) {
                var _ = call.call();
                long after = System.nanoTime();
                latencies[count] = after - now;
                now = after;
            }
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException("a request failed", e);
        }
        return summary(latencies, count);
    }

    private void begin(int inFlight) throws InterruptedException {
        // Started by an answer, so that from the first on only the answering thread is in here; an answer that was
        // there
        // before any thread waited for it would start it on this thread: then ask again.
        Thread caller = Thread.currentThread();
        boolean[] early = new boolean[1];
        do {
            early[0] = false;
            var _ = request.get().whenComplete((_, problem) -> {
                if (Thread.currentThread().equals(caller) && problem == null) {
                    early[0] = true;
                    return;
                }
                failure = problem;
                startNanos = System.nanoTime();
                for (int i = 0; i < inFlight; i++) {
                    next();
                }
            });
        } while (early[0]);
        ended.await();
        if (failure != null) {
            throw new IllegalStateException("a request failed", failure);
        }
    }

    private void next() {
        long start = System.nanoTime();
        boolean isOver = start - startNanos > nanos && answers > 0; // one answer at least, or there is no rate
        if (isOver || answers >= answersMax || failure != null) {
            ended.countDown();
            return;
        }
        var _ = request.get().whenComplete((_, problem) -> {
            if (problem != null) {
                failure = problem;
            }
            if (answers < latencies.length) {
                latencies[(int) answers] = System.nanoTime() - start;
            }
            answers++;
            next();
        });
    }

    private static Latency summary(long[] latencies, int count) {
        if (count == 0) {
            throw new IllegalStateException("no answer in time");
        }
        Arrays.sort(latencies, 0, count);
        return new Latency(latencies[count / 2], latencies[(int) ((long) count * PERCENT_99 / 100)]);
    }
}
