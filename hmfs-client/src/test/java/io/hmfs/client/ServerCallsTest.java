package io.hmfs.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.wire.MessageHeaderDecoder;
import io.hmfs.wire.MessageHeaderEncoder;
import io.hmfs.wire.MetricsReportEncoder;
import io.hmfs.wire.SafeModeDecoder;
import io.hmfs.wire.SafeModeStateEncoder;
import io.hmfs.wire.ScrubDecoder;
import io.hmfs.wire.ScrubReportEncoder;
import io.hmfs.wire.StatusReportEncoder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/**
 * Goal: the server's figures are in their fields, and safe mode is asked for, entered and left.
 * Method: the public API over a transport that a script answers; requests are read with the generated decoders.
 */
class ServerCallsTest {
    private final MessageHeaderDecoder header = new MessageHeaderDecoder();

    @Test
    void statusHasAllFigures() throws IOException {
        ScriptedTransport transport = new ScriptedTransport((request, head, reply) -> {
            StatusReportEncoder status = new StatusReportEncoder()
                    .wrapAndApplyHeader(reply, 0, new MessageHeaderEncoder())
                    .mapVersion(1)
                    .capacity(2)
                    .recoveredObjects(3)
                    .uptimeMillis(4)
                    .formatVersion(5)
                    .regionsUsed(6)
                    .regionsMax(7)
                    .connections(8)
                    .recovering((short) 1);
            status.clusterId().high(9).low(10);
            return status.poolPath("/p")
                    .backing("file")
                    .persistence("process")
                    .serverVersion("9")
                    .limit();
        });
        try (HmfsClient client = transport.client()) {
            assertEquals(
                    new ServerStatus("/p", "file", "process", new UUID(9, 10), 1, 5, 2, 6, 7, true, 3, 8, 4, "9"),
                    client.status());
        }
    }

    @Test
    void metricsAreText() throws IOException {
        ScriptedTransport transport = new ScriptedTransport((request, head, reply) -> {
            byte[] text = "hmfs_ü 1\n".getBytes(StandardCharsets.UTF_8);
            return new MetricsReportEncoder()
                    .wrapAndApplyHeader(reply, 0, new MessageHeaderEncoder())
                    .putText(text, 0, text.length)
                    .limit();
        });
        try (HmfsClient client = transport.client()) {
            assertEquals("hmfs_ü 1\n", client.metrics());
        }
    }

    @Test
    void safeModeIsAskedForEnteredAndLeft() throws IOException {
        ScriptedTransport transport = new ScriptedTransport((request, head, reply) -> new SafeModeStateEncoder()
                .wrapAndApplyHeader(reply, 0, new MessageHeaderEncoder())
                .on((short) 1)
                .limit());
        try (HmfsClient client = transport.client()) {
            assertTrue(client.isInSafeMode());
            assertEquals(0, action(transport));
            client.setSafeMode(true);
            assertEquals(1, action(transport));
            client.setSafeMode(false);
            assertEquals(2, action(transport));
        }
    }

    @Test
    void aScrubIsBegunAndToldOf() throws IOException {
        ByteBuffer damages = ByteBuffer.allocate(100).order(ByteOrder.LITTLE_ENDIAN);
        byte[] path = "/ü".getBytes(StandardCharsets.UTF_8);
        damages.putLong(7)
                .putLong(512)
                .putLong(1_024)
                .putShort((short) path.length)
                .put(path);
        damages.putLong(8)
                .putLong(0)
                .putLong(1)
                .putShort((short) 2)
                .put((byte) '/')
                .put((byte) 'b');
        ScriptedTransport transport = new ScriptedTransport((request, head, reply) -> new ScrubReportEncoder()
                .wrapAndApplyHeader(reply, 0, new MessageHeaderEncoder())
                .number(1)
                .running((short) 1)
                .whole((short) 0)
                .files(2)
                .objects(3)
                .bytes(4)
                .unread(5)
                .damaged(6)
                .beganMillis(9)
                .endedMillis(10)
                .next(11)
                .putDamages(damages.array(), 0, damages.position())
                .limit());
        try (HmfsClient client = transport.client()) {
            ScrubStatus status = client.beginScrub(77);
            assertEquals(
                    new ScrubStatus(
                            1,
                            true,
                            false,
                            2,
                            3,
                            4,
                            5,
                            6,
                            9,
                            10,
                            List.of(new ScrubStatus.Damage("/ü", 7, 512, 1_024), new ScrubStatus.Damage("/b", 8, 0, 1)),
                            11),
                    status);
            ScrubDecoder asked = new ScrubDecoder().wrapAndApplyHeader(transport.request(), 0, header);
            assertEquals(1, asked.action());
            assertEquals(77, asked.bytesPerSecond());
            client.scrub(11);
            asked.wrapAndApplyHeader(transport.request(), 0, header);
            assertEquals(0, asked.action());
            assertEquals(11, asked.from());
        }
    }

    private int action(ScriptedTransport transport) {
        return new SafeModeDecoder()
                .wrapAndApplyHeader(transport.request(), 0, header)
                .action();
    }
}
