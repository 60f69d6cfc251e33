package io.hmfs.server.op;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hmfs.client.ResultCode;
import io.hmfs.core.Namespace;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Change;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.server.pipeline.HandlerRig;
import io.hmfs.server.tree.CensusPage;
import io.hmfs.server.tree.OrphanDirectory;
import io.hmfs.wire.CensusEncoder;
import io.hmfs.wire.CensusPageDecoder;
import io.hmfs.wire.MessageHeaderDecoder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a census tells each file and directory that is there from its first part to its last, also one that is moved where the census has
 * been. Method: a small tree is walked part by part as a client does.
 */
class CensusHandlerTest {
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

    private long incarnation;
    private long position;

    private static HandlerRig.Message census(long incarnation, long position, byte[] directories) {
        return (out, header) -> new CensusEncoder()
                .wrapAndApplyHeader(out, 0, header)
                .correlationId(1)
                .incarnation(incarnation)
                .renamePosition(position)
                .cursorBirth(0)
                .cursorAt(0)
                .cursorStart(0)
                .putDirectories(directories, 0, directories.length)
                .limit();
    }

    private static byte[] ids(Collection<Long> ids) {
        ByteBuffer bytes = ByteBuffer.allocate(ids.size() * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        ids.forEach(bytes::putLong);
        return bytes.array();
    }

    /** Asks for a part; adds what it tells, files with their sizes. */
    private void part(Collection<Long> wanted, Map<Long, Long> files, Collection<Long> directories) {
        CensusPageDecoder page = new CensusPageDecoder()
                .wrapAndApplyHeader(
                        rig.ask(HandlerRig.ROOT, census(incarnation, position, ids(wanted))),
                        0,
                        new MessageHeaderDecoder());
        incarnation = page.incarnation();
        position = page.renamePosition();
        assertEquals(wanted.size(), page.listed());
        ByteBuffer told = ByteBuffer.allocate(page.filesLength()).order(ByteOrder.LITTLE_ENDIAN);
        page.getFiles(told.array(), 0, told.capacity());
        while (told.hasRemaining()) {
            files.put(told.getLong(), told.getLong());
        }
        told = ByteBuffer.allocate(page.directoriesLength()).order(ByteOrder.LITTLE_ENDIAN);
        page.getDirectories(told.array(), 0, told.capacity());
        while (told.hasRemaining()) {
            directories.add(told.getLong());
        }
    }

    @Test
    void eachFileIsToldAlsoOneThatIsMovedWhereTheCensusHasBeen() {
        long seen = rig.mkdir("seen", 0755);
        long unseen = rig.mkdir("unseen", 0755);
        long file = rig.create(seen, "f", 0644);
        assertEquals(Status.OK, rig.namespace().append(seen, Name.of("f"), file, 5));
        long moves = rig.create(unseen, "m", 0644);
        Map<Long, Long> files = new HashMap<>();
        Set<Long> directories = new HashSet<>();
        part(List.of(), files, directories);
        assertEquals(Set.of(Namespace.ROOT_ID), directories);
        part(List.of(Namespace.ROOT_ID), files, directories);
        assertEquals(Set.of(Namespace.ROOT_ID, seen, unseen), directories);
        part(List.of(seen), files, directories);
        assertEquals(Map.of(file, 5L), files);
        OrphanDirectory orphans = rig.partition().orphans();
        assertEquals(
                Status.OK,
                orphans.move(unseen, Name.of("m"), seen, Name.of("m"), false, Change.NONE, new Attributes(), true));
        part(List.of(unseen, Long.MAX_VALUE), files, directories);
        assertEquals(Map.of(file, 5L, moves, CensusPage.RENAMED), files);
        part(List.of(), files, directories);
        assertEquals(3, directories.size());
    }

    @Test
    void onlySuperusersOfThisStartMayAskForIdsAndForWhatIsRemembered() {
        assertEquals(ResultCode.ACCESS_DENIED, rig.outcome(HandlerRig.USER, census(0, 0, NOTHING)));
        part(List.of(), new HashMap<>(), new HashSet<>());
        assertEquals(ResultCode.STALE, rig.outcome(HandlerRig.ROOT, census(incarnation + 1, position, NOTHING)));
        assertEquals(ResultCode.STALE, rig.outcome(HandlerRig.ROOT, census(incarnation, position + 1, NOTHING)));
        assertEquals(
                ResultCode.INVALID_ARGUMENT, rig.outcome(HandlerRig.ROOT, census(incarnation, position, new byte[9])));
        assertEquals(ResultCode.OK, rig.outcome(HandlerRig.ROOT, census(incarnation, position, NOTHING)));
    }
}
