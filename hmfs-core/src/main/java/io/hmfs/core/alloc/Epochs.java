package io.hmfs.core.alloc;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;

/**
 * Epoch-based reclamation: a reader pins the epoch it starts in; what was unlinked in epoch e may be reused once the epoch has
 * moved to e + 2, because then no pinned reader can still have a way to it (I5). Pins stand in padded words of one array, so
 * that any thread can pin without being registered and nothing is allocated.
 */
public final class Epochs {
    private static final int PINS = 128;
    private static final int STRIDE = 8; // one cache line each
    private static final long FREE = 0;
    private static final long CLOSE_PAUSE_NANOS = 100_000;

    private static final VarHandle WORD =
            MethodHandles.arrayElementVarHandle(long[].class).withInvokeExactBehavior();

    /** No thread may pin any more. Nothing was begun. */
    public static final class ClosedException extends IllegalStateException {
        private static final long serialVersionUID = 1;

        ClosedException() {
            super("the namespace is closed");
        }
    }

    private final long[] pins = new long[(PINS + 1) * STRIDE];
    private volatile long epoch = 1;
    private volatile boolean closed;

    /**
     * Pins the present epoch; the handle goes back to {@link #unpin}. More than {@value #PINS} at once wait.
     *
     * @throws ClosedException after {@link #close}
     */
    @SuppressWarnings("ThreadPriorityCheck") // the wait is for another thread's few instructions
    public int pin() {
        int slot = (int) Thread.currentThread().threadId() & (PINS - 1);
        for (int tries = 1; ; tries++) {
            int index = (slot + 1) * STRIDE;
            // The CAS is a full fence: no load of the pool moves before it. The epoch may have moved on since it was
            // read;
            // an older pin only holds reclamation up longer.
            if ((long) WORD.getOpaque(pins, index) == FREE && WORD.compareAndSet(pins, index, FREE, epoch)) {
                if (closed) { // read after the pin is visible: either close sees the pin, or the pin sees close
                    unpin(index);
                    throw new ClosedException();
                }
                return index;
            }
            slot = (slot + 1) & (PINS - 1);
            if (tries % PINS == 0) {
                Thread.yield();
            }
        }
    }

    public void unpin(int pin) {
        WORD.setRelease(pins, pin, FREE);
    }

    /** Lets no thread pin any more and waits for pinned ones; false if some still are after this time. */
    public boolean close(long timeoutNanos) {
        closed = true;
        VarHandle.fullFence();
        long start = System.nanoTime();
        for (int slot = 1; slot <= PINS; slot++) {
            while ((long) WORD.getVolatile(pins, slot * STRIDE) != FREE) {
                if (System.nanoTime() - start > timeoutNanos) {
                    return false;
                }
                LockSupport.parkNanos(CLOSE_PAUSE_NANOS);
            }
        }
        return true;
    }

    /** The epoch that something unlinked now belongs to. */
    public long current() {
        return epoch;
    }

    /** Moves the epoch on if every pin is in the present one; says what it is then. */
    public synchronized long tryAdvance() {
        long now = epoch;
        VarHandle.fullFence();
        for (int slot = 1; slot <= PINS; slot++) {
            long pinned = (long) WORD.getVolatile(pins, slot * STRIDE);
            if (pinned != FREE && pinned != now) {
                return now;
            }
        }
        epoch = now + 1;
        return now + 1;
    }
}
