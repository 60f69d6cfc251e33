package io.hmfs.server.op;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hmfs.client.ResultCode;
import io.hmfs.core.Namespace;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.server.pipeline.HandlerRig;
import io.hmfs.server.quota.Quota;
import io.hmfs.wire.RmdirEncoder;
import io.hmfs.wire.Wire;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: rmdir removes an empty directory, and its quota with it, for users that may. Method: each asks, the engine tells what came of it. */
class RmdirHandlerTest {
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

    private static HandlerRig.Message rmdir(long sequence, String path) {
        return (out, header) -> new RmdirEncoder()
                .wrapAndApplyHeader(out, 0, header)
                .correlationId(1)
                .clientId(1)
                .sequence(sequence)
                .baseId(Wire.ROOT_ID)
                .path(path)
                .limit();
    }

    private static HandlerRig.Message rmdir(String path) {
        return rmdir(0, path);
    }

    private Status look(long parent, String name) {
        return rig.namespace().stat(parent, Name.of(name), new Attributes());
    }

    private void mkdir(long parent, String name, int uid) {
        assertEquals(Status.OK, rig.namespace().mkdir(parent, Name.of(name), 0755, uid, 0, new Attributes()));
    }

    @Test
    void onlyAnEmptyDirectoryGoes() {
        long parent = rig.mkdir("d", 0755);
        rig.create(parent, "f", 0644);
        rig.mkdir("empty", 0755);
        assertEquals(ResultCode.NOT_EMPTY, rig.outcome(HandlerRig.ROOT, rmdir("/d")));
        assertEquals(ResultCode.NOT_DIRECTORY, rig.outcome(HandlerRig.ROOT, rmdir("/d/f")));
        assertEquals(ResultCode.NOT_FOUND, rig.outcome(HandlerRig.ROOT, rmdir("/none")));
        assertEquals(ResultCode.IS_ROOT, rig.outcome(HandlerRig.ROOT, rmdir("/")));
        rig.assertDone(rig.ask(HandlerRig.ROOT, rmdir("/empty")));
        assertEquals(Status.NOT_FOUND, look(Namespace.ROOT_ID, "empty"));
        assertEquals(Status.OK, look(parent, "f"));
    }

    @Test
    void aUserThatMayNotWriteTheParentOrIsKeptOffByItsStickyBitRemovesNothing() {
        long closed = rig.mkdir("closed", 0755);
        long sticky = rig.mkdir("sticky", 01777);
        mkdir(closed, "d", 0);
        mkdir(sticky, "others", 0);
        mkdir(sticky, "own", rig.namespace().principalId(HandlerRig.USER));
        assertEquals(ResultCode.ACCESS_DENIED, rig.outcome(HandlerRig.USER, rmdir("/closed/d")));
        assertEquals(ResultCode.ACCESS_DENIED, rig.outcome(HandlerRig.USER, rmdir("/sticky/others")));
        assertEquals(ResultCode.NOT_FOUND, rig.outcome(HandlerRig.USER, rmdir("/sticky/none")));
        assertEquals(Status.OK, look(closed, "d"));
        assertEquals(Status.OK, look(sticky, "others"));
        rig.assertDone(rig.ask(HandlerRig.USER, rmdir("/sticky/own")));
        assertEquals(Status.NOT_FOUND, look(sticky, "own"));
        rig.assertDone(rig.ask(HandlerRig.ROOT, rmdir("/sticky/others")));
    }

    /** Which closes the quota lock: only a disk thread may. */
    @Test
    void theQuotaOfTheDirectoryGoesWithIt() {
        long above = rig.mkdir("above", 0755);
        mkdir(above, "d", 0);
        assertEquals(Status.OK, rig.partition().quotas().set(above, 10, Quota.NONE));
        assertEquals(Status.OK, rig.partition().quotas().set(rig.stat(above, "d").id, 10, Quota.NONE));
        rig.assertDone(rig.ask(HandlerRig.ROOT, rmdir("/above/d")));
        assertEquals(1, rig.partition().quotas().size());
        Quota usage = rig.partition().quotas().usage(above);
        assertEquals(1, usage == null ? 0 : usage.usedNames);
    }

    /** From the retry cache, and after a crash from the record that the pool has of it. */
    @Test
    void whatComesAgainIsAnsweredAsBefore() throws IOException {
        rig.mkdir("d", 0755);
        rig.restart(1);
        for (int server = 0; server < 2; server++) {
            rig.assertDone(rig.ask(HandlerRig.ROOT, rmdir(1, "/d")));
            rig.assertDone(rig.ask(HandlerRig.ROOT, rmdir(1, "/d")));
            rig.restart(1);
        }
        assertEquals(ResultCode.NOT_FOUND, rig.outcome(HandlerRig.ROOT, rmdir(2, "/d")));
    }

    @Test
    void aRequestThatIsCutOffIsRefusedAndRemovesNothing() {
        rig.mkdir("d", 0755);
        HandlerRig.Message cutOff = (out, header) -> rmdir("/d").encode(out, header) - 1;
        HandlerRig.Message shortBlock = (out, header) -> {
            int length = rmdir("/d").encode(out, header);
            header.wrap(out, 0).blockLength(RmdirEncoder.BLOCK_LENGTH - 1);
            return length;
        };
        assertEquals(ResultCode.BAD_REQUEST, rig.outcome(HandlerRig.ROOT, cutOff));
        assertEquals(ResultCode.BAD_REQUEST, rig.outcome(HandlerRig.ROOT, shortBlock));
        assertEquals(Status.OK, look(Namespace.ROOT_ID, "d"));
    }
}
