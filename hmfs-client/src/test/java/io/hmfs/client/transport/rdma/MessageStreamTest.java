package io.hmfs.client.transport.rdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The flow of messages and credits, over verbs in memory that refuse what a device would refuse. */
class MessageStreamTest {
    private final MemoryVerbs serverVerbs = new MemoryVerbs();
    private final MemoryVerbs clientVerbs = new MemoryVerbs();
    private final MessageMemory clientMemory = new MessageMemory(clientVerbs);
    private final WindowMemory windows = new WindowMemory(clientVerbs);
    private final MessageMemory serverMemory = new MessageMemory(serverVerbs);
    private final PieceMemory pieces = new PieceMemory(serverVerbs);
    private final List<End> clients = new ArrayList<>(); // that have connected
    private final List<End> servers = new ArrayList<>(); // of the connections that were accepted
    private final List<MemoryVerbs> others = new ArrayList<>(); // of further processes
    private final End client = client();

    @SuppressWarnings("NullAway.Init") // of the connection that was accepted last
    private End server;

    private End client() {
        End end = new End(clientMemory);
        end.stream = MessageStream.ofClient(clientMemory, windows, end);
        return end;
    }

    private End server() {
        End end = new End(serverMemory);
        end.stream = MessageStream.ofServer(serverMemory, pieces, end);
        return end;
    }

    /** One side: what has come is compared with what the other side has written. */
    private static final class End implements MessageStream.Receiver {
        private final MessageMemory memory;

        @SuppressWarnings("NullAway.Init") // by what makes it
        private MessageStream stream;

        private final ArrayDeque<ByteBuf> kept = new ArrayDeque<>();
        private Runnable whileItReceives = () -> {};
        private boolean receives;
        private boolean connected;
        private boolean keeps;
        private int arrived; // bytes
        private int written;
        private @Nullable String reason;

        End(MessageMemory memory) {
            this.memory = memory;
        }

        @Override
        public void connected() {
            connected = true;
        }

        @Override
        public void received(ByteBuf bytes) {
            assertFalse(receives, "what comes next, from within");
            receives = true;
            if (keeps) {
                kept.add(bytes);
            } else {
                take(bytes);
            }
            whileItReceives.run();
            receives = false;
        }

        private void take(ByteBuf bytes) {
            byte[] found = new byte[bytes.readableBytes()];
            bytes.readBytes(found).release();
            int other = Arrays.mismatch(pattern(arrived, found.length), found);
            assertEquals(-1, other, "other bytes, " + found.length + " from " + arrived + " on");
            arrived += found.length;
        }

        private static byte[] pattern(int from, int count) {
            byte[] bytes = new byte[count];
            for (int i = 0; i < count; i++) {
                bytes[i] = (byte) ((from + i) * 31 + ((from + i) >> 8));
            }
            return bytes;
        }

        MessageMemory.Block block() {
            return stream.block();
        }

        void takeKept() {
            keeps = false;
            kept.forEach(this::take);
            kept.clear();
        }

        void write(int count) {
            stream.write(Unpooled.directBuffer(Math.max(count, 1)).writeBytes(pattern(written, count)));
            written += count;
        }

        @Override
        public void unsettled() {}

        @Override
        public void progressed() {}

        @Override
        public void ended(String newReason) {
            assertNull(reason);
            reason = newReason;
        }
    }

    @BeforeEach
    void connect() throws IOException {
        serverVerbs.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 8, (pair, privateData) -> {
            assertTrue(MessageStream.isGreeting(privateData));
            server = server();
            servers.add(server);
            server.stream.on(pair);
            server.stream.prepared();
            try {
                pair.accept();
            } catch (IOException e) {
                throw new AssertionError(e);
            }
            return server.stream;
        });
        connect(client);
    }

    private void connect(End end) {
        clients.add(end);
        end.stream.on(clientVerbs.connect(serverVerbs.address(), MessageStream.greeting(), 1, end.stream));
        pollAll();
        assertTrue(end.connected && server.connected);
    }

    @AfterEach
    void close() {
        clientVerbs.close();
        serverVerbs.close();
    }

    private void pollAll() {
        boolean any;
        do {
            clients.forEach(each -> each.stream.settle());
            servers.forEach(each -> each.stream.settle());
            any = clientVerbs.poll();
            any |= serverVerbs.poll();
            for (MemoryVerbs each : others) {
                any |= each.poll();
            }
        } while (any);
    }

    private void assertLive() {
        assertNull(client.reason);
        assertNull(server.reason);
    }

    @Test
    void bytesArriveInOrderInMessagesOfAnyLength() {
        for (int count : new int[] {1, 7, 4087, 4088, 4089, 100_000}) {
            client.write(count);
            client.stream.flush();
            server.write(count);
            server.stream.flush();
            pollAll();
            assertEquals(client.written, server.arrived);
            assertEquals(server.written, client.arrived);
        }
        assertLive();
    }

    @Test
    void whatIsWrittenTogetherGoesInOneMessage() {
        for (int i = 0; i < 100; i++) {
            client.write(40);
        }
        client.stream.flush();
        assertTrue(serverVerbs.poll());
        assertEquals(4000, server.arrived);
    }

    @Test
    void noMoreIsSentThanThePeerHasBuffersFor() {
        server.keeps = true;
        client.write(1_000_000);
        client.stream.flush();
        pollAll();
        assertEquals(MessageStream.CREDITS, server.kept.size());
        assertTrue(client.stream.waiting() > 0);
        server.takeKept();
        pollAll();
        assertEquals(1_000_000, server.arrived);
        assertEquals(0, client.stream.waiting());
        assertLive();
    }

    @Test
    void memoryIsSentFromAgainOnlyWhenTheDeviceIsDone() {
        clientVerbs.holdSent(true);
        client.write(1_000_000);
        client.stream.flush();
        pollAll();
        assertTrue(server.arrived < 1_000_000);
        clientVerbs.holdSent(false);
        pollAll();
        assertEquals(1_000_000, server.arrived);
        assertLive();
    }

    @Test
    void aSideThatDoesNotReceiveGivesNoCredit() {
        server.stream.receive(false);
        client.write(1_000_000);
        client.stream.flush();
        pollAll();
        int most = (MessageStream.CREDITS - 1) * (MessageMemory.MESSAGE_MAX - MessageStream.HEADER); // and windows
        assertEquals(most, server.arrived);
        server.write(50_000);
        server.stream.flush();
        pollAll();
        assertEquals(50_000, client.arrived);
        assertEquals(most, server.arrived);
        server.stream.receive(true);
        pollAll();
        assertEquals(1_000_000, server.arrived);
        assertLive();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
    void anyOrderOfWritesAndPolls(int seed) {
        Random random = new Random(seed);
        for (int i = 0; i < 20_000; i++) {
            End end = random.nextBoolean() ? client : server;
            switch (random.nextInt(8)) {
                case 0 -> end.write(random.nextInt(random.nextInt(8) == 0 ? 30_000 : 200));
                case 1 -> end.stream.flush();
                case 2 -> end.stream.receive(random.nextBoolean());
                case 3 -> end.keeps = true;
                case 4 -> end.takeKept();
                case 5 -> end.stream.settle();
                case 6 -> clientVerbs.poll();
                default -> serverVerbs.poll();
            }
        }
        for (End end : new End[] {client, server}) {
            end.takeKept();
            end.stream.receive(true);
            end.stream.flush();
        }
        pollAll();
        assertLive();
        assertEquals(client.written, server.arrived);
        assertEquals(server.written, client.arrived);
    }

    @Test
    void aStreamThatIsClosedWhenSentBringsAllAndThenEnds() {
        server.write(300_000);
        server.stream.closeWhenSent();
        pollAll();
        assertEquals(300_000, client.arrived);
        assertEquals("it was closed by the peer", client.reason);
        assertEquals("this side has closed it", server.reason);
    }

    /** Or it would not arrive: what is on its way when a queue pair is closed is lost. */
    @Test
    void aStreamIsNotClosedBeforeThePeerHasTheLastMessage() {
        for (int i = 0; i < 4; i++) { // of the fourth the device says that it is done
            server.write(10);
            server.stream.flush();
        }
        server.stream.closeWhenSent();
        clientVerbs.poll(4);
        assertEquals(40, client.arrived);
        serverVerbs.poll();
        assertNull(server.reason);
        pollAll();
        assertEquals("this side has closed it", server.reason);
    }

    @Test
    void theLastMessageWaitsForRoomAndComesBehindAllOthers() {
        serverVerbs.holdSent(true);
        for (int i = 0; i < MessageMemory.SLOTS; i++) {
            server.write(10);
            server.stream.flush();
            pollAll();
        }
        assertEquals(0, server.stream.waiting());
        server.stream.closeWhenSent();
        pollAll();
        assertNull(client.reason);
        serverVerbs.holdSent(false);
        pollAll();
        assertEquals(10 * MessageMemory.SLOTS, client.arrived);
        assertEquals("it was closed by the peer", client.reason);
    }

    @Test
    void nothingIsSentBehindTheLastMessage() {
        server.stream.closeWhenSent();
        for (int i = 0; i < MessageStream.GIVE_AT; i++) {
            client.write(10);
            client.stream.flush();
        }
        serverVerbs.poll();
        assertEquals(10 * MessageStream.GIVE_AT, server.arrived);
        assertFalse(server.stream.settle());
        pollAll();
        assertEquals("this side has closed it", server.reason, "all that it has sent has arrived");
    }

    @Test
    void creditsWaitForRoom() {
        serverVerbs.holdSent(true);
        for (int i = 0; i < MessageMemory.SLOTS; i++) {
            server.write(10);
            server.stream.flush();
            pollAll();
        }
        client.write(500_000);
        client.stream.flush();
        pollAll();
        assertTrue(server.arrived < 500_000);
        serverVerbs.holdSent(false);
        pollAll();
        assertEquals(500_000, server.arrived);
        assertLive();
    }

    @Test
    void windowsAreAnnouncedWhenThereIsCreditAndRoom() {
        server.stream.receive(false);
        for (int i = 0; i < MessageStream.CREDITS; i++) {
            client.write(10);
            client.stream.flush();
        }
        client.write(100_000);
        client.stream.flush();
        pollAll();
        assertLive();
        assertEquals(10 * MessageStream.CREDITS, server.arrived);
        server.stream.receive(true);
        assertTrue(clientVerbs.poll(), "credits come by themselves");
        pollAll();
        clientVerbs.holdSent(true);
        End other = client();
        connect(other);
        for (int i = 0; i < MessageMemory.SLOTS; i++) {
            other.write(10);
            other.stream.flush();
            pollAll();
        }
        other.write(100_000);
        other.stream.flush();
        clientVerbs.holdSent(false);
        pollAll();
        assertEquals(client.written + other.written, servers.get(0).arrived + server.arrived);
        assertLive();
    }

    @Test
    void aStreamIsToBeSettledAgainAsLongAsWhatCameIsWithOthers() {
        for (int count : new int[] {10, 60_000}) {
            End one = withWindows();
            server.keeps = true;
            assertFalse(server.stream.settle());
            one.write(count);
            one.stream.flush();
            pollAll();
            assertTrue(server.stream.settle());
            server.takeKept();
            assertFalse(server.stream.settle());
        }
    }

    @Test
    void whatWasNotSentIsReleasedAtTheEnd() {
        server.stream.receive(false);
        client.write(1_000_000);
        ByteBuf last = Unpooled.directBuffer(10).writeZero(10);
        client.stream.write(last);
        client.stream.flush();
        pollAll();
        assertEquals(1, last.refCnt());
        client.stream.close();
        assertEquals(0, last.refCnt());
        assertEquals(0, client.stream.waiting());
    }

    @Test
    void memoryIsGivenBackOnceHoweverOftenAStreamIsClosed() {
        client.stream.close();
        client.stream.close();
        assertNotSame(client.memory.take(), client.memory.take());
    }

    @Test
    void whatIsWrittenAfterTheEndIsReleasedAndGoesNowhere() {
        ByteBuf behindTheLast = Unpooled.directBuffer(10).writeZero(10);
        server.write(300_000);
        server.stream.closeWhenSent();
        server.stream.write(behindTheLast);
        assertEquals(0, behindTheLast.refCnt());
        pollAll();
        assertEquals(300_000, client.arrived);
        for (End each : new End[] {client, server}) {
            ByteBuf more = Unpooled.directBuffer(10).writeZero(10);
            each.stream.write(more);
            assertEquals(0, more.refCnt());
            each.stream.flush();
            each.stream.closeWhenSent();
            assertFalse(each.stream.settle());
        }
    }

    @Test
    void whatIsWrittenBeforeTheConnectionIsThereWaitsForIt() {
        End early = client();
        clients.add(early);
        early.write(50_000); // enough to announce windows
        ReadMemory reads = new ReadMemory(clientVerbs);
        early.stream.on(clientVerbs.connect(serverVerbs.address(), MessageStream.greeting(), 1, early.stream));
        early.stream.flush();
        assertFalse(early.stream.settle());
        assertFalse(early.stream.read(0, reads, 0, 0));
        pollAll();
        early.stream.flush();
        pollAll();
        assertEquals(50_000, server.arrived);
        early.stream.close();
        assertFalse(early.stream.read(0, reads, 0, 0));
    }

    /** And nothing is posted any more: the memory may be another connection's. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aReceiverMayCloseTheStream(boolean isLong) {
        End one = isLong ? withWindows() : client;
        int before = server.arrived;
        server.whileItReceives = server.stream::close;
        one.write(isLong ? 60_000 : 10);
        one.stream.flush();
        one.write(10);
        one.stream.flush();
        one.write(60_000);
        one.stream.flush();
        pollAll();
        assertEquals(before + (isLong ? 60_000 : 10), server.arrived);
        assertEquals("it was closed", one.reason);
        if (isLong) {
            assertAllPiecesAreFree();
        }
    }

    @Test
    void aReceiverMayCloseTheStreamThatHasBeenToldToGoOn() {
        client.write(100_000);
        client.stream.flush();
        pollAll();
        client.stream.receive(false);
        for (int i = 0; i < MessageStream.GIVE_AT; i++) {
            server.write(10);
            server.stream.flush();
        }
        server.write(60_000);
        server.stream.flush();
        pollAll();
        assertEquals(10 * MessageStream.GIVE_AT, client.arrived);
        client.whileItReceives = client.stream::close;
        client.stream.receive(true);
        assertEquals(10 * MessageStream.GIVE_AT + 60_000, client.arrived);
        assertTrue(client.stream.isEnded());
    }

    /** It reads one frame behind the other, and may stop reading, and go on, within one. */
    @Test
    void whatComesNextIsNotHandedOnFromWithinAReceiver() {
        End one = withWindows();
        server.whileItReceives = () -> {
            server.stream.receive(false);
            server.stream.receive(true);
        };
        one.write(60_000);
        one.stream.flush();
        one.write(10);
        one.stream.flush();
        pollAll();
        assertEquals(160_010, server.arrived);
    }

    @Test
    void aPeerThatGoesEndsTheStream() {
        client.stream.close();
        pollAll();
        assertEquals("it was closed", server.reason);
    }

    // ---- long parts

    @Test
    void longPartsAreWrittenIntoTheClientAndReadFromThere() {
        client.write(1_000_000);
        client.stream.flush();
        pollAll();
        assertEquals(1_000_000, server.arrived);
        assertTrue(clientVerbs.read() > 10, "reads: " + clientVerbs.read());
        server.write(1_000_000);
        server.stream.flush();
        pollAll();
        assertEquals(1_000_000, client.arrived);
        assertEquals(16, clientVerbs.written());
        assertEquals(0, serverVerbs.exposed());
        assertEquals(pieces.writtenBytes(), server.written);
        assertLive();
    }

    @Test
    void aClientThatHearsMuchGetsItsRepliesWritten() {
        server.write(1_000_000);
        server.stream.flush();
        pollAll();
        assertEquals(1_000_000, client.arrived);
        assertTrue(pieces.writtenBytes() > 800_000, "written: " + pieces.writtenBytes());
    }

    @Test
    void aClientThatSaysLittleHasNoWindows() {
        int registered = clientVerbs.registered();
        for (int i = 0; i < 1000; i++) {
            client.write(4000);
            client.stream.flush();
            server.write(4000);
            server.stream.flush();
            pollAll();
        }
        assertEquals(4_000_000, client.arrived);
        assertEquals(registered, clientVerbs.registered());
    }

    @Test
    void whatComesBehindALongPartWaitsForIt() {
        client.write(1_000_000);
        client.stream.flush();
        pollAll();
        for (int i = 0; i < 100; i++) {
            client.write(60_000);
            client.stream.flush();
            client.write(10);
            client.stream.flush();
            serverVerbs.poll();
            clientVerbs.poll();
        }
        pollAll();
        assertEquals(client.written, server.arrived);
        assertLive();
    }

    @Test
    void aPieceIsFilledAgainOnlyWhenWhatCameWasLetGo() {
        client.write(100_000);
        client.stream.flush();
        pollAll();
        client.keeps = true;
        server.write(2_000_000);
        server.stream.flush();
        pollAll();
        assertEquals(MessageStream.CREDITS, client.kept.size());
        client.takeKept();
        pollAll();
        assertEquals(2_000_000, client.arrived);
        assertLive();
    }

    @Test
    void readsOfAllClientsTogetherAreBounded() {
        for (int i = 0; i < 24; i++) {
            End each = client();
            connect(each);
            each.write(100_000);
            each.stream.flush();
            pollAll();
            server.keeps = true;
            each.write(1_000_000);
            each.stream.flush();
            pollAll();
            assertEquals(Math.max(0, 64 - 4 * (i + 1)), free());
        }
        assertTrue(server.stream.settle(), "it is to be settled again");
        for (int i = 0; i < 24; i++) { // what one client lets go is another one's
            servers.get(1 + i).takeKept();
            pollAll();
        }
        for (int i = 0; i < 24; i++) {
            servers.get(1 + i).takeKept();
        }
        pollAll();
        for (int i = 0; i < 24; i++) {
            assertEquals(1_100_000, servers.get(1 + i).arrived, "of client " + i);
        }
        assertAllPiecesAreFree();
    }

    private List<Window.Piece> takeAll() {
        List<Window.Piece> all = new ArrayList<>();
        for (Window.Piece each = pieces.take(); each != null; each = pieces.take()) {
            all.add(each);
        }
        return all;
    }

    private int free() {
        List<Window.Piece> all = takeAll();
        all.forEach(pieces::give);
        return all.size();
    }

    private void assertAllPiecesAreFree() {
        assertEquals(PieceMemory.BYTES / Window.PIECE_BYTES, free());
    }

    /** A client that has windows. */
    private End withWindows() {
        End each = client();
        connect(each);
        each.write(100_000);
        each.stream.flush();
        pollAll();
        return each;
    }

    @Test
    void whoWaitsFirstForMemoryHasItFirst() {
        End one = withWindows();
        End first = server;
        End other = withWindows();
        End second = server;
        List<Window.Piece> all = takeAll();
        one.write(60_000);
        one.stream.flush();
        pollAll();
        other.write(60_000);
        other.stream.flush();
        pollAll();
        pieces.give(all.remove(0));
        assertTrue(pieces.hasForWaiting());
        assertNull(pieces.take()); // for a write
        second.stream.settle();
        serverVerbs.poll();
        clientVerbs.poll();
        serverVerbs.poll();
        assertEquals(100_000, second.arrived);
        first.stream.settle();
        serverVerbs.poll();
        clientVerbs.poll();
        serverVerbs.poll();
        assertEquals(160_000, first.arrived);
        pollAll();
        assertEquals(160_000, second.arrived);
        assertFalse(pieces.hasForWaiting());
        all.forEach(pieces::give);
        assertAllPiecesAreFree();
    }

    @Test
    void whoHasGoneWaitsForNoMemory() {
        End one = withWindows();
        List<Window.Piece> all = takeAll();
        one.write(60_000);
        one.stream.flush();
        pollAll();
        assertFalse(pieces.hasForWaiting(), "there is none");
        one.stream.close();
        pollAll();
        all.forEach(pieces::give);
        assertFalse(pieces.hasForWaiting());
        withWindows();
        assertEquals(100_000, server.arrived);
        assertAllPiecesAreFree();
    }

    @Test
    void aWindowIsUsedAgainWhenWhatCameWasLetGo() {
        Window window = Objects.requireNonNull(windows.take(Verbs.Remote.WRITE));
        ByteBuf lent = window.piece(3).arrival().retain();
        windows.give(window);
        List<Window> others = new ArrayList<>();
        for (Window each = windows.take(Verbs.Remote.WRITE); each != null; each = windows.take(Verbs.Remote.WRITE)) {
            assertNotSame(window.memory.bytes(), each.memory.bytes());
            others.add(each);
        }
        assertEquals(WindowMemory.MOST - 1, others.size());
        lent.release();
        assertSame(
                window.memory.bytes(),
                Objects.requireNonNull(windows.take(Verbs.Remote.READ)).memory.bytes());
        assertNull(windows.take(Verbs.Remote.READ));
    }

    @Test
    void whatCameInAPieceStaysThereUntilItIsLetGoThoughItsConnectionHasEnded() {
        End one = withWindows();
        server.keeps = true;
        one.write(60_000);
        one.stream.flush();
        pollAll();
        assertEquals(1, server.kept.size());
        one.stream.close();
        pollAll();
        assertEquals(63, free());
        server.takeKept();
        assertEquals(160_000, server.arrived);
        assertAllPiecesAreFree();
    }

    @Test
    void aServerThatDoesNotReceiveReadsNothing() {
        End one = withWindows();
        server.stream.receive(false);
        int before = clientVerbs.read();
        one.write(500_000);
        one.stream.flush();
        pollAll();
        assertEquals(before, clientVerbs.read());
        server.stream.receive(true);
        pollAll();
        assertEquals(600_000, server.arrived);
    }

    @Test
    void aServerThatDoesNotReceiveKeepsNoMemoryFromOthers() {
        client.write(100_000);
        client.stream.flush();
        pollAll();
        End paused = server;
        List<Window.Piece> all = takeAll();
        client.write(100_000);
        client.stream.flush();
        pollAll();
        paused.stream.receive(false);
        all.forEach(pieces::give);
        pollAll();
        End other = client();
        connect(other);
        other.write(100_000);
        other.stream.flush();
        pollAll();
        assertEquals(100_000, server.arrived);
        paused.stream.receive(true);
        pollAll();
        assertEquals(200_000, paused.arrived);
    }

    @Test
    void whereMemoryIsRefusedAllGoesInMessages() {
        for (MemoryVerbs refusing : List.of(serverVerbs, clientVerbs)) { // which, having none, tells the server of none
            refusing.refuseMemory();
            End each = client();
            connect(each);
            int registered = clientVerbs.registered();
            each.write(500_000);
            each.stream.flush();
            pollAll();
            server.write(500_000);
            server.stream.flush();
            pollAll();
            assertEquals(500_000, server.arrived);
            assertEquals(500_000, each.arrived);
            assertEquals(registered + (refusing.equals(clientVerbs) ? 0 : 2), clientVerbs.registered());
        }
        assertEquals(0, clientVerbs.read() + clientVerbs.written());
    }

    @Test
    void someConnectionsHaveWindowsAndTheirKeysEndWithThem() {
        int registered = clientVerbs.registered();
        for (int i = 0; i < WindowMemory.MOST / 2 + 1; i++) {
            End each = client();
            connect(each);
            each.write(100_000);
            each.stream.flush();
            pollAll();
            assertEquals(100_000, server.arrived);
        }
        int forMessages = 6; // after the first one, regions of 1, 2, 4, 8, 16 and 32 connections
        assertEquals(WindowMemory.MOST + forMessages, clientVerbs.registered() - registered);
        End last = client();
        clients.get(1).stream.close();
        assertEquals(WindowMemory.MOST - 2 + forMessages, clientVerbs.registered() - registered);
        pollAll();
        connect(last);
        last.write(100_000);
        last.stream.flush();
        pollAll();
        assertEquals(100_000, server.arrived);
        assertEquals(WindowMemory.MOST + forMessages, clientVerbs.registered() - registered);
    }

    @Test
    void aWriteInTheMiddleOfWhichTheServerDiesBringsNothing() {
        client.write(100_000);
        client.stream.flush();
        pollAll();
        clientVerbs.tearWriteAfter(1);
        server.write(1_000_000);
        server.stream.flush();
        pollAll();
        assertEquals(Window.PIECE_BYTES, client.arrived);
        assertTrue(client.reason != null && server.reason != null);
        assertAllPiecesAreFree();
    }

    @Test
    void aClientThatGoesWhileItIsReadLeavesNoMemoryTaken() {
        client.write(100_000);
        client.stream.flush();
        pollAll();
        client.write(1_000_000);
        client.stream.flush();
        serverVerbs.poll(); // which reads
        client.stream.close();
        pollAll();
        assertTrue(server.reason != null);
        assertTrue(server.arrived < 1_100_000);
        assertAllPiecesAreFree();
    }

    // ---- peers that lie

    /** A client that hears and does nothing sends the same message so many times, each of this kind and length, with so many credits. */
    private void hostile(int times, int credits, int kind, int length) {
        ByteBuffer message =
                ByteBuffer.allocateDirect(MessageMemory.MESSAGE_MAX).order(ByteOrder.LITTLE_ENDIAN);
        message.putInt(0, credits).putInt(Integer.BYTES, kind);
        Verbs.Memory memory = clientVerbs.register(message, Verbs.Remote.NOTHING);
        Verbs.QueuePair pair = clientVerbs.connect(serverVerbs.address(), MessageStream.greeting(), 1, new Deaf());
        pollAll();
        server.stream.receive(false);
        server.keeps = true;
        for (int i = 0; i < times; i++) {
            pair.send(i, memory, 0, length, true);
            pair.flush();
        }
        pollAll();
    }

    private static final class Deaf implements Verbs.Events {
        @Override
        public void prepared() {}

        @Override
        public void connected() {}

        @Override
        public void received(int slot, int length) {}

        @Override
        public void sent(int slot) {}

        @Override
        public void ended(String reason) {}
    }

    @ParameterizedTest
    @CsvSource({
        "1, 0, 0, 7", // no whole header
        "1, 0, 0, 8", // no bytes
        "1, 0, 1, 9", // bytes in a message that has none
        "1, 8, 2, 9",
        "1, 0, 3, 31", // windows with something cut off
        "1, 0, 4, 15", // a long part with something cut off
        "1, 0, 5, 8", // no such kind
        "1, 0, -1, 9"
    })
    void aMessageThatIsNoneOfTheProtocolEndsTheStream(int times, int credits, int kind, int length) {
        hostile(times, credits, kind, length);
        assertEquals("it sent a message that is none of this protocol", server.reason);
    }

    @ParameterizedTest
    @CsvSource({"1, 1, 0, 9", "1, 65535, 0, 9", "1, 8, 1, 8", "1, 0, 1, 8"})
    void aPeerGivesNoCreditsThatWereNotUsed(int times, int credits, int kind, int length) {
        hostile(times, credits, kind, length);
        assertEquals("it gave " + credits + " credits while 0 were used", server.reason);
    }

    @Test
    void aPeerThatSendsWithoutCreditIsLeft() {
        hostile(MessageStream.CREDITS + 1, 0, 0, 9);
        assertEquals("it sent without credit", server.reason);
        assertEquals(MessageStream.CREDITS, server.kept.size());
    }

    /** A client that says what it likes. */
    private final class Liar {
        private final ByteBuffer message =
                ByteBuffer.allocateDirect(MessageMemory.MESSAGE_MAX).order(ByteOrder.LITTLE_ENDIAN);
        private final Verbs.Memory memory;
        private final Verbs.QueuePair pair;
        private final ByteBuffer heard = ByteBuffer.allocateDirect(4096).order(ByteOrder.LITTLE_ENDIAN);

        Liar(MemoryVerbs verbs) {
            memory = verbs.register(message, Verbs.Remote.NOTHING);
            Verbs.Memory into = verbs.register(heard, Verbs.Remote.NOTHING);
            pair = verbs.connect(serverVerbs.address(), MessageStream.greeting(), 1, new Deaf());
            for (int i = 0; i < MessageMemory.SLOTS; i++) {
                pair.receive(i, into, 0, 4096);
            }
            pollAll();
        }

        void say(int given, int kind, int length) {
            message.putInt(0, given).putInt(Integer.BYTES, kind);
            pair.send(0, memory, 0, length, true);
            pair.flush();
            pollAll();
        }

        void announce(long writeAddress, int writeKey, long readAddress, int readKey) {
            message.putLong(8, writeAddress).putLong(16, readAddress);
            message.putInt(24, writeKey).putInt(28, readKey);
            say(0, 3, 32);
        }

        void longPart(int number, int length) {
            message.putInt(8, number).putInt(12, length);
            say(0, 4, 16);
        }
    }

    private static final String BAD_PIECE = "it filled a piece that it did not have, or beyond its end";
    private static final String REFUSED = "the peer's memory was used against its registration, or beyond its end";

    private Liar liarWithWindows() throws IOException {
        Verbs.Memory written = clientVerbs.register(ByteBuffer.allocateDirect(1 << 20), Verbs.Remote.WRITE);
        Verbs.Memory read = clientVerbs.register(ByteBuffer.allocateDirect(1 << 20), Verbs.Remote.READ);
        Liar liar = new Liar(clientVerbs);
        liar.announce(written.address(), liar.pair.remoteKey(written), read.address(), liar.pair.remoteKey(read));
        assertNull(server.reason);
        server.keeps = true;
        return liar;
    }

    @ParameterizedTest
    @CsvSource({"16, 1", "-1, 1", "0, 0", "0, -1", "0, 65537", "33, 1", "-32, 1"})
    void aLongPartIsInAPieceThatThereIs(int number, int length) throws IOException {
        liarWithWindows().longPart(number, length);
        assertEquals(BAD_PIECE, server.reason);
        assertAllPiecesAreFree();
    }

    @Test
    void aPieceIsNotFilledTwice() throws IOException {
        Liar liar = liarWithWindows();
        liar.longPart(3, 100);
        liar.longPart(3, 100);
        assertEquals(BAD_PIECE, server.reason);
        assertEquals(1, server.kept.size());
    }

    @Test
    void aLongPartBeforeThereAreWindowsIsNone() {
        Liar liar = new Liar(clientVerbs);
        liar.longPart(0, 100);
        assertEquals(BAD_PIECE, server.reason);
    }

    @Test
    void windowsAreAnnouncedOnce() throws IOException {
        liarWithWindows().announce(1, 1, 1, 1);
        assertEquals("it sent a message that is none of this protocol", server.reason);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aPeerGivesNoPiecesThatWereNotFilled(boolean hasWindows) throws IOException {
        Liar liar = hasWindows ? liarWithWindows() : new Liar(clientVerbs);
        liar.say(1 << 16, 0, 9);
        assertEquals("it gave pieces that it did not have", server.reason);
    }

    @Test
    void aForgedKeyToBeReadEndsItsOwnConnection() throws IOException {
        End first = server;
        Liar liar = new Liar(clientVerbs);
        liar.announce(4711, 4711, 4711, 4711);
        liar.longPart(0, 100);
        assertEquals(REFUSED, server.reason);
        assertEquals(0, server.arrived);
        assertAllPiecesAreFree();
        assertOneIsServed(first);
    }

    private void assertOneIsServed(End first) {
        client.write(1000);
        client.stream.flush();
        pollAll();
        assertEquals(client.written, first.arrived);
        assertNull(first.reason);
    }

    @Test
    void theWindowsOfAnotherClientAreNeitherWrittenNorRead() throws IOException {
        client.write(100_000);
        client.stream.flush();
        pollAll();
        End first = server;
        Verbs.Memory victims = clientVerbs.register(ByteBuffer.allocateDirect(1 << 20), Verbs.Remote.WRITE);
        Verbs.Memory victimsSource = clientVerbs.register(ByteBuffer.allocateDirect(1 << 20), Verbs.Remote.READ);
        Liar owner = new Liar(clientVerbs);
        int key = owner.pair.remoteKey(victims);
        int sourceKey = owner.pair.remoteKey(victimsSource);
        MemoryVerbs attackers = new MemoryVerbs();
        others.add(attackers);
        for (boolean reads : new boolean[] {true, false}) {
            Liar liar = new Liar(attackers);
            liar.announce(victims.address(), key, victimsSource.address(), sourceKey);
            if (reads) {
                liar.longPart(0, 100);
            } else {
                server.write(100_000);
                server.stream.flush();
                pollAll();
            }
            assertEquals(REFUSED, server.reason);
            assertEquals(0, server.arrived);
        }
        assertEquals(0, clientVerbs.written());
        for (int i = 0; i < 1 << 20; i += 8) {
            assertEquals(0, victims.bytes().getLong(i));
        }
        assertOneIsServed(first);
        attackers.close();
    }

    @Test
    void aSideThatDoesNotReceiveGivesNeitherCreditsNorPieces() throws IOException {
        Liar liar = new Liar(clientVerbs);
        server.stream.receive(false);
        liar.announce(0, 0, 0, 0);
        server.write(1);
        server.stream.flush();
        pollAll();
        assertEquals(0, liar.heard.getInt(0));
        server.stream.receive(true);
        pollAll();
        assertEquals(1 | LongParts.ALL_PIECES << 16, liar.heard.getInt(0));
    }

    /** A server that says what it likes: what the client is told of. */
    private End toldBy(int given, int kind, int length, int first, int second) throws IOException {
        MemoryVerbs lying = new MemoryVerbs();
        others.add(lying);
        ByteBuffer message = ByteBuffer.allocateDirect(64).order(ByteOrder.LITTLE_ENDIAN);
        Verbs.Memory memory = lying.register(message, Verbs.Remote.NOTHING);
        Verbs.QueuePair[] pairs = new Verbs.QueuePair[1];
        lying.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 8, (pair, privateData) -> {
            pairs[0] = pair;
            for (int i = 0; i < MessageMemory.SLOTS; i++) {
                pair.receive(i, lying.register(ByteBuffer.allocateDirect(4096), Verbs.Remote.NOTHING), 0, 4096);
            }
            try {
                pair.accept();
            } catch (IOException e) {
                throw new AssertionError(e);
            }
            return new Deaf();
        });
        End end = client();
        end.stream.on(clientVerbs.connect(lying.address(), MessageStream.greeting(), 1, end.stream));
        pollAll();
        end.keeps = true;
        end.write(40_000); // with its windows
        end.stream.flush();
        message.putInt(0, given).putInt(4, kind).putInt(8, first).putInt(12, second);
        pairs[0].send(0, memory, 0, length, true);
        pairs[0].flush();
        pollAll();
        lying.close();
        return end;
    }

    @Test
    void aClientBelievesNoServerEither() throws IOException {
        assertEquals(BAD_PIECE, toldBy(0, 4, 16, 16, 100).reason);
        assertEquals(BAD_PIECE, toldBy(0, 4, 16, 0, 0).reason);
        assertEquals(BAD_PIECE, toldBy(0, 4, 16, 0, 65537).reason);
        assertEquals("it sent a message that is none of this protocol", toldBy(0, 3, 32, 0, 0).reason);
        assertNotEquals(BAD_PIECE, toldBy(0, 4, 16, 15, 65536).reason); // that is right, but for the zeros
    }

    @Test
    void othersAreServedOn() {
        End first = server;
        hostile(1, 0, 3, 8);
        client.write(1000);
        client.stream.flush();
        pollAll();
        assertEquals(1000, first.arrived);
        assertNull(first.reason);
    }

    @Test
    void memoryIsUsedAgainWhenItsConnectionHasEnded() {
        MessageMemory.Block block = client.block();
        client.stream.close();
        assertSame(block, client.memory.take());
    }

    @Test
    void memoryIsUsedAgainWhenItsConnectionHasEndedAndWhatCameWasLetGo() {
        server.keeps = true;
        client.write(10);
        client.stream.flush();
        pollAll();
        End first = server;
        client.stream.close();
        pollAll();
        MessageMemory.Block held = first.block();
        for (int i = 0; i < 100; i++) {
            assertNotSame(held, first.memory.take());
        }
        first.takeKept();
        assertSame(held, first.memory.take());
    }
}
