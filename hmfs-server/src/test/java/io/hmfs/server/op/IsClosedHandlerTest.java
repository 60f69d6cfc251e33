package io.hmfs.server.op;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hmfs.client.ResultCode;
import io.hmfs.server.pipeline.HandlerRig;
import io.hmfs.wire.IsClosedEncoder;
import io.hmfs.wire.LeaseStateDecoder;
import io.hmfs.wire.MessageHeaderDecoder;
import io.hmfs.wire.Wire;
import io.hmfs.wire.WireBuffer;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: a file is closed unless a client has its lease. Method: a file with a lease and then without, and what is no file. */
class IsClosedHandlerTest {
    private static final long LEASE = 5;

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

    private static HandlerRig.Message isClosed(String path) {
        return (out, header) -> new IsClosedEncoder()
                .wrapAndApplyHeader(out, 0, header)
                .correlationId(1)
                .baseId(Wire.ROOT_ID)
                .path(path)
                .limit();
    }

    private int closed(String path) {
        WireBuffer reply = rig.ask(HandlerRig.USER, isClosed(path));
        assertEquals(LeaseStateDecoder.TEMPLATE_ID, rig.template(reply));
        return new LeaseStateDecoder()
                .wrapAndApplyHeader(reply, 0, new MessageHeaderDecoder())
                .closed();
    }

    @Test
    void aFileIsClosedUnlessAClientHasItsLease() {
        long parent = rig.mkdir("d", 0755);
        rig.create(parent, "f", 0600);
        assertEquals(1, closed("/d/f"));
        FileRequests.Opened file = FileRequests.openToWrite(rig, HandlerRig.ROOT, "/d/f", LEASE);
        assertEquals(0, closed("/d/f"));
        HandlerRig.Message last = FileRequests.append(0, parent, "f", file, 0, LEASE, true);
        rig.assertDone(rig.ask(HandlerRig.ROOT, last));
        assertEquals(1, closed("/d/f"));
    }

    @Test
    void whatIsNoFileOrCannotBeReachedIsRefused() {
        rig.create(rig.mkdir("closed", 0700), "f", 0666);
        assertEquals(ResultCode.IS_DIRECTORY, rig.outcome(HandlerRig.USER, isClosed("/")));
        assertEquals(ResultCode.IS_DIRECTORY, rig.outcome(HandlerRig.USER, isClosed("/closed")));
        assertEquals(ResultCode.NOT_FOUND, rig.outcome(HandlerRig.USER, isClosed("/none")));
        assertEquals(ResultCode.ACCESS_DENIED, rig.outcome(HandlerRig.USER, isClosed("/closed/f")));
    }
}
