package io.hmfs.client;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.wire.ChunkEncoder;
import io.hmfs.wire.FailureEncoder;
import io.hmfs.wire.MessageHeaderDecoder;
import io.hmfs.wire.MessageHeaderEncoder;
import io.hmfs.wire.ReadBlockDecoder;
import io.hmfs.wire.ReadChecksumsDecoder;
import io.hmfs.wire.SyncBlockDecoder;
import io.hmfs.wire.WriteBlockDecoder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/**
 * Goal: bytes of a part of an object come from and go to their places in the caller's array, with the grant.
 * Method: the public API over a transport that a script answers; requests are read with the generated decoders.
 */
class DataCallsTest {
    private static final Grant GRANT = new Grant(61, 62, 63);

    private final MessageHeaderDecoder header = new MessageHeaderDecoder();

    private static ScriptedTransport chunks(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return new ScriptedTransport((request, head, reply) -> new ChunkEncoder()
                .wrapAndApplyHeader(reply, 0, new MessageHeaderEncoder())
                .present((short) (bytes.length > 0 ? 1 : 0))
                .putPayload(bytes, 0, bytes.length)
                .limit());
    }

    @Test
    void whatIsReadIsWhereItWasWanted() throws IOException {
        ScriptedTransport transport = chunks("abc");
        try (HmfsClient client = transport.client()) {
            byte[] target = new byte[6];
            assertEquals(3, client.readBlockAsync(GRANT, 2, 3, 4, target, 1, 5).join());
            assertArrayEquals(new byte[] {0, 'a', 'b', 'c', 0, 0}, target);
            ReadBlockDecoder read = new ReadBlockDecoder().wrapAndApplyHeader(transport.request(), 0, header);
            assertEquals(2, read.inode());
            assertEquals(3, read.block());
            assertEquals(4, read.position());
            assertEquals(5, read.length());
            assertEquals(61, read.grant());
            assertEquals(62, read.seal());
        }
        try (HmfsClient client = chunks("").client()) {
            assertEquals(-1, client.readBlock(2, 3, 4, new byte[5], 0, 5));
        }
    }

    @Test
    void writeAndSyncShowTheGrant() throws IOException {
        ScriptedTransport transport = new ScriptedTransport(ScriptedAnswers::done);
        try (HmfsClient client = transport.client()) {
            client.writeBlockAsync(GRANT, 2, 3, 4, new byte[] {0, 'x', 'y', 0}, 1, 2)
                    .join();
            WriteBlockDecoder write = new WriteBlockDecoder().wrapAndApplyHeader(transport.request(), 0, header);
            assertEquals(2, write.inode());
            assertEquals(3, write.block());
            assertEquals(4, write.position());
            assertEquals(61, write.grant());
            assertEquals(62, write.seal());
            assertEquals(63, write.lease());
            byte[] payload = new byte[write.payloadLength()];
            write.getPayload(payload, 0, payload.length);
            assertArrayEquals(new byte[] {'x', 'y'}, payload);
            client.syncBlockAsync(GRANT, 2, 3).join();
            SyncBlockDecoder sync = new SyncBlockDecoder().wrapAndApplyHeader(transport.request(), 0, header);
            assertEquals(2, sync.inode());
            assertEquals(3, sync.block());
            assertEquals(61, sync.grant());
            assertEquals(62, sync.seal());
        }
    }

    @Test
    void checksumsComeInTheirOrder() throws IOException {
        ScriptedTransport transport = chunks("\1\0\0\0\0\2\0\0");
        try (HmfsClient client = transport.client()) {
            BlockChecksums found =
                    client.readChecksumsAsync(GRANT, 2, 3, 1_024, 1_000).join();
            assertArrayEquals(new int[] {1, 512}, found.crcs());
            assertTrue(found.isWhole());
            ReadChecksumsDecoder asked = new ReadChecksumsDecoder().wrapAndApplyHeader(transport.request(), 0, header);
            assertEquals(2, asked.inode());
            assertEquals(3, asked.block());
            assertEquals(1_024, asked.position());
            assertEquals(1_000, asked.length());
            assertEquals(61, asked.grant());
            assertEquals(62, asked.seal());
            var failed = client.readChecksumsAsync(GRANT, 2, 3, 0, 512).handle((crcs, failure) -> failure);
            assertTrue(String.valueOf(failed.join()).contains("8 bytes of checksums where 1"), "too many came");
        }
    }

    @Test
    void aFailureNamesTheObject() throws IOException {
        ScriptedTransport transport = new ScriptedTransport((request, head, reply) -> new FailureEncoder()
                .wrapAndApplyHeader(reply, 0, new MessageHeaderEncoder())
                .code(ResultCode.IO_ERROR.code())
                .message("no disk")
                .limit());
        try (HmfsClient client = transport.client()) {
            HmfsException failed =
                    assertThrows(HmfsException.class, () -> client.readBlock(0x2a, 3, 4, new byte[5], 0, 5));
            assertEquals(ResultCode.IO_ERROR, failed.code());
            assertTrue(String.valueOf(failed.getMessage()).startsWith("read block 2a-3: no disk"), failed.getMessage());
        }
    }
}
