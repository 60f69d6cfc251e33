package io.hmfs.server.transport.netty;

import io.hmfs.client.transport.rdma.MemoryVerbs;
import io.hmfs.server.transport.netty.FuzzSession.Part;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One session over RDMA: does what its parts say, and knows of each whether the connection must end, may end or goes on. Where
 * that depends on what the server has not yet answered, the peer leaves after it, so that no verdict is a guess.
 */
final class FuzzRdmaRun {
    /** Bytes that begin a frame of 512 bytes, which do not end it. */
    private static final byte[] BEGINNING = {0, 2, 0, 0};

    private static final int BODY_MAX = FuzzMessage.MESSAGE_MAX - FuzzMessage.HEADER;

    private final FuzzPeer peer;
    private final FuzzPeer another;
    private final MemoryVerbs verbs; // of the peer
    private final Network network;
    private final ByteArrayOutputStream stream = new ByteArrayOutputStream();
    private final ByteArrayOutputStream gathered = new ByteArrayOutputStream();
    private int settled;
    private boolean quiet = true;
    private boolean isLongUnderWay; // a long part, which the server may have still to read
    private boolean isReadRefused;
    private boolean mayEnd;
    private boolean left;
    private boolean hasLeftALong; // before the server had read it, so it may be lost with all that is behind it
    private @Nullable String breach;
    private @Nullable String stuck;

    /** What moves messages. */
    interface Network {
        /** The server handles what has come, and nothing else happens. */
        void step();

        /** All sides handle what comes until nothing does any more. */
        void pump();
    }

    FuzzRdmaRun(FuzzPeer peer, FuzzPeer another, MemoryVerbs verbs, Network network) {
        this.peer = peer;
        this.another = another;
        this.verbs = verbs;
        this.network = network;
    }

    // ---- what has come of it

    /** Bytes of the stream that were sent before the connection ended, or that were the last. */
    byte[] stream() {
        return stream.toByteArray();
    }

    /** So many of them the server had when it had nothing left to do. */
    int settled() {
        return settled;
    }

    /** For which the connection must end; null: for nothing but what the stream says. */
    @Nullable
    String breach() {
        return breach;
    }

    /** Whether it may have ended in the middle of the stream. */
    boolean isCut() {
        return breach != null || left || (mayEnd && peer.hasEnded());
    }

    /** Whether the peer has ended it. */
    boolean hasLeft() {
        return left;
    }

    /** What the server should have done and has not. */
    @Nullable
    String stuck() {
        return stuck;
    }

    // ---- the session

    void run(List<Part> parts) {
        settle();
        for (int i = 0; i < parts.size() && goesOn(); i++) {
            Part part = parts.get(i);
            if (part.stall()) {
                peer.stall();
            }
            if (isOfStream(part)) {
                gathered.writeBytes(part.sent());
                if (part.glued() && part.piece() == 0 && i + 1 < parts.size() && isOfStream(parts.get(i + 1))) {
                    continue;
                }
            }
            act(part);
            if (!part.glued()) {
                settle();
            }
        }
        if (goesOn()) {
            peer.take();
        }
        settle();
    }

    private static boolean isOfStream(Part part) {
        return part.act() == FuzzAct.STREAM;
    }

    private boolean goesOn() {
        return breach == null && !left && stuck == null && !peer.hasEnded();
    }

    private void settle() {
        network.pump();
        quiet = true;
        isLongUnderWay = false;
        if (!peer.isStalled() && !peer.hasEnded() && !hasLeftALong) {
            settled = stream.size();
        }
    }

    private void act(Part part) {
        byte[] bytes = part.sent();
        int number = bytes.length == 0 ? 0 : bytes[0];
        switch (part.act()) {
            case STREAM -> {
                sendInMessages(gathered.toByteArray(), part.piece());
                gathered.reset();
            }
            case LONG -> sendLong(bytes);
            case MESSAGE -> send(new FuzzMessage(bytes));
            case FLOOD -> flood(number);
            case WINDOWS -> announce(FuzzWindows.of(number));
            case WITHDRAW -> withdraw(number == 1);
            case TEAR -> {
                mayEnd = true;
                verbs.tearWriteAfter(number);
            }
            case POLL -> {
                network.step();
                verbs.poll(number);
                quiet = false;
            }
            case LEAVE -> {
                left = true;
                hasLeftALong = isLongUnderWay;
                peer.leave();
            }
            case GREETING -> {} // is there already
            case RIVAL -> throw new IllegalArgumentException("no session for RDMA");
        }
    }

    private void sendInMessages(byte[] bytes, int piece) {
        int step = piece == 0 ? BODY_MAX : Math.min(piece, BODY_MAX);
        for (int at = 0; at < bytes.length && mayTakeCredit(); at += step) {
            say(FuzzMessage.BYTES, Arrays.copyOfRange(bytes, at, Math.min(bytes.length, at + step)));
        }
    }

    private void say(int kind, byte... body) {
        peer.say(kind, body);
        quiet = false;
        if (kind == FuzzMessage.BYTES) {
            stream.writeBytes(body);
        }
    }

    /** Whether the peer has a credit, if need be after it has taken its replies. False: the connection has ended, or should not wait. */
    private boolean mayTakeCredit() {
        if (!peer.canSend()) {
            settle();
        }
        if (!peer.canSend() && peer.isStalled()) {
            peer.take();
            settle();
        }
        if (!peer.canSend() && !peer.hasEnded()) {
            stuck = "the peer gets no credit though it has all its replies";
        }
        return goesOn();
    }

    private void sendLong(byte[] bytes) {
        takeIfReadIsRefused();
        if (!mayTakeCredit()) {
            return;
        }
        if (!peer.hasFreePiece() || bytes.length == 0 || bytes.length > FuzzMessage.PIECE_BYTES) {
            sendInMessages(bytes, 0);
            return;
        }
        peer.sendLong(bytes);
        hasSentLong(bytes);
    }

    /** A server whose replies are not taken may read a long part later than is known here. */
    private void takeIfReadIsRefused() {
        if (isReadRefused && peer.isStalled()) {
            peer.take();
            settle();
        }
    }

    private void hasSentLong(byte[] bytes) {
        quiet = false;
        isLongUnderWay = true;
        if (isReadRefused) {
            breach = "a long part that the server is refused";
        } else {
            stream.writeBytes(bytes);
        }
    }

    private void send(FuzzMessage message) {
        if (message.kind() == FuzzMessage.LONG) {
            takeIfReadIsRefused();
        }
        boolean isBreach = peer.isBreach(message);
        boolean isSure = quiet || !message.isWellFormed();
        boolean isLong = message.kind() == FuzzMessage.LONG && message.isWellFormed();
        byte[] part = isLong ? peer.piece(message.number(), message.filled()) : new byte[0];
        peer.send(message);
        quiet = false;
        if (isBreach && isSure) {
            breach = "a message of kind " + message.kind() + " that may not be sent";
            return;
        }
        switch (message.kind()) {
            case FuzzMessage.BYTES -> stream.writeBytes(message.body());
            case FuzzMessage.WINDOWS -> refuseWindows();
            case FuzzMessage.LONG -> hasSentLong(part);
            case FuzzMessage.LAST -> left = true;
            default -> {} // it gives something back
        }
        if (isBreach) {
            breach = null;
            leaveAfterAll();
        }
    }

    /** What was sent last may have ended the connection, or have changed the server's accounts. */
    private void leaveAfterAll() {
        left = true;
        network.pump();
        peer.leave();
    }

    private void refuseWindows() {
        isReadRefused = true;
        mayEnd = true; // with the next long reply
    }

    private void flood(int more) {
        StreamModel model = new StreamModel(stream(), FuzzRig.CLUSTER, FuzzRig.FRAME_MAX);
        boolean isSure = quiet && !peer.isStalled() && !model.ends && !model.isCutOff;
        int granted = peer.credits();
        for (int i = 0; i < granted + Math.max(1, more); i++) {
            byte next = i < BEGINNING.length ? BEGINNING[i] : 0;
            peer.say(FuzzMessage.BYTES, next);
            stream.write(next);
        }
        quiet = false;
        if (isSure) {
            breach = "messages without credit";
        } else {
            leaveAfterAll();
        }
    }

    private void announce(FuzzWindows kind) {
        boolean isAgain = peer.hasAnnounced();
        if (!mayTakeCredit() || !peer.announce(kind, another)) {
            return;
        }
        quiet = false;
        if (isAgain) {
            breach = "windows announced twice";
        } else if (kind != FuzzWindows.RIGHT) {
            refuseWindows();
        }
    }

    private void withdraw(boolean isRead) {
        if (!peer.hasAnnounced()) {
            return;
        }
        mayEnd |= !isRead || !quiet; // reads may be under way
        isReadRefused |= isRead;
        peer.withdraw(isRead);
    }
}
