package io.hmfs.server.op;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hmfs.client.ResultCode;
import io.hmfs.core.Namespace;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.server.data.RemovalTable;
import io.hmfs.server.pipeline.HandlerRig;
import io.hmfs.wire.MessageHeaderDecoder;
import io.hmfs.wire.ObjectsRemovedEncoder;
import io.hmfs.wire.PendingRemovalsDecoder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: clients are told of removed files whose objects they have to remove, until one of them tells that they are gone. Method: files are
 * removed from a pool that keeps what is removed.
 */
class ObjectsRemovedHandlerTest {
    private static final byte[] NOTHING = {};

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

    private static HandlerRig.Message removed(long olderThanMillis, long from, byte[] inodes) {
        return (out, header) -> new ObjectsRemovedEncoder()
                .wrapAndApplyHeader(out, 0, header)
                .correlationId(1)
                .olderThanMillis(olderThanMillis)
                .from(from)
                .putInodes(inodes, 0, inodes.length)
                .limit();
    }

    private static byte[] inode(long id) {
        return ByteBuffer.allocate(Long.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(id)
                .array();
    }

    private PendingRemovalsDecoder ask(long olderThanMillis, long from, byte[] inodes) {
        return ask(HandlerRig.ROOT, olderThanMillis, from, inodes);
    }

    private PendingRemovalsDecoder ask(String user, long olderThanMillis, long from, byte[] inodes) {
        RemovalTable table = rig.partition().removals();
        if (table != null) {
            table.work();
        }
        return new PendingRemovalsDecoder()
                .wrapAndApplyHeader(
                        rig.ask(user, removed(olderThanMillis, from, inodes)), 0, new MessageHeaderDecoder());
    }

    /** Inodes and sizes in a reply. */
    private static Map<Long, Long> files(PendingRemovalsDecoder reply) {
        ByteBuffer told = ByteBuffer.allocate(reply.filesLength()).order(ByteOrder.LITTLE_ENDIAN);
        reply.getFiles(told.array(), 0, told.capacity());
        Map<Long, Long> files = new HashMap<>();
        while (told.hasRemaining()) {
            files.put(told.getLong(), told.getLong());
        }
        return files;
    }

    private long remove(String name, long size) {
        return remove(name, size, HandlerRig.ROOT);
    }

    private long remove(String name, long size, String owner) {
        long id = rig.create(Namespace.ROOT_ID, name, 0644);
        int uid = rig.namespace().principalId(owner);
        assertEquals(Status.OK, rig.namespace().chown(Namespace.ROOT_ID, Name.of(name), uid, 0));
        assertEquals(Status.OK, rig.namespace().append(Namespace.ROOT_ID, Name.of(name), id, size));
        assertEquals(Status.OK, rig.namespace().delete(Namespace.ROOT_ID, Name.of(name), new Attributes()));
        return id;
    }

    @Test
    void aRemovedFileIsToldUntilItsObjectsAreGone() {
        long one = remove("one", 5);
        long two = remove("two", 6);
        PendingRemovalsDecoder all = ask(0, 0, NOTHING);
        assertEquals(Map.of(one, 5L, two, 6L), files(all));
        assertEquals(RemovalTable.PLACES, all.next());
        assertEquals(2, all.recorded());
        PendingRemovalsDecoder rest = ask(0, 0, inode(one));
        assertEquals(Map.of(two, 6L), files(rest));
        assertEquals(2, rest.recorded(), "the pool knows a turn of the thread later");
        assertEquals(1, ask(0, 0, NOTHING).recorded());
    }

    @Test
    void onlyThoseThatWereToldLongAgoOrNoneAreTold() {
        long one = remove("one", 5);
        assertEquals(Map.of(), files(ask(TimeUnit.HOURS.toMillis(1), 0, NOTHING)));
        assertEquals(Map.of(), files(ask(-1, 0, NOTHING)));
        assertEquals(Map.of(), files(ask(0, RemovalTable.PLACES, NOTHING)));
        assertEquals(Map.of(one, 5L), files(ask(0, 0, NOTHING)));
    }

    @Test
    void aUserThatAsksForYoungFilesHidesNoneFromOthers() throws Exception {
        long one = remove("one", 5, HandlerRig.USER);
        Thread.sleep(150); // the file must be older than the 100 ms asked for below; a slow machine makes it only older
        assertEquals(Map.of(), files(ask(HandlerRig.USER, 1, 0, NOTHING)));
        assertEquals(Map.of(one, 5L), files(ask(HandlerRig.USER, 0, 0, NOTHING)));
        assertEquals(Map.of(one, 5L), files(ask(HandlerRig.ROOT, 100, 0, NOTHING)));
    }

    @Test
    void othersThanItsOwnerAreToldOfNoFileAndTakeNoneOff() {
        long one = remove("one", 5);
        assertEquals(Map.of(), files(ask(HandlerRig.USER, 0, 0, inode(one))));
        assertEquals(Map.of(one, 5L), files(ask(0, 0, NOTHING)));
    }

    @Test
    void whatIsNoListOfInodesIsRefusedAndOneThatIsNotOnRecordDoesNothing() {
        long one = remove("one", 5);
        assertEquals(ResultCode.INVALID_ARGUMENT, rig.outcome(HandlerRig.USER, removed(0, 0, new byte[9])));
        assertEquals(Map.of(one, 5L), files(ask(0, 0, inode(one + 1))));
    }

    @Test
    void aServerThatKeepsTheDataHasNothingToTell() throws IOException {
        rig.close();
        rig = new HandlerRig(Files.createDirectory(directory.resolve("other")), true);
        remove("one", 5);
        PendingRemovalsDecoder none = ask(0, 0, NOTHING);
        assertEquals(Map.of(), files(none));
        assertEquals(0, none.recorded());
    }
}
