package io.hmfs.client.transport.rdma;

import io.hmfs.client.transport.rdma.Window.Piece;
import io.hmfs.wire.StatRecord;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A stream of bytes in both directions over one queue pair (docs/wire.md#rdma). Each message takes one of the buffers that
 * the peer has posted, so a message with a body needs a credit; the receiver gives the credit back, in the header of its own
 * messages or in one without a body, when it has let go of the buffer. Of the thread that polls the verbs.
 *
 * <pre>
 *   message   | u16 credits | u16 pieces | u32 kind | body, at most 4,088 bytes |
 * </pre>
 *
 * <p>The body has bytes of the stream, or says where a long part of it is: in a piece of memory that the peer lets this side
 * fill, which is given back with the credit of the message ({@link LongParts}). What comes is handed on in its order, so a
 * message waits for the long parts before it that are still to be read.
 *
 * <p>A message without a body takes no credit. One that only gives credits brings at least {@link #GIVE_AT} of them, and a
 * peer that handles no message has spent at most {@link #CREDITS}: so at most two of them wait, and perhaps the last one of
 * all. {@link #RESERVED} buffers more than there are credits suffice, and no send ever waits for a buffer at the peer.
 */
public final class MessageStream implements Verbs.Events {
    private static final long MAGIC = 0x414D_4452_5346_4D48L; // "HMFSRDMA"
    private static final int VERSION = 2;

    static final int HEADER = 8;

    /** Kinds of messages. */
    private static final int BYTES = 0;

    private static final int CREDITS_ONLY = 1;
    private static final int LAST = 2; // the sender ends the stream when it has arrived
    private static final int WINDOWS = 3; // where the client's memory for long parts is; once
    private static final int LONG = 4; // number of a piece, and how many bytes of the stream are in it
    private static final int LONG_BODY = 8;
    private static final int BYTES_MAX = MessageMemory.MESSAGE_MAX - HEADER;

    private static final String FOREIGN = "it sent a message that is none of this protocol";

    /** Messages with bytes that a peer may have sent and that this side has not let go of. */
    static final int CREDITS = 16;

    /** Credits that make a message of their own, if no bytes leave with which they could go. */
    static final int GIVE_AT = CREDITS / 2;

    static final int RESERVED = 4;

    /** A client announces its windows when so many bytes wait, or so many full messages have come. */
    static final int WINDOWS_FROM_BYTES = 32 << 10;

    static final int WINDOWS_FROM_MESSAGES = 8;

    /** Numbers of work requests: those of sends are slots, from 0 on. */
    private static final int WRITES = 32;

    private static final int READS = 64;
    private static final int RECORDS = READS + LongParts.PIECES; // a client's reads of the server's memory

    private static final int SLOTS = MessageMemory.SLOTS;

    static {
        boolean isRoom = 2 * SLOTS + Math.max(LongParts.PIECES, ReadMemory.MOST)
                <= Verbs.QueuePair.DEPTH; // each send behind a write, and all reads: a client has no other
        if (SLOTS != CREDITS + RESERVED || !isRoom) {
            throw new AssertionError("buffers do not fit the credits, or work requests the queue");
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

        /** {@link MessageStream#settle} is to be called when all that came has been handled. */
        void unsettled();

        /** Bytes have come; takes the buffer's ownership. They stay in memory of the device until it is released. */
        void received(ByteBuf bytes);

        /** What {@link MessageStream#read} asked for has come to its place. */
        default void read(int place) {}

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
    private final LongParts longs;
    private final @Nullable Piece[] sending = new Piece[SLOTS]; // that the messages tell of
    private final @Nullable Piece[] coming =
            new Piece[LongParts.PIECES]; // for what the peer has filled, until it is let go
    private final int[] pieceLengths = new int[LongParts.PIECES];
    private final int[] messageLengths = new int[SLOTS];
    private final int[] order = new int[SLOTS]; // what came and was not handed on: slots, and pieces as ~number
    private int first; // of them
    private int count;
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
    /* sets of pieces */
    private int pieces; // that this side fills, now or when they are given back
    private int free; // of them, to be filled
    private int peerFree; // that the peer may fill
    private int owedPieces; // to be given to the peer
    private int there; // what the peer filled them with is in `coming`
    private int lentPieces; // the receiver still has what came
    private int credits = CREDITS; // for messages to the peer
    private int peerCredits = CREDITS; // that the peer has for messages to this side
    private int owed; // credits to be given
    private int queued; // requests that have not been flushed
    private int fullMessages; // that came, while there are no windows
    private boolean mayAnnounce;
    private boolean announced; // by the peer
    private boolean accepts; // the announcement, which is to be told
    private boolean handing;

    private MessageStream(MessageMemory memory, LongParts longs, Receiver receiver) {
        this.memory = memory;
        this.longs = longs;
        this.receiver = receiver;
        block = memory.take();
        bytes = block.bytes;
        mayAnnounce = !longs.usesPeersMemory();
    }

    /** A client's side of a stream. */
    static MessageStream ofClient(MessageMemory memory, WindowMemory windows, Receiver receiver) {
        return new MessageStream(memory, new ClientWindows(windows), receiver);
    }

    /** A server's side of a stream. */
    public static MessageStream ofServer(MessageMemory memory, PieceMemory pieces, Receiver receiver) {
        return new MessageStream(memory, new ServerPieces(pieces), receiver);
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
        int at = block.receiveAt(slot);
        int kind = bytes.getInt(at + Integer.BYTES);
        if (!hasLengthOf(kind, length)) { // no kind is shorter than a header
            end(FOREIGN);
            return;
        }
        if (!takeGiven(Short.toUnsignedInt(bytes.getShort(at)), Short.toUnsignedInt(bytes.getShort(at + 2)), kind)) {
            return;
        }
        switch (kind) {
            case LAST -> {
                end("it was closed by the peer");
                return;
            }
            case CREDITS_ONLY -> post(slot);
            default -> {
                if (peerCredits == 0) {
                    end("it sent without credit");
                    return;
                }
                peerCredits--;
                if (!body(slot, length, kind)) {
                    return;
                }
            }
        }
        if (!unsent.isEmpty()) {
            flush();
        }
        post();
    }

    private static boolean hasLengthOf(int kind, int length) {
        return switch (kind) {
            case BYTES -> length > HEADER;
            case CREDITS_ONLY, LAST -> length == HEADER;
            case WINDOWS -> length == HEADER + LongParts.ANNOUNCEMENT_BYTES;
            case LONG -> length == HEADER + LONG_BODY;
            default -> false;
        };
    }

    /** Takes the credits and pieces that a message brings; false: it had none to give. */
    private boolean takeGiven(int given, int givenPieces, int kind) {
        boolean isEnough = kind != CREDITS_ONLY || given >= GIVE_AT || givenPieces == LongParts.ALL_PIECES;
        if (given > CREDITS - credits || !isEnough) {
            end("it gave " + given + " credits while " + (CREDITS - credits) + " were used");
            return false;
        }
        if ((givenPieces & (free | ~pieces)) != 0) {
            end("it gave pieces that it did not have");
            return false;
        }
        credits += given;
        free |= givenPieces;
        return true;
    }

    /** False: it has ended the stream. */
    private boolean body(int slot, int length, int kind) {
        int at = block.receiveAt(slot) + HEADER;
        switch (kind) {
            case WINDOWS -> {
                if (announced || !longs.usesPeersMemory()) {
                    end(FOREIGN);
                    return false;
                }
                announced = true;
                if (longs.use(pair(), bytes, at)) {
                    accepts = true;
                    pieces = LongParts.ALL_PIECES;
                    free = LongParts.ALL_PIECES;
                    owedPieces = LongParts.ALL_PIECES;
                }
                letGo(slot);
                receiver.unsettled();
            }
            case LONG -> {
                int number = bytes.getInt(at);
                int filled = bytes.getInt(at + Integer.BYTES);
                boolean isGiven = number >= 0 && number < LongParts.PIECES && (peerFree & (1 << number)) != 0;
                if (!isGiven || filled < 1 || filled > Window.PIECE_BYTES) {
                    end("it filled a piece that it did not have, or beyond its end");
                    return false;
                }
                peerFree &= ~(1 << number);
                pieceLengths[number] = filled;
                post(slot);
                enqueue(~number);
            }
            default -> {
                fullMessages += length == MessageMemory.MESSAGE_MAX ? 1 : 0;
                messageLengths[slot] = length;
                enqueue(slot);
            }
        }
        advance();
        return !ended;
    }

    private void enqueue(int arrival) {
        order[(first + count++) % SLOTS] = arrival;
    }

    /** Fetches long parts, as far as there is memory for them, and hands on what has come, in its order. */
    private void advance() {
        if (handing || count == 0) { // from within a receiver, to whom the next comes after this one
            return;
        }
        handing = true;
        receiver.unsettled();
        try {
            fetch();
            while (count > 0 && isThere(order[first])) {
                int next = order[first];
                first = (first + 1) % SLOTS;
                count--;
                if (next < 0) {
                    handPiece(~next);
                    fetch();
                } else {
                    hand(next, messageLengths[next]);
                }
            }
        } finally {
            handing = false;
        }
    }

    private boolean isThere(int arrival) {
        return arrival >= 0 || (there & (1 << ~arrival)) != 0;
    }

    private void fetch() {
        for (int i = 0; i < count && receiving; i++) {
            int number = ~order[(first + i) % SLOTS];
            if (number < 0 || coming[number] != null) {
                continue;
            }
            Piece piece = longs.toTake(number);
            if (piece == null) {
                return;
            }
            coming[number] = piece;
            if (longs.fetch(pair(), READS + number, piece, number, pieceLengths[number])) {
                queued++;
            } else {
                there |= 1 << number;
            }
        }
    }

    /** Whether a long part came for which there is no memory yet. */
    private boolean awaitsMemory() {
        for (int i = 0; i < count; i++) {
            int number = ~order[(first + i) % SLOTS];
            if (number >= 0 && coming[number] == null) {
                return true;
            }
        }
        return false;
    }

    private void hand(int slot, int length) {
        receiver.received(block.arrival(slot).setIndex(HEADER, length).retain());
        if (ended) {
            return;
        }
        if (block.isLent(slot)) {
            lent[lentCount++] = slot;
        } else {
            letGo(slot);
        }
    }

    private void letGo(int slot) {
        post(slot);
        owed++;
    }

    private void handPiece(int number) {
        Piece piece = Objects.requireNonNull(coming[number]);
        receiver.received(piece.arrival().setIndex(0, pieceLengths[number]).retain());
        if (ended) {
            return;
        }
        if (piece.isLent()) {
            lentPieces |= 1 << number;
        } else {
            letGoPiece(number);
        }
    }

    private void letGoPiece(int number) {
        Piece piece = Objects.requireNonNull(coming[number]);
        coming[number] = null;
        there &= ~(1 << number);
        lentPieces &= ~(1 << number);
        longs.letGo(piece);
        owedPieces |= 1 << number;
        owed++;
    }

    @Override
    public void sent(int slot) {
        if (slot >= RECORDS) {
            receiver.read(slot - RECORDS);
            return;
        }
        if (slot >= READS) {
            there |= 1 << (slot - READS);
            advance();
            post();
            return;
        }
        for (int done = Math.floorMod(slot - nextDone(), SLOTS) + 1; done > 0; done--) {
            Piece piece = sending[nextDone()];
            if (piece != null) {
                sending[nextDone()] = null;
                longs.sent(piece);
            }
            sendsDone++;
        }
        if (saidLast && sends == sendsDone) {
            end("this side has closed it");
        } else if (closes || !unsent.isEmpty()) {
            flush();
        }
    }

    private int nextDone() {
        return (int) (sendsDone % SLOTS);
    }

    @Override
    public void ended(String reason) {
        release();
        receiver.ended(reason);
        giveBack(); // the receiver has let go of what it can
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

    /** Queues a read of the peer's memory to a place, which leaves with {@link #flush}. False: the stream is not there. */
    boolean read(int place, ReadMemory into, long address, int key) {
        if (!connected || ended) {
            return false;
        }
        queued++;
        pair().read(RECORDS + place, into.memory(), ReadMemory.startOf(place), StatRecord.BYTES, address, key, true);
        return true;
    }

    /** Sends what there is credit and room for; the rest follows by itself. Credits go along. */
    public void flush() {
        if (!connected || ended || saidLast) {
            return;
        }
        long before = waiting;
        announce();
        while (!unsent.isEmpty() && credits > 0 && hasRoom()) {
            credits--;
            if (waiting < LongParts.FROM_BYTES || !sendLong()) {
                int at = block.sendAt(nextSend()) + HEADER;
                send(BYTES, HEADER + fill(bytes, at, BYTES_MAX));
            }
        }
        if (closes && unsent.isEmpty() && hasRoom()) {
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

    /** Tells the peer of this side's memory for long parts, if it is a client's and there is use for it. */
    private void announce() {
        boolean isWanted = waiting >= WINDOWS_FROM_BYTES || fullMessages >= WINDOWS_FROM_MESSAGES;
        if (!mayAnnounce || !isWanted || credits == 0 || !hasRoom()) {
            return;
        }
        mayAnnounce = false;
        if (longs.announce(pair(), bytes, block.sendAt(nextSend()) + HEADER)) {
            pieces = LongParts.ALL_PIECES; // and free when the server gives them
            peerFree = LongParts.ALL_PIECES;
            credits--;
            send(WINDOWS, HEADER + LongParts.ANNOUNCEMENT_BYTES);
        }
    }

    /** Sends a long part, if there is a piece for it. */
    private boolean sendLong() {
        int number = Integer.numberOfTrailingZeros(free);
        Piece piece = free == 0 ? null : longs.toFill(number);
        if (piece == null) {
            return false;
        }
        free &= ~(1 << number);
        int length = fill(piece.bytes, piece.start, Window.PIECE_BYTES);
        int slot = nextSend();
        sending[slot] = piece;
        longs.bring(pair(), WRITES + slot, piece, number, length);
        int at = block.sendAt(slot) + HEADER;
        bytes.putInt(at, number).putInt(at + Integer.BYTES, length);
        send(LONG, HEADER + LONG_BODY);
        return true;
    }

    /** Moves bytes to where they leave from; how many. */
    private int fill(ByteBuffer to, int start, int most) {
        int at = start;
        int room = most;
        while (room > 0 && !unsent.isEmpty()) {
            ByteBuf from = unsent.element();
            int moved = Math.min(room, from.readableBytes());
            to.limit(at + moved).position(at);
            from.readBytes(to);
            to.clear();
            at += moved;
            room -= moved;
            if (!from.isReadable()) {
                unsent.remove().release();
            }
        }
        waiting -= most - room;
        return most - room;
    }

    private void send(int kind, int length) {
        int slot = nextSend();
        int at = block.sendAt(slot);
        int give = receiving ? owed : 0;
        int givePieces = receiving ? owedPieces : 0;
        bytes.putShort(at, (short) give).putShort(at + Short.BYTES, (short) givePieces);
        bytes.putInt(at + Integer.BYTES, kind);
        owed -= give;
        peerCredits += give;
        owedPieces &= ~givePieces;
        peerFree |= givePieces;
        accepts &= givePieces == 0;
        sends++;
        queued++;
        boolean isAwaited = kind == LAST || kind == LONG;
        pair().send(slot, block.memory, at, length, isAwaited || sends % SIGNAL_EVERY == 0);
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
        for (int left = lentPieces; left != 0; left &= left - 1) {
            int number = Integer.numberOfTrailingZeros(left);
            if (!Objects.requireNonNull(coming[number]).isLent()) {
                letGoPiece(number);
            }
        }
        advance();
        if (ended) {
            return false;
        }
        announce();
        if (receiving && (owed >= GIVE_AT || accepts) && hasRoom()) {
            send(CREDITS_ONLY, HEADER);
        }
        post();
        return lentCount > 0 || lentPieces != 0 || awaitsMemory();
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
        } else {
            longs.pause();
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
            giveBack();
        }
    }

    public boolean isEnded() {
        return ended;
    }

    /** The queue pair is closed: the device touches no memory any more, nothing is reported, and nothing is handed on. */
    private void release() {
        ended = true;
        unsent.forEach(ByteBuf::release);
        unsent.clear();
        waiting = 0;
        lentCount = 0;
        count = 0;
    }

    /** Gives the memory back; what the receiver still has is used again when it has let go. */
    private void giveBack() {
        for (int slot = 0; slot < SLOTS; slot++) {
            Piece piece = sending[slot];
            if (piece != null) {
                sending[slot] = null;
                longs.sent(piece);
            }
        }
        for (int number = 0; number < LongParts.PIECES; number++) {
            Piece piece = coming[number];
            if (piece != null) {
                coming[number] = null;
                longs.letGo(piece);
            }
        }
        longs.close();
        memory.give(block);
    }
}
