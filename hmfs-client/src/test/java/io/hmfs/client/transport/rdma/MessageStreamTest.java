package io.hmfs.client.transport.rdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
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
    private final End client = new End(clientVerbs);
    private End server = new End(serverVerbs); // of the connection that was accepted last

    /** One side: what has come is compared with what the other side has written. */
    private static final class End implements MessageStream.Receiver {
        private final MessageMemory memory;
        private final MessageStream stream;
        private final ArrayDeque<ByteBuf> kept = new ArrayDeque<>();
        private boolean connected;
        private boolean keeps;
        private int arrived; // bytes
        private int written;
        private @Nullable String reason;

        End(MemoryVerbs verbs) {
            memory = new MessageMemory(verbs);
            stream = new MessageStream(memory, this);
        }

        @Override
        public void connected() {
            connected = true;
        }

        @Override
        public void received(ByteBuf bytes) {
            if (keeps) {
                kept.add(bytes);
            } else {
                take(bytes);
            }
        }

        private void take(ByteBuf bytes) {
            while (bytes.isReadable()) {
                assertEquals((byte) (arrived * 31 + (arrived >> 8)), bytes.readByte(), "byte " + arrived);
                arrived++;
            }
            bytes.release();
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
            ByteBuf bytes = Unpooled.directBuffer(Math.max(count, 1));
            for (int i = 0; i < count; i++, written++) {
                bytes.writeByte((byte) (written * 31 + (written >> 8)));
            }
            stream.write(bytes);
        }

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
            server = new End(serverVerbs);
            server.stream.on(pair);
            server.stream.prepared();
            try {
                pair.accept();
            } catch (IOException e) {
                throw new AssertionError(e);
            }
            return server.stream;
        });
        client.stream.on(clientVerbs.connect(serverVerbs.address(), MessageStream.greeting(), 1, client.stream));
        pollAll();
        assertTrue(client.connected && server.connected);
    }

    @AfterEach
    void close() {
        clientVerbs.close();
        serverVerbs.close();
    }

    private void pollAll() {
        boolean any;
        do {
            client.stream.settle();
            server.stream.settle();
            any = clientVerbs.poll();
            any |= serverVerbs.poll();
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
        assertEquals(MessageMemory.SLOTS * (MessageMemory.MESSAGE_MAX - MessageStream.HEADER), server.arrived);
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
        int most = MessageStream.CREDITS * (MessageMemory.MESSAGE_MAX - MessageStream.HEADER);
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

    @Test
    void aPeerThatGoesEndsTheStream() {
        client.stream.close();
        pollAll();
        assertEquals("it was closed", server.reason);
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
        "1, 0, 3, 8", // no such kind
        "1, 0, -1, 9"
    })
    void aMessageThatIsNoneOfTheProtocolEndsTheStream(int times, int credits, int kind, int length) {
        hostile(times, credits, kind, length);
        assertEquals("it sent a message that is none of this protocol", server.reason);
    }

    @ParameterizedTest
    @CsvSource({"1, 1, 0, 9", "1, -1, 0, 9", "1, 8, 1, 8", "1, 0, 1, 8"})
    void aPeerGivesNoCreditsThatWereNotUsed(int times, int credits, int kind, int length) {
        hostile(times, credits, kind, length);
        assertEquals("it gave " + Integer.toUnsignedString(credits) + " credits while 0 were used", server.reason);
    }

    @Test
    void aPeerThatSendsWithoutCreditIsLeft() {
        hostile(MessageStream.CREDITS + 1, 0, 0, 9);
        assertEquals("it sent without credit", server.reason);
        assertEquals(MessageStream.CREDITS, server.kept.size());
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
