package io.hmfs.core.index;

import io.hmfs.core.lock.LockOrder;
import io.hmfs.core.lock.LockRank;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Writer locks and move counters in DRAM, shared by the segments that hash to one stripe. Bit 0 of a stripe is the lock; the
 * rest counts the words that were moved or cleared under it. A thread holds at most one stripe.
 */
final class Stripes {
    private static final VarHandle WORD =
            MethodHandles.arrayElementVarHandle(int[].class).withInvokeExactBehavior();

    private static final int COUNT_LOG2 = 12;
    private static final int LOCKED = 1;
    private static final int MOVE = 2;
    private static final int SPINS_MAX = 128;
    private static final long SCATTER = 0x9E37_79B9_7F4A_7C15L;

    private final int[] words = new int[1 << COUNT_LOG2];

    static int of(long segment) {
        return (int) (((segment >>> 6) * SCATTER) >>> (Long.SIZE - COUNT_LOG2));
    }

    void lock(int stripe) {
        LockOrder.waiting(LockRank.INDEX, stripe);
        for (int spins = 0; ; spins++) {
            int word = (int) WORD.getVolatile(words, stripe);
            if ((word & LOCKED) == 0 && WORD.compareAndSet(words, stripe, word, word | LOCKED)) {
                LockOrder.taken(LockRank.INDEX, stripe);
                return;
            }
            pause(spins);
        }
    }

    /** Spins at first; then lets others run, since the thread that is waited for may be splitting, or not scheduled. */
    @SuppressWarnings("ThreadPriorityCheck") // a wait of microseconds: parking would need a waker
    static void pause(int spins) {
        if (spins < SPINS_MAX) {
            Thread.onSpinWait();
        } else {
            Thread.yield();
        }
    }

    void unlock(int stripe) {
        LockOrder.released(LockRank.INDEX, stripe);
        WORD.setRelease(words, stripe, (int) WORD.get(words, stripe) & ~LOCKED);
    }

    /** Says, before a word is overwritten or cleared, that a scan which began earlier may have missed a word. Lock held. */
    void moved(int stripe) {
        WORD.setRelease(words, stripe, (int) WORD.get(words, stripe) + MOVE);
    }

    /** Equal before and after a scan: no word was moved or cleared meanwhile. */
    int version(int stripe) {
        return (int) WORD.getAcquire(words, stripe) & ~LOCKED;
    }
}
