package io.hmfs.server.op;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.client.ResultCode;
import io.hmfs.core.Namespace;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.server.Await;
import io.hmfs.server.data.BuiltinData;
import io.hmfs.server.data.OpenCuts;
import io.hmfs.server.pipeline.HandlerRig;
import io.hmfs.wire.FailureDecoder;
import io.hmfs.wire.MessageHeaderDecoder;
import io.hmfs.wire.TruncateEncoder;
import io.hmfs.wire.Wire;
import io.hmfs.wire.WireBuffer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Goal: users that may write a file cut it, in the namespace and in the server's data store, unless a client writes it. Method: each asks. */
class TruncateHandlerTest {
    @TempDir
    private Path directory;

    private HandlerRig rig;

    @BeforeEach
    void open() throws IOException {
        rig = new HandlerRig(directory, true);
    }

    @AfterEach
    void close() throws IOException {
        rig.close();
    }

    private static HandlerRig.Message truncate(long sequence, String path, long size) {
        return (out, header) -> new TruncateEncoder()
                .wrapAndApplyHeader(out, 0, header)
                .correlationId(1)
                .clientId(1)
                .sequence(sequence)
                .baseId(Wire.ROOT_ID)
                .size(size)
                .path(path)
                .limit();
    }

    private FileRequests.Opened written(String name, byte... bytes) {
        rig.create(Namespace.ROOT_ID, name, 0666);
        FileRequests.Opened file = FileRequests.openToWrite(rig, HandlerRig.ROOT, "/" + name, 0);
        assertEquals(ResultCode.OK, FileRequests.written(rig, HandlerRig.ROOT, file, 0, 0, bytes));
        assertEquals(Status.OK, rig.namespace().append(Namespace.ROOT_ID, Name.of(name), file.inode(), bytes.length));
        return file;
    }

    private long size(String name) {
        return rig.stat(Namespace.ROOT_ID, name).size;
    }

    @Test
    void aFileIsCutWithItsData() {
        FileRequests.Opened file = written("f", (byte) 1, (byte) 2, (byte) 3);
        rig.assertDone(rig.ask(HandlerRig.USER, truncate(0, "/f", 2)));
        assertEquals(2, size("f"));
        WireBuffer chunk = rig.ask(HandlerRig.ROOT, FileRequests.read(file, 0, 0, 10));
        assertArrayEquals(new byte[] {1, 2}, FileRequests.bytes(chunk));
        rig.assertDone(rig.ask(HandlerRig.USER, truncate(0, "/f", 5)));
        assertEquals(5, size("f"));
        assertEquals(ResultCode.INVALID_ARGUMENT, rig.outcome(HandlerRig.USER, truncate(0, "/f", -1)));
        assertEquals(5, size("f"));
    }

    @Test
    void aCutAtTheSizeThatAFileHasChangesNoTime() {
        written("f", (byte) 1, (byte) 2);
        long before = rig.stat(Namespace.ROOT_ID, "f").mtimeNanos;
        rig.assertDone(rig.ask(HandlerRig.USER, truncate(0, "/f", 2)));
        assertEquals(before, rig.stat(Namespace.ROOT_ID, "f").mtimeNanos);
        rig.assertDone(rig.ask(HandlerRig.USER, truncate(0, "/f", 0)));
        assertNotEquals(before, rig.stat(Namespace.ROOT_ID, "f").mtimeNanos);
    }

    @Test
    void aServerWithoutDataCutsTheNamespace(@TempDir Path other) throws IOException {
        try (HandlerRig bare = new HandlerRig(other)) {
            long file = bare.create(Namespace.ROOT_ID, "f", 0666);
            assertEquals(Status.OK, bare.namespace().append(Namespace.ROOT_ID, Name.of("f"), file, 10));
            bare.assertDone(bare.ask(HandlerRig.USER, truncate(0, "/f", 2)));
            assertEquals(2, bare.stat(Namespace.ROOT_ID, "f").size);
        }
    }

    @Test
    void whatTheUserMayNotWriteOrIsNoFileIsRefused() {
        rig.create(Namespace.ROOT_ID, "readable", 0644);
        rig.mkdir("d", 0777);
        byte[] target = "/readable".getBytes(StandardCharsets.UTF_8);
        assertEquals(
                Status.OK, rig.namespace().symlink(Namespace.ROOT_ID, Name.of("link"), target, 0, 0, new Attributes()));
        assertEquals(ResultCode.ACCESS_DENIED, rig.outcome(HandlerRig.USER, truncate(0, "/readable", 1)));
        assertEquals(0, size("readable"));
        assertEquals(ResultCode.IS_DIRECTORY, rig.outcome(HandlerRig.USER, truncate(0, "/d", 1)));
        rig.mkdir("closed", 0755);
        assertEquals(ResultCode.ACCESS_DENIED, rig.outcome(HandlerRig.USER, truncate(0, "/closed", 1)));
        assertEquals(ResultCode.IS_DIRECTORY, rig.outcome(HandlerRig.USER, truncate(0, "/", 1)));
        assertEquals(ResultCode.UNRESOLVED_LINK, rig.outcome(HandlerRig.USER, truncate(0, "/link", 1)));
        assertEquals(ResultCode.NOT_FOUND, rig.outcome(HandlerRig.USER, truncate(0, "/none", 1)));
    }

    @Test
    void aFileThatAClientWritesIsNotCut() {
        written("f", (byte) 1, (byte) 2);
        FileRequests.openToWrite(rig, HandlerRig.USER, "/f", 5);
        WireBuffer reply = rig.ask(HandlerRig.ROOT, truncate(0, "/f", 1));
        assertEquals(ResultCode.LEASED, rig.outcome(reply));
        String message = new FailureDecoder()
                .wrapAndApplyHeader(reply, 0, new MessageHeaderDecoder())
                .message();
        assertTrue(message.startsWith("Failed to TRUNCATE_FILE /f for HMFSClient_1 on "), message);
        assertEquals(2, size("f"));
    }

    @Test
    void aTruncateThatComesAgainIsAnsweredAndNotExecuted() throws IOException {
        rig.restart(1);
        written("f", (byte) 1, (byte) 2);
        rig.assertDone(rig.ask(HandlerRig.USER, truncate(1, "/f", 1)));
        assertEquals(Status.OK, rig.namespace().truncate(Namespace.ROOT_ID, Name.of("f"), 20));
        rig.assertDone(rig.ask(HandlerRig.USER, truncate(1, "/f", 1)));
        rig.restart(2);
        rig.assertDone(rig.ask(HandlerRig.USER, truncate(1, "/f", 1)));
        assertEquals(20, size("f"));
    }

    /** The second block's object is a directory that is not empty, so that it cannot be removed. */
    @Test
    void aCutThatFailsTakesNothingFromALaterWriter(@TempDir Path other) throws IOException {
        rig.close();
        rig = new HandlerRig(other, true);
        rig.create(Namespace.ROOT_ID, "f", 0666);
        FileRequests.Opened opened = FileRequests.openToWrite(rig, HandlerRig.ROOT, "/f", 0);
        assertEquals(ResultCode.OK, FileRequests.written(rig, HandlerRig.ROOT, opened, 0, 0, new byte[] {1, 2, 3}));
        Name name = Name.of("f");
        long size = HandlerRig.BLOCK_SIZE + 1;
        assertEquals(Status.OK, rig.namespace().append(Namespace.ROOT_ID, name, opened.inode(), size));
        Path stuck = secondObject(other.resolve("data"), opened.inode());
        Path inner = Files.createDirectories(stuck.resolve("inner"));
        assertEquals(ResultCode.IO_ERROR, rig.outcome(HandlerRig.USER, truncate(0, "/f", 2)));
        rig.take(HandlerRig.ROOT, opened.inode(), 9);
        HandlerRig.Message later = FileRequests.write(opened, 0, 2, new byte[] {7, 8}, 9);
        ResultCode refused = rig.outcome(HandlerRig.ROOT, later);
        Files.delete(inner);
        if (refused == ResultCode.IO_ERROR) {
            rig.assertDone(rig.ask(HandlerRig.ROOT, later));
        }
        rig.partition().recover(); // as the next start
        assertEquals(Status.OK, rig.namespace().append(Namespace.ROOT_ID, name, opened.inode(), 4));
        FileRequests.Opened none = new FileRequests.Opened(opened.inode(), 0, 0);
        assertArrayEquals(
                new byte[] {1, 2, 7, 8},
                FileRequests.bytes(rig.ask(HandlerRig.ROOT, FileRequests.read(none, 0, 0, 4))));
        assertEquals(ResultCode.IO_ERROR, refused);
    }

    /** The second block cannot be removed, so that the third one, which comes after it, is there still. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aFileThatGrowsBehindACutThatFailedHasNoOldBytes(boolean durable, @TempDir Path other) throws IOException {
        rig.close();
        rig = new HandlerRig(other, true, durable);
        rig.create(Namespace.ROOT_ID, "f", 0666);
        FileRequests.Opened opened = FileRequests.openToWrite(rig, HandlerRig.ROOT, "/f", 0);
        for (int block = 0; block <= 2; block += 2) {
            assertEquals(
                    ResultCode.OK, FileRequests.written(rig, HandlerRig.ROOT, opened, block, 0, new byte[] {1, 2, 3}));
        }
        long size = 2 * HandlerRig.BLOCK_SIZE + 3;
        assertEquals(Status.OK, rig.namespace().append(Namespace.ROOT_ID, Name.of("f"), opened.inode(), size));
        Path stuck = secondObject(other.resolve("data"), opened.inode());
        Path inner = Files.createDirectories(stuck.resolve("inner"));
        assertEquals(ResultCode.IO_ERROR, rig.outcome(HandlerRig.USER, truncate(0, "/f", 2)));
        assertEquals(2, size("f"));
        HandlerRig.Message grow = FileRequests.append(0, Namespace.ROOT_ID, "f", opened, size, 0, false);
        ResultCode refused = rig.outcome(HandlerRig.ROOT, grow);
        long sizeAfter = size("f");
        Files.delete(inner);
        Files.delete(stuck);
        rig.assertDone(rig.ask(HandlerRig.ROOT, grow));
        FileRequests.Opened none = new FileRequests.Opened(opened.inode(), 0, 0);
        assertEquals(0, FileRequests.bytes(rig.ask(HandlerRig.ROOT, FileRequests.read(none, 2, 0, 3))).length);
        assertEquals(ResultCode.IO_ERROR, refused);
        assertEquals(2, sizeAfter);
        assertEquals(size, size("f"));
    }

    /** Its record finds the file by its name. */
    @Test
    void aFileWhoseCutFailedKeepsItsNameUntilItIsCut(@TempDir Path other) throws IOException {
        rig.close();
        rig = new HandlerRig(other, true);
        rig.create(Namespace.ROOT_ID, "f", 0666);
        FileRequests.Opened opened = FileRequests.openToWrite(rig, HandlerRig.ROOT, "/f", 0);
        assertEquals(ResultCode.OK, FileRequests.written(rig, HandlerRig.ROOT, opened, 0, 0, new byte[] {1, 2, 3}));
        long size = HandlerRig.BLOCK_SIZE + 3;
        assertEquals(Status.OK, rig.namespace().append(Namespace.ROOT_ID, Name.of("f"), opened.inode(), size));
        Path stuck = secondObject(other.resolve("data"), opened.inode());
        Path inner = Files.createDirectories(stuck.resolve("inner"));
        assertEquals(ResultCode.IO_ERROR, rig.outcome(HandlerRig.USER, truncate(0, "/f", 2)));
        HandlerRig.Message rename = RenameHandlerTest.rename("/f", "/g");
        assertEquals(ResultCode.IO_ERROR, rig.outcome(HandlerRig.ROOT, rename));
        assertEquals(2, size("f"));
        Files.delete(inner);
        Files.delete(stuck);
        rig.assertDone(rig.ask(HandlerRig.ROOT, rename));
        assertEquals(2, size("g"));
        FileRequests.Opened none = new FileRequests.Opened(opened.inode(), 0, 0);
        assertEquals(2, FileRequests.bytes(rig.ask(HandlerRig.ROOT, FileRequests.read(none, 0, 0, 3))).length);
    }

    private static Path secondObject(Path data, long inode) throws IOException {
        String name = Long.toHexString(inode);
        try (Stream<Path> objects = Files.walk(data)) {
            return objects.filter(each -> each.endsWith(name + "-0.v1"))
                    .findFirst()
                    .orElseThrow()
                    .resolveSibling(name + "-1.v1");
        }
    }

    private FileRequests.Opened many(String name, int objects) {
        FileRequests.Opened file = written(name, (byte) 1);
        for (int block = 1; block < objects; block++) {
            assertEquals(ResultCode.OK, FileRequests.written(rig, HandlerRig.ROOT, file, block, 0, new byte[] {7}));
        }
        long size = (objects - 1L) * HandlerRig.BLOCK_SIZE + 1;
        assertEquals(Status.OK, rig.namespace().append(Namespace.ROOT_ID, Name.of(name), file.inode(), size));
        return file;
    }

    private OpenCuts cuts() {
        return Objects.requireNonNull(rig.partition().data()).cuts();
    }

    private long objects() throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(file -> file.getFileName().toString().matches("[0-9a-f]+-[0-9a-f]+\\.v1"))
                    .count();
        }
    }

    /** Removing them takes as long as the disk likes, and the file's locks are others' too. */
    @Test
    void manyObjectsAreCutBehindTheRequest() throws IOException {
        FileRequests.Opened file = many("f", 100);
        assertEquals(100, objects());
        rig.assertDone(rig.ask(HandlerRig.ROOT, truncate(0, "/f", 0)));
        assertEquals(0, size("f"));
        assertEquals(100, objects(), "their thread has not begun");
        assertTrue(cuts().isOpen(file.inode()));
        rig.assertDone(rig.ask(HandlerRig.ROOT, truncate(1, "/f", 10)));
        assertEquals(0, objects(), "cut before the file grows");
        assertTrue(cuts().isNoneOpen());
    }

    @Test
    void theirThreadCutsThem() throws Exception {
        many("f", 100);
        many("few", 60);
        rig.assertDone(rig.ask(HandlerRig.ROOT, truncate(0, "/few", 0)));
        assertEquals(100, objects(), "few are cut at once");
        rig.assertDone(rig.ask(HandlerRig.ROOT, truncate(1, "/f", 1)));
        cuts().start(rig.namespace().records(), failure -> {
            throw new AssertionError(failure);
        });
        Await.until("the cut", () -> cuts().isNoneOpen());
        assertEquals(1, objects());
    }

    @Test
    void theNextStartCutsWhatWasLeft() throws IOException {
        many("f", 100);
        rig.assertDone(rig.ask(HandlerRig.ROOT, truncate(0, "/f", 1)));
        assertEquals(100, objects());
        BuiltinData before = Objects.requireNonNull(rig.partition().data());
        BuiltinData next = new BuiltinData(before.store(), before.reaper());
        next.recoverCuts(rig.namespace(), () -> {});
        assertEquals(1, objects());
        assertTrue(next.cuts().isNoneOpen());
    }
}
