package io.hmfs.core.lock;

import java.util.Arrays;

/**
 * Checks in test builds that each thread takes its locks in the order of {@link LockRank}, and gives back what it holds. Switched on by
 * {@code -Dhmfs.lockOrder=true} when the JVM starts; else the calls compile to nothing. A violation is an {@link AssertionError} on the thread that
 * would wait, whether or not another thread is in its way: a deadlock need not happen to be found.
 */
@SuppressWarnings("EnumOrdinal") // the order of declaration is the order of locks
public final class LockOrder {
    /** Whether this JVM checks. */
    public static final boolean CHECKED = Boolean.getBoolean("hmfs.lockOrder");

    private static final ThreadLocal<LockOrder> OF_THREAD = ThreadLocal.withInitial(LockOrder::new);

    /** What the thread holds, in the order taken: rank in the upper half, number in the lower. */
    private long[] held = new long[16];

    private int count;

    private LockOrder() {}

    /** Before a thread waits for a lock; {@code number} tells locks of one rank apart. {@link #taken} follows when it has it. */
    public static void waiting(LockRank rank, int number) {
        if (CHECKED) {
            OF_THREAD.get().check(entry(rank, number));
        }
    }

    /** A thread has taken a lock, after {@link #waiting} or because it was free. */
    public static void taken(LockRank rank, int number) {
        if (CHECKED) {
            OF_THREAD.get().add(entry(rank, number));
        }
    }

    /** Before a thread gives a lock back. */
    public static void released(LockRank rank, int number) {
        if (CHECKED) {
            OF_THREAD.get().remove(entry(rank, number));
        }
    }

    /** The thread holds nothing: it begins anew, after an engine that failed half way and keeps its locks for ever. */
    public static void forget() {
        if (CHECKED) {
            OF_THREAD.get().count = 0;
        }
    }

    /** Runs what has nothing to do with the locks that the thread holds: another engine, as tests have it for an image of this one. */
    public static void apart(Runnable action) {
        if (!CHECKED) {
            action.run();
            return;
        }
        LockOrder before = OF_THREAD.get();
        OF_THREAD.set(new LockOrder());
        try {
            action.run();
        } finally {
            OF_THREAD.set(before);
        }
    }

    private static long entry(LockRank rank, int number) {
        return (long) rank.ordinal() << Integer.SIZE | number;
    }

    private void check(long wanted) {
        for (int i = 0; i < count; i++) {
            if (held[i] >= wanted) {
                throw new AssertionError("a thread that holds " + text(held[i]) + " must not wait for " + text(wanted)
                        + "; see docs/architecture.md#lock-order");
            }
        }
    }

    private void add(long entry) {
        if (count == held.length) {
            held = Arrays.copyOf(held, 2 * count);
        }
        held[count++] = entry;
    }

    private void remove(long entry) {
        for (int i = count - 1; i >= 0; i--) {
            if (held[i] == entry) {
                System.arraycopy(held, i + 1, held, i, --count - i);
                return;
            }
        }
        throw new AssertionError("a thread gives back " + text(entry) + ", which it does not hold");
    }

    private static String text(long entry) {
        return LockRank.values()[(int) (entry >>> Integer.SIZE)] + " " + (int) entry;
    }
}
