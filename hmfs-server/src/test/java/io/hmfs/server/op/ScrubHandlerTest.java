package io.hmfs.server.op;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hmfs.client.ResultCode;
import io.hmfs.server.pipeline.HandlerRig;
import io.hmfs.wire.MessageHeaderDecoder;
import io.hmfs.wire.ScrubEncoder;
import io.hmfs.wire.ScrubReportDecoder;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: superusers have a scrub begin and are told of it. Method: requests to a server whose scrubs do not get on. */
class ScrubHandlerTest {
    @TempDir
    private Path directory;

    private static HandlerRig.Message scrub(int action, long rate, long from) {
        return (out, header) -> new ScrubEncoder()
                .wrapAndApplyHeader(out, 0, header)
                .correlationId(1)
                .action((short) action)
                .bytesPerSecond(rate)
                .from(from)
                .limit();
    }

    private static ScrubReportDecoder report(HandlerRig rig, HandlerRig.Message asked) {
        return new ScrubReportDecoder()
                .wrapAndApplyHeader(rig.ask(HandlerRig.ROOT, asked), 0, new MessageHeaderDecoder());
    }

    @Test
    void superusersHaveOneBegin() throws IOException {
        try (HandlerRig rig = new HandlerRig(directory, true)) {
            assertEquals(0, report(rig, scrub(0, 0, 0)).number());
            assertEquals(ResultCode.ACCESS_DENIED, rig.outcome(HandlerRig.USER, scrub(1, 0, 0)));
            assertEquals(ResultCode.INVALID_ARGUMENT, rig.outcome(HandlerRig.ROOT, scrub(2, 0, 0)));
            assertEquals(ResultCode.INVALID_ARGUMENT, rig.outcome(HandlerRig.ROOT, scrub(1, -1, 0)));
            assertEquals(0, report(rig, scrub(0, 0, 0xFFFF_FFFEL)).number());
            assertEquals(1, report(rig, scrub(1, 0, 0)).number());
            ScrubReportDecoder report = report(rig, scrub(1, 0, 0));
            assertEquals(1, report.number());
            assertEquals(1, report.running());
            assertEquals(0, report.next());
        }
    }

    @Test
    void aServerWithoutDataHasNone() throws IOException {
        try (HandlerRig bare = new HandlerRig(directory)) {
            assertEquals(ResultCode.BAD_REQUEST, bare.outcome(HandlerRig.ROOT, scrub(0, 0, 0)));
        }
    }
}
