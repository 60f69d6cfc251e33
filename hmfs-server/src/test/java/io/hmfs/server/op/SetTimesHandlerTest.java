package io.hmfs.server.op;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hmfs.client.ResultCode;
import io.hmfs.core.Namespace;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.server.pipeline.HandlerRig;
import io.hmfs.wire.SetTimesEncoder;
import io.hmfs.wire.Wire;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: the owner and users that may write an object change its times, and -1 keeps one. Method: each asks. */
class SetTimesHandlerTest {
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

    private static HandlerRig.Message setTimes(String path, long mtimeNanos, long atimeNanos) {
        return (out, header) -> new SetTimesEncoder()
                .wrapAndApplyHeader(out, 0, header)
                .correlationId(1)
                .clientId(1)
                .sequence(0)
                .baseId(Wire.ROOT_ID)
                .mtimeNanos(mtimeNanos)
                .atimeNanos(atimeNanos)
                .path(path)
                .limit();
    }

    @Test
    void minusOneKeepsATime() {
        rig.create(Namespace.ROOT_ID, "f", 0644);
        rig.assertDone(rig.ask(HandlerRig.ROOT, setTimes("/f", 1_000_000, 2_000_000)));
        rig.assertDone(rig.ask(HandlerRig.ROOT, setTimes("/f", 3_000_000, -1)));
        assertEquals(3_000_000, rig.stat(Namespace.ROOT_ID, "f").mtimeNanos);
        assertEquals(2_000_000, rig.stat(Namespace.ROOT_ID, "f").atimeNanos);
    }

    @Test
    void aUserMustBeAllowedToWriteTheObject() {
        rig.create(Namespace.ROOT_ID, "readable", 0644);
        rig.create(Namespace.ROOT_ID, "writable", 0646);
        assertEquals(ResultCode.ACCESS_DENIED, rig.outcome(HandlerRig.USER, setTimes("/readable", 1, 1)));
        rig.assertDone(rig.ask(HandlerRig.USER, setTimes("/writable", 5_000_000, -1)));
        assertEquals(5_000_000, rig.stat(Namespace.ROOT_ID, "writable").mtimeNanos);
    }

    /** As in HDFS. */
    @Test
    void anOwnerThatMayNotWriteTheObjectChangesNoTime() {
        int user = rig.namespace().principalId(HandlerRig.USER);
        Attributes out = new Attributes();
        assertEquals(Status.OK, rig.namespace().create(Namespace.ROOT_ID, Name.of("own"), 0466, user, 0, out));
        assertEquals(ResultCode.ACCESS_DENIED, rig.outcome(HandlerRig.USER, setTimes("/own", 1, 1)));
        assertEquals(out.mtimeNanos, rig.stat(Namespace.ROOT_ID, "own").mtimeNanos);
    }
}
