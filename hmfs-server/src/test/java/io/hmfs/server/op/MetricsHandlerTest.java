package io.hmfs.server.op;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.server.pipeline.HandlerRig;
import io.hmfs.wire.MessageHeaderDecoder;
import io.hmfs.wire.MetricsEncoder;
import io.hmfs.wire.MetricsReportDecoder;
import io.hmfs.wire.StatusEncoder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: metrics tells the server's own counts. Method: a request is counted, then asked for. */
class MetricsHandlerTest {
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

    @Test
    void whatWasAskedBeforeIsCounted() {
        rig.ask(
                HandlerRig.USER,
                (out, header) -> new StatusEncoder()
                        .wrapAndApplyHeader(out, 0, header)
                        .correlationId(1)
                        .limit());
        MetricsReportDecoder report = new MetricsReportDecoder()
                .wrapAndApplyHeader(
                        rig.ask(
                                HandlerRig.USER,
                                (out, header) -> new MetricsEncoder()
                                        .wrapAndApplyHeader(out, 0, header)
                                        .correlationId(2)
                                        .limit()),
                        0,
                        new MessageHeaderDecoder());
        byte[] bytes = new byte[report.textLength()];
        report.getText(bytes, 0, bytes.length);
        String text = new String(bytes, StandardCharsets.UTF_8);
        assertTrue(text.contains("hmfs_requests_total{operation=\"status\",status=\"OK\"} 1"), text);
    }
}
