package io.hmfs.server.op;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.client.ResultCode;
import io.hmfs.core.Namespace;
import io.hmfs.core.ServerNamespace;
import io.hmfs.core.type.Acl;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.server.pipeline.HandlerRig;
import io.hmfs.wire.EntryDecoder;
import io.hmfs.wire.MessageHeaderDecoder;
import io.hmfs.wire.MkdirEncoder;
import io.hmfs.wire.Wire;
import io.hmfs.wire.WireBuffer;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: a directory is made where its user may make it, or is there already. Method: the reply, and what the engine tells. */
class MkdirHandlerTest {
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

    private static HandlerRig.Message mkdir(long sequence, String path, int mode, boolean parents) {
        return mkdir(Wire.ROOT_ID, sequence, path, mode, parents);
    }

    private static HandlerRig.Message mkdir(long base, long sequence, String path, int mode, boolean parents) {
        return (out, header) -> {
            MkdirEncoder mkdir = new MkdirEncoder()
                    .wrapAndApplyHeader(out, 0, header)
                    .correlationId(1)
                    .clientId(1)
                    .sequence(sequence)
                    .baseId(base)
                    .mode(mode)
                    .unmaskedMode(0777);
            mkdir.flags().clear().createParents(parents);
            return mkdir.path(path).limit();
        };
    }

    private static HandlerRig.Message mkdir(String path) {
        return mkdir(0, path, 0750, false);
    }

    private static HandlerRig.Message mkdirs(String path) {
        return mkdir(0, path, 0750, true);
    }

    private static EntryDecoder entry(WireBuffer reply) {
        return new EntryDecoder().wrapAndApplyHeader(reply, 0, new MessageHeaderDecoder());
    }

    private void assertNothing(long parent, String name) {
        assertEquals(Status.NOT_FOUND, rig.namespace().stat(parent, Name.of(name), new Attributes()));
    }

    /** By its id such a directory is found, and what its record says of group and ACL is not believed. */
    @Test
    void nothingIsMadeInADirectoryWhoseOwnRecordIsDamaged() throws IOException {
        rig.close();
        long[] damaged = {-1};
        rig = new HandlerRig(
                Files.createDirectory(directory.resolve("damaged")), pool -> (ServerNamespace) Proxy.newProxyInstance(
                        ServerNamespace.class.getClassLoader(),
                        new Class<?>[] {ServerNamespace.class},
                        (_, method, arguments) ->
                                method.getName().equals("statDirectory") && arguments[0].equals(damaged[0])
                                        ? Status.DAMAGED
                                        : method.invoke(pool, arguments)));
        long base = rig.mkdir("d", 0755);
        assertEquals(ResultCode.OK, rig.outcome(HandlerRig.ROOT, mkdir(base, 0, "there", 0750, false)));
        damaged[0] = base;
        for (boolean parents : new boolean[] {false, true}) {
            assertEquals(ResultCode.DAMAGED, rig.outcome(HandlerRig.ROOT, mkdir(base, 0, "x", 0750, parents)));
        }
        assertEquals(ResultCode.DAMAGED, rig.outcome(HandlerRig.ROOT, mkdir(base, 0, "y/z", 0750, true)));
        assertNothing(base, "x");
        assertNothing(base, "y");
    }

    /** As in HDFS. */
    @Test
    void aUserThatMayMakeNothingIsToldThatAndNotWhatIsMissing() {
        rig.mkdir("closed", 0755);
        rig.mkdir("open", 0777);
        assertEquals(ResultCode.ACCESS_DENIED, rig.outcome(HandlerRig.USER, mkdir("/closed/none/d")));
        assertEquals(ResultCode.ACCESS_DENIED, rig.outcome(HandlerRig.USER, mkdir("/closed/none/at/all/d")));
        assertEquals(ResultCode.NOT_FOUND, rig.outcome(HandlerRig.USER, mkdir("/open/none/d")));
        assertEquals(ResultCode.NOT_FOUND, rig.outcome(HandlerRig.ROOT, mkdir("/closed/none/d")));
    }

    @Test
    void theDirectoryIsItsUsersAndOfTheGroupOfItsParent() {
        int staff = rig.namespace().principalId("staff");
        Attributes parent = new Attributes();
        assertEquals(Status.OK, rig.namespace().mkdir(Namespace.ROOT_ID, Name.of("d"), 0777, 0, staff, parent));
        EntryDecoder entry = entry(rig.ask(HandlerRig.USER, mkdir("/d/sub")));
        Attributes found = rig.stat(parent.id, "sub");
        assertTrue(found.isDirectory());
        assertEquals(found.id, entry.inode());
        assertEquals(parent.id, entry.parentId());
        assertTrue(entry.flags().directory());
        assertEquals(0750, found.mode);
        assertEquals(rig.namespace().principalId(HandlerRig.USER), found.uid);
        assertEquals(staff, found.gid);
    }

    @Test
    void aDefaultAclGivesModeAndAcl() {
        long parent = rig.mkdir("d", 0777);
        long[] acl = {Acl.entry(true, Acl.USER, 7), Acl.entry(true, Acl.GROUP, 5), Acl.entry(true, Acl.OTHER, 0)};
        assertEquals(Status.OK, rig.namespace().changeAcl(Namespace.ROOT_ID, Name.of("d"), object -> {
            object.acl = acl;
            return Status.OK;
        }));
        EntryDecoder entry = entry(rig.ask(HandlerRig.USER, mkdir(0, "/d/sub", 0700, false)));
        assertEquals(0750, entry.mode());
        assertTrue(entry.flags().acl());
        assertTrue(rig.stat(parent, "sub").hasAcl);
    }

    @Test
    void whatIsThereIsTold() {
        long parent = rig.mkdir("d", 0755);
        rig.create(parent, "f", 0644);
        rig.mkdir("open", 0777);
        assertEquals(ResultCode.EXISTS, rig.outcome(HandlerRig.USER, mkdir("/open")));
        assertEquals(ResultCode.EXISTS, rig.outcome(HandlerRig.USER, mkdir("/")));
        assertEquals(ResultCode.EXISTS, rig.outcome(HandlerRig.USER, mkdirs("/d/f")), "a file");
        assertEquals(
                parent, entry(rig.ask(HandlerRig.USER, mkdirs("/d"))).inode(), "though nothing may be made beside it");
        EntryDecoder root = entry(rig.ask(HandlerRig.USER, mkdirs("/")));
        assertEquals(Namespace.ROOT_ID, root.inode());
        assertEquals(0, root.parentId());
    }

    @Test
    void nothingIsMadeWhereTheUserMayNot() {
        long closed = rig.mkdir("d", 0755);
        assertEquals(ResultCode.ACCESS_DENIED, rig.outcome(HandlerRig.USER, mkdir("/d/sub")));
        assertEquals(ResultCode.ACCESS_DENIED, rig.outcome(HandlerRig.USER, mkdirs("/d/sub/more")));
        assertNothing(closed, "sub");
    }

    @Test
    void aSymbolicLinkThatHasTheNameIsFollowed() {
        long parent = rig.mkdir("d", 0755);
        byte[] target = {'/', 'x'};
        assertEquals(Status.OK, rig.namespace().symlink(parent, Name.of("l"), target, 0, 0, new Attributes()));
        assertEquals(ResultCode.UNRESOLVED_LINK, rig.outcome(HandlerRig.ROOT, mkdir("/d/l")));
        assertEquals(ResultCode.UNRESOLVED_LINK, rig.outcome(HandlerRig.USER, mkdirs("/d/l")));
    }

    @Test
    void missingParentsAreMadeOnRequest() {
        assertEquals(ResultCode.NOT_FOUND, rig.outcome(HandlerRig.ROOT, mkdir("/p/q/r")));
        assertNothing(Namespace.ROOT_ID, "p");
        EntryDecoder entry = entry(rig.ask(HandlerRig.ROOT, mkdirs("/p/q/r")));
        Attributes parent = rig.stat(rig.stat(Namespace.ROOT_ID, "p").id, "q");
        assertEquals(parent.id, entry.parentId());
        assertEquals(0750, parent.mode);
    }

    /** Below a default ACL the mode before the umask counts, with which the user could not go on. */
    @Test
    void parentsThatTheirOwnerMayNotPassAreNoObstacle() {
        long parent = rig.mkdir("d", 0777);
        long[] acl = {Acl.entry(true, Acl.USER, 6), Acl.entry(true, Acl.GROUP, 5), Acl.entry(true, Acl.OTHER, 0)};
        assertEquals(Status.OK, rig.namespace().changeAcl(Namespace.ROOT_ID, Name.of("d"), object -> {
            object.acl = acl;
            return Status.OK;
        }));
        assertEquals(ResultCode.OK, rig.outcome(HandlerRig.USER, mkdirs("/d/x/y/z")));
        Attributes made = rig.stat(parent, "x");
        assertEquals(0650, made.mode);
        assertEquals(0650, rig.stat(rig.stat(made.id, "y").id, "z").mode);
        assertEquals(ResultCode.ACCESS_DENIED, rig.outcome(HandlerRig.USER, mkdirs("/d/x/w")));
    }

    /** Also where the next path is known, so that nothing on it is looked up again. */
    @Test
    void whatOneRequestMadeIsNoPermissionForTheNext() {
        long closed = rig.mkdir("closed", 0755);
        assertEquals(ResultCode.ACCESS_DENIED, rig.outcome(HandlerRig.USER, mkdir("/closed/sub")));
        assertEquals(ResultCode.OK, rig.outcome(HandlerRig.ROOT, mkdirs("/p/q/r")));
        assertEquals(ResultCode.ACCESS_DENIED, rig.outcome(HandlerRig.USER, mkdir("/closed/sub")));
        assertNothing(closed, "sub");
    }

    @Test
    void aModeThatIsNoneMakesNoParents() {
        assertEquals(ResultCode.INVALID_ARGUMENT, rig.outcome(HandlerRig.ROOT, mkdir(0, "/p/q", 010000, true)));
        assertNothing(Namespace.ROOT_ID, "p");
    }

    @Test
    void aDirectoryOfBeforeTheStartIsAnsweredAsTheFirstTime() throws IOException {
        rig.restart(1);
        EntryDecoder first = entry(rig.ask(HandlerRig.ROOT, mkdir(1, "/d", 0750, false)));
        long id = first.inode();
        long mtime = first.mtimeNanos();
        assertEquals(Status.OK, rig.namespace().chmod(Namespace.ROOT_ID, Name.of("d"), 0700));
        rig.restart(2);
        EntryDecoder again = entry(rig.ask(HandlerRig.ROOT, mkdir(1, "/d", 0750, false)));
        assertEquals(id, again.inode());
        assertEquals(Namespace.ROOT_ID, again.parentId());
        assertEquals(mtime, again.mtimeNanos());
        assertEquals(0750, again.mode());
        assertTrue(again.flags().directory());
    }
}
