package io.hmfs.server.data;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.type.Name;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a file is told as removed only if it is, for certain, whatever dies; what has no room waits for nothing.
 * Method: open the same file a second time, as the next start does, of the same boot of the machine, another one, another cluster.
 */
class RemovalRecordTest {
    private static final UUID CLUSTER = new UUID(1, 2);
    private static final long BOOT = 77;
    private static final Name NAME = Name.of("name");

    @TempDir
    private Path directory;

    private RemovalRecord open(UUID cluster, long boot, List<Long> standing) throws IOException {
        RemovalRecord record = RemovalRecord.open(directory.resolve("removals"), cluster, boot);
        record.recover((parent, name, inode) -> {
            assertEquals(NAME.toString(), name.toString());
            assertEquals(5, parent);
            return standing.contains(inode);
        });
        return record;
    }

    private RemovalRecord open(long boot, List<Long> standing) throws IOException {
        return open(CLUSTER, boot, standing);
    }

    private static Set<Long> told(RemovalRecord record, long olderThanNanos) {
        ByteBuffer page = ByteBuffer.allocate(64 * RemovalRecord.ENTRY_BYTES);
        assertEquals(RemovalRecord.SLOTS, record.page(0, olderThanNanos, page));
        page.flip();
        Set<Long> inodes = new TreeSet<>();
        while (page.hasRemaining()) {
            long inode = page.getLong();
            assertTrue(inodes.add(inode));
            assertEquals(10 * inode, page.getLong(), "its size");
        }
        return inodes;
    }

    private static int begin(RemovalRecord record, long inode) {
        return record.begin(inode, 5, NAME, 10 * inode);
    }

    @Test
    void onlyWhatIsSettledIsToldAndCanBeCleared() throws IOException {
        RemovalRecord record = open(BOOT, List.of());
        int one = begin(record, 1);
        begin(record, 2);
        record.cancel(begin(record, 3));
        assertEquals(new TreeSet<>(), told(record, 0));
        assertFalse(record.clear(1), "its removal may fail yet");
        record.settle(one);
        assertEquals(1, record.count());
        assertEquals(new TreeSet<>(List.of(1L)), told(record, 0));
        assertFalse(record.clear(0));
        assertFalse(record.clear(2));
        assertFalse(record.clear(3));
        assertFalse(record.clear(-1));
        assertTrue(record.clear(1));
        assertFalse(record.clear(1));
        assertEquals(0, record.count());
        assertEquals(new TreeSet<>(), told(record, 0));
    }

    @Test
    void theDeathOfTheProcessLosesNothing() throws IOException {
        RemovalRecord record = open(BOOT, List.of());
        record.settle(begin(record, 1));
        begin(record, 2);
        begin(record, 3);
        record.settle(begin(record, 4));
        assertTrue(record.clear(4));
        RemovalRecord next = open(BOOT, List.of(3L)); // which did not come to be removed
        assertEquals(new TreeSet<>(List.of(1L, 2L)), told(next, 0));
        assertEquals(new TreeSet<>(List.of(1L, 2L)), told(open(BOOT, List.of()), 0), "3 may have another name by now");
    }

    @Test
    void theDeathOfTheMachineDropsWhatIsNotCertain() throws IOException {
        RemovalRecord record = open(BOOT, List.of());
        record.settle(begin(record, 1));
        begin(record, 2); // it came back perhaps, under the name that it had before another one
        RemovalRecord next = open(BOOT + 1, List.of());
        assertEquals(new TreeSet<>(List.of(1L)), told(next, 0));
        assertEquals(new TreeSet<>(List.of(1L)), told(open(BOOT + 1, List.of()), 0));
    }

    @Test
    void whatIsOfAnotherClusterIsForgotten() throws IOException {
        RemovalRecord record = open(BOOT, List.of());
        record.settle(begin(record, 1));
        begin(record, 2);
        assertEquals(new TreeSet<>(), told(open(new UUID(1, 3), BOOT, List.of()), 0));
    }

    @Test
    void whatWasToldIsToldAgainLaterOnly() throws Exception {
        RemovalRecord record = open(BOOT, List.of());
        record.settle(begin(record, 1));
        long age = TimeUnit.MILLISECONDS.toNanos(50);
        assertEquals(new TreeSet<>(), told(record, TimeUnit.HOURS.toNanos(1)));
        Thread.sleep(60);
        assertEquals(new TreeSet<>(List.of(1L)), told(record, age));
        assertEquals(new TreeSet<>(), told(record, TimeUnit.HOURS.toNanos(1)));
        Thread.sleep(60);
        assertEquals(new TreeSet<>(List.of(1L)), told(record, 0), "as somebody who does not take it up");
        assertEquals(new TreeSet<>(List.of(1L)), told(record, age));
    }

    @Test
    void aFullRecordWaitsForNothing() throws IOException {
        RemovalRecord record = open(BOOT, List.of());
        for (long inode = 1; inode <= RemovalRecord.SLOTS; inode++) {
            record.settle(begin(record, inode));
        }
        assertEquals(RemovalRecord.NONE, begin(record, 1 << 20));
        assertEquals(RemovalRecord.SLOTS, record.count());
        assertTrue(record.clear(4711));
        record.settle(begin(record, 1 << 20));
        for (long inode = RemovalRecord.SLOTS; inode > 0; inode--) { // in another order than they came
            assertEquals(inode != 4711, record.clear(inode));
        }
        assertTrue(record.clear(1 << 20));
        assertEquals(0, record.count());
    }
}
