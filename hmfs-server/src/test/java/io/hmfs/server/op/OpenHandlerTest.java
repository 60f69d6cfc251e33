package io.hmfs.server.op;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.client.ResultCode;
import io.hmfs.core.Namespace;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.server.access.Grants;
import io.hmfs.server.pipeline.HandlerRig;
import io.hmfs.wire.EntryDecoder;
import io.hmfs.wire.FailureDecoder;
import io.hmfs.wire.MessageHeaderDecoder;
import io.hmfs.wire.WireBuffer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: a user opens files for what their modes allow, and one client at a time has the lease to write one. Method: two users ask. */
class OpenHandlerTest {
    private static final int ACCESS = 0xFF; // bits of a grant

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

    private EntryDecoder opened(String user, String path, boolean read, boolean write) {
        WireBuffer reply = rig.ask(user, FileRequests.open(path, read, write, 0));
        assertEquals(ResultCode.OK, rig.outcome(reply));
        return FileRequests.entry(reply);
    }

    private ResultCode outcome(String path, boolean read, boolean write) {
        return rig.outcome(HandlerRig.USER, FileRequests.open(path, read, write, 0));
    }

    private ResultCode outcome(String user, String path, boolean read, boolean write, long lease) {
        return rig.outcome(user, FileRequests.open(path, read, write, lease));
    }

    @Test
    void whatIsGrantedIsWhatWasAskedForAndTheModeAllows() {
        long parent = rig.mkdir("d", 0755);
        long file = rig.create(parent, "f", 0644);
        EntryDecoder entry = opened(HandlerRig.USER, "/d/f", true, false);
        assertEquals(file, entry.inode());
        assertEquals(parent, entry.parentId());
        assertEquals(0, entry.removedId());
        assertEquals(Grants.READ, entry.grant() & ACCESS);
        assertEquals(ResultCode.ACCESS_DENIED, outcome("/d/f", false, true));
        assertEquals(ResultCode.ACCESS_DENIED, outcome("/d/f", true, true));
        assertEquals(
                Grants.READ | Grants.WRITE,
                opened(HandlerRig.ROOT, "/d/f", true, true).grant() & ACCESS);
    }

    @Test
    void whatIsNoFileOrAskedForNothingIsRefused() {
        rig.create(rig.mkdir("d", 0755), "f", 0644);
        byte[] target = "/d/f".getBytes(StandardCharsets.UTF_8);
        Attributes made = new Attributes();
        assertEquals(Status.OK, rig.namespace().symlink(Namespace.ROOT_ID, Name.of("link"), target, 0, 0, made));
        assertEquals(ResultCode.IS_DIRECTORY, outcome("/d", true, false));
        assertEquals(ResultCode.IS_DIRECTORY, outcome("/", true, false));
        assertEquals(ResultCode.UNRESOLVED_LINK, outcome("/link", true, false));
        assertEquals(ResultCode.NOT_FOUND, outcome("/d/none", true, false));
        assertEquals(ResultCode.NOT_FOUND, outcome("/none/f", true, false));
        assertEquals(ResultCode.INVALID_ARGUMENT, outcome("/d/f", false, false));
    }

    @Test
    void oneClientAtATimeHasTheLeaseToWriteAFile() {
        long file = rig.create(Namespace.ROOT_ID, "f", 0666);
        assertEquals(ResultCode.OK, outcome(HandlerRig.USER, "/f", false, true, 5));
        assertEquals(false, rig.partition().leases().isClosed(file));
        WireBuffer reply = rig.ask(HandlerRig.ROOT, FileRequests.open("/f", false, true, 5));
        assertEquals(ResultCode.LEASED, rig.outcome(reply));
        String message = new FailureDecoder()
                .wrapAndApplyHeader(reply, 0, new MessageHeaderDecoder())
                .message();
        assertTrue(message.startsWith("Failed to APPEND_FILE /f for HMFSClient_1 on "), message);
        assertTrue(message.contains("this file lease is currently owned by HMFSClient_1 on "), message);
        assertEquals(ResultCode.LEASED, outcome(HandlerRig.USER, "/f", false, true, 6));
        assertEquals(ResultCode.OK, outcome(HandlerRig.USER, "/f", false, true, 5), "the same again");
        assertEquals(ResultCode.OK, outcome(HandlerRig.ROOT, "/f", true, false, 0), "to read it");
    }

    @Test
    void aReaderOrARefusedWriterGetsNoLease() {
        long file = rig.create(Namespace.ROOT_ID, "f", 0644);
        assertEquals(ResultCode.OK, outcome(HandlerRig.USER, "/f", true, false, 5));
        assertEquals(ResultCode.ACCESS_DENIED, outcome(HandlerRig.USER, "/f", false, true, 5));
        assertTrue(rig.partition().leases().isClosed(file));
    }
}
