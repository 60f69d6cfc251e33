package io.hmfs.server.transport.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hmfs.client.ResultCode;
import io.hmfs.server.transport.netty.FuzzReplies.Reply;
import io.hmfs.wire.CreateEncoder;
import io.hmfs.wire.HelloEncoder;
import io.hmfs.wire.MessageHeaderEncoder;
import io.hmfs.wire.MkdirEncoder;
import io.hmfs.wire.SetOwnerEncoder;
import io.hmfs.wire.Wire;
import io.hmfs.wire.WireBuffer;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a request that is refused has done nothing: no parents were made for it, and the pool remembers no name because of it.
 * Method: frames that no client of ours would send; names, attributes and principals before and after.
 */
class RefusedRequestTest {
    private static final int FRAME_MAX = 512;
    private static final int TOO_MUCH = 010000;

    @TempDir
    private Path directory;

    private FuzzRig rig;

    @BeforeEach
    void start() throws IOException {
        rig = new FuzzRig(directory);
        rig.reset();
    }

    @AfterEach
    void stop() throws IOException {
        rig.close();
    }

    private static WireBuffer window() {
        return new WireBuffer().wrap(Unpooled.buffer(FRAME_MAX), 0, FRAME_MAX);
    }

    private static byte[] framed(WireBuffer window, int limit) {
        window.buffer().setIntLE(0, limit - Wire.LENGTH_SIZE);
        byte[] bytes = new byte[limit];
        window.buffer().getBytes(0, bytes);
        return bytes;
    }

    private static byte[] hello(String user) {
        WireBuffer window = window();
        HelloEncoder hello = new HelloEncoder()
                .wrapAndApplyHeader(window, Wire.LENGTH_SIZE, new MessageHeaderEncoder())
                .magic(Wire.MAGIC)
                .protocolVersion(Wire.PROTOCOL_VERSION)
                .authMethod(Wire.AUTH_SIMPLE);
        return framed(
                window,
                hello.user(user).putToken(new byte[0], 0, 0).realUser("").limit());
    }

    private static byte[] create(int mode, int parentMode, boolean overwrite, String path) {
        WireBuffer window = window();
        CreateEncoder create = new CreateEncoder()
                .wrapAndApplyHeader(window, Wire.LENGTH_SIZE, new MessageHeaderEncoder())
                .baseId(Wire.ROOT_ID)
                .mode(mode)
                .parentMode(parentMode)
                .unmaskedMode(mode);
        create.flags().clear().createParents(true).overwrite(overwrite);
        return framed(window, create.path(path).limit());
    }

    private static byte[] mkdir(int mode, boolean parents, String path) {
        WireBuffer window = window();
        MkdirEncoder mkdir = new MkdirEncoder()
                .wrapAndApplyHeader(window, Wire.LENGTH_SIZE, new MessageHeaderEncoder())
                .baseId(Wire.ROOT_ID)
                .mode(mode)
                .unmaskedMode(mode);
        mkdir.flags().clear().createParents(parents);
        return framed(window, mkdir.path(path).limit());
    }

    private static byte[] setOwner(String path, String owner, String group) {
        WireBuffer window = window();
        SetOwnerEncoder setOwner = new SetOwnerEncoder()
                .wrapAndApplyHeader(window, Wire.LENGTH_SIZE, new MessageHeaderEncoder())
                .baseId(Wire.ROOT_ID);
        return framed(window, setOwner.path(path).owner(owner).group(group).limit());
    }

    private void refused(ResultCode code, String user, byte[] request) throws IOException {
        List<String> before = rig.snapshot(true);
        FuzzChannel channel = rig.connect();
        channel.send(hello(user));
        channel.send(request);
        Reply reply = channel.replies().getLast();
        channel.leave();
        assertEquals(String.valueOf(code), reply.toString());
        assertEquals(before, rig.snapshot(true));
    }

    @Test
    void noParentsAreMadeForAFileWhoseModeCannotBe() throws IOException {
        refused(ResultCode.INVALID_ARGUMENT, "alice", create(TOO_MUCH, 0755, false, "/made/for/it"));
        refused(ResultCode.INVALID_ARGUMENT, "alice", create(0644, TOO_MUCH, false, "/made/for/it"));
        refused(ResultCode.INVALID_ARGUMENT, "alice", create(TOO_MUCH, 0755, true, "/f"));
        refused(ResultCode.INVALID_ARGUMENT, "alice", mkdir(TOO_MUCH, true, "/made/for/it"));
    }

    @Test
    void theOwnersOfWhatIsNotThereAreNotRemembered() throws IOException {
        refused(ResultCode.NOT_FOUND, "alice", setOwner("/nothing", "nobody-yet", "no-group-yet"));
        refused(ResultCode.NOT_FOUND, "alice", setOwner("/all/nothing", "nobody-yet", ""));
        refused(ResultCode.NOT_FOUND, "alice", setOwner("/nothing/below/it", "", "no-group-yet"));
    }

    @Test
    void aStrangerThatMakesNothingIsNotRemembered() throws IOException {
        refused(ResultCode.INVALID_ARGUMENT, "stranger", create(TOO_MUCH, 0755, false, "/tmp/new"));
        refused(ResultCode.INVALID_ARGUMENT, "stranger", mkdir(TOO_MUCH, false, "/tmp/new"));
        refused(ResultCode.EXISTS, "stranger", create(0644, 0755, false, "/tmp/bobs"));
        refused(ResultCode.EXISTS, "stranger", mkdir(0755, false, "/all/sub"));
        refused(ResultCode.ACCESS_DENIED, "stranger", create(0644, 0755, true, "/all/mine"));
        refused(ResultCode.IS_DIRECTORY, "stranger", create(0644, 0755, true, "/all/sub"));
    }
}
