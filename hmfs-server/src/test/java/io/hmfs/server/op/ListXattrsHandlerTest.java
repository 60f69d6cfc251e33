package io.hmfs.server.op;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hmfs.client.ResultCode;
import io.hmfs.core.Namespace;
import io.hmfs.core.type.Change;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.core.type.XattrMode;
import io.hmfs.server.pipeline.HandlerRig;
import io.hmfs.wire.ListXattrsEncoder;
import io.hmfs.wire.MessageHeaderDecoder;
import io.hmfs.wire.Wire;
import io.hmfs.wire.WireBuffer;
import io.hmfs.wire.XattrsDecoder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: users that may read an object get the names of its extended attributes, those that they may know. Method: each asks. */
class ListXattrsHandlerTest {
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

    private static HandlerRig.Message list(String path) {
        return (out, header) -> new ListXattrsEncoder()
                .wrapAndApplyHeader(out, 0, header)
                .correlationId(1)
                .baseId(Wire.ROOT_ID)
                .path(path)
                .limit();
    }

    private void file(String name, int mode) {
        rig.create(Namespace.ROOT_ID, name, mode);
        for (String attribute : List.of("user.a", "trusted.b")) {
            assertEquals(
                    Status.OK,
                    rig.namespace()
                            .setXattr(
                                    Namespace.ROOT_ID,
                                    Name.of(name),
                                    Name.of(attribute),
                                    new byte[] {1},
                                    XattrMode.CREATE,
                                    Change.NONE));
        }
    }

    private List<String> names(String user, String path) {
        List<String> names = new ArrayList<>();
        WireBuffer reply = rig.ask(user, list(path));
        for (XattrsDecoder.AttributesDecoder each : new XattrsDecoder()
                .wrapAndApplyHeader(reply, 0, new MessageHeaderDecoder())
                .attributes()) {
            names.add(each.name());
            assertEquals(0, each.valueLength());
            each.skipValue();
        }
        names.sort(null);
        return names;
    }

    @Test
    void aUserThatMayReadTheObjectGetsTheNamesThatItMayKnow() {
        file("f", 0644);
        assertEquals(List.of("user.a"), names(HandlerRig.USER, "/f"));
        assertEquals(List.of("trusted.b", "user.a"), names(HandlerRig.ROOT, "/f"));
    }

    @Test
    void aUserThatMayNotReadTheObjectGetsNone() {
        file("f", 0711);
        assertEquals(ResultCode.ACCESS_DENIED, rig.outcome(HandlerRig.USER, list("/f")));
        assertEquals(ResultCode.NOT_FOUND, rig.outcome(HandlerRig.USER, list("/none")));
    }
}
