package io.hmfs.core;

import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Lets one of several threads run at a time, and gives the turn to another at random events. A thread that waits for a lock of
 * the engine comes to no event; the others go on without it after a moment.
 */
final class Turns {
    private static final long TIMEOUT_NANOS = 300_000;
    private static final long PAUSE_NANOS = 10_000;

    /** Ends a thread of the simulated machine. */
    static final class Crash extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    private final ThreadLocal<Integer> me = new ThreadLocal<>();
    private final AtomicInteger current = new AtomicInteger();
    private final boolean[] ended;
    private final Random random;
    private final double switches;
    private final long crashAt;
    private volatile long events;

    /** All threads die at event {@code crashAt}. */
    Turns(int threads, Random random, double switches, long crashAt) {
        this.ended = new boolean[threads];
        this.random = random;
        this.switches = switches;
        this.crashAt = crashAt;
    }

    boolean crashed() {
        return events >= crashAt;
    }

    /** The first thing that thread {@code index} does. */
    void begin(int index) {
        me.set(index);
        await(index);
    }

    /** The last. */
    void end(int index) {
        synchronized (ended) {
            ended[index] = true;
        }
        current.compareAndSet(index, other(index));
    }

    /** Before each event of one of the threads; of other threads' events nothing is known. */
    void event() {
        Integer mine = me.get();
        if (mine == null) {
            return;
        }
        await(mine);
        count();
        double drawn;
        synchronized (random) {
            drawn = random.nextDouble();
        }
        if (drawn < switches) {
            int next = other(mine);
            if (next != mine && current.compareAndSet(mine, next)) {
                await(mine);
            }
        }
        if (crashed()) {
            throw new Crash();
        }
    }

    private synchronized void count() {
        events++;
    }

    private int other(int mine) {
        synchronized (ended) {
            int[] alive = new int[ended.length];
            int count = 0;
            for (int i = 0; i < ended.length; i++) {
                if (!ended[i] && i != mine) {
                    alive[count++] = i;
                }
            }
            return count == 0 ? mine : alive[random.nextInt(count)];
        }
    }

    private void await(int mine) {
        long seen = events;
        long since = System.nanoTime();
        while (current.get() != mine) {
            if (events != seen) {
                seen = events;
                since = System.nanoTime();
            } else if (System.nanoTime() - since > TIMEOUT_NANOS) {
                current.set(mine); // the thread that has the turn waits for a lock
            } else {
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }
}
