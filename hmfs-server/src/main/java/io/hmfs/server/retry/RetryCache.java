package io.hmfs.server.retry;

import io.hmfs.core.NumberedChanges;
import io.hmfs.server.access.ClientKey;
import io.hmfs.server.share.UserShares;
import io.hmfs.server.share.UserShares.Resource;
import io.hmfs.server.transport.ReplyTarget;
import io.hmfs.wire.Wire;
import io.netty.buffer.ByteBuf;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * What became of the last changes of one client, by their sequences: a change that comes again gets the first answer. Thread-safe,
 * for a request may come over one connection while another thread still executes what came over the last one.
 *
 * <p>A ring. A slot belongs to the highest sequence that has claimed it; so a client that sends {@code n} says that it does not wait for
 * {@code n - KEPT} any more. A slot's word is sequence and phase:
 * <pre>
 *   (older sequence) --claim--> RUNNING --finish--> HELD --> DONE --replay--> HELD --> DONE
 * </pre>
 * In HELD, which lasts as long as an answer is copied, the slot's bytes are of the thread that made it so. No lock is taken, and nothing
 * allocated once each slot has had an answer as long (I7). A word that began as RECORDED stays so: what the pool remembers from before
 * is answered from there.
 */
public final class RetryCache {
    /** Sequences that are remembered at once. */
    public static final int KEPT = 1024; // a power of two

    /** No sequence is higher. */
    public static final long SEQUENCE_MAX = 1L << 60;

    /** What a sequence is when a request comes with it. */
    public enum Claim {
        /** It has not been seen before and is now the caller's to execute, which must call {@link #finish}. */
        NEW,
        /** It is being executed. */
        RUNNING,
        /** Its answer is there. */
        DONE,
        /** It was executed before this start, or before this client was forgotten here; the pool knows what came of it. */
        RECORDED,
        /** It is too old: whether it was executed is unknown. */
        FORGOTTEN
    }

    /** A request that waits for the answer of a sequence that another thread executes. */
    public interface Waiter {
        long sequence();

        /** Called once, from any thread, when the answer is there. */
        void answered();
    }

    private static final int PHASE_BITS = 2;
    private static final long PHASE_MASK = (1 << PHASE_BITS) - 1;
    private static final long RECORDED = 0;
    private static final long RUNNING = 1;
    private static final long HELD = 2;
    private static final long DONE = 3;
    private static final int REPLY_ROUND = 64;

    /** Bytes for answers that each client has, also when its user's share is used up. */
    static final int OWN_ANSWERS = 4 << 10;

    /** Bytes that each client has of its user's share. */
    static final long OWN_BYTES = KEPT * (Long.BYTES + 2L * Integer.BYTES) + 512 + OWN_ANSWERS;

    /** Longer answers are those of requests that met a symbolic link far away; they are not kept. */
    private static final int REPLY_MAX = 4096;

    private static final byte[] NOTHING = {};
    private static final VarHandle WORDS =
            MethodHandles.arrayElementVarHandle(long[].class).withInvokeExactBehavior();

    private final Consumer<RetryCache> whenLeft;
    private final ClientKey client;
    private final UserShares.Account account; // has OWN_BYTES for this, and what answers take beyond OWN_ANSWERS
    private final long[] words = new long[KEPT];
    private final byte[][] replies = new byte[KEPT][];
    private final int[] lengths = new int[KEPT];
    private final Queue<Waiter> awaited = new ConcurrentLinkedQueue<>();
    private final AtomicInteger ownUsed = new AtomicInteger(); // of OWN_ANSWERS
    private volatile long oldest;

    private volatile long ring;
    private final long sentBefore;

    /** Connections of this client; guarded by {@link RetryCaches}. */
    int connections;

    /**
     * Nothing below {@code first} is executed: another one knew what became of it, and is gone. What is below {@code next} was sent
     * before, and of that only changes that would be in the client's {@code ring} if they had been executed.
     */
    RetryCache(
            Consumer<RetryCache> whenLeft,
            ClientKey client,
            UserShares.Account account,
            long ring,
            long first,
            long next) {
        this.account = account;
        this.whenLeft = whenLeft;
        this.client = client;
        this.ring = ring;
        oldest = first;
        sentBefore = next;
        Arrays.fill(replies, NOTHING);
    }

    /** Where the client's changes are recorded in the pool; {@link NumberedChanges#NONE}: nowhere. */
    public long ring() {
        return ring;
    }

    /** Another client needs the ring: what is here does not survive the server any more. */
    void loseRing() {
        ring = NumberedChanges.NONE;
    }

    /** The pool has the outcome of this sequence. Before the first claim. */
    void recorded(long sequence) {
        words[slot(sequence)] = word(sequence, RECORDED);
    }

    /** Whether anything is being executed. */
    boolean isRunning() {
        for (int slot = 0; slot < KEPT; slot++) {
            if ((look(slot) & PHASE_MASK) == RUNNING) {
                return true;
            }
        }
        return false;
    }

    ClientKey client() {
        return client;
    }

    /** The client waits for nothing below this sequence. Called under the lock of {@link RetryCaches}. */
    void acknowledge(long sequence) {
        oldest = Math.max(oldest, sequence);
    }

    /** A connection of the client has ended. */
    public void leave() {
        whenLeft.accept(this);
    }

    private static int slot(long sequence) {
        return (int) sequence & KEPT - 1;
    }

    private static long word(long sequence, long phase) {
        return sequence << PHASE_BITS | phase;
    }

    /** The slot's word, when no thread holds it. */
    private long look(int slot) {
        long word = (long) WORDS.getAcquire(words, slot);
        while ((word & PHASE_MASK) == HELD) {
            Thread.onSpinWait(); // for as long as a few hundred bytes are copied
            word = (long) WORDS.getAcquire(words, slot);
        }
        return word;
    }

    /**
     * Tells what a sequence, 1 to {@link #SEQUENCE_MAX}, is, and makes a new one the caller's.
     *
     * @param recorded whether its change is one that leaves a record in the pool
     */
    public Claim claim(long sequence, boolean recorded) {
        int slot = slot(sequence);
        while (true) {
            long word = look(slot);
            long there = word >>> PHASE_BITS;
            if (there == sequence) {
                long phase = word & PHASE_MASK;
                return phase == DONE ? Claim.DONE : phase == RECORDED ? Claim.RECORDED : Claim.RUNNING;
            }
            if (there > sequence || sequence < oldest || (!recorded && sequence < sentBefore)) {
                return Claim.FORGOTTEN;
            }
            if (WORDS.compareAndSet(words, slot, word, word(sequence, RUNNING))) {
                return Claim.NEW;
            }
        }
    }

    /** Keeps the answer of a claimed sequence, a whole frame in this part of a buffer, before it is sent. */
    public void finish(long sequence, ByteBuf frame, int at, int length) {
        int slot = slot(sequence);
        int keeps = length > REPLY_MAX ? 0 : length;
        byte[] room = replies[slot].length < keeps
                ? new byte[(keeps + REPLY_ROUND - 1) / REPLY_ROUND * REPLY_ROUND]
                : NOTHING;
        if (WORDS.compareAndSet(words, slot, word(sequence, RUNNING), word(sequence, HELD))) {
            if (replies[slot].length < keeps) {
                if (hasRoom(room.length - replies[slot].length)) {
                    replies[slot] = room;
                } else if (!takeOlder(sequence, keeps)) {
                    keeps = 0;
                }
            }
            int before = frame.readerIndex();
            frame.readerIndex(at)
                    .readBytes(replies[slot], 0, keeps)
                    .readerIndex(before); // getBytes would make a view of it
            lengths[slot] = keeps;
            WORDS.setVolatile(words, slot, word(sequence, DONE));
        }
        if (!awaited.isEmpty()) {
            wake(sequence);
        }
    }

    /** Takes room for an answer: of the client's own, then of the half of its user's share that answers may have; the rest is for more clients. */
    private boolean hasRoom(int bytes) {
        int used = ownUsed.get();
        while (used + bytes <= OWN_ANSWERS) {
            if (ownUsed.compareAndSet(used, used + bytes)) {
                return true;
            }
            used = ownUsed.get();
        }
        return !account.isScarce(Resource.ANSWER_BYTES) && account.tryTake(Resource.ANSWER_BYTES, bytes);
    }

    /**
     * Has an answer kept where an older one of the client was, which is forgotten: what is likely to be asked for again is the newest. The slot of the
     * sequence is the caller's. No slot is waited for.
     */
    private boolean takeOlder(long sequence, int keeps) {
        int slot = slot(sequence);
        for (int back = KEPT / 2; back > 0; back /= 2) {
            long older = sequence - back;
            int from = slot(older);
            if (older > 0 && WORDS.compareAndSet(words, from, word(older, DONE), word(older, HELD))) {
                byte[] room = replies[from];
                boolean fits = room.length >= keeps;
                if (fits) {
                    replies[from] = replies[slot];
                    replies[slot] = room;
                    lengths[from] = 0;
                }
                WORDS.setVolatile(words, from, word(older, DONE));
                if (fits) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Writes the answer of a sequence once more, with another correlation id; false if it is forgotten. */
    public boolean replay(long sequence, long correlationId, ReplyTarget target) {
        int slot = slot(sequence);
        do {
            if (look(slot) != word(sequence, DONE)) {
                return false;
            }
        } while (!WORDS.compareAndSet(words, slot, word(sequence, DONE), word(sequence, HELD)));
        boolean kept = lengths[slot] > 0;
        try {
            if (kept) {
                copy(replies[slot], lengths[slot], correlationId, target);
            }
        } finally {
            WORDS.setVolatile(words, slot, word(sequence, DONE));
        }
        return kept;
    }

    private static void copy(byte[] frame, int length, long correlationId, ReplyTarget target) {
        ByteBuf buffer = target.room(length);
        int at = buffer.writerIndex();
        buffer.writeBytes(frame, 0, length);
        buffer.setLongLE(at + Wire.LENGTH_SIZE + Wire.HEADER_SIZE, correlationId);
    }

    /** Has a reply be sent when its sequence is not being executed any more. */
    public void await(Waiter reply) {
        awaited.add(reply);
        if (look(slot(reply.sequence())) != word(reply.sequence(), RUNNING)) {
            wake(reply.sequence()); // the thread that finished it has perhaps not seen this one
        }
    }

    private void wake(long sequence) {
        for (Waiter reply : awaited.toArray(Waiter[]::new)) {
            if (reply.sequence() == sequence && awaited.remove(reply)) {
                reply.answered();
            }
        }
    }

    UserShares.Account account() {
        return account;
    }

    /** Bytes of the account that this has. Nothing is being executed. */
    long bytes() {
        long bytes = OWN_BYTES - ownUsed.get();
        for (byte[] kept : replies) {
            bytes += kept.length;
        }
        return bytes;
    }
}
