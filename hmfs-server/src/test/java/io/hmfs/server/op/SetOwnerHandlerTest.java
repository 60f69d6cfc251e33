package io.hmfs.server.op;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hmfs.client.ResultCode;
import io.hmfs.core.Namespace;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.server.pipeline.HandlerRig;
import io.hmfs.wire.SetOwnerEncoder;
import io.hmfs.wire.Wire;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: superusers give an object to any user, its owner to a group of the own; a refused request leaves no name in the pool. Method: each asks. */
class SetOwnerHandlerTest {
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

    private static HandlerRig.Message setOwner(String path, String owner, String group) {
        return (out, header) -> new SetOwnerEncoder()
                .wrapAndApplyHeader(out, 0, header)
                .correlationId(1)
                .clientId(1)
                .sequence(0)
                .baseId(Wire.ROOT_ID)
                .path(path)
                .owner(owner)
                .group(group)
                .limit();
    }

    @Test
    void aSuperuserGivesItToAnybodyAndKeepsWhatIsNotNamed() {
        rig.create(Namespace.ROOT_ID, "f", 0644);
        rig.assertDone(rig.ask(HandlerRig.ROOT, setOwner("/f", "alice", "")));
        Attributes found = rig.stat(Namespace.ROOT_ID, "f");
        assertEquals("alice", rig.namespace().principalName(found.uid));
        assertEquals(0, found.gid);
    }

    @Test
    void anOwnerGivesItToAGroupOfTheOwnAndToNoOtherGroup() {
        int user = rig.namespace().principalId(HandlerRig.USER);
        Attributes out = new Attributes();
        assertEquals(Status.OK, rig.namespace().create(Namespace.ROOT_ID, Name.of("own"), 0644, user, 0, out));
        rig.assertDone(rig.ask(HandlerRig.USER, setOwner("/own", "", "staff")));
        assertEquals("staff", rig.namespace().principalName(rig.stat(Namespace.ROOT_ID, "own").gid));
        assertEquals(ResultCode.ACCESS_DENIED, rig.outcome(HandlerRig.USER, setOwner("/own", "alice", "")));
        assertEquals(ResultCode.ACCESS_DENIED, rig.outcome(HandlerRig.USER, setOwner("/own", "", "wheel")));
    }

    /** As in HDFS: an owner that is in no group of a file cannot confirm it either. */
    @Test
    void theGroupThatItHasAlreadyMustBeOneOfTheOwnersToo() {
        int user = rig.namespace().principalId(HandlerRig.USER);
        int wheel = rig.namespace().principalId("wheel");
        Attributes out = new Attributes();
        assertEquals(Status.OK, rig.namespace().create(Namespace.ROOT_ID, Name.of("own"), 0644, user, wheel, out));
        assertEquals(ResultCode.ACCESS_DENIED, rig.outcome(HandlerRig.USER, setOwner("/own", "", "wheel")));
        rig.assertDone(rig.ask(HandlerRig.USER, setOwner("/own", HandlerRig.USER, "")));
        rig.assertDone(rig.ask(HandlerRig.ROOT, setOwner("/own", "", "wheel")));
    }

    @Test
    void aRefusedRequestLeavesNoNameInThePool() {
        assertEquals(ResultCode.NOT_FOUND, rig.outcome(HandlerRig.ROOT, setOwner("/none", "mallory", "")));
        assertEquals(ResultCode.INVALID_ARGUMENT, rig.outcome(HandlerRig.ROOT, setOwner("/", "a/b", "")));
        assertEquals(true, rig.namespace().knownPrincipalId("mallory") < 0);
    }
}
