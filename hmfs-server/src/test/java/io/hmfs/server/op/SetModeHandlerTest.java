package io.hmfs.server.op;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hmfs.client.ResultCode;
import io.hmfs.core.Namespace;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.server.pipeline.HandlerRig;
import io.hmfs.wire.SetModeEncoder;
import io.hmfs.wire.Wire;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: the owner of an object and superusers change its mode, and others do not. Method: each asks, the engine tells what came of it. */
class SetModeHandlerTest {
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

    private static HandlerRig.Message setMode(String path, int mode) {
        return (out, header) -> new SetModeEncoder()
                .wrapAndApplyHeader(out, 0, header)
                .correlationId(1)
                .clientId(1)
                .sequence(0)
                .baseId(Wire.ROOT_ID)
                .mode(mode)
                .path(path)
                .limit();
    }

    @Test
    void theOwnerAndSuperusersChangeItAndOthersDoNot() {
        int user = rig.namespace().principalId(HandlerRig.USER);
        Attributes out = new Attributes();
        assertEquals(Status.OK, rig.namespace().create(Namespace.ROOT_ID, Name.of("own"), 0644, user, 0, out));
        int other = rig.namespace().principalId("other");
        assertEquals(Status.OK, rig.namespace().create(Namespace.ROOT_ID, Name.of("others"), 0666, other, 0, out));
        rig.assertDone(rig.ask(HandlerRig.USER, setMode("/own", 0600)));
        assertEquals(0600, rig.stat(Namespace.ROOT_ID, "own").mode);
        assertEquals(ResultCode.ACCESS_DENIED, rig.outcome(HandlerRig.USER, setMode("/others", 0600)));
        assertEquals(0666, rig.stat(Namespace.ROOT_ID, "others").mode);
        rig.assertDone(rig.ask(HandlerRig.ROOT, setMode("/others", 0640)));
        assertEquals(0640, rig.stat(Namespace.ROOT_ID, "others").mode);
    }

    @Test
    void whatIsNotThereIsNotFound() {
        assertEquals(ResultCode.NOT_FOUND, rig.outcome(HandlerRig.ROOT, setMode("/none", 0600)));
    }

    @Test
    void theRootItselfHasAMode() {
        rig.assertDone(rig.ask(HandlerRig.ROOT, setMode("/", 0711)));
        Attributes root = new Attributes();
        assertEquals(Status.OK, rig.namespace().stat(Namespace.ROOT_PARENT_ID, new Name(), root));
        assertEquals(0711, root.mode);
    }
}
