package io.hmfs.server.transport.netty;

import io.hmfs.client.transport.rdma.MemoryVerbs;
import io.hmfs.client.transport.rdma.Verbs;
import io.hmfs.server.transport.netty.FuzzReplies.Reply;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A client of RDMA by hand: keeps the accounts of credits and pieces of both sides, and says what the server does that
 * docs/wire.md forbids, and which of its own messages must end the connection.
 */
final class FuzzPeer implements Verbs.Events {
    private static final int RECEIVES = 20;
    private static final int SENDS = Verbs.QueuePair.DEPTH;
    private static final int SEND_BYTES = 2 * FuzzMessage.MESSAGE_MAX; // some are too long
    private static final int WINDOW_BYTES = FuzzMessage.PIECES * FuzzMessage.PIECE_BYTES;

    /** What all connections of one process use, one after the other. */
    static final class Memory {
        private final ByteBuffer in = ByteBuffer.allocateDirect(RECEIVES * FuzzMessage.MESSAGE_MAX);
        private final ByteBuffer out = ByteBuffer.allocateDirect(SENDS * SEND_BYTES);
        private final ByteBuffer written = ByteBuffer.allocateDirect(WINDOW_BYTES); // by the server
        private final ByteBuffer read = ByteBuffer.allocateDirect(WINDOW_BYTES); // by the server
    }

    private final MemoryVerbs verbs;
    private final Memory memory;
    private final Verbs.Memory in;
    private final Verbs.Memory out;
    private final Verbs.Memory written;
    private final Verbs.Memory read;
    private final Verbs.QueuePair pair;
    private final FuzzReplies received = new FuzzReplies();
    private boolean connected;
    private boolean announced;
    private boolean accepted;
    private boolean stalled;
    private boolean last; // has come
    private @Nullable String wrong; // that the server has done
    private @Nullable String reason; // for which the connection has ended
    private int nextSend;
    private int underWay;
    /* what the server has given, and not got yet */
    private int credits = FuzzMessage.CREDITS;
    private int free; // pieces of the window that the server reads
    private int owed;
    private int owedPieces;
    /* what the server has */
    private int serverCredits = FuzzMessage.CREDITS;
    private int serverFree;

    FuzzPeer(MemoryVerbs verbs, Memory memory, InetSocketAddress server, byte[] greeting) {
        this.verbs = verbs;
        this.memory = memory;
        in = verbs.register(memory.in, Verbs.Remote.NOTHING);
        out = verbs.register(memory.out, Verbs.Remote.NOTHING);
        written = verbs.register(memory.written, Verbs.Remote.WRITE);
        read = verbs.register(memory.read, Verbs.Remote.READ);
        pair = verbs.connect(server, ByteBuffer.wrap(greeting), 1, this);
    }

    // ---- what the verbs report

    @Override
    public void prepared() {
        for (int slot = 0; slot < RECEIVES; slot++) {
            receive(slot);
        }
    }

    private void receive(int slot) {
        pair.receive(slot, in, slot * FuzzMessage.MESSAGE_MAX, FuzzMessage.MESSAGE_MAX);
    }

    @Override
    public void connected() {
        connected = true;
    }

    @Override
    public void received(int slot, int length) {
        byte[] bytes = new byte[length];
        memory.in.get(slot * FuzzMessage.MESSAGE_MAX, bytes);
        receive(slot);
        FuzzMessage message = new FuzzMessage(bytes);
        if (wrong == null && !isRight(message)) {
            wrong = "the server sent kind " + message.kind() + " of " + length + " bytes with " + message.credits()
                    + " credits and pieces " + Integer.toBinaryString(message.pieces()) + ", which it may not";
        }
    }

    /** Takes a message of the server into the accounts. False: it may not be. */
    private boolean isRight(FuzzMessage message) {
        boolean accepts = announced && !accepted && message.pieces() == FuzzMessage.ALL_PIECES;
        int lent = accepted ? FuzzMessage.ALL_PIECES & ~free : 0;
        boolean isGiven = message.credits() <= FuzzMessage.CREDITS - credits
                && (accepts || (message.pieces() & ~lent) == 0)
                && (message.kind() != FuzzMessage.CREDITS_ONLY || accepts || message.credits() >= FuzzMessage.GIVE_AT);
        if (!message.isWellFormed() || !isGiven || message.kind() == FuzzMessage.WINDOWS || last) {
            return false;
        }
        accepted |= accepts;
        credits += message.credits();
        free |= message.pieces();
        last = message.kind() == FuzzMessage.LAST;
        if (!message.takesCredit()) {
            return true;
        }
        serverCredits--;
        owed++;
        if (message.kind() == FuzzMessage.BYTES) {
            received.add(message.body());
        } else {
            int piece = 1 << message.number();
            if (!accepted || (serverFree & piece) == 0) {
                return false;
            }
            serverFree &= ~piece;
            owedPieces |= piece;
            byte[] part = new byte[message.filled()];
            memory.written.get(message.number() * FuzzMessage.PIECE_BYTES, part);
            received.add(part);
        }
        if (owed >= FuzzMessage.GIVE_AT) {
            give();
        }
        return serverCredits >= 0;
    }

    @Override
    public void sent(int slot) {
        underWay--;
    }

    @Override
    public void ended(String newReason) {
        reason = newReason;
    }

    // ---- how it stands

    boolean hasEnded() {
        return reason != null;
    }

    /** What the server has done that it may not. */
    @Nullable
    String wrong() {
        return wrong;
    }

    boolean isStalled() {
        return stalled;
    }

    boolean hasAnnounced() {
        return announced;
    }

    int credits() {
        return credits;
    }

    boolean canSend() {
        return credits > 0 && underWay < SENDS - RECEIVES;
    }

    boolean hasFreePiece() {
        return free != 0;
    }

    /** The replies that have come, which are forgotten then. */
    List<Reply> takeReplies() {
        return received.take();
    }

    /** What has come, and is forgotten. */
    byte[] takeBytes() {
        return received.takeBytes();
    }

    /** What lies where the server may write. */
    byte[] writtenWindow() {
        byte[] bytes = new byte[WINDOW_BYTES];
        memory.written.get(0, bytes);
        return bytes;
    }

    /** What lies in a piece that the server may read. */
    byte[] piece(int number, int length) {
        byte[] bytes = new byte[length];
        memory.read.get(number * FuzzMessage.PIECE_BYTES, bytes);
        return bytes;
    }

    /** Whether a message must end the connection, if the server has all that was sent before and this side has all replies. */
    boolean isBreach(FuzzMessage message) {
        if (!message.isWellFormed()) {
            return true;
        }
        boolean givesTooLittle = message.kind() == FuzzMessage.CREDITS_ONLY
                && message.credits() < FuzzMessage.GIVE_AT
                && message.pieces() != FuzzMessage.ALL_PIECES;
        boolean givesTooMuch = message.credits() > owed || (message.pieces() & ~owedPieces) != 0;
        boolean hasNoPiece = message.kind() == FuzzMessage.LONG && (free & (1 << message.number())) == 0;
        boolean isAgain = message.kind() == FuzzMessage.WINDOWS && announced;
        return givesTooLittle || givesTooMuch || hasNoPiece || isAgain || (message.takesCredit() && credits <= 0);
    }

    // ---- what it does

    /** Gives nothing back from now on. */
    void stall() {
        stalled = true;
    }

    /** Gives all back, and goes on with that. */
    void take() {
        stalled = false;
        if (owed >= FuzzMessage.GIVE_AT) {
            give();
        }
    }

    private void give() {
        if (!stalled && underWay < SENDS) {
            say(FuzzMessage.CREDITS_ONLY);
        }
    }

    /** Sends a message of this kind, with all that is to be given back. */
    void say(int kind, byte... body) {
        send(FuzzMessage.of(stalled ? 0 : owed, stalled ? 0 : owedPieces, kind, body));
    }

    /** Fills a free piece, and sends the message that tells of it. */
    void sendLong(byte[] bytes) {
        int number = Integer.numberOfTrailingZeros(free);
        memory.read.put(number * FuzzMessage.PIECE_BYTES, bytes);
        say(FuzzMessage.LONG, FuzzMessage.longBody(number, bytes.length));
    }

    /** Announces its windows, or what it says are such. False: it has withdrawn its memory, and says nothing. */
    boolean announce(FuzzWindows kind, FuzzPeer other) {
        try {
            FuzzPeer owner = kind == FuzzWindows.OF_ANOTHER ? other : this;
            int writeKey = owner.pair.remoteKey(kind == FuzzWindows.WITHOUT_RIGHTS ? in : owner.written);
            int readKey = owner.pair.remoteKey(kind == FuzzWindows.WITHOUT_RIGHTS ? in : owner.read);
            int forged = kind == FuzzWindows.FORGED_KEYS ? 1 << 20 : 0;
            long shift = switch (kind) {
                case BEYOND_THE_END -> WINDOW_BYTES;
                case BEFORE_THE_BEGINNING -> -WINDOW_BYTES;
                default -> 0;
            };
            boolean isSwapped = kind == FuzzWindows.SWAPPED;
            byte[] windows = FuzzMessage.windowsBody(
                    owner.written.address() + shift,
                    (isSwapped ? readKey : writeKey) + forged,
                    owner.read.address() + shift,
                    (isSwapped ? writeKey : readKey) + forged);
            say(FuzzMessage.WINDOWS, windows);
            return true;
        } catch (IOException _) {
            return false;
        }
    }

    /** Sends a message as it is, and takes it into the accounts. */
    void send(FuzzMessage message) {
        if (!connected || hasEnded()) {
            return;
        }
        int at = nextSend * SEND_BYTES;
        memory.out.put(at, message.bytes());
        pair.send(nextSend, out, at, message.bytes().length, true);
        pair.flush();
        nextSend = (nextSend + 1) % SENDS;
        underWay++;
        if (message.bytes().length < FuzzMessage.HEADER) {
            return;
        }
        owed -= message.credits();
        owedPieces &= ~message.pieces();
        serverCredits += message.credits();
        serverFree |= message.pieces();
        if (message.takesCredit()) {
            credits--;
        }
        if (message.kind() == FuzzMessage.LONG && message.isWellFormed()) {
            free &= ~(1 << message.number());
        } else if (message.kind() == FuzzMessage.WINDOWS && !announced) {
            announced = true;
            serverFree = FuzzMessage.ALL_PIECES;
        }
    }

    /** Takes a window away: what the server does with it from now on ends the connection. */
    void withdraw(boolean isRead) {
        verbs.deregister(isRead ? read : written);
    }

    /** Ends the connection. */
    void leave() {
        pair.close();
    }

    /** Gives its memory back. */
    void close() {
        pair.close();
        for (Verbs.Memory each : new Verbs.Memory[] {in, out, written, read}) {
            verbs.deregister(each);
        }
    }
}
