package io.hmfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.client.ResultCode;
import io.hmfs.core.FormatOptions;
import io.hmfs.core.Hmfs;
import io.hmfs.core.OpenOptions;
import io.hmfs.server.setting.ServerSetting;
import io.hmfs.server.transport.MemoryTransport;
import io.hmfs.wire.EntryDecoder;
import io.hmfs.wire.FailureDecoder;
import io.hmfs.wire.WelcomeDecoder;
import io.hmfs.wire.Wire;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a transport needs nothing of the server but the flow of frames. Method: a whole server over a transport in
 * memory, on an event loop of its own.
 */
@Timeout(60)
class MemoryServerTest {
    private static final int PEERS = 5;
    private static final int FILES = 40;

    @TempDir
    private Path directory;

    /** Waits for so many replies; the template ids in order. Of a Failure: minus its code. */
    private static List<Integer> replies(MemoryTransport.Peer peer, int count) throws Exception {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        Await.until(count + " replies", () -> {
            all.writeBytes(peer.take());
            return templates(all.toByteArray()).size() >= count;
        });
        return templates(all.toByteArray());
    }

    /** The template ids of the whole frames in these bytes. */
    private static List<Integer> templates(byte[] frames) {
        ByteBuffer in = ByteBuffer.wrap(frames).order(ByteOrder.LITTLE_ENDIAN);
        List<Integer> found = new ArrayList<>();
        while (in.remaining() >= Wire.LENGTH_SIZE && in.remaining() >= Wire.LENGTH_SIZE + in.getInt(in.position())) {
            int length = in.getInt();
            int at = in.position();
            int template = Short.toUnsignedInt(in.getShort(at + 2));
            found.add(
                    template == FailureDecoder.TEMPLATE_ID
                            ? -in.getShort(at + Wire.HEADER_SIZE + FailureDecoder.codeEncodingOffset())
                            : template);
            in.position(at + length);
        }
        return found;
    }

    @Test
    void aServerServesAndDrainsOverATransportInMemory() throws Exception {
        Path pool = directory.resolve("p.pool");
        Hmfs.format(pool, FormatOptions.ofSize(FormatOptions.SIZE_MIN));
        AtomicReference<MemoryTransport> made = new AtomicReference<>();
        HmfsServer server = HmfsServer.start(
                ServerConfig.builder(pool).set(ServerSetting.PORT, 0).build(),
                Hmfs.openForServer(pool, OpenOptions.process()),
                (receivers, connections) -> {
                    MemoryTransport transport = new MemoryTransport(receivers.get(), connections);
                    transport.start();
                    made.set(transport);
                    return transport;
                });
        assertEquals("memory", server.transportLabel());
        List<MemoryTransport.Peer> peers = new ArrayList<>();
        for (int i = 0; i < PEERS; i++) {
            MemoryTransport.Peer peer = made.get().connect();
            peer.send(RawPeer.hello(Wire.MAGIC, Wire.PROTOCOL_VERSION, 0, System.getProperty("user.name")));
            assertEquals(List.of(WelcomeDecoder.TEMPLATE_ID), replies(peer, 1));
            peers.add(peer);
        }
        for (int i = 0; i < PEERS; i++) {
            for (int file = 0; file < FILES; file++) {
                String path = "/of-" + i + "-" + file;
                peers.get(i).send(RawPeer.create(2L * file + 1, path));
                peers.get(i).send(RawPeer.stat(2L * file + 2, path.getBytes(StandardCharsets.UTF_8)));
            }
        }
        for (MemoryTransport.Peer peer : peers) {
            List<Integer> replies = replies(peer, 2 * FILES);
            assertEquals(2 * FILES, replies.size());
            assertTrue(replies.stream().allMatch(each -> each == EntryDecoder.TEMPLATE_ID), replies::toString);
        }
        assertEquals(0, server.stop());
        for (MemoryTransport.Peer peer : peers) {
            assertEquals(List.of(-ResultCode.SHUTTING_DOWN.code()), replies(peer, 1));
            assertTrue(peer.isEnded());
        }
    }
}
