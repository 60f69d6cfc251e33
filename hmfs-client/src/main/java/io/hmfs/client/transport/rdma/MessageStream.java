package io.hmfs.client.transport.rdma;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * A stream of bytes in both directions over one queue pair (docs/wire.md#rdma). Each message takes one of the buffers that
 * the peer has posted, so a message with bytes needs a credit; the receiver gives the credit back, in the header of its own
 * messages or in one without bytes, when it has let go of the buffer. Of the thread that polls the verbs.
 *
 * <pre>
 *   message   | u32 credits | u32 kind | bytes of the stream, 1 to 4,088, or none |
 * </pre>
 *
 * <p>A message without bytes takes no credit. One that only gives credits brings at least {@link #GIVE_AT} of them, and a
 * peer that handles no message has spent at most {@link #CREDITS}: so at most two of them wait, and perhaps the last one of
 * all. {@link #RESERVED} buffers more than there are credits suffice, and no send ever waits for a buffer at the peer.
 */
public final class MessageStream implements Verbs.Events {
    private static final long MAGIC = 0x414D_4452_5346_4D48L; // "HMFSRDMA"
    private static final int VERSION = 1;

    static final int HEADER = 8;

    /** Kinds of messages. */
    private static final int BYTES = 0;

    private static final int CREDITS_ONLY = 1;
    private static final int LAST = 2; // the sender ends the stream when it has arrived
    private static final int BYTES_MAX = MessageMemory.MESSAGE_MAX - HEADER;

    /** Messages with bytes that a peer may have sent and that this side has not let go of. */
    static final int CREDITS = 16;

    /** Credits that make a message of their own, if no bytes leave with which they could go. */
    static final int GIVE_AT = CREDITS / 2;

    static final int RESERVED = 4;

    private static final int SLOTS = MessageMemory.SLOTS;

    static {
        if (SLOTS != CREDITS + RESERVED || SLOTS > Verbs.QueuePair.DEPTH) {
            throw new AssertionError("buffers do not fit the credits");
        }
    }

    /** Every so many sends the device says that they are done: it costs an event each time. */
    private static final int SIGNAL_EVERY = 4;

    /** What a client says in its request for a connection, 16 bytes: a number that names the protocol, its version, and its bounds. */
    public static ByteBuffer greeting() {
        return ByteBuffer.allocateDirect(16)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(MAGIC)
                .putInt(VERSION)
                .putShort((short) CREDITS)
                .putShort((short) MessageMemory.MESSAGE_MAX)
                .flip();
    }

    /** Whether a request for a connection begins with a client's greeting of this version. */
    public static boolean isGreeting(ByteBuffer privateData) {
        return privateData.remaining() >= 16 && greeting().equals(privateData.slice(privateData.position(), 16));
    }

    /** Takes what the stream brings; called while verbs are polled. */
    public interface Receiver {
        /** Bytes can be written. */
        void connected();

        /** Bytes have come; takes the buffer's ownership. They stay in memory of the device until it is released. */
        void received(ByteBuf bytes);

        /** {@link MessageStream#waiting} is lower than it was. */
        void progressed();

        /** The stream has ended, or there never was one; the reason is a part of a sentence. Once, and last. */
        void ended(String reason);
    }

    private final MessageMemory memory;
    private final MessageMemory.Block block;
    private final ByteBuffer bytes; // of the block's region
    private final int[] lent = new int[SLOTS]; // receives whose bytes the receiver still has
    private int lentCount;
    private final ArrayDeque<ByteBuf> unsent = new ArrayDeque<>();
    private final Receiver receiver;
    private Verbs.@Nullable QueuePair pair;
    private boolean connected;
    private boolean ended;
    private boolean receiving = true;
    private boolean closes; // when all is sent
    private boolean saidLast;
    private long waiting;
    private long sends; // posted so far
    private long sendsDone;
    private int credits = CREDITS; // for messages to the peer
    private int peerCredits = CREDITS; // that the peer has for messages to this side
    private int owed; // credits to be given
    private int queued; // sends that have not been flushed

    public MessageStream(MessageMemory memory, Receiver receiver) {
        this.memory = memory;
        this.receiver = receiver;
        block = memory.take();
        bytes = block.bytes;
    }

    MessageMemory.Block block() {
        return block;
    }

    private Verbs.QueuePair pair() {
        Verbs.QueuePair live = pair;
        if (live == null) {
            throw new IllegalStateException("no queue pair yet");
        }
        return live;
    }

    /** The queue pair whose events come here. Before any of them, and before all else. */
    public void on(Verbs.QueuePair newPair) {
        pair = newPair;
    }

    // ---- what the verbs report

    @Override
    public void prepared() {
        for (int slot = 0; slot < SLOTS; slot++) {
            post(slot);
        }
    }

    private void post(int slot) {
        pair().receive(slot, block.memory, block.receiveAt(slot), MessageMemory.MESSAGE_MAX);
    }

    @Override
    public void connected() {
        connected = true;
        receiver.connected();
    }

    @Override
    public void received(int slot, int length) {
        if (ended) {
            return;
        }
        int at = block.receiveAt(slot);
        int kind = length < HEADER ? -1 : bytes.getInt(at + Integer.BYTES);
        if ((kind != BYTES || length == HEADER)
                && (kind != CREDITS_ONLY || length != HEADER)
                && (kind != LAST || length != HEADER)) {
            end("it sent a message that is none of this protocol");
            return;
        }
        int given = bytes.getInt(at);
        if (given < 0 || given > CREDITS - credits || (given < GIVE_AT && kind == CREDITS_ONLY)) {
            end("it gave " + Integer.toUnsignedString(given) + " credits while " + (CREDITS - credits) + " were used");
            return;
        }
        credits += given;
        if (kind == LAST) {
            end("it was closed by the peer");
            return;
        }
        if (kind == CREDITS_ONLY) {
            post(slot);
        } else if (peerCredits == 0) {
            end("it sent without credit");
            return;
        } else {
            peerCredits--;
            hand(slot, length);
        }
        if (given > 0 && !unsent.isEmpty()) {
            flush();
        }
    }

    private void hand(int slot, int length) {
        receiver.received(block.arrival(slot).setIndex(HEADER, length).retain());
        if (block.isLent(slot)) {
            lent[lentCount++] = slot;
        } else {
            letGo(slot);
        }
    }

    private void letGo(int slot) {
        if (!ended) {
            post(slot);
            owed++;
        }
    }

    @Override
    public void sent(int slot) {
        sendsDone += Math.floorMod(slot - (int) (sendsDone % SLOTS), SLOTS) + 1;
        if (saidLast && sends == sendsDone) {
            end("this side has closed it");
        } else if (closes || !unsent.isEmpty()) {
            flush();
        }
    }

    @Override
    public void ended(String reason) {
        if (!ended) {
            release();
            receiver.ended(reason);
            memory.give(block); // the receiver has let go of what it can
        }
    }

    /** Because of what the peer did. */
    private void end(String reason) {
        pair().close();
        ended(reason);
    }

    // ---- what the owner asks for

    /** Queues bytes, whose ownership it takes. They leave with {@link #flush}, as far as there is credit for them. */
    public void write(ByteBuf more) {
        if (ended || closes || !more.isReadable()) {
            more.release();
            return;
        }
        waiting += more.readableBytes();
        unsent.add(more);
    }

    /** Bytes that were written and that no message has taken. */
    public long waiting() {
        return waiting;
    }

    /** Sends what there is credit and room for; the rest follows by itself. Credits go along. */
    public void flush() {
        if (!connected || ended || saidLast) {
            return;
        }
        long before = waiting;
        while (!unsent.isEmpty() && credits > 0 && hasRoom()) {
            credits--;
            send(BYTES, fill(nextSend()));
        }
        if (closes && !saidLast && unsent.isEmpty() && hasRoom()) {
            saidLast = true;
            send(LAST, HEADER);
        }
        post();
        if (waiting < before) {
            receiver.progressed();
        }
    }

    private boolean hasRoom() {
        return sends - sendsDone < SLOTS;
    }

    private int nextSend() {
        return (int) (sends % SLOTS);
    }

    /** Moves bytes into a message; how long it is. */
    private int fill(int slot) {
        int at = block.sendAt(slot) + HEADER;
        int room = BYTES_MAX;
        while (room > 0 && !unsent.isEmpty()) {
            ByteBuf from = unsent.element();
            int count = Math.min(room, from.readableBytes());
            bytes.limit(at + count).position(at);
            from.readBytes(bytes);
            bytes.clear();
            at += count;
            room -= count;
            if (!from.isReadable()) {
                unsent.remove().release();
            }
        }
        waiting -= BYTES_MAX - room;
        return MessageMemory.MESSAGE_MAX - room;
    }

    private void send(int kind, int length) {
        int slot = nextSend();
        int at = block.sendAt(slot);
        int give = receiving ? owed : 0;
        bytes.putInt(at, give).putInt(at + Integer.BYTES, kind);
        owed -= give;
        peerCredits += give;
        sends++;
        queued++;
        pair().send(slot, block.memory, at, length, kind == LAST || sends % SIGNAL_EVERY == 0);
    }

    /**
     * Gives the peer its credits if enough have gathered, and takes back buffers that the receiver has let go of. To be
     * called when all that came has been handled; again after the next poll, if it returns true: the receiver still has some.
     */
    public boolean settle() {
        if (!connected || ended || saidLast) {
            return false;
        }
        for (int i = lentCount - 1; i >= 0; i--) {
            int slot = lent[i];
            if (!block.isLent(slot)) {
                lent[i] = lent[--lentCount];
                letGo(slot);
            }
        }
        if (receiving && owed >= GIVE_AT && hasRoom()) {
            send(CREDITS_ONLY, HEADER);
        }
        post();
        return lentCount > 0;
    }

    private void post() {
        if (queued > 0) {
            queued = 0;
            pair().flush();
        }
    }

    /** Off: the peer gets no credits, so that it sends no more than those that it has allow. */
    public void receive(boolean on) {
        receiving = on;
        if (on) {
            settle();
        }
    }

    /** Ends the stream when the peer has all that was written. */
    public void closeWhenSent() {
        closes = true;
        flush();
    }

    /** Ends the stream, without an event. Idempotent. */
    public void close() {
        if (!ended) {
            Verbs.QueuePair live = pair;
            if (live != null) {
                live.close();
            }
            release();
            memory.give(block);
        }
    }

    public boolean isEnded() {
        return ended;
    }

    /** The queue pair is closed: the device touches no memory any more. */
    private void release() {
        ended = true;
        unsent.forEach(ByteBuf::release);
        unsent.clear();
        waiting = 0;
        lentCount = 0;
    }
}
