package io.hmfs.core.lock;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;

/**
 * Reader-writer locks in DRAM, one word each, chosen by the hash of an index key (HMFS §3.6). A thread that takes several takes them in
 * ascending order. Locks are not reentrant and know no owner. After {@link #poison} no thread gets one any more: the engine has
 * failed half way through an operation and must not carry on over it.
 */
public final class LockTable {
    private static final String STOPPED = "the engine has stopped after an error; reopen the pool";
    private static final int WRITER = -1;
    private static final int SPINS = 64;
    private static final int YIELDS = 256;
    private static final long PARK_NANOS = 50_000;

    private static final VarHandle WORD =
            MethodHandles.arrayElementVarHandle(int[].class).withInvokeExactBehavior();

    private final LockRank rank;
    private final int[] words;
    private final int mask;
    private volatile boolean poisoned;

    /** A table of {@code size} locks, a power of two, of one rank in the order of locks. */
    public LockTable(LockRank rank, int size) {
        if (Integer.bitCount(size) != 1) {
            throw new IllegalArgumentException("the number of locks must be a power of two, not " + size);
        }
        this.rank = rank;
        this.words = new int[size];
        this.mask = size - 1;
    }

    /** The lock of a key. */
    public int of(long hash) {
        return (int) (hash >>> 20) & mask;
    }

    public void lockWrite(int lock) {
        LockOrder.waiting(rank, lock);
        for (int tries = 0; !tryLockWrite(lock); tries++) {
            await(tries);
        }
    }

    public boolean tryLockWrite(int lock) {
        boolean taken = (int) WORD.getOpaque(words, lock) == 0 && WORD.compareAndSet(words, lock, 0, WRITER);
        if (taken) {
            LockOrder.taken(rank, lock);
        }
        return taken;
    }

    public void unlockWrite(int lock) {
        assert (int) WORD.getOpaque(words, lock) == WRITER : "no writer holds lock " + lock;
        LockOrder.released(rank, lock);
        WORD.setRelease(words, lock, 0);
    }

    public void lockRead(int lock) {
        LockOrder.waiting(rank, lock);
        for (int tries = 0; ; tries++) {
            int seen = (int) WORD.getOpaque(words, lock);
            if (seen != WRITER && WORD.compareAndSet(words, lock, seen, seen + 1)) {
                LockOrder.taken(rank, lock);
                return;
            }
            await(tries);
        }
    }

    public void unlockRead(int lock) {
        LockOrder.released(rank, lock);
        int before = (int) WORD.getAndAdd(words, lock, -1);
        assert before > 0;
    }

    /** Takes up to three write locks, ascending, each once. The array is sorted in place; -1 stands for none. */
    public void lockWriteAll(int[] locks) {
        Arrays.sort(locks);
        for (int i = 0; i < locks.length; i++) {
            if (locks[i] >= 0 && (i == 0 || locks[i] != locks[i - 1])) {
                lockWrite(locks[i]);
            }
        }
    }

    /** Gives back what {@link #lockWriteAll} took. */
    public void unlockWriteAll(int[] locks) {
        for (int i = 0; i < locks.length; i++) {
            if (locks[i] >= 0 && (i == 0 || locks[i] != locks[i - 1])) {
                unlockWrite(locks[i]);
            }
        }
    }

    /**
     * For a thread that waits without a lock for the few instructions of another thread: lets that one run. Ends such waits after
     * {@link #poison} too, since what they wait for may never come.
     */
    @SuppressWarnings("ThreadPriorityCheck") // the wait is for another thread's few instructions
    public void awaitOthers() {
        if (poisoned) {
            throw new IllegalStateException(STOPPED);
        }
        Thread.yield();
    }

    /** Lets no thread in any more. */
    public void poison() {
        poisoned = true;
    }

    @SuppressWarnings("ThreadPriorityCheck") // the wait is for another thread's few instructions
    private void await(int tries) {
        if (poisoned) {
            throw new IllegalStateException(STOPPED);
        }
        if (tries < SPINS) {
            Thread.onSpinWait();
        } else if (tries < YIELDS) {
            Thread.yield();
        } else {
            LockSupport.parkNanos(PARK_NANOS);
        }
    }
}
