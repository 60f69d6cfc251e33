package io.hmfs.server.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.client.ResultCode;
import io.hmfs.server.share.UserShares;
import io.hmfs.server.share.UserShares.Resource;
import io.hmfs.server.transport.MemoryTransport.Peer;
import io.hmfs.wire.FailureDecoder;
import io.hmfs.wire.Wire;
import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.ByteArrayOutputStream;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Goal: the flow of frames is the same for every transport: batches, shares, back-pressure, held replies, timeouts,
 * bounds, closing. Method: a transport in memory, polled by hand, and a receiver that answers as a frame's first byte
 * says.
 */
class ServerConnectionTest {
    private static final long IDLE = TimeUnit.SECONDS.toNanos(60);
    private static final int FRAME_MAX = 16 << 10;
    private static final int IN_FLIGHT_MAX = 4;
    private static final int CONNECTIONS_MAX = 3;
    private static final int REPLY_BYTES_MAX = 6 << 20;
    private static final int REQUEST_BYTES_MAX = 64 << 10;
    private static final int SHARE = 128;
    private static final int FRAME_BYTES = Wire.FRAME_MIN;

    private final ExhaustibleAllocator allocator = new ExhaustibleAllocator();
    private final ScriptedReceiver receiver = new ScriptedReceiver();

    /** Peers here do not say who they are, and have one share together. */
    private final UserShares shares = new UserShares(Map.of(
            Resource.REPLY_BYTES,
            REPLY_BYTES_MAX * 2L * 8 / 7,
            Resource.REQUEST_BYTES,
            REQUEST_BYTES_MAX * 2L * 8 / 7));

    private final Connections connections =
            new Connections(new ConnectionLimits(CONNECTIONS_MAX, FRAME_MAX, 0, IN_FLIGHT_MAX, IDLE), shares);
    private MemoryTransport transport;

    /** Has no memory when a test says so. */
    private static final class ExhaustibleAllocator extends AbstractByteBufAllocator {
        private final UnpooledByteBufAllocator counts = new UnpooledByteBufAllocator(false);
        private boolean isExhausted;

        @Override
        protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
            if (isExhausted) {
                throw new OutOfMemoryError("there is none");
            }
            return counts.heapBuffer(initialCapacity, maxCapacity);
        }

        @Override
        protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
            return newHeapBuffer(initialCapacity, maxCapacity);
        }

        @Override
        public boolean isDirectBufferPooled() {
            return false;
        }
    }

    @BeforeEach
    void listen() {
        transport = new MemoryTransport(receiver, connections, allocator);
        transport.listen(InetSocketAddress.createUnresolved("memory", 0));
    }

    @AfterEach
    void nothingIsLeft() {
        transport.close();
        assertEquals(0, connections.waitingBytes());
        assertEquals(0, usedMemory());
    }

    private long usedMemory() {
        return allocator.counts.metric().usedHeapMemory()
                + allocator.counts.metric().usedDirectMemory();
    }

    // ---- frames and replies

    /** Frames of a kind for each character of {@code ids}, which the replies have. */
    private static byte[] frames(byte kind, String ids) {
        ByteBuffer out = ByteBuffer.allocate(ids.length() * (Wire.LENGTH_SIZE + FRAME_BYTES))
                .order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < ids.length(); i++) {
            out.putInt(FRAME_BYTES).put(kind).put((byte) ids.charAt(i)).position(out.position() + FRAME_BYTES - 2);
        }
        return out.array();
    }

    private static byte[] join(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }

    private record Replies(String ids, List<ResultCode> failures) {}

    private static Replies replies(Peer peer) {
        ByteBuffer in = ByteBuffer.wrap(peer.take()).order(ByteOrder.LITTLE_ENDIAN);
        StringBuilder ids = new StringBuilder();
        List<ResultCode> failures = new ArrayList<>();
        while (in.hasRemaining()) {
            int length = in.getInt();
            int at = in.position();
            if (length > Wire.HEADER_SIZE && Short.toUnsignedInt(in.getShort(at + 2)) == FailureDecoder.TEMPLATE_ID) {
                int code = in.getShort(at + Wire.HEADER_SIZE + FailureDecoder.codeEncodingOffset());
                failures.add(ResultCode.of(code));
            } else {
                ids.append((char) in.get(at));
            }
            in.position(at + length);
        }
        return new Replies(ids.toString(), failures);
    }

    private static String ids(Peer peer) {
        return replies(peer).ids();
    }

    private Peer greeted() {
        Peer peer = transport.connect();
        peer.send(frames(ScriptedReceiver.GREETS, "g"));
        transport.pollAll();
        assertEquals("g", ids(peer));
        receiver.told.clear();
        return peer;
    }

    // ---- frames from bytes

    @Test
    void framesAreCutFromAnyPieces() {
        Peer peer = greeted();
        byte[] bytes = frames(ScriptedReceiver.AT_ONCE, "abcde");
        for (int piece = 1; piece < bytes.length; piece += 7) {
            for (int at = 0; at < bytes.length; at += piece) {
                byte[] part = new byte[Math.min(piece, bytes.length - at)];
                System.arraycopy(bytes, at, part, 0, part.length);
                peer.send(part);
                transport.poll();
            }
            assertEquals("abcde", ids(peer), "pieces of " + piece);
        }
    }

    @Test
    void aFrameThatIsTooLongEndsTheConnectionAfterTheAnswersToThoseBefore() {
        Peer peer = greeted();
        Peer other = greeted();
        peer.send(join(frames(ScriptedReceiver.AT_END, "ab"), new byte[] {-1, -1, -1, 127}));
        transport.pollAll();
        assertEquals(new Replies("ab", List.of(ResultCode.TOO_LARGE)), replies(peer));
        transport.pass(TimeUnit.SECONDS.toNanos(2));
        assertTrue(peer.isEnded());
        other.send(frames(ScriptedReceiver.AT_ONCE, "c"));
        transport.pollAll();
        assertEquals("c", ids(other));
    }

    @Test
    void framesAreShortUntilThePeerIsGreeted() {
        ByteBuffer longFrame = ByteBuffer.allocate(Wire.LENGTH_SIZE + 2_000).order(ByteOrder.LITTLE_ENDIAN);
        longFrame.putInt(2_000).put(ScriptedReceiver.AT_ONCE).put((byte) 'a');
        Peer stranger = transport.connect();
        stranger.send(longFrame.array());
        transport.pollAll();
        assertEquals(new Replies("", List.of(ResultCode.TOO_LARGE)), replies(stranger));
        Peer peer = transport.connect();
        peer.send(join(frames(ScriptedReceiver.GREETS, "g"), longFrame.array()));
        transport.pollAll();
        assertEquals("ga", ids(peer));
    }

    // ---- event-loop batches

    @Test
    void allConnectionsThatAreReadyShareOneBatch() {
        List<Peer> peers = List.of(greeted(), greeted(), greeted());
        peers.forEach(peer -> peer.send(frames(ScriptedReceiver.AT_END, "xy")));
        transport.poll();
        assertEquals(List.of("0 ex", "0 ey", "1 ex", "1 ey", "2 ex", "2 ey", "end of 6"), receiver.told);
        peers.forEach(peer -> assertEquals("xy", ids(peer)));
    }

    @Test
    void framesBeyondTheShareWaitForTheOtherConnections() {
        Peer flood = greeted();
        Peer other = greeted();
        flood.send(frames(ScriptedReceiver.AT_ONCE, "f".repeat(2 * SHARE + 1)));
        transport.poll();
        assertEquals(SHARE, ids(flood).length());
        assertTrue(transport.isAwaited());
        other.send(frames(ScriptedReceiver.AT_ONCE, "o"));
        receiver.told.clear();
        transport.poll();
        assertEquals("1 ao", receiver.told.getFirst());
        assertEquals(SHARE, ids(flood).length());
        transport.poll();
        assertEquals(1, ids(flood).length());
        assertFalse(transport.isAwaited());
    }

    @Test
    void aConnectionWhoseRepliesCannotBeSentLosesNoReplyOfAnother() {
        Peer broken = greeted();
        Peer other = greeted();
        broken.breakDown();
        broken.send(frames(ScriptedReceiver.AT_ONCE, "a"));
        other.send(frames(ScriptedReceiver.AT_ONCE, "b"));
        transport.pollAll();
        assertEquals("b", ids(other));
        assertTrue(broken.isEnded());
        assertTrue(receiver.told.contains("0 goes"));
    }

    // ---- back-pressure

    @Test
    void aPeerThatDoesNotTakeItsRepliesIsNotReceived() {
        Peer peer = greeted();
        receiver.largeBytes = 60_000;
        peer.stall();
        int sent = 0;
        transport.pollAll();
        while (peer.isReceived() && sent < 1_000) {
            peer.send(frames(ScriptedReceiver.LARGE, "x"));
            transport.pollAll();
            sent++;
        }
        long waiting = connections.waitingBytes();
        assertTrue(waiting > ConnectionLimits.WRITABLE_MAX, waiting + " bytes");
        assertTrue(waiting < ConnectionLimits.WRITABLE_MAX + 3 * 60_000, waiting + " bytes");
        peer.unstall();
        transport.pollAll();
        assertEquals("x".repeat(sent), ids(peer));
        assertTrue(peer.isReceived());
    }

    @Test
    void noMoreRequestsAreInFlightThanTheLimit() {
        Peer peer = greeted();
        peer.send(frames(ScriptedReceiver.LATE, "abcdef"));
        transport.pollAll();
        assertEquals(IN_FLIGHT_MAX, receiver.late.size());
        assertFalse(peer.isReceived());
        ScriptedReceiver.run(receiver.late, 1);
        transport.pollAll();
        assertEquals("b", ids(peer));
        assertEquals(IN_FLIGHT_MAX, receiver.late.size());
        ScriptedReceiver.run(receiver.late, null);
        transport.pollAll();
        ScriptedReceiver.run(receiver.late, null);
        transport.pollAll();
        assertEquals("acdef", ids(peer));
        assertTrue(peer.isReceived());
    }

    @Test
    void requestsThatMayHaveLongRepliesWait() {
        Peer peer = greeted();
        receiver.owedBytes = (int) ConnectionLimits.OWED_MAX;
        peer.send(frames(ScriptedReceiver.LATE, "ab"));
        transport.pollAll();
        assertEquals(1, receiver.late.size());
        ScriptedReceiver.run(receiver.late, null);
        transport.pollAll();
        assertEquals("a", ids(peer));
        assertEquals(1, receiver.late.size());
    }

    @Test
    void theReceiverStopsAndContinuesAConnection() {
        Peer peer = greeted();
        receiver.proceeds = false;
        peer.send(frames(ScriptedReceiver.AT_ONCE, "ab"));
        transport.pollAll();
        assertEquals("", ids(peer));
        assertFalse(peer.isReceived());
        assertEquals(1, receiver.waiting.size());
        receiver.proceeds = true;
        ScriptedReceiver.run(receiver.waiting, null);
        transport.pollAll();
        assertEquals("ab", ids(peer));
        assertTrue(peer.isReceived());
    }

    @Test
    void nothingIsReceivedWhileTheHandshakeWaits() {
        Peer peer = transport.connect();
        peer.send(join(frames(ScriptedReceiver.GREETS_LATE, "g"), frames(ScriptedReceiver.AT_ONCE, "a")));
        transport.pollAll();
        assertEquals(List.of("0 comes", "0 hg"), receiver.told);
        ScriptedReceiver.run(receiver.late, null);
        transport.pollAll();
        assertEquals("ga", ids(peer));
    }

    // ---- memory for replies

    /** A peer that takes nothing of a reply with so many bytes. */
    private Peer hoarding(int bytes) {
        Peer peer = greeted();
        peer.stall();
        transport.pollAll();
        receiver.largeBytes = bytes;
        peer.send(frames(ScriptedReceiver.LARGE, "x"));
        transport.pollAll();
        receiver.told.clear();
        return peer;
    }

    @Test
    void whileMemoryIsScarceAConnectionGetsItsNextReplyWhenItHasTakenTheOneBefore() {
        Peer hoarder = hoarding(REPLY_BYTES_MAX / 2);
        Peer slow = greeted();
        slow.stall();
        slow.send(frames(ScriptedReceiver.AT_ONCE, "abc"));
        transport.pollAll();
        assertEquals(List.of("1 aa"), receiver.told);
        assertFalse(slow.isReceived());
        Peer prompt = greeted();
        prompt.send(frames(ScriptedReceiver.AT_ONCE, "def"));
        transport.pollAll();
        assertEquals("def", ids(prompt));
        assertTrue(prompt.isReceived());
        slow.unstall();
        transport.pollAll();
        assertEquals("abc", ids(slow));
        assertTrue(slow.isReceived());
        hoarder.unstall();
        transport.pollAll();
        slow.stall();
        slow.send(frames(ScriptedReceiver.AT_ONCE, "gh"));
        receiver.told.clear();
        transport.pollAll();
        assertEquals(List.of("1 ag", "1 ah"), receiver.told);
    }

    @Test
    void whileMemoryIsScarceOneRequestIsInFlight() {
        hoarding(REPLY_BYTES_MAX / 2);
        Peer peer = greeted();
        peer.send(frames(ScriptedReceiver.LATE, "ab"));
        transport.pollAll();
        assertEquals(1, receiver.late.size());
        ScriptedReceiver.run(receiver.late, null);
        transport.pollAll();
        ScriptedReceiver.run(receiver.late, null);
        transport.pollAll();
        assertEquals("ab", ids(peer));
    }

    @Test
    void heldRepliesTakeMemoryToo() {
        Peer peer = greeted();
        receiver.holds = true;
        receiver.largeBytes = REPLY_BYTES_MAX / 2;
        peer.send(frames(ScriptedReceiver.LARGE, "x"));
        transport.pollAll();
        Peer other = transport.connect();
        other.send(join(frames(ScriptedReceiver.GREETS, "g"), frames(ScriptedReceiver.AT_ONCE, "a")));
        transport.pollAll();
        assertEquals("1 gg", receiver.told.getLast());
        while (!receiver.unsafe.isEmpty()) {
            ScriptedReceiver.run(receiver.unsafe, null);
            transport.pollAll();
        }
        assertEquals("ga", ids(other));
    }

    @Test
    void noRequestIsExecutedWhileMemoryIsSpent() {
        Peer first = greeted();
        Peer second = greeted();
        Peer hoarder = hoarding(REPLY_BYTES_MAX);
        first.send(frames(ScriptedReceiver.AT_ONCE, "ab"));
        second.send(frames(ScriptedReceiver.AT_ONCE, "c"));
        transport.pollAll();
        assertEquals(List.of(), receiver.told);
        hoarder.leave();
        transport.pollAll();
        assertEquals("ab", ids(first));
        assertEquals("c", ids(second));
        assertTrue(first.isReceived());
    }

    /** Many that take nothing and stay below their own bound use up the memory of all. */
    @Test
    void aPeerThatTakesNothingIsClosedAfterTheIdleTimeoutWhileMemoryIsScarce() {
        Peer few = hoarding(ConnectionLimits.WRITABLE_MAX / 2);
        transport.pass(2 * IDLE);
        assertFalse(few.isEnded());
        Peer hoarder = hoarding(REPLY_BYTES_MAX / 2);
        transport.pass(0);
        few.send(frames(ScriptedReceiver.AT_ONCE, "a"));
        transport.pass(IDLE);
        assertFalse(few.isEnded());
        transport.pass(IDLE / 2);
        assertTrue(few.isEnded());
        assertTrue(hoarder.isEnded());
        Peer next = greeted();
        next.stall();
        next.send(frames(ScriptedReceiver.AT_ONCE, "ab"));
        receiver.told.clear();
        transport.pollAll();
        assertEquals(List.of("2 aa", "2 ab"), receiver.told);
    }

    @Test
    void aBatchWhoseRepliesMakeMemoryScarceStopsThere() {
        hoarding(REPLY_BYTES_MAX / 2 - (100 << 10));
        Peer peer = greeted();
        peer.stall();
        receiver.largeBytes = 80 << 10;
        receiver.told.clear();
        peer.send(frames(ScriptedReceiver.LARGE, "abcdef"));
        transport.pollAll();
        assertEquals(List.of("1 xa", "1 xb"), receiver.told);
    }

    /** Other threads make memory scarce and plenty between any two looks. */
    @Test
    void aConnectionThatStopsWhileMemoryBecomesScarceAndPlentyGoesOn() {
        Peer peer = greeted();
        peer.stall();
        peer.send(frames(ScriptedReceiver.AT_ONCE, "a"));
        transport.pollAll();
        int[] asked = new int[1];
        receiver.whenAsked = () -> {
            if (asked[0] < 4) {
                shares.nobody()
                        .add(Resource.REPLY_BYTES, asked[0]++ % 2 == 0 ? REPLY_BYTES_MAX / 2 : -REPLY_BYTES_MAX / 2);
            }
        };
        peer.send(frames(ScriptedReceiver.AT_ONCE, "b"));
        transport.pollAll();
        assertEquals(List.of("0 aa", "0 ab"), receiver.told);
    }

    @Test
    void repliesThatWaitKeepNoRoomForMore() {
        Peer peer = greeted();
        peer.stall();
        transport.pollAll();
        for (int i = 0; i < 200; i++) {
            peer.send(frames(ScriptedReceiver.AT_ONCE, "a"));
            transport.pollAll();
        }
        long used = usedMemory();
        assertTrue(used < 100 << 10, used + " bytes");
        peer.unstall();
        receiver.holds = true;
        for (int i = 0; i < 200; i++) {
            peer.send(frames(ScriptedReceiver.AT_ONCE, "b"));
            transport.pollAll();
        }
        used = usedMemory();
        assertTrue(used < 150 << 10, used + " bytes");
        ScriptedReceiver.run(receiver.unsafe, null);
        transport.pollAll();
        assertEquals("a".repeat(200) + "b".repeat(200), ids(peer));
    }

    @Test
    void whatAPeerHasTakenIsNotCountedAlsoIfItAsksForNothingMore() {
        List<Peer> peers = List.of(
                hoarding(ConnectionLimits.WRITABLE_MAX - 5),
                hoarding(ConnectionLimits.WRITABLE_MAX - 5),
                hoarding(ConnectionLimits.WRITABLE_MAX - 5));
        assertTrue(shares.nobody().isScarce(Resource.REPLY_BYTES));
        peers.forEach(Peer::unstall);
        transport.pollAll();
        shares.nobody().add(Resource.REPLY_BYTES, REPLY_BYTES_MAX / 2 - 1); // all that is not scarce yet
        assertFalse(shares.nobody().isScarce(Resource.REPLY_BYTES));
    }

    // ---- memory for requests

    /** The beginning of a frame, and the rest. */
    private static byte[][] halves() {
        int length = FRAME_MAX - 100;
        byte[] frame = ByteBuffer.allocate(Wire.LENGTH_SIZE + length)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(length)
                .put(ScriptedReceiver.AT_ONCE)
                .put((byte) 'w')
                .array();
        return new byte[][] {Arrays.copyOf(frame, 1_000), Arrays.copyOfRange(frame, 1_000, frame.length)};
    }

    private long requestBytes() {
        return shares.used(Resource.REQUEST_BYTES);
    }

    @Test
    void aFrameThatHasComeInPartIsChargedAsAWholeAndOneThatComesWholeNotAtAll() {
        Peer peer = greeted();
        byte[][] frame = halves();
        peer.send(frames(ScriptedReceiver.AT_ONCE, "a"));
        transport.pollAll();
        assertEquals(0, requestBytes());
        peer.send(frame[0]);
        transport.pollAll();
        assertTrue(requestBytes() >= frame[0].length + frame[1].length, requestBytes() + " bytes");
        peer.send(frame[1]);
        transport.pollAll();
        assertEquals(0, requestBytes());
        peer.send(frame[0]);
        transport.pollAll();
        peer.leave();
        transport.pollAll();
        assertEquals(0, requestBytes());
    }

    @Test
    void whatHasNoRoomForTheRestOfItsFrameIsNotReadUntilItHas() {
        long others = REQUEST_BYTES_MAX / 2;
        shares.nobody().add(Resource.REQUEST_BYTES, others); // the half that is for parts
        Peer borrows = greeted();
        Peer waits = greeted();
        byte[][] frame = halves();
        borrows.send(frame[0]);
        transport.pollAll();
        assertTrue(borrows.isReceived(), "one gets on in any case");
        waits.send(frame[0]);
        transport.pollAll();
        assertFalse(waits.isReceived());
        waits.send(frame[1]);
        transport.pollAll();
        assertEquals("", ids(waits));
        borrows.send(frame[1]);
        transport.pollAll();
        assertEquals("w", ids(borrows));
        assertEquals("w", ids(waits));
        assertTrue(waits.isReceived());
        assertEquals(others, requestBytes());
        assertEquals(0, shares.waiting(Resource.REQUEST_BYTES));
    }

    @Test
    void aPeerThatIsNotReadIsNotBlamedForIt() {
        shares.nobody().add(Resource.REQUEST_BYTES, REQUEST_BYTES_MAX / 2);
        Peer borrows = greeted();
        Peer waits = greeted();
        borrows.send(halves()[0]);
        transport.pollAll();
        waits.send(halves()[0]);
        transport.pollAll();
        transport.pass(IDLE + IDLE / 2);
        assertEquals(List.of(ResultCode.TIMEOUT), replies(borrows).failures());
        transport.pass(TimeUnit.SECONDS.toNanos(2)); // in which it may read that
        assertTrue(borrows.isEnded());
        assertFalse(waits.isEnded());
        assertTrue(waits.isReceived(), "what the other had is free");
        transport.pass(IDLE / 2);
        assertEquals(List.of(), replies(waits).failures(), "it has the whole time again");
        transport.pass(IDLE);
        assertEquals(List.of(ResultCode.TIMEOUT), replies(waits).failures());
    }

    @Test
    void whatIsBeyondTheShareEnds() {
        Peer borrows = greeted();
        Peer other = greeted();
        Peer third = greeted();
        shares.nobody().add(Resource.REQUEST_BYTES, REQUEST_BYTES_MAX);
        borrows.send(halves()[0]);
        transport.pollAll();
        other.send(join(frames(ScriptedReceiver.AT_END, "a"), halves()[0]));
        transport.pollAll();
        assertEquals(new Replies("a", List.of(ResultCode.TOO_MANY_CONNECTIONS)), replies(other));
        assertTrue(borrows.isReceived());
        third.send(frames(ScriptedReceiver.AT_ONCE, "b"));
        transport.pollAll();
        assertEquals("b", ids(third), "what comes whole needs no room");
    }

    @Test
    void aReplyWithoutMemoryEndsItsConnectionAlone() {
        Peer peer = greeted();
        Peer other = greeted();
        receiver.whenAsked = () -> allocator.isExhausted = true;
        peer.send(frames(ScriptedReceiver.AT_ONCE, "a"));
        transport.pollAll();
        receiver.whenAsked = () -> {};
        allocator.isExhausted = false;
        transport.pollAll();
        assertTrue(peer.isEnded());
        assertEquals(List.of("0 aa", "0 goes"), receiver.told);
        assertEquals("a", ids(peer), "its answer was made elsewhere");
        other.send(frames(ScriptedReceiver.AT_ONCE, "b"));
        transport.pollAll();
        assertEquals("b", ids(other));
    }

    // ---- held replies

    @Test
    void repliesAreHeldInOrderUntilTheLogHasThem() {
        Peer peer = greeted();
        receiver.holds = true;
        for (String each : List.of("a", "b", "c")) {
            peer.send(frames(ScriptedReceiver.AT_ONCE, each));
            transport.pollAll();
        }
        ScriptedReceiver.run(receiver.unsafe, 1);
        transport.pollAll();
        assertEquals("", ids(peer));
        ScriptedReceiver.run(receiver.unsafe, 0);
        transport.pollAll();
        assertEquals("ab", ids(peer));
        ScriptedReceiver.run(receiver.unsafe, 0);
        transport.pollAll();
        assertEquals("c", ids(peer));
    }

    @Test
    void aConnectionWithTooManyHeldRepliesIsNotReceived() {
        Peer peer = greeted();
        receiver.holds = true;
        receiver.largeBytes = FRAME_MAX;
        peer.send(frames(ScriptedReceiver.LARGE, "a"));
        transport.pollAll();
        peer.send(frames(ScriptedReceiver.LARGE, "b"));
        transport.pollAll();
        assertFalse(peer.isReceived());
        assertEquals(1, receiver.unsafe.size());
        ScriptedReceiver.run(receiver.unsafe, null);
        transport.pollAll();
        assertEquals("a", ids(peer));
        assertTrue(peer.isReceived());
        ScriptedReceiver.run(receiver.unsafe, null);
        transport.pollAll();
        assertEquals("b", ids(peer));
    }

    @Test
    void aConnectionThatClosesWaitsForItsHeldReplies() {
        Peer peer = greeted();
        receiver.holds = true;
        peer.send(join(frames(ScriptedReceiver.AT_ONCE, "a"), frames(ScriptedReceiver.CLOSES, "c")));
        transport.pass(TimeUnit.SECONDS.toNanos(2));
        assertEquals("", ids(peer));
        assertFalse(peer.isEnded());
        ScriptedReceiver.run(receiver.unsafe, null);
        transport.pass(TimeUnit.SECONDS.toNanos(2));
        assertEquals("ac", ids(peer));
        assertTrue(peer.isEnded());
    }

    @Test
    void aPeerThatLeavesWithHeldRepliesLeavesNothing() {
        Peer peer = greeted();
        receiver.holds = true;
        peer.send(frames(ScriptedReceiver.AT_ONCE, "a"));
        transport.pollAll();
        peer.leave();
        transport.pollAll();
        assertTrue(peer.isEnded());
        ScriptedReceiver.run(receiver.unsafe, null);
        transport.pollAll();
        assertEquals("", ids(peer));
    }

    // ---- idle timeout

    @Test
    void aPeerThatDoesNotGreetIsRefusedAfterTheIdleTimeout() {
        Peer peer = transport.connect();
        transport.pass(IDLE);
        assertEquals(new Replies("", List.of()), replies(peer));
        transport.pass(IDLE / 2);
        assertEquals(new Replies("", List.of(ResultCode.TIMEOUT)), replies(peer));
        transport.pass(TimeUnit.SECONDS.toNanos(2));
        assertTrue(peer.isEnded());
    }

    @Test
    void aPeerThatStopsInTheMiddleOfAFrameIsRefusedAndOneThatIsSilentIsNot() {
        Peer silent = greeted();
        Peer half = greeted();
        half.send(new byte[] {FRAME_BYTES, 0});
        transport.pass(0);
        transport.pass(IDLE + IDLE / 2);
        assertEquals(new Replies("", List.of(ResultCode.TIMEOUT)), replies(half));
        transport.pass(TimeUnit.SECONDS.toNanos(2));
        assertTrue(half.isEnded());
        assertFalse(silent.isEnded());
    }

    @Test
    void aPeerThatTakesNoRepliesIsClosedAfterTheIdleTimeout() {
        Peer peer = greeted();
        receiver.largeBytes = 2 * ConnectionLimits.WRITABLE_MAX;
        peer.stall();
        peer.send(frames(ScriptedReceiver.LARGE, "x"));
        transport.pollAll();
        transport.pass(IDLE);
        assertFalse(peer.isEnded());
        transport.pass(IDLE / 2);
        assertTrue(peer.isEnded());
    }

    // ---- bounds and the end

    @Test
    void aConnectionBeyondTheBoundIsToldSoAndTheOthersStay() {
        receiver.identifiesIn = shares;
        List<Peer> peers = List.of(greeted(), greeted(), greeted());
        Peer refused = transport.connect();
        transport.pollAll();
        assertEquals(new Replies("", List.of(ResultCode.TOO_MANY_CONNECTIONS)), replies(refused));
        refused.send(frames(ScriptedReceiver.AT_ONCE, "z"));
        transport.pass(TimeUnit.SECONDS.toNanos(2));
        assertTrue(refused.isEnded());
        assertEquals(List.of(), receiver.told);
        peers.getFirst().leave();
        transport.pollAll();
        greeted();
        peers.get(1).send(frames(ScriptedReceiver.AT_ONCE, "b"));
        transport.pollAll();
        assertEquals("b", ids(peers.get(1)));
    }

    @Test
    void aConnectionBeyondTheBoundTakesThePlaceOfTheOldestThatHasNotSaidWhoItIs() {
        receiver.identifiesIn = shares;
        Peer known = greeted();
        Peer silent = transport.connect();
        Peer silentToo = transport.connect();
        transport.pollAll();
        Peer next = greeted();
        assertTrue(silent.isEnded());
        assertFalse(silentToo.isEnded());
        known.send(frames(ScriptedReceiver.AT_ONCE, "a"));
        next.send(frames(ScriptedReceiver.AT_ONCE, "b"));
        transport.pollAll();
        assertEquals("a", ids(known));
        assertEquals("b", ids(next));
        Peer last = greeted();
        assertTrue(silentToo.isEnded());
        Peer refused = transport.connect();
        transport.pollAll();
        assertEquals(new Replies("", List.of(ResultCode.TOO_MANY_CONNECTIONS)), replies(refused));
        last.leave();
        transport.pollAll();
        greeted();
        assertEquals(3, shares.used(Resource.CONNECTIONS));
    }

    @Test
    void soManyRefusedConnectionsLingerAtOnceAndTheRestIsClosed() {
        receiver.identifiesIn = shares;
        greeted();
        greeted();
        greeted();
        for (int i = 0; i <= Connections.LINGERING_MAX; i++) {
            Peer refused = transport.connect();
            transport.pollAll();
            assertFalse(refused.isEnded(), "refused connection " + i);
            refused.leave();
            transport.pollAll();
        }
        Peer last = transport.connect();
        for (int i = 0; i < Connections.LINGERING_MAX; i++) {
            transport.pollAll();
            assertFalse(last.isEnded());
            last = transport.connect();
        }
        transport.pollAll();
        assertTrue(last.isEnded());
        assertEquals(new Replies("", List.of(ResultCode.TOO_MANY_CONNECTIONS)), replies(last));
    }

    @Test
    void aDrainAnswersWhatIsInFlightAndExecutesNothingMore() throws InterruptedException {
        Peer busy = greeted();
        Peer quiet = greeted();
        busy.send(frames(ScriptedReceiver.LATE, "a"));
        transport.pollAll();
        transport.stopListening();
        assertFalse(connections.drain(0));
        transport.pollAll();
        assertEquals(new Replies("", List.of(ResultCode.SHUTTING_DOWN)), replies(quiet));
        assertEquals(new Replies("", List.of()), replies(busy));
        busy.send(frames(ScriptedReceiver.AT_ONCE, "b"));
        transport.pollAll();
        ScriptedReceiver.run(receiver.late, null);
        transport.pollAll();
        assertEquals(new Replies("a", List.of(ResultCode.SHUTTING_DOWN)), replies(busy));
        transport.pass(TimeUnit.SECONDS.toNanos(2));
        assertTrue(connections.drain(0));
    }

    @Test
    void aDrainAfterAFailureClaimsNothing() throws InterruptedException {
        Peer peer = greeted();
        receiver.failed = true;
        assertFalse(connections.drain(0));
        transport.pass(TimeUnit.SECONDS.toNanos(2));
        assertEquals(new Replies("", List.of()), replies(peer));
        assertTrue(peer.isEnded());
    }

    @Test
    void aConnectionThatComesDuringADrainIsClosed() throws InterruptedException {
        assertTrue(connections.drain(0));
        Peer late = transport.connect();
        transport.pass(TimeUnit.SECONDS.toNanos(2));
        assertEquals(new Replies("", List.of(ResultCode.SHUTTING_DOWN)), replies(late));
        assertTrue(late.isEnded());
    }
}
