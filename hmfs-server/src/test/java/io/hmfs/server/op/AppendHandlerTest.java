package io.hmfs.server.op;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.client.ResultCode;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.server.lease.Leases;
import io.hmfs.server.lock.KeyLocks;
import io.hmfs.server.pipeline.HandlerRig;
import io.hmfs.wire.DoneDecoder;
import io.hmfs.wire.MessageHeaderDecoder;
import io.hmfs.wire.WireBuffer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: an append commits a size for a client that shows a grant and has the lease that it tells, in a batch and alone. Method: files in
 * a directory without a quota, whose appends are batched, and in one with a quota, whose appends are not.
 */
class AppendHandlerTest {
    private static final long LEASE = 5;

    @TempDir
    private Path directory;

    private HandlerRig rig;
    private long free;
    private long limited;

    @BeforeEach
    void open() throws IOException {
        rig = new HandlerRig(directory);
        free = rig.mkdir("free", 0777);
        limited = rig.mkdir("limited", 0777);
        assertEquals(Status.OK, rig.partition().quotas().set(limited, 100, 100));
    }

    @AfterEach
    void close() throws IOException {
        rig.close();
    }

    private FileRequests.Opened create(long parent, String path, String name, long lease) {
        rig.create(parent, name, 0666);
        return FileRequests.openToWrite(rig, HandlerRig.USER, path, lease);
    }

    private HandlerRig.Message append(long parent, FileRequests.Opened file, long size) {
        return FileRequests.append(0, parent, "f", file, size, 0, false);
    }

    private ResultCode outcome(HandlerRig.Message message) {
        return rig.outcome(HandlerRig.USER, message);
    }

    private long size(long parent) {
        return rig.stat(parent, "f").size;
    }

    /** Other requests, on other threads, can have all that an append may take. */
    private void assertReleased(long parent, FileRequests.Opened file) {
        Leases leases = rig.partition().leases();
        leases.endAlone(file.inode(), leases.alone(file.inode(), false));
        int stripe = KeyLocks.stripe(parent, Name.of("f"));
        KeyLocks locks = rig.partition().locks();
        CompletableFuture.runAsync(() -> {
                    locks.lock(stripe, false);
                    locks.unlock(stripe);
                })
                .join();
        assertEquals(Status.OK, rig.partition().quotas().set(limited, 100, 100));
    }

    @Test
    void appendsOfABatchAreAnsweredInOrder() {
        FileRequests.Opened file = create(free, "/free/f", "f", 0);
        FileRequests.Opened gone = new FileRequests.Opened(file.inode() + 1, 0, 0);
        rig.send(HandlerRig.ROOT, append(free, file, 10));
        rig.send(HandlerRig.ROOT, append(free, gone, 11));
        rig.send(HandlerRig.ROOT, append(free, file, 12));
        rig.endBatch();
        ResultCode[] outcomes = {ResultCode.OK, ResultCode.STALE, ResultCode.OK};
        for (int i = 0; i < outcomes.length; i++) {
            WireBuffer reply = rig.reply(HandlerRig.ROOT);
            assertEquals(outcomes[i], rig.outcome(reply));
            if (outcomes[i] == ResultCode.OK) {
                DoneDecoder done = new DoneDecoder().wrapAndApplyHeader(reply, 0, new MessageHeaderDecoder());
                assertEquals(10 + i, done.correlationId());
            }
        }
        assertEquals(12, size(free));
        assertReleased(free, file);
    }

    @Test
    void aUserNeedsAGrantToWriteTheFile() {
        for (long parent : new long[] {free, limited}) {
            String path = parent == free ? "/free/" : "/limited/";
            FileRequests.Opened file = create(parent, path + "f", "f", 0);
            FileRequests.Opened other = create(parent, path + "g", "g", 0);
            FileRequests.Opened forged = new FileRequests.Opened(file.inode(), other.grant(), other.seal());
            assertEquals(ResultCode.ACCESS_DENIED, outcome(append(parent, forged, 10)));
            assertEquals(0, size(parent));
            assertEquals(ResultCode.OK, outcome(append(parent, file, 10)));
            assertEquals(10, size(parent));
        }
    }

    @Test
    void aClientThatHasLostItsLeaseCommitsNothing() {
        for (long parent : new long[] {free, limited}) {
            FileRequests.Opened file = create(parent, parent == free ? "/free/f" : "/limited/f", "f", LEASE);
            HandlerRig.Message lost = FileRequests.append(0, parent, "f", file, 10, LEASE + 1, false);
            assertEquals(ResultCode.LEASE_LOST, outcome(lost));
            assertEquals(0, size(parent));
            assertReleased(parent, file);
            assertEquals(ResultCode.OK, outcome(FileRequests.append(0, parent, "f", file, 10, LEASE, false)));
            assertFalse(rig.partition().leases().isClosed(file.inode()));
            assertEquals(ResultCode.OK, outcome(FileRequests.append(0, parent, "f", file, 20, LEASE, true)));
            assertTrue(rig.partition().leases().isClosed(file.inode()), "it was the last one");
            assertEquals(20, size(parent));
            assertReleased(parent, file);
        }
    }

    @Test
    void aQuotaBoundsHowMuchAFileGrows() {
        FileRequests.Opened file = create(limited, "/limited/f", "f", 0);
        assertEquals(ResultCode.SPACE_QUOTA_EXCEEDED, outcome(append(limited, file, 101)));
        assertEquals(0, size(limited));
        assertEquals(ResultCode.OK, outcome(append(limited, file, 100)));
    }

    @Test
    void aFileThatIsGoneIsStale() {
        Attributes removed = new Attributes();
        for (long parent : new long[] {free, limited}) {
            FileRequests.Opened file = create(parent, parent == free ? "/free/f" : "/limited/f", "f", 0);
            assertEquals(Status.OK, rig.namespace().delete(parent, Name.of("f"), removed));
            assertEquals(ResultCode.STALE, outcome(append(parent, file, 10)));
            assertEquals(ResultCode.STALE, outcome(append(parent + 1000, file, 10)));
        }
    }

    @Test
    void aNameThatNoFileHasIsInvalid() {
        FileRequests.Opened file = create(free, "/free/f", "f", 0);
        for (String name : new String[] {"", "a/b"}) {
            assertEquals(ResultCode.INVALID_NAME, outcome(FileRequests.append(0, free, name, file, 10, 0, false)));
        }
        String tooLong = "n".repeat(Name.LENGTH_MAX + 1);
        assertEquals(ResultCode.NAME_TOO_LONG, outcome(FileRequests.append(0, free, tooLong, file, 10, 0, false)));
    }

    @Test
    void aCommitWithoutALeaseIsRefusedWhileAClientHasOne() {
        for (long parent : new long[] {free, limited}) {
            FileRequests.Opened file = create(parent, parent == free ? "/free/f" : "/limited/f", "f", LEASE);
            assertEquals(ResultCode.LEASED, outcome(append(parent, file, 10)));
            assertEquals(ResultCode.LEASED, rig.outcome(HandlerRig.ROOT, append(parent, file, 10)), "a superuser");
            assertEquals(0, size(parent));
            assertReleased(parent, file);
            rig.end(HandlerRig.USER, file.inode(), LEASE);
            assertEquals(ResultCode.OK, outcome(append(parent, file, 10)));
        }
    }

    @Test
    void anAppendThatComesAgainIsAnsweredAndNotExecuted() throws IOException {
        rig.restart(1);
        assertEquals(Status.OK, rig.partition().quotas().set(limited, 100, 100)); // not recovered by the rig
        List<HandlerRig.Message> sent = new ArrayList<>();
        for (long parent : new long[] {free, limited}) {
            long sequence = parent == free ? 1 : 2;
            String path = parent == free ? "/free/f" : "/limited/f";
            FileRequests.Opened file = create(parent, path, "f", 0);
            HandlerRig.Message append = FileRequests.append(sequence, parent, "f", file, 10, LEASE, true);
            HandlerRig.Message unleased = FileRequests.append(sequence + 2, parent, "f", file, 10, 0, false);
            rig.assertDone(rig.ask(HandlerRig.USER, unleased));
            rig.assertDone(rig.ask(HandlerRig.USER, unleased));
            FileRequests.openToWrite(rig, HandlerRig.USER, path, LEASE);
            rig.assertDone(rig.ask(HandlerRig.USER, append));
            assertEquals(Status.OK, rig.namespace().truncate(parent, Name.of("f"), 0));
            rig.assertDone(rig.ask(HandlerRig.USER, append));
            assertEquals(0, size(parent));
            sent.add(append);
            assertReleased(parent, file);
        }
        rig.restart(5);
        for (HandlerRig.Message append : sent) {
            rig.assertDone(rig.ask(HandlerRig.USER, append));
        }
        assertEquals(0, size(free));
        assertEquals(0, size(limited));
    }

    /** The server died between the commit and the end of the lease. */
    @Test
    void theRecordOfAnAppendEndsTheLeaseThatItWasTheLastOf() throws IOException {
        rig.restart(1);
        FileRequests.Opened file = create(free, "/free/f", "f", LEASE);
        HandlerRig.Message append = FileRequests.append(1, free, "f", file, 10, LEASE, true);
        rig.assertDone(rig.ask(HandlerRig.USER, append));
        FileRequests.openToWrite(rig, HandlerRig.USER, "/free/f", LEASE);
        assertEquals(Status.OK, rig.namespace().truncate(free, Name.of("f"), 0));
        rig.restart(2);
        assertFalse(rig.partition().leases().isClosed(file.inode()));
        rig.assertDone(rig.ask(HandlerRig.USER, append));
        assertEquals(0, size(free));
        assertTrue(rig.partition().leases().isClosed(file.inode()));
    }

    @Test
    void dataThatCannotBeMadeDurableIsNotCovered(@TempDir Path other) throws IOException {
        try (HandlerRig durable = new HandlerRig(other, true, true)) {
            long parent = durable.mkdir("d", 0777);
            durable.create(parent, "f", 0666);
            FileRequests.Opened file = FileRequests.openToWrite(durable, HandlerRig.USER, "/d/f", 0);
            assertEquals(
                    ResultCode.OK, FileRequests.written(durable, HandlerRig.USER, file, 0, 0, new byte[] {1, 2, 3}));
            durable.assertDone(durable.ask(HandlerRig.USER, FileRequests.append(0, parent, "f", file, 3, 0, false)));
            assertEquals(3, durable.stat(parent, "f").size);
            FileRequests.spoil(other, file, 1);
            HandlerRig.Message beyond = FileRequests.append(0, parent, "f", file, HandlerRig.BLOCK_SIZE + 1, 0, false);
            assertEquals(ResultCode.IO_ERROR, durable.outcome(HandlerRig.USER, beyond));
            assertEquals(3, durable.stat(parent, "f").size);
        }
    }

    @Test
    void anAppendWaitsForTheDiskOnlyIfItsDataMayNotBeDurable() throws IOException {
        Path other = Files.createDirectory(directory.resolve("other"));
        try (HandlerRig durable = new HandlerRig(other, true, true)) {
            long parent = durable.mkdir("d", 0777);
            durable.create(parent, "f", 0666);
            FileRequests.Opened file = FileRequests.openToWrite(durable, HandlerRig.USER, "/d/f", 0);
            assertTrue(isBatched(durable, parent, file, 0), "nothing was written");
            long block = HandlerRig.BLOCK_SIZE;
            write(durable, file, 0);
            write(durable, file, 1);
            HandlerRig.Message lost = FileRequests.append(0, parent, "none", file, block, 0, false);
            assertEquals(ResultCode.STALE, durable.outcome(HandlerRig.USER, lost));
            assertFalse(isBatched(durable, parent, file, 3), "an append of another name has made nothing durable");
            assertTrue(isBatched(durable, parent, file, 3), "the append before has made it durable");
            assertFalse(isBatched(durable, parent, file, block + 1));
            write(durable, file, 1);
            assertTrue(isBatched(durable, parent, file, block));
            assertFalse(isBatched(durable, parent, file, block + 2));
            write(durable, file, 1);
            write(durable, file, 2);
            durable.assertDone(durable.ask(HandlerRig.USER, FileRequests.sync(file, 2)));
            assertFalse(isBatched(durable, parent, file, 2 * block + 3), "block 1 is not durable");
            write(durable, file, 2);
            durable.assertDone(durable.ask(HandlerRig.USER, FileRequests.sync(file, 2)));
            assertTrue(isBatched(durable, parent, file, 2 * block + 4));
            assertEquals(2 * block + 4, durable.stat(parent, "f").size);
        }
    }

    private static void write(HandlerRig rig, FileRequests.Opened file, long block) {
        assertEquals(ResultCode.OK, FileRequests.written(rig, HandlerRig.USER, file, block, 0, new byte[] {1, 2, 3}));
    }

    /** Whether the append was executed in an event-loop batch, and not by a disk thread. */
    private static boolean isBatched(HandlerRig rig, long parent, FileRequests.Opened file, long size) {
        boolean batched = rig.isBatched(HandlerRig.USER, FileRequests.append(0, parent, "f", file, size, 0, false));
        rig.endBatch();
        rig.assertDone(rig.reply(HandlerRig.USER));
        return batched;
    }
}
