package io.hmfs.server.op;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hmfs.client.ResultCode;
import io.hmfs.core.Namespace;
import io.hmfs.core.type.Attributes;
import io.hmfs.server.Await;
import io.hmfs.server.lease.Leases;
import io.hmfs.server.pipeline.HandlerRig;
import io.hmfs.wire.DoneDecoder;
import io.hmfs.wire.EntryDecoder;
import io.hmfs.wire.MessageHeaderDecoder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: a client with a grant and its lease writes bytes into a block, and no other. Method: each asks, a superuser reads. */
class WriteBlockHandlerTest {
    private static final long LEASE = 5;

    @TempDir
    private Path directory;

    private HandlerRig rig;
    private FileRequests.Opened file;

    @BeforeEach
    void open() throws IOException {
        rig = new HandlerRig(directory, true);
        rig.create(Namespace.ROOT_ID, "f", 0666);
        file = FileRequests.openToWrite(rig, HandlerRig.USER, "/f", LEASE);
    }

    @AfterEach
    void close() throws IOException {
        rig.close();
    }

    private static final byte[] DATA = {1, 2, 3};

    private ResultCode outcome(FileRequests.Opened opened, long block, long position, byte[] bytes, long lease) {
        return rig.outcome(HandlerRig.USER, FileRequests.write(opened, block, position, bytes, lease));
    }

    private byte[] read(long block) {
        return FileRequests.bytes(rig.ask(HandlerRig.ROOT, FileRequests.read(file, block, 0, 10)));
    }

    @Test
    void bytesAreWrittenWhereTheyBelong() {
        assertEquals(ResultCode.OK, outcome(file, 0, 0, DATA, LEASE));
        assertEquals(ResultCode.OK, outcome(file, 0, 2, DATA, LEASE));
        assertArrayEquals(new byte[] {1, 2, 1, 2, 3}, read(0));
        assertEquals(0, read(1).length);
    }

    /** A sync of what the machine has lost finds nothing, and would succeed: the commit must tell of which machine it means the bytes. */
    @Test
    void bytesThatWereAnsweredByAMachineThatIsNoMoreAreNotCommitted() throws IOException {
        DoneDecoder done = new DoneDecoder()
                .wrapAndApplyHeader(
                        rig.ask(HandlerRig.USER, FileRequests.write(file, 0, 0, DATA, LEASE)),
                        0,
                        new MessageHeaderDecoder());
        long verifier = done.verifier();
        assertEquals(ResultCode.DATA_LOST, commit(1, verifier ^ 1));
        assertEquals(0, rig.stat(Namespace.ROOT_ID, "f").size);
        Leases leases = rig.partition().leases();
        leases.endAlone(file.inode(), leases.alone(file.inode(), false)); // it is shared no longer
        assertEquals(ResultCode.OK, commit(2, verifier));
        assertEquals(2, rig.stat(Namespace.ROOT_ID, "f").size);
        assertEquals(ResultCode.OK, commit(3, 0));
        rig.close();
        rig = new HandlerRig(
                Files.createDirectory(directory.resolve("next")), true); // another server on the same machine
        rig.create(Namespace.ROOT_ID, "f", 0666);
        file = FileRequests.openToWrite(rig, HandlerRig.USER, "/f", LEASE);
        assertEquals(ResultCode.OK, commit(1, verifier));
    }

    private ResultCode commit(long size, long verifier) {
        HandlerRig.Message commit = FileRequests.append(0, Namespace.ROOT_ID, "f", file, size, LEASE, false, verifier);
        return rig.outcome(HandlerRig.USER, commit);
    }

    @Test
    void aUserNeedsAGrantToWriteTheFile() {
        EntryDecoder entry = FileRequests.entry(rig.ask(HandlerRig.USER, FileRequests.open("/f", true, false, 0)));
        FileRequests.Opened reader = new FileRequests.Opened(entry.inode(), entry.grant(), entry.seal());
        assertEquals(ResultCode.ACCESS_DENIED, outcome(reader, 0, 0, DATA, LEASE));
        FileRequests.Opened other = new FileRequests.Opened(file.inode() + 1, file.grant(), file.seal());
        assertEquals(ResultCode.ACCESS_DENIED, outcome(other, 0, 0, DATA, LEASE));
        assertEquals(0, read(0).length);
    }

    @Test
    void aClientThatHasNoLeaseWritesNothing() {
        assertEquals(ResultCode.LEASE_LOST, outcome(file, 0, 0, DATA, LEASE + 1));
        assertEquals(ResultCode.LEASE_LOST, outcome(file, 0, 0, DATA, 0), "without one");
        HandlerRig.Message unleased = FileRequests.write(file, 0, 0, DATA, 0);
        assertEquals(ResultCode.LEASE_LOST, rig.outcome(HandlerRig.ROOT, unleased), "a superuser");
        assertEquals(0, read(0).length);
        assertEquals(ResultCode.OK, outcome(file, 0, 0, DATA, LEASE));
        assertArrayEquals(DATA, read(0));
        Leases leases = rig.partition().leases();
        leases.endAlone(file.inode(), leases.alone(file.inode(), false)); // it is shared no longer
    }

    /** As a truncate has the file alone: else it would cut a part of what is being written. */
    @Test
    void aClientWritesNothingWhileAnotherRequestHasTheFileAlone() throws Exception {
        Leases leases = rig.partition().leases();
        long stamp = leases.alone(file.inode(), false);
        AtomicReference<ResultCode> outcome = new AtomicReference<>();
        Thread writer = Thread.ofPlatform().start(() -> outcome.set(outcome(file, 0, 0, DATA, LEASE)));
        Await.until(
                "the writer waits",
                () -> writer.getState() == Thread.State.WAITING || writer.getState() == Thread.State.TERMINATED);
        assertEquals(List.of(), objects());
        leases.endAlone(file.inode(), stamp);
        writer.join();
        assertEquals(ResultCode.OK, outcome.get());
        assertArrayEquals(DATA, read(0));
        assertEquals(1, objects().size());
    }

    private List<Path> objects() throws IOException {
        try (Stream<Path> all = Files.walk(directory.resolve("data"))) {
            return all.filter(Files::isRegularFile)
                    .filter(file -> !file.endsWith("cluster")) // says whose the directory is
                    .toList();
        }
    }

    @Test
    void whatIsNotInsideABlockIsRefused() {
        assertEquals(ResultCode.INVALID_ARGUMENT, outcome(file, -1, 0, DATA, LEASE));
        assertEquals(ResultCode.INVALID_ARGUMENT, outcome(file, 0, -1, DATA, LEASE));
        long behind = Attributes.SIZE_MAX / HandlerRig.BLOCK_SIZE + 1; // the largest file
        assertEquals(ResultCode.INVALID_ARGUMENT, outcome(file, behind, 0, DATA, LEASE));
        assertEquals(ResultCode.INVALID_ARGUMENT, outcome(file, 0, HandlerRig.BLOCK_SIZE - 2, DATA, LEASE));
        assertEquals(ResultCode.TOO_LARGE, outcome(file, 0, 0, new byte[HandlerRig.CHUNK_SIZE + 1], LEASE));
        assertEquals(0, read(0).length);
    }

    @Test
    void aBlockThatCannotBeWrittenIsAnError() throws IOException {
        assertEquals(ResultCode.OK, outcome(file, 0, 0, DATA, LEASE));
        FileRequests.spoil(directory, file, 1);
        assertEquals(ResultCode.IO_ERROR, outcome(file, 1, 0, DATA, LEASE));
    }

    @Test
    void aServerWithoutDataRefusesIt(@TempDir Path other) throws IOException {
        try (HandlerRig bare = new HandlerRig(other)) {
            assertEquals(
                    ResultCode.BAD_REQUEST, bare.outcome(HandlerRig.ROOT, FileRequests.write(file, 0, 0, DATA, LEASE)));
        }
    }
}
