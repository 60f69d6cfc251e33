package io.hmfs.server.op;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hmfs.server.pipeline.HandlerRig;
import io.hmfs.wire.MessageHeaderDecoder;
import io.hmfs.wire.StatusEncoder;
import io.hmfs.wire.StatusReportDecoder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: status tells the pool's identity, and strangers nothing of the machine. Method: compared with what the engine says. */
class StatusHandlerTest {
    @TempDir
    private Path directory;

    private HandlerRig rig;

    @BeforeEach
    void open() throws IOException {
        rig = new HandlerRig(directory);
    }

    @AfterEach
    void close() throws IOException {
        rig.close();
    }

    private StatusReportDecoder report(String user) {
        return new StatusReportDecoder()
                .wrapAndApplyHeader(
                        rig.ask(
                                user,
                                (out, header) -> new StatusEncoder()
                                        .wrapAndApplyHeader(out, 0, header)
                                        .correlationId(3)
                                        .limit()),
                        0,
                        new MessageHeaderDecoder());
    }

    @Test
    void itTellsThePoolAndSuperusersWhereItIs() {
        StatusReportDecoder report = report(HandlerRig.USER);
        assertEquals(3, report.correlationId());
        assertEquals(
                rig.namespace().poolStatus().clusterId(),
                new UUID(report.clusterId().high(), report.clusterId().low()));
        assertEquals(rig.namespace().poolStatus().capacity(), report.capacity());
        assertEquals("", report.poolPath());
        assertEquals(
                rig.namespace().poolStatus().path(), report(HandlerRig.ROOT).poolPath());
    }
}
