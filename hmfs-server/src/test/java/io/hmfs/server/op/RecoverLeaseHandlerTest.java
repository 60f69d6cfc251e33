package io.hmfs.server.op;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.client.ResultCode;
import io.hmfs.core.Namespace;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.server.pipeline.HandlerRig;
import io.hmfs.wire.RecoverLeaseEncoder;
import io.hmfs.wire.Wire;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: users that may write a file take its lease from the client that has it. Method: a client with a lease, and another user. */
class RecoverLeaseHandlerTest {
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

    private static HandlerRig.Message recover(String path) {
        return (out, header) -> new RecoverLeaseEncoder()
                .wrapAndApplyHeader(out, 0, header)
                .correlationId(1)
                .baseId(Wire.ROOT_ID)
                .path(path)
                .limit();
    }

    @Test
    void theClientThatHadItCommitsNothingMore() {
        rig.create(Namespace.ROOT_ID, "f", 0666);
        FileRequests.Opened file = FileRequests.openToWrite(rig, HandlerRig.ROOT, "/f", LEASE);
        rig.assertDone(rig.ask(HandlerRig.USER, recover("/f")));
        assertTrue(rig.partition().leases().isClosed(file.inode()));
        HandlerRig.Message append = FileRequests.append(0, Namespace.ROOT_ID, "f", file, 10, LEASE, false);
        assertEquals(ResultCode.LEASE_LOST, rig.outcome(HandlerRig.ROOT, append));
        rig.assertDone(rig.ask(HandlerRig.USER, recover("/f")));
    }

    @Test
    void aUserThatMayOnlyReadTheFileTakesNothing() {
        rig.create(Namespace.ROOT_ID, "f", 0644);
        FileRequests.Opened file = FileRequests.openToWrite(rig, HandlerRig.ROOT, "/f", LEASE);
        assertEquals(ResultCode.ACCESS_DENIED, rig.outcome(HandlerRig.USER, recover("/f")));
        assertFalse(rig.partition().leases().isClosed(file.inode()));
    }

    @Test
    void whatIsNoFileIsRefused() {
        long parent = rig.mkdir("d", 0777);
        byte[] target = "/d".getBytes(StandardCharsets.UTF_8);
        assertEquals(Status.OK, rig.namespace().symlink(parent, Name.of("link"), target, 0, 0, new Attributes()));
        assertEquals(ResultCode.IS_DIRECTORY, rig.outcome(HandlerRig.USER, recover("/")));
        assertEquals(ResultCode.IS_DIRECTORY, rig.outcome(HandlerRig.USER, recover("/d")));
        assertEquals(ResultCode.UNRESOLVED_LINK, rig.outcome(HandlerRig.USER, recover("/d/link")));
        assertEquals(ResultCode.NOT_FOUND, rig.outcome(HandlerRig.USER, recover("/d/none")));
    }
}
