package io.hmfs.server.transport.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.client.ResultCode;
import io.hmfs.server.transport.ConnectionLimits;
import io.hmfs.server.transport.netty.FuzzReplies.Reply;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a peer that does not greet as it should is told so once and closed; a peer that does not take its replies makes
 * the server keep a bounded number of bytes, and is closed after the idle timeout. Method: the server with Netty's
 * pipeline but without a network, whose time the test lets pass.
 */
class NettyChannelTest {
    private static final int READ_BLOCK = 40;
    private static final int STATUS = 12;
    private static final long IDLE = FuzzRig.LIMITS.idleNanos();
    private static final long MORE_THAN_IDLE = IDLE + IDLE / 2;
    private static final int REQUESTS = 4_000;

    @TempDir
    private Path directory;

    private FuzzRig rig;
    private FuzzRequests requests;
    private FuzzChannel channel;
    private long emptyBytes;

    @BeforeEach
    void start() throws IOException {
        rig = new FuzzRig(directory);
        rig.reset();
        requests = new FuzzRequests(new Random(3), rig);
        emptyBytes = rig.allocator.live();
        channel = rig.connect();
    }

    @AfterEach
    void nothingIsLeft() throws IOException {
        channel.leave();
        assertEquals(emptyBytes, rig.allocator.live());
        rig.close();
    }

    private byte[] frame(int template) {
        return requests.frame(Objects.requireNonNull(WireSchema.INSTANCE.request(template)));
    }

    /** A read of a whole chunk that is there. */
    private byte[] read() {
        FuzzRig.Known large = rig.known().getLast();
        return requests.chunk(Objects.requireNonNull(WireSchema.INSTANCE.request(READ_BLOCK)), large);
    }

    private void greet() {
        channel.send(frame(WireSchema.HELLO));
        assertFalse(channel.takeReplies().getFirst().isFailure());
    }

    // ---- the handshake

    @Test
    void aHelloThatIsCutOffAnywhereIsRefusedAtOnceAndForGood() {
        byte[] hello = requests.current(Objects.requireNonNull(WireSchema.INSTANCE.request(WireSchema.HELLO)));
        for (int length = 20; length < hello.length; length++) {
            FuzzChannel peer = rig.connect();
            peer.send(FuzzMutations.cut(hello, length, true));
            List<Reply> replies = peer.replies();
            assertEquals(1, replies.size(), "cut off after " + length);
            assertEquals(ResultCode.BAD_REQUEST.code(), replies.getFirst().code(), "cut off after " + length);
            assertFalse(peer.isOpen(), "cut off after " + length);
        }
    }

    @Test
    void silenceIsRefusedAfterTheIdleTimeoutAndNotBefore() {
        channel.pass(IDLE);
        assertTrue(channel.isOpen());
        channel.pass(IDLE / 2);
        assertEquals(ResultCode.TIMEOUT.code(), channel.replies().getFirst().code());
        assertFalse(channel.isOpen());
    }

    @Test
    void halfAFrameIsRefusedAfterTheIdleTimeoutAndAWholeOneIsNot() {
        greet();
        byte[] status = frame(STATUS);
        channel.send(Arrays.copyOf(status, 9));
        channel.pass(IDLE);
        channel.send(Arrays.copyOfRange(status, 9, status.length));
        channel.pass(MORE_THAN_IDLE);
        assertTrue(channel.isOpen());
        channel.send(Arrays.copyOf(status, 9));
        channel.pass(MORE_THAN_IDLE);
        assertFalse(channel.isOpen());
        assertEquals(ResultCode.TIMEOUT.code(), channel.replies().getLast().code());
    }

    // ---- the end of the server

    @Test
    void aStopSaysThatNothingElseWasExecutedAndAFailureDoesNot() {
        greet();
        channel.drain();
        assertEquals(
                ResultCode.SHUTTING_DOWN.code(),
                channel.takeReplies().getFirst().code());
        channel.leave();
        channel = rig.connect();
        greet();
        rig.fail(new IllegalStateException("as an operation that ends half way"));
        channel.drain();
        assertEquals(List.of(), channel.takeReplies());
    }

    // ---- back-pressure

    /** Sends as long as the server reads. Returns how many frames that were. */
    private int sendUntilItReadsNoMore(byte[] frame) {
        int sent = 0;
        while (channel.config().isAutoRead() && sent < REQUESTS) {
            channel.send(frame);
            sent++;
        }
        return sent;
    }

    @Test
    void repliesThatThePeerDoesNotTakeStopTheReading() {
        greet();
        channel.stall();
        int sent = sendUntilItReadsNoMore(read());
        assertNotEquals(REQUESTS, sent);
        long waiting = channel.waitingBytes();
        assertTrue(waiting > 1 << 20, waiting + " bytes");
        assertTrue(waiting < (1 << 20) + 2 * FuzzRig.CHUNK_SIZE, waiting + " bytes");
        channel.take();
        assertEquals(sent, channel.takeReplies().size());
        assertTrue(channel.config().isAutoRead());
        assertEquals(0, channel.waitingBytes());
    }

    /** Many in one read: the server has them all before the first reply is there. */
    @Test
    void requestsWhoseRepliesWouldBeTooMuchWait() {
        greet();
        channel.stall();
        byte[] read = read();
        int count = 60_000 / read.length;
        byte[] all = new byte[count * read.length];
        for (int i = 0; i < count; i++) {
            System.arraycopy(read, 0, all, i * read.length, read.length);
        }
        rig.allocator.forget();
        channel.send(all);
        long peak = rig.allocator.peak() - emptyBytes;
        assertTrue(peak < FuzzCheck.PEAK_MAX, peak + " bytes");
        assertTrue(peak > ConnectionLimits.OWED_MAX, peak + " bytes"); // many at once, nevertheless
        channel.take();
        assertEquals(count, channel.takeReplies().size());
    }

    @Test
    void askingForMuchWhereThereIsLittleKeepsLittle() {
        greet();
        channel.stall();
        byte[] read = read();
        read[4 + 8 + 16] = 77; // of a block that is not there
        for (int i = 0; i < 1_000; i++) {
            channel.send(read);
        }
        assertTrue(rig.allocator.live() - emptyBytes < 1 << 20, rig.allocator.live() + " bytes");
        channel.take();
        assertEquals(1_000, channel.takeReplies().size());
    }

    @Test
    void aPeerThatTakesNothingIsClosedAfterTheIdleTimeout() {
        greet();
        channel.stall();
        sendUntilItReadsNoMore(read());
        channel.pass(IDLE);
        assertTrue(channel.isOpen());
        channel.pass(IDLE / 2);
        assertFalse(channel.isOpen());
    }

    @Test
    void aPeerThatTakesItsRepliesInTimeStays() {
        greet();
        channel.stall();
        sendUntilItReadsNoMore(read());
        channel.pass(IDLE / 2);
        channel.take();
        channel.pass(MORE_THAN_IDLE);
        assertTrue(channel.isOpen());
        channel.takeReplies();
        channel.send(frame(STATUS));
        assertEquals(1, channel.takeReplies().size());
        channel.stall(); // the time begins anew
        sendUntilItReadsNoMore(read());
        channel.pass(IDLE / 2);
        assertTrue(channel.isOpen());
    }

    @Test
    void aPeerThatDoesNotTakeItsLastReplyIsClosedToo() {
        channel.stall();
        channel.send(frame(STATUS)); // instead of a Hello
        assertTrue(channel.isOpen());
        channel.pass(MORE_THAN_IDLE);
        assertFalse(channel.isOpen());
    }
}
