package io.hmfs.server.op;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.client.ResultCode;
import io.hmfs.core.Namespace;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.server.pipeline.HandlerRig;
import io.hmfs.wire.EntryDecoder;
import io.hmfs.wire.MessageHeaderDecoder;
import io.hmfs.wire.SymlinkEncoder;
import io.hmfs.wire.Wire;
import io.hmfs.wire.WireBuffer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: a symbolic link is made where its user may make it, with any target that fits. Method: the reply, and what the engine tells. */
class SymlinkHandlerTest {
    private static final int TARGET_MAX = 4095;

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

    private static HandlerRig.Message symlink(
            long sequence, String path, byte[] target, boolean parents, int parentMode) {
        return (out, header) -> {
            SymlinkEncoder symlink = new SymlinkEncoder()
                    .wrapAndApplyHeader(out, 0, header)
                    .correlationId(1)
                    .clientId(1)
                    .sequence(sequence)
                    .baseId(Wire.ROOT_ID)
                    .parentMode(parentMode);
            symlink.flags().clear().createParents(parents);
            return symlink.path(path).putTarget(target, 0, target.length).limit();
        };
    }

    private static HandlerRig.Message symlink(String path, byte[] target) {
        return symlink(0, path, target, false, 0);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static void assertLink(byte[] target, EntryDecoder entry) {
        byte[] found = new byte[target.length];
        assertTrue(entry.flags().symlink());
        entry.skipOwner();
        entry.skipGroup();
        assertEquals(target.length, entry.targetLength());
        entry.getTarget(found, 0, found.length);
        assertArrayEquals(target, found);
    }

    private static EntryDecoder entry(WireBuffer reply) {
        return new EntryDecoder().wrapAndApplyHeader(reply, 0, new MessageHeaderDecoder());
    }

    @Test
    void theLinkIsItsUsersAndOfTheGroupOfItsDirectory() {
        int staff = rig.namespace().principalId("staff");
        Attributes made = new Attributes();
        assertEquals(Status.OK, rig.namespace().mkdir(Namespace.ROOT_ID, Name.of("d"), 0777, 0, staff, made));
        byte[] target = bytes("../nowhere");
        EntryDecoder entry = entry(rig.ask(HandlerRig.USER, symlink("/d/l", target)));
        Attributes found = rig.stat(made.id, "l");
        assertEquals(found.id, entry.inode());
        assertEquals(made.id, entry.parentId());
        assertLink(target, entry);
        assertTrue(found.isSymlink());
        assertEquals(rig.namespace().principalId(HandlerRig.USER), found.uid);
        assertEquals(staff, found.gid);
    }

    @Test
    void itIsMadeOnlyWhereItsUserMayAndNothingIs() {
        rig.mkdir("d", 0755);
        rig.mkdir("taken", 0777);
        assertEquals(ResultCode.ACCESS_DENIED, rig.outcome(HandlerRig.USER, symlink("/d/l", bytes("t"))));
        assertEquals(ResultCode.EXISTS, rig.outcome(HandlerRig.ROOT, symlink("/taken", bytes("t"))));
        assertEquals(ResultCode.EXISTS, rig.outcome(HandlerRig.ROOT, symlink("/", bytes("t"))));
        assertEquals(ResultCode.NOT_FOUND, rig.outcome(HandlerRig.ROOT, symlink("/none/l", bytes("t"))));
    }

    /** As in HDFS, where nothing may be made either; but not to a user that may not know. */
    @Test
    void aNameThatIsTakenIsToldFirst() {
        rig.create(rig.mkdir("d", 0755), "f", 0644);
        rig.create(rig.mkdir("closed", 0700), "f", 0644);
        assertEquals(ResultCode.EXISTS, rig.outcome(HandlerRig.USER, symlink("/d/f", bytes("t"))));
        assertEquals(ResultCode.ACCESS_DENIED, rig.outcome(HandlerRig.USER, symlink("/d/g", bytes("t"))));
        assertEquals(ResultCode.ACCESS_DENIED, rig.outcome(HandlerRig.USER, symlink("/closed/f", bytes("t"))));
        assertEquals(ResultCode.NOT_FOUND, rig.outcome(HandlerRig.USER, symlink("/d/none/g", bytes("t"))));
    }

    @Test
    void aUserThatHasMadeNothingGetsNoIdForANameThatIsTaken() {
        rig.create(rig.mkdir("d", 0777), "f", 0644);
        int principals = rig.namespace().principalId("before");
        assertEquals(ResultCode.EXISTS, rig.outcome(HandlerRig.USER, symlink("/d/f", bytes("t"))));
        assertEquals(principals + 1, rig.namespace().principalId("after"));
    }

    @Test
    void missingParentsAreMadeOnRequest() {
        assertEquals(ResultCode.OK, rig.outcome(HandlerRig.ROOT, symlink(0, "/p/q/l", bytes("t"), true, 0750)));
        Attributes parent = rig.stat(Namespace.ROOT_ID, "p");
        assertEquals(0750, parent.mode);
        assertEquals(0750, rig.stat(parent.id, "q").mode);
        assertEquals(
                ResultCode.INVALID_ARGUMENT,
                rig.outcome(HandlerRig.ROOT, symlink(0, "/r/l", bytes("t"), true, 010000)));
        assertEquals(Status.NOT_FOUND, rig.namespace().stat(Namespace.ROOT_ID, Name.of("r"), new Attributes()));
    }

    @Test
    void missingParentsInheritTheModeOfTheDirectoryThatIsThere() {
        long above = rig.mkdir("a", 01417);
        int none = SymlinkEncoder.parentModeNullValue();
        assertEquals(ResultCode.OK, rig.outcome(HandlerRig.USER, symlink(0, "/a/p/q/l", bytes("t"), true, none)));
        Attributes parent = rig.stat(above, "p");
        assertEquals(0717, parent.mode);
        assertEquals(0717, rig.stat(parent.id, "q").mode);
    }

    @Test
    void aTargetHasOneTo4095BytesNoneOfThemNul() {
        assertEquals(ResultCode.INVALID_ARGUMENT, rig.outcome(HandlerRig.ROOT, symlink("/l", new byte[0])));
        assertEquals(ResultCode.INVALID_ARGUMENT, rig.outcome(HandlerRig.ROOT, symlink("/l", bytes("a\0b"))));
        byte[] tooLong = bytes("t".repeat(TARGET_MAX + 1));
        assertEquals(ResultCode.INVALID_ARGUMENT, rig.outcome(HandlerRig.ROOT, symlink("/l", tooLong)));
        byte[] longest = bytes("t".repeat(TARGET_MAX));
        assertLink(longest, entry(rig.ask(HandlerRig.ROOT, symlink("/longest", longest))));
    }

    @Test
    void aLinkOfBeforeTheStartIsAnsweredAsTheFirstTime() throws IOException {
        rig.restart(1);
        byte[] target = bytes("/t");
        EntryDecoder first = entry(rig.ask(HandlerRig.ROOT, symlink(1, "/l", target, false, 0)));
        long id = first.inode();
        long mtime = first.mtimeNanos();
        int mode = first.mode();
        rig.restart(2);
        EntryDecoder again = entry(rig.ask(HandlerRig.ROOT, symlink(1, "/l", target, false, 0)));
        assertEquals(id, again.inode());
        assertEquals(Namespace.ROOT_ID, again.parentId());
        assertEquals(mtime, again.mtimeNanos());
        assertEquals(mode, again.mode());
        assertEquals(target.length, again.size());
        assertLink(target, again);
    }
}
