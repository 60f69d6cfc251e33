package io.hmfs.client;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hmfs.wire.CensusDecoder;
import io.hmfs.wire.CensusPageEncoder;
import io.hmfs.wire.MessageHeaderDecoder;
import io.hmfs.wire.MessageHeaderEncoder;
import io.hmfs.wire.ObjectsDecoder;
import io.hmfs.wire.ObjectsPageEncoder;
import io.hmfs.wire.ObjectsRemovedDecoder;
import io.hmfs.wire.PendingRemovalsEncoder;
import io.hmfs.wire.WireBuffer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Goal: a census asks for the directories that it was told of, and goes on where the server said; objects and removals
 * have their fields.
 * Method: the public API over a transport that a script answers; requests are read with the generated decoders.
 */
class CensusCallsTest {
    private final MessageHeaderDecoder header = new MessageHeaderDecoder();

    private static byte[] longs(long... values) {
        ByteBuffer bytes = ByteBuffer.allocate(values.length * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        bytes.asLongBuffer().put(values);
        return bytes.array();
    }

    /** The root 1 has the file 5 and the directory 6, in which the file 7 is. */
    private static int census(WireBuffer request, MessageHeaderDecoder head, WireBuffer reply) {
        CensusDecoder asked = new CensusDecoder().wrapAndApplyHeader(request, 0, head);
        byte[] directories = new byte[asked.directoriesLength()];
        asked.getDirectories(directories, 0, directories.length);
        boolean begins = asked.incarnation() == 0;
        long first = directories.length == 0
                ? 0
                : ByteBuffer.wrap(directories).order(ByteOrder.LITTLE_ENDIAN).getLong();
        assertEquals(begins ? 0 : 90, asked.incarnation());
        assertEquals(begins ? 0 : 91, asked.renamePosition());
        byte[] files = first == 1 ? longs(5, 50) : first == 6 ? longs(7, 70) : longs();
        byte[] found = begins ? longs(1) : first == 1 ? longs(6) : longs();
        return new CensusPageEncoder()
                .wrapAndApplyHeader(reply, 0, new MessageHeaderEncoder())
                .incarnation(90)
                .renamePosition(91)
                .listed(directories.length / Long.BYTES)
                .cursorBirth(0)
                .cursorAt(0)
                .cursorStart(0)
                .putFiles(files, 0, files.length)
                .putDirectories(found, 0, found.length)
                .limit();
    }

    @Test
    void aCensusWalksOverAllDirectories() throws IOException {
        List<String> met = new ArrayList<>();
        try (HmfsClient client = new ScriptedTransport(CensusCallsTest::census).client()) {
            long listed = new Census(client).run(new Census.Visitor() {
                @Override
                public void file(long inode, long size) {
                    met.add(inode + ":" + size);
                }

                @Override
                public void progress(long done, long known) {
                    // nothing to see here
                }
            });
            assertEquals(2, listed);
        }
        assertEquals(List.of("5:50", "7:70"), met);
    }

    @Test
    void objectsAreListed() throws IOException {
        ScriptedTransport transport = new ScriptedTransport((request, head, reply) -> {
            byte[] objects = longs(11, 12, 13, 14);
            byte[] names = "lost\0".getBytes(StandardCharsets.UTF_8);
            return new ObjectsPageEncoder()
                    .wrapAndApplyHeader(reply, 0, new MessageHeaderEncoder())
                    .directory(1 << 16)
                    .afterInode(21)
                    .afterBlock(22)
                    .putObjects(objects, 0, objects.length)
                    .putUnknown(names, 0, names.length)
                    .limit();
        });
        try (HmfsClient client = transport.client()) {
            Census.Objects part = new Census(client).objects(new Census.Objects(31, 32, 33, List.of(), List.of()));
            ObjectsDecoder asked = new ObjectsDecoder().wrapAndApplyHeader(transport.request(), 0, header);
            assertEquals(0, asked.incarnation());
            assertEquals(31, asked.directory());
            assertEquals(32, asked.afterInode());
            assertEquals(33, asked.afterBlock());
            assertEquals(0, asked.removedLength());
            assertEquals(
                    new Census.Objects(1 << 16, 21, 22, List.of(new Census.Item(11, 12, 13, 14)), List.of("lost")),
                    part);
        }
    }

    @Test
    void removalsAreToldAndAskedFor() throws IOException {
        ScriptedTransport transport = new ScriptedTransport((request, head, reply) -> {
            byte[] files = longs(41, 42);
            return new PendingRemovalsEncoder()
                    .wrapAndApplyHeader(reply, 0, new MessageHeaderEncoder())
                    .next(43)
                    .recorded(44)
                    .putFiles(files, 0, files.length)
                    .limit();
        });
        try (HmfsClient client = transport.client()) {
            Removals removals = new Removals(client);
            assertEquals(
                    new Removals.Pending(List.of(new Removals.RemovedFile(41, 42)), 43, 44), removals.pending(51, 52));
            ObjectsRemovedDecoder asked =
                    new ObjectsRemovedDecoder().wrapAndApplyHeader(transport.request(), 0, header);
            assertEquals(51, asked.olderThanMillis());
            assertEquals(52, asked.from());
            assertEquals(0, asked.inodesLength());
            removals.tell(new long[] {61, 62}).join();
            ObjectsRemovedDecoder told = new ObjectsRemovedDecoder().wrapAndApplyHeader(transport.request(), 0, header);
            assertEquals(-1, told.olderThanMillis());
            assertEquals(16, told.inodesLength());
        }
    }
}
