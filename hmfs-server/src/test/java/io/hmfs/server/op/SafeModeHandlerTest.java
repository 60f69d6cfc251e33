package io.hmfs.server.op;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hmfs.client.ResultCode;
import io.hmfs.core.Namespace;
import io.hmfs.server.pipeline.HandlerRig;
import io.hmfs.wire.MessageHeaderDecoder;
import io.hmfs.wire.SafeModeEncoder;
import io.hmfs.wire.SafeModeStateDecoder;
import io.hmfs.wire.SetModeEncoder;
import io.hmfs.wire.Wire;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: superusers enter and leave safe mode, in which changes are refused and questions answered. Method: a change before, in and after it. */
class SafeModeHandlerTest {
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

    private static HandlerRig.Message safeMode(int action) {
        return (out, header) -> new SafeModeEncoder()
                .wrapAndApplyHeader(out, 0, header)
                .correlationId(1)
                .action((short) action)
                .limit();
    }

    private static final HandlerRig.Message CHANGE = (out, header) -> new SetModeEncoder()
            .wrapAndApplyHeader(out, 0, header)
            .correlationId(1)
            .clientId(1)
            .sequence(0)
            .baseId(Wire.ROOT_ID)
            .mode(0600)
            .path("/f")
            .limit();

    private int isOn(String user, int action) {
        return new SafeModeStateDecoder()
                .wrapAndApplyHeader(rig.ask(user, safeMode(action)), 0, new MessageHeaderDecoder())
                .on();
    }

    @Test
    void changesAreRefusedUntilItIsLeft() {
        rig.create(Namespace.ROOT_ID, "f", 0644);
        assertEquals(0, isOn(HandlerRig.USER, 0));
        assertEquals(1, isOn(HandlerRig.ROOT, 1));
        assertEquals(1, isOn(HandlerRig.USER, 0));
        assertEquals(ResultCode.SAFE_MODE, rig.outcome(HandlerRig.ROOT, CHANGE));
        assertEquals(0644, rig.stat(Namespace.ROOT_ID, "f").mode);
        assertEquals(0, isOn(HandlerRig.ROOT, 2));
        assertEquals(ResultCode.OK, rig.outcome(HandlerRig.ROOT, CHANGE));
        assertEquals(0600, rig.stat(Namespace.ROOT_ID, "f").mode);
    }

    @Test
    void onlySuperusersChangeIt() {
        assertEquals(ResultCode.ACCESS_DENIED, rig.outcome(HandlerRig.USER, safeMode(1)));
        assertEquals(ResultCode.INVALID_ARGUMENT, rig.outcome(HandlerRig.ROOT, safeMode(3)));
        assertEquals(0, isOn(HandlerRig.USER, 0));
    }
}
