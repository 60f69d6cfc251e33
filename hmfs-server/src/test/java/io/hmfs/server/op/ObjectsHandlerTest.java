package io.hmfs.server.op;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hmfs.client.ResultCode;
import io.hmfs.server.data.BuiltinData;
import io.hmfs.server.data.ObjectList;
import io.hmfs.server.pipeline.HandlerRig;
import io.hmfs.wire.CensusEncoder;
import io.hmfs.wire.CensusPageDecoder;
import io.hmfs.wire.MessageHeaderDecoder;
import io.hmfs.wire.ObjectsEncoder;
import io.hmfs.wire.ObjectsPageDecoder;
import io.hmfs.wire.SafeModeEncoder;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: superusers list the objects of the builtin data store, and remove some after a census, unless the server takes no changes. Method: two
 * objects are planted in the store.
 */
class ObjectsHandlerTest {
    private static final byte[] NOTHING = {};

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

    private static HandlerRig.Message objects(long incarnation, long from, byte[] removed) {
        return (out, header) -> new ObjectsEncoder()
                .wrapAndApplyHeader(out, 0, header)
                .correlationId(1)
                .incarnation(incarnation)
                .directory(from)
                .afterInode(0)
                .afterBlock(0)
                .putRemoved(removed, 0, removed.length)
                .limit();
    }

    private static byte[] object(long inode, long block) {
        return ByteBuffer.allocate(2 * Long.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(inode)
                .putLong(block)
                .array();
    }

    private void plant(long inode, long block) throws IOException {
        BuiltinData data = Objects.requireNonNull(rig.partition().data());
        data.store().write(inode, block, 0, 0, Unpooled.wrappedBuffer(new byte[3]), 0, 3);
    }

    /** Inode, block and bytes of the objects in a reply. */
    private static List<List<Long>> found(ObjectsPageDecoder page) {
        ByteBuffer told = ByteBuffer.allocate(page.objectsLength()).order(ByteOrder.LITTLE_ENDIAN);
        page.getObjects(told.array(), 0, told.capacity());
        List<List<Long>> found = new ArrayList<>();
        while (told.hasRemaining()) {
            found.add(List.of(told.getLong(), told.getLong(), told.getLong()));
            told.getLong();
        }
        return found;
    }

    private ObjectsPageDecoder ask(HandlerRig.Message message) {
        return new ObjectsPageDecoder()
                .wrapAndApplyHeader(rig.ask(HandlerRig.ROOT, message), 0, new MessageHeaderDecoder());
    }

    private Set<List<Long>> listed() {
        Set<List<Long>> all = new HashSet<>();
        for (long from = 0; from < ObjectList.DIRECTORIES; ) {
            ObjectsPageDecoder page = ask(objects(0, from, NOTHING));
            all.addAll(found(page));
            from = page.directory();
        }
        return all;
    }

    private long incarnation() {
        HandlerRig.Message begin = (out, header) -> new CensusEncoder()
                .wrapAndApplyHeader(out, 0, header)
                .correlationId(1)
                .incarnation(0)
                .renamePosition(0)
                .cursorBirth(0)
                .cursorAt(0)
                .cursorStart(0)
                .putDirectories(NOTHING, 0, 0)
                .limit();
        return new CensusPageDecoder()
                .wrapAndApplyHeader(rig.ask(HandlerRig.ROOT, begin), 0, new MessageHeaderDecoder())
                .incarnation();
    }

    @Test
    void objectsAreListedAndRemoved() throws IOException {
        plant(0x1111, 0);
        plant(0x2222, 7);
        assertEquals(Set.of(List.of(0x1111L, 0L, 3L), List.of(0x2222L, 7L, 3L)), listed());
        ObjectsPageDecoder removed = ask(objects(incarnation(), 0, object(0x2222, 7)));
        assertEquals(List.of(List.of(0x2222L, 7L, 3L)), found(removed));
        assertEquals(Set.of(List.of(0x1111L, 0L, 3L)), listed());
    }

    @Test
    void onlySuperusersMayAndRemoveOnlyAfterACensusAndOutsideSafeMode() throws IOException {
        plant(0x1111, 0);
        byte[] one = object(0x1111, 0);
        long incarnation = incarnation();
        assertEquals(ResultCode.ACCESS_DENIED, rig.outcome(HandlerRig.USER, objects(0, 0, NOTHING)));
        assertEquals(ResultCode.ACCESS_DENIED, rig.outcome(HandlerRig.USER, objects(incarnation, 0, one)));
        assertEquals(ResultCode.INVALID_ARGUMENT, rig.outcome(HandlerRig.ROOT, objects(0, 0, one)));
        assertEquals(ResultCode.STALE, rig.outcome(HandlerRig.ROOT, objects(incarnation + 1, 0, one)));
        assertEquals(ResultCode.INVALID_ARGUMENT, rig.outcome(HandlerRig.ROOT, objects(incarnation, 0, new byte[8])));
        assertEquals(
                ResultCode.INVALID_ARGUMENT,
                rig.outcome(HandlerRig.ROOT, objects(0, ObjectList.DIRECTORIES + 1, NOTHING)));
        assertEquals(ResultCode.OK, rig.outcome(HandlerRig.ROOT, safeMode(1)));
        assertEquals(ResultCode.SAFE_MODE, rig.outcome(HandlerRig.ROOT, objects(incarnation, 0, one)));
        assertEquals(1, listed().size());
    }

    private static HandlerRig.Message safeMode(int action) {
        return (out, header) -> new SafeModeEncoder()
                .wrapAndApplyHeader(out, 0, header)
                .correlationId(1)
                .action((short) action)
                .limit();
    }

    @Test
    void aServerThatDoesNotKeepTheDataHasNone() throws IOException {
        rig.close();
        rig = new HandlerRig(Files.createDirectory(directory.resolve("other")));
        assertEquals(ResultCode.BAD_REQUEST, rig.outcome(HandlerRig.ROOT, objects(0, 0, NOTHING)));
    }
}
