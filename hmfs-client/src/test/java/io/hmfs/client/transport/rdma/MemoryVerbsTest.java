package io.hmfs.client.transport.rdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.client.transport.rdma.Verbs.Memory;
import io.hmfs.client.transport.rdma.Verbs.QueuePair;
import io.hmfs.client.transport.rdma.Verbs.Remote;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Goal: verbs in memory refuse what a device refuses, or the tests that stand on them show nothing.
 * Method: writes and reads of the peer's memory, with a right, a range or a key that is not there. {@code VerbsGuest} asks
 * the same of a device.
 */
class MemoryVerbsTest {
    private static final String REFUSED = "the peer's memory was used against its registration, or beyond its end";

    private final MemoryVerbs serverVerbs = new MemoryVerbs();
    private final MemoryVerbs clientVerbs = new MemoryVerbs();
    private final Side server = new Side();
    private final Side client = new Side();
    private final Memory local = clientVerbs.register(ByteBuffer.allocateDirect(4096), Remote.NOTHING);

    @SuppressWarnings("NullAway.Init") // by the acceptor
    private QueuePair serverPair;

    @SuppressWarnings("NullAway.Init") // before each test
    private QueuePair clientPair;

    private static final class Side implements Verbs.Events {
        private int sent;
        private @Nullable String reason;

        @Override
        public void prepared() {}

        @Override
        public void connected() {}

        @Override
        public void received(int slot, int length) {}

        @Override
        public void sent(int slot) {
            sent++;
        }

        @Override
        public void ended(String newReason) {
            reason = newReason;
        }
    }

    @BeforeEach
    void connect() throws IOException {
        serverVerbs.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 8, (pair, privateData) -> {
            serverPair = pair;
            try {
                pair.accept();
            } catch (IOException e) {
                throw new AssertionError(e);
            }
            return server;
        });
        clientPair = clientVerbs.connect(serverVerbs.address(), ByteBuffer.allocate(0), 1, client);
        pollAll();
    }

    @AfterEach
    void close() {
        clientVerbs.close();
        serverVerbs.close();
    }

    private void pollAll() {
        boolean any;
        do {
            any = clientVerbs.poll();
            any |= serverVerbs.poll();
        } while (any);
    }

    private void write(Memory to, long offset, int key, int length) {
        clientPair.write(0, local, 0, length, to.address() + offset, key, true);
        clientPair.flush();
        pollAll();
    }

    private void read(Memory from, long offset, int key, int length) {
        clientPair.read(0, local, 0, length, from.address() + offset, key, true);
        clientPair.flush();
        pollAll();
    }

    private void assertRefused() {
        assertEquals(REFUSED, client.reason);
        assertEquals("it closed the connection", server.reason);
        assertEquals(0, client.sent);
    }

    @Test
    void aWriteAndAReadArrive() throws IOException {
        Memory window = serverVerbs.register(ByteBuffer.allocateDirect(4096), Remote.WRITE);
        Memory source = serverVerbs.register(ByteBuffer.allocateDirect(4096), Remote.READ);
        local.bytes().putLong(0, 4711);
        source.bytes().putLong(4088, 4712);
        write(window, 4088, serverPair.remoteKey(window), 8);
        assertEquals(4711, window.bytes().getLong(4088));
        read(source, 4088, serverPair.remoteKey(source), 8);
        assertEquals(4712, local.bytes().getLong(0));
        assertEquals(2, client.sent);
        assertNull(client.reason);
    }

    @Test
    void aKeyThatIsNoneIsRefused() throws IOException {
        Memory window = serverVerbs.register(ByteBuffer.allocateDirect(4096), Remote.WRITE);
        local.bytes().putLong(0, 4711);
        write(window, 0, serverPair.remoteKey(window) + 77, 8);
        assertRefused();
        assertEquals(0, window.bytes().getLong(0));
    }

    @Test
    void theKeyOfAnotherMemoryIsRefused() throws IOException {
        Memory window = serverVerbs.register(ByteBuffer.allocateDirect(4096), Remote.WRITE);
        Memory other = serverVerbs.register(ByteBuffer.allocateDirect(4096), Remote.WRITE);
        write(window, 0, serverPair.remoteKey(other), 8);
        assertRefused();
    }

    @Test
    void theKeyOfAThirdProcessIsRefused() throws IOException {
        MemoryVerbs third = new MemoryVerbs();
        Memory window = third.register(ByteBuffer.allocateDirect(4096), Remote.WRITE);
        third.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 8, (pair, privateData) -> null);
        int key = 1 + serverPair.remoteKey(serverVerbs.register(ByteBuffer.allocateDirect(8), Remote.WRITE));
        Memory other = third.register(ByteBuffer.allocateDirect(4096), Remote.WRITE); // has that key
        write(other, 0, key, 8);
        assertRefused();
        assertEquals(0, window.bytes().getLong(0));
        third.close();
    }

    @Test
    void whatIsBeyondTheEndIsRefused() throws IOException {
        Memory source = serverVerbs.register(ByteBuffer.allocateDirect(4096), Remote.READ);
        read(source, 4089, serverPair.remoteKey(source), 8);
        assertRefused();
    }

    @Test
    void whatIsBeforeTheBeginningIsRefused() throws IOException {
        Memory source = serverVerbs.register(ByteBuffer.allocateDirect(4096), Remote.READ);
        read(source, -1, serverPair.remoteKey(source), 8);
        assertRefused();
    }

    @Test
    void memoryThatMayBeReadIsNotWritten() throws IOException {
        Memory source = serverVerbs.register(ByteBuffer.allocateDirect(4096), Remote.READ);
        write(source, 0, serverPair.remoteKey(source), 8);
        assertRefused();
    }

    @Test
    void memoryThatMayBeWrittenIsNotRead() throws IOException {
        Memory window = serverVerbs.register(ByteBuffer.allocateDirect(4096), Remote.WRITE);
        read(window, 0, serverPair.remoteKey(window), 8);
        assertRefused();
    }

    @Test
    void memoryThatMayNeitherIsNotRead() throws IOException {
        Memory own = serverVerbs.register(ByteBuffer.allocateDirect(4096), Remote.NOTHING);
        read(own, 0, serverPair.remoteKey(own), 8);
        assertRefused();
    }

    @Test
    void aRegistrationThatEndsLeavesAnotherOfTheSameMemory() throws IOException {
        ByteBuffer bytes = ByteBuffer.allocateDirect(4096).putLong(0, 4711);
        Memory first = serverVerbs.register(bytes, Remote.READ);
        Memory second = serverVerbs.register(bytes, Remote.READ);
        int firstKey = serverPair.remoteKey(first);
        assertNotEquals(firstKey, serverPair.remoteKey(second));
        serverVerbs.deregister(second);
        read(first, 0, firstKey, 8);
        assertNull(client.reason);
        serverVerbs.deregister(first);
        client.sent = 0;
        read(first, 0, firstKey, 8);
        assertRefused();
        assertThrows(IOException.class, () -> serverPair.remoteKey(first));
    }

    @Test
    void aWriteThatIsTornEndsBothSides() throws IOException {
        Memory window = serverVerbs.register(ByteBuffer.allocateDirect(4096), Remote.WRITE);
        local.bytes().putLong(0, -1).putLong(8, -1);
        serverVerbs.tearWriteAfter(0);
        write(window, 0, serverPair.remoteKey(window), 16);
        assertEquals(-1, window.bytes().getLong(0));
        assertEquals(0, window.bytes().getLong(8));
        assertTrue(client.reason != null && server.reason != null);
    }

    @Test
    void aMessageThatIsSentAfterAWriteFindsItWritten() throws IOException {
        Memory window = serverVerbs.register(ByteBuffer.allocateDirect(4096), Remote.WRITE);
        Memory room = serverVerbs.register(ByteBuffer.allocateDirect(8), Remote.NOTHING);
        serverPair.receive(0, room, 0, 8);
        local.bytes().putLong(0, 4711);
        clientPair.write(0, local, 0, 4096, window.address(), serverPair.remoteKey(window), false);
        clientPair.send(1, local, 8, 8, true);
        clientPair.flush();
        pollAll();
        assertEquals(4711, window.bytes().getLong(0));
        assertEquals(1, client.sent);
    }
}
