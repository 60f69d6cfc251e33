package io.hmfs.server.transport;

import java.lang.System.Logger.Level;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The memory for replies that peers have not taken, over all connections of a server: many peers that ask for much and take nothing must not
 * use up the memory of all. When half of it is in use it is scarce: a connection gets its next reply when it has taken the ones before, and
 * pages of listings are short. When it is spent no request is executed, until peers take their replies or are closed because they do not.
 * Thread-safe.
 */
final class ReplyBudget {
    /** Bytes of a connection's replies that need not be counted at once. */
    static final int UNCOUNTED_MAX = 4 << 10;

    private static final System.Logger LOG = System.getLogger(ReplyBudget.class.getName());
    private static final long WARNING_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final long max;
    private final AtomicLong used = new AtomicLong();
    private final AtomicLong warnedNanos = new AtomicLong(System.nanoTime() - WARNING_NANOS);
    private final ConcurrentLinkedQueue<Runnable> waiting = new ConcurrentLinkedQueue<>();

    /** {@code max}: bytes at which it is spent. */
    ReplyBudget(long max) {
        this.max = max;
    }

    /** So many bytes more are in use; fewer if negative. */
    void use(long bytes) {
        long now = used.addAndGet(bytes);
        if (now >= max / 2 && now - bytes < max / 2) {
            warn();
        }
        if (now < max) {
            wake();
        }
    }

    boolean isScarce() {
        return used.get() >= max / 2;
    }

    boolean isSpent() {
        return used.get() >= max;
    }

    /** Runs a task when it is not spent any more, perhaps at once; on any thread, which the task must not block. */
    void whenNotSpent(Runnable task) {
        waiting.add(task);
        if (!isSpent()) { // since the caller looked
            wake();
        }
    }

    private void wake() {
        for (Runnable task = waiting.poll(); task != null; task = waiting.poll()) {
            task.run();
        }
    }

    private void warn() {
        long now = System.nanoTime();
        long before = warnedNanos.get();
        if (now - before >= WARNING_NANOS && warnedNanos.compareAndSet(before, now)) {
            LOG.log(
                    Level.WARNING,
                    "clients have not taken {0} bytes of replies, half of what reply-bytes-max allows: each connection gets one reply at a time"
                            + " until they have, and those that take none within the idle timeout are closed",
                    Long.toString(max / 2));
        }
    }
}
