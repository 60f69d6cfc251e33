package io.hmfs.server.op;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hmfs.client.ResultCode;
import io.hmfs.core.Namespace;
import io.hmfs.core.ServerNamespace;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.server.access.ClientKey;
import io.hmfs.server.pipeline.HandlerRig;
import io.hmfs.server.quota.Quota;
import io.hmfs.wire.DeleteEncoder;
import io.hmfs.wire.DoneDecoder;
import io.hmfs.wire.MessageHeaderDecoder;
import io.hmfs.wire.Wire;
import io.hmfs.wire.WireBuffer;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: delete takes the name of a file away, of a batch as of one, and tells which file's data has to go. Method: the engine tells what
 * came of each request; a directory with a sticky bit makes a delete one that no batch takes.
 */
class DeleteHandlerTest {
    private static final long SIZE = 5000;

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

    private static HandlerRig.Message delete(long sequence, String path) {
        return message(sequence, path, 0);
    }

    private static HandlerRig.Message message(long sequence, String path, int emptyDirectory) {
        return (out, header) -> new DeleteEncoder()
                .wrapAndApplyHeader(out, 0, header)
                .correlationId(1)
                .clientId(1)
                .sequence(sequence)
                .baseId(Wire.ROOT_ID)
                .emptyDirectory((short) emptyDirectory)
                .path(path)
                .limit();
    }

    /** A delete of a file or an empty directory. */
    private static HandlerRig.Message remove(long sequence, String path) {
        return message(sequence, path, 1);
    }

    private static HandlerRig.Message remove(String path) {
        return remove(0, path);
    }

    private static HandlerRig.Message delete(String path) {
        return delete(0, path);
    }

    private void assertRemoved(long id, WireBuffer reply) {
        rig.assertDone(reply);
        DoneDecoder done = new DoneDecoder().wrapAndApplyHeader(reply, 0, new MessageHeaderDecoder());
        assertEquals(id, done.removedId());
        assertEquals(id == 0 ? 0 : SIZE, done.removedSize());
    }

    private Status look(long parent, String name) {
        return rig.namespace().stat(parent, Name.of(name), new Attributes());
    }

    private long file(long parent, String name) {
        long file = rig.create(parent, name, 0644);
        assertEquals(Status.OK, rig.namespace().append(parent, Name.of(name), file, SIZE));
        return file;
    }

    /** Directories of the superuser in which all users may write: a user's delete joins a batch in the first, in the other it does not. */
    private long[] directories() {
        return new long[] {rig.mkdir("open", 0777), rig.mkdir("sticky", 01777)};
    }

    private long ownFile(long parent, String name) {
        int user = rig.namespace().principalId(HandlerRig.USER);
        Attributes made = new Attributes();
        assertEquals(Status.OK, rig.namespace().create(parent, Name.of(name), 0644, user, 0, made));
        assertEquals(Status.OK, rig.namespace().append(parent, Name.of(name), made.id, SIZE));
        return made.id;
    }

    @Test
    void repliesOfABatchComeInOrderWhateverEachSays() {
        long file = file(Namespace.ROOT_ID, "f");
        long other = file(rig.mkdir("d", 0755), "f");
        String[] paths = {"/f", "/f", "/none", "/d", "/d/f/below", "/", "/d/f"};
        ResultCode[] outcomes = {
            ResultCode.OK,
            ResultCode.NOT_FOUND,
            ResultCode.NOT_FOUND,
            ResultCode.IS_DIRECTORY,
            ResultCode.NOT_DIRECTORY,
            ResultCode.IS_DIRECTORY,
            ResultCode.OK
        };
        for (String path : paths) {
            rig.send(HandlerRig.ROOT, delete(path));
        }
        rig.endBatch();
        for (int i = 0; i < paths.length; i++) {
            WireBuffer reply = rig.reply(HandlerRig.ROOT);
            assertEquals(outcomes[i], rig.outcome(reply), paths[i]);
            if (outcomes[i] == ResultCode.OK) {
                assertRemoved(i == 0 ? file : other, reply);
            }
        }
        assertEquals(Status.NOT_FOUND, look(Namespace.ROOT_ID, "f"));
    }

    @Test
    void onlyTheLastNameOfAFileIsToldWithItsData() {
        directories();
        for (String path : List.of("/open/", "/sticky/")) {
            long parent = rig.stat(Namespace.ROOT_ID, path.substring(1, path.length() - 1)).id;
            long file = ownFile(parent, "f");
            int user = rig.namespace().principalId(HandlerRig.USER);
            assertEquals(
                    Status.OK, rig.namespace().link(parent, Name.of("f"), parent, Name.of("again"), new Attributes()));
            byte[] target = "f".getBytes(StandardCharsets.UTF_8);
            assertEquals(
                    Status.OK, rig.namespace().symlink(parent, Name.of("link"), target, user, 0, new Attributes()));
            assertRemoved(0, rig.ask(HandlerRig.USER, delete(path + "f")));
            assertRemoved(0, rig.ask(HandlerRig.USER, delete(path + "link")));
            assertRemoved(file, rig.ask(HandlerRig.USER, delete(path + "again")));
        }
    }

    @Test
    void aLeaseEndsWithItsFile() {
        for (long parent : directories()) {
            rig.partition().leases().give(ownFile(parent, "f"), new ClientKey(1, 1), "host", 7);
        }
        assertEquals(2, rig.partition().leases().count());
        rig.assertDone(rig.ask(HandlerRig.USER, delete("/open/f")));
        assertEquals(1, rig.partition().leases().count());
        rig.assertDone(rig.ask(HandlerRig.USER, delete("/sticky/f")));
        assertEquals(0, rig.partition().leases().count());
    }

    @Test
    void aUserThatMayNotWriteTheDirectoryOrIsKeptOffByItsStickyBitRemovesNothing() {
        long closed = rig.mkdir("closed", 0755);
        rig.create(closed, "f", 0666);
        long sticky = directories()[1];
        rig.create(sticky, "f", 0666);
        assertEquals(Status.OK, rig.namespace().mkdir(sticky, Name.of("d"), 0777, 0, 0, new Attributes()));
        assertEquals(ResultCode.ACCESS_DENIED, rig.outcome(HandlerRig.USER, delete("/closed/f")));
        assertEquals(ResultCode.ACCESS_DENIED, rig.outcome(HandlerRig.USER, delete("/sticky/f")));
        assertEquals(ResultCode.IS_DIRECTORY, rig.outcome(HandlerRig.USER, delete("/sticky/d")));
        assertEquals(ResultCode.NOT_FOUND, rig.outcome(HandlerRig.USER, delete("/sticky/none")));
        assertEquals(Status.OK, look(closed, "f"));
        assertEquals(Status.OK, look(sticky, "f"));
        rig.assertDone(rig.ask(HandlerRig.ROOT, delete("/closed/f")));
        rig.assertDone(rig.ask(HandlerRig.ROOT, delete("/sticky/f")));
    }

    @Test
    void aQuotaGetsNameAndBytesBack() {
        long open = directories()[0];
        long file = file(open, "f");
        assertEquals(Status.OK, rig.partition().quotas().set(open, 10, Quota.NONE));
        assertRemoved(file, rig.ask(HandlerRig.USER, delete("/open/f")));
        Quota usage = rig.partition().quotas().usage(open);
        assertEquals(1, usage == null ? 0 : usage.usedNames);
        assertEquals(0, usage == null ? -1 : usage.usedBytes);
    }

    /** From the retry cache, and after a crash from the record that the pool has of it. */
    @Test
    void whatComesAgainIsAnsweredAsBefore() throws IOException {
        long[] parents = directories();
        long first = ownFile(parents[0], "f");
        long second = ownFile(parents[1], "f");
        Attributes out = new Attributes();
        assertEquals(Status.OK, rig.namespace().link(parents[0], Name.of("f"), parents[0], Name.of("again"), out));
        byte[] target = "f".getBytes(StandardCharsets.UTF_8);
        assertEquals(Status.OK, rig.namespace().symlink(parents[0], Name.of("link"), target, 0, 0, out));
        rig.restart(1);
        for (int server = 0; server < 2; server++) {
            for (int time = 0; time < 2; time++) {
                assertRemoved(0, rig.ask(HandlerRig.USER, delete(1, "/open/f")));
                assertRemoved(first, rig.ask(HandlerRig.USER, delete(2, "/open/again")));
                assertRemoved(0, rig.ask(HandlerRig.USER, delete(3, "/open/link")));
                assertRemoved(second, rig.ask(HandlerRig.USER, delete(4, "/sticky/f")));
            }
            rig.restart(1);
        }
        assertEquals(ResultCode.NOT_FOUND, rig.outcome(HandlerRig.USER, delete(5, "/open/f")));
    }

    /** In the order of the requests, whatever else is in the batch. */
    @Test
    void anEmptyDirectoryGoesTooIfTheClientSaysSo() {
        long full = rig.mkdir("full", 0755);
        long file = file(full, "f");
        long other = file(Namespace.ROOT_ID, "other");
        byte[] target = "full".getBytes(StandardCharsets.UTF_8);
        assertEquals(
                Status.OK, rig.namespace().symlink(Namespace.ROOT_ID, Name.of("link"), target, 0, 0, new Attributes()));
        assertEquals(ResultCode.IS_DIRECTORY, rig.outcome(HandlerRig.ROOT, message(0, "/full", 2)));
        String[] paths = {"/full", "/full/f", "/link", "/full", "/full", "/other/below", "/", "/other"};
        ResultCode[] outcomes = {
            ResultCode.NOT_EMPTY,
            ResultCode.OK,
            ResultCode.OK,
            ResultCode.OK,
            ResultCode.NOT_FOUND,
            ResultCode.NOT_DIRECTORY,
            ResultCode.IS_ROOT,
            ResultCode.OK
        };
        long[] removed = {0, file, 0, 0, 0, 0, 0, other};
        for (String path : paths) {
            rig.send(HandlerRig.ROOT, remove(path));
        }
        rig.endBatch();
        for (int i = 0; i < paths.length; i++) {
            WireBuffer reply = rig.reply(HandlerRig.ROOT);
            assertEquals(outcomes[i], rig.outcome(reply), paths[i]);
            if (outcomes[i] == ResultCode.OK) {
                assertRemoved(removed[i], reply);
            }
        }
        assertEquals(Status.NOT_FOUND, look(Namespace.ROOT_ID, "full"));
    }

    @Test
    void whoMayNotTakeADirectoryAwayRemovesNone() {
        long closed = rig.mkdir("closed", 0755);
        long sticky = directories()[1];
        int user = rig.namespace().principalId(HandlerRig.USER);
        Attributes out = new Attributes();
        assertEquals(Status.OK, rig.namespace().mkdir(closed, Name.of("d"), 0777, user, 0, out));
        assertEquals(Status.OK, rig.namespace().mkdir(sticky, Name.of("others"), 0777, 0, 0, out));
        assertEquals(Status.OK, rig.namespace().mkdir(sticky, Name.of("own"), 0777, user, 0, out));
        assertEquals(ResultCode.ACCESS_DENIED, rig.outcome(HandlerRig.USER, remove("/closed/d")));
        assertEquals(ResultCode.ACCESS_DENIED, rig.outcome(HandlerRig.USER, remove("/sticky/others")));
        assertEquals(Status.OK, look(closed, "d"));
        assertEquals(Status.OK, look(sticky, "others"));
        rig.assertDone(rig.ask(HandlerRig.USER, remove("/sticky/own")));
        assertEquals(Status.NOT_FOUND, look(sticky, "own"));
    }

    @Test
    void theQuotaOfADirectoryGoesWithIt() {
        long above = directories()[0];
        Attributes made = new Attributes();
        assertEquals(Status.OK, rig.namespace().mkdir(above, Name.of("d"), 0777, 0, 0, made));
        assertEquals(Status.OK, rig.partition().quotas().set(above, 10, Quota.NONE));
        assertEquals(Status.OK, rig.partition().quotas().set(made.id, 10, Quota.NONE));
        rig.assertDone(rig.ask(HandlerRig.USER, remove("/open/d")));
        assertEquals(1, rig.partition().quotas().size());
        Quota usage = rig.partition().quotas().usage(above);
        assertEquals(1, usage == null ? 0 : usage.usedNames);
    }

    /** A delete of a file alone is no repetition of one that took a directory. */
    @Test
    void aDirectoryThatIsRemovedAgainIsGoneAsBefore() throws IOException {
        rig.mkdir("d", 0755);
        rig.restart(1);
        for (int server = 0; server < 2; server++) {
            assertRemoved(0, rig.ask(HandlerRig.ROOT, remove(1, "/d")));
            assertRemoved(0, rig.ask(HandlerRig.ROOT, remove(1, "/d")));
            rig.restart(1);
        }
        assertEquals(ResultCode.OUTCOME_UNKNOWN, rig.outcome(HandlerRig.ROOT, delete(1, "/d")));
        assertEquals(ResultCode.NOT_FOUND, rig.outcome(HandlerRig.ROOT, remove(2, "/d")));
    }

    /** After it was seen and before it goes. */
    @Test
    void aFileThatTakesADirectorysPlaceGoesWhenItIsAskedForAgain(@TempDir Path other) throws IOException {
        AtomicBoolean armed = new AtomicBoolean();
        Attributes made = new Attributes();
        try (HandlerRig hooked = new HandlerRig(other, namespace -> {
            return (ServerNamespace) Proxy.newProxyInstance(
                    getClass().getClassLoader(), new Class<?>[] {ServerNamespace.class}, (_, method, arguments) -> {
                        if (method.getName().equals("rmdir") && armed.getAndSet(false)) {
                            Name name = Name.of("d");
                            assertEquals(Status.OK, namespace.rmdir(Namespace.ROOT_ID, name));
                            assertEquals(Status.OK, namespace.create(Namespace.ROOT_ID, name, 0644, 0, 0, made));
                            assertEquals(Status.OK, namespace.append(Namespace.ROOT_ID, name, made.id, SIZE));
                        }
                        return method.invoke(namespace, arguments);
                    });
        })) {
            hooked.mkdir("d", 0755);
            armed.set(true);
            assertEquals(ResultCode.IS_DIRECTORY, hooked.outcome(HandlerRig.ROOT, remove("/d")));
            assertRemoved(made.id, hooked.ask(HandlerRig.ROOT, remove("/d")));
            assertEquals(ResultCode.NOT_FOUND, hooked.outcome(HandlerRig.ROOT, delete("/d")));
        }
    }

    @Test
    void aRequestThatIsCutOffIsRefusedAndRemovesNothing() {
        long file = file(Namespace.ROOT_ID, "f");
        HandlerRig.Message cutOff = (out, header) -> delete("/f").encode(out, header) - 1;
        HandlerRig.Message shortBlock = (out, header) -> {
            int length = delete("/f").encode(out, header);
            header.wrap(out, 0).blockLength(DeleteEncoder.BLOCK_LENGTH - 1);
            return length;
        };
        assertEquals(ResultCode.BAD_REQUEST, rig.outcome(HandlerRig.ROOT, cutOff));
        assertEquals(ResultCode.BAD_REQUEST, rig.outcome(HandlerRig.ROOT, shortBlock));
        assertRemoved(file, rig.ask(HandlerRig.ROOT, delete("/f")));
    }
}
