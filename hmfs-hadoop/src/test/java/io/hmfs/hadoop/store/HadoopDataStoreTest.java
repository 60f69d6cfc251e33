package io.hmfs.hadoop.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.PrivilegedExceptionAction;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: objects hold exactly what was published, under their name only when whole, and go when they are deleted.
 * Method: a store in a local directory with small blocks; the directory is looked at behind the store's back.
 */
class HadoopDataStoreTest {
    private static final int BLOCK = 1000;
    private static final long INODE = 0x0001_0000_0000_abcdL;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path directory;

    @SuppressWarnings("NullAway.Init")
    private HadoopDataStore store;

    @BeforeEach
    void open() throws IOException {
        store = new HadoopDataStore(directory.toUri(), BLOCK, new Configuration());
    }

    @AfterEach
    void close() throws IOException {
        store.close();
    }

    private static byte[] bytes(int seed, int length) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    private static void write(DataWriter writer, byte[] bytes, long position) {
        int done = 0;
        while (done < bytes.length) {
            int count = (int) Math.min(bytes.length - done, BLOCK - (position + done) % BLOCK);
            writer.write(bytes, done, Math.min(count, 300)).join();
            done += Math.min(count, 300);
        }
    }

    private byte[] read(long block, long offset, int length) throws IOException {
        try (DataReader reader = store.reader(INODE, GrantSource.NONE)) {
            byte[] target = new byte[length];
            int count = reader.read(block, offset, target, 0, length).join();
            return Arrays.copyOf(target, Math.max(0, count));
        }
    }

    private List<String> filesBelow(Path start) throws IOException {
        try (Stream<Path> files = Files.walk(start)) {
            return files.filter(Files::isRegularFile)
                    .map(file -> start.relativize(file).toString())
                    .sorted()
                    .toList();
        }
    }

    @Test
    void blocks_lie_where_the_documentation_says_with_nothing_beside_them() throws IOException {
        DataWriter writer = store.writer(INODE, 0, true, GrantSource.NONE);
        byte[] data = bytes(1, 2 * BLOCK + 10);
        write(writer, data, 0);
        writer.publish(true);
        assertEquals(
                List.of("cd/ab/100000000abcd-0", "cd/ab/100000000abcd-1", "cd/ab/100000000abcd-2"),
                filesBelow(directory));
        assertArrayEquals(Arrays.copyOfRange(data, BLOCK, 2 * BLOCK), read(1, 0, BLOCK));
        assertArrayEquals(Arrays.copyOfRange(data, 2 * BLOCK, data.length), read(2, 0, BLOCK));
        assertArrayEquals(Arrays.copyOfRange(data, 700, 900), read(0, 700, 200));
    }

    @Test
    void a_block_has_no_name_before_it_is_published() throws IOException {
        DataWriter writer = store.writer(INODE, 0, true, GrantSource.NONE);
        write(writer, bytes(1, 10), 0);
        assertEquals(0, read(0, 0, 10).length);
        writer.publish(false);
        assertEquals(10, read(0, 0, 10).length);
    }

    @Test
    void a_published_block_goes_on_where_it_was_left_by_this_writer_and_by_another() throws IOException {
        byte[] data = bytes(2, 900);
        DataWriter first = store.writer(INODE, 0, true, GrantSource.NONE);
        write(first, Arrays.copyOf(data, 100), 0);
        first.publish(false);
        write(first, Arrays.copyOfRange(data, 100, 250), 100);
        first.publish(true);
        DataWriter second = store.writer(INODE, 250, true, GrantSource.NONE);
        write(second, Arrays.copyOfRange(data, 250, 900), 250);
        assertArrayEquals(
                Arrays.copyOf(data, 250), read(0, 0, BLOCK), "the old block is there until the new one is whole");
        second.publish(false);
        assertArrayEquals(data, read(0, 0, BLOCK));
        assertEquals(1, filesBelow(directory).size());
    }

    @Test
    void bytes_behind_the_position_of_a_new_writer_are_forgotten() throws IOException {
        DataWriter first = store.writer(INODE, 0, true, GrantSource.NONE);
        write(first, bytes(3, 500), 0);
        first.publish(false);
        DataWriter second = store.writer(INODE, 200, true, GrantSource.NONE);
        write(second, bytes(4, 100), 200);
        second.publish(false);
        byte[] now = read(0, 0, BLOCK);
        assertEquals(300, now.length);
        assertArrayEquals(bytes(4, 100), Arrays.copyOfRange(now, 200, 300));
    }

    @Test
    void a_writer_in_the_middle_of_nothing_fills_what_is_before_with_zeros() throws IOException {
        DataWriter writer = store.writer(INODE, BLOCK + 50, true, GrantSource.NONE);
        write(writer, new byte[] {7}, BLOCK + 50);
        writer.publish(false);
        byte[] block = read(1, 0, BLOCK);
        assertEquals(51, block.length);
        assertEquals(7, block[50]);
        assertArrayEquals(new byte[50], Arrays.copyOf(block, 50));
    }

    @Test
    void an_aborted_block_leaves_nothing_and_changes_nothing() throws IOException {
        DataWriter writer = store.writer(INODE, 0, true, GrantSource.NONE);
        write(writer, bytes(5, 400), 0);
        writer.publish(false);
        write(writer, bytes(6, 100), 400);
        writer.abort();
        assertEquals(1, filesBelow(directory).size());
        assertArrayEquals(bytes(5, 400), read(0, 0, BLOCK));
    }

    @Test
    void deleting_takes_the_blocks_asked_for_and_those_behind_but_none_before() throws IOException {
        DataWriter writer = store.writer(INODE, 0, true, GrantSource.NONE);
        write(writer, bytes(7, 4 * BLOCK + 1), 0);
        writer.publish(false);
        store.delete(INODE, 1, 2);
        assertEquals(List.of("cd/ab/100000000abcd-0"), filesBelow(directory));
        store.delete(INODE, 0, 5);
        assertEquals(List.of(), filesBelow(directory));
        store.delete(INODE, 0, 5);
    }

    @Test
    void a_missing_block_reads_as_nothing_and_a_reader_moves_between_blocks() throws IOException {
        DataWriter writer = store.writer(INODE, 0, true, GrantSource.NONE);
        byte[] data = bytes(8, 3 * BLOCK);
        write(writer, data, 0);
        writer.publish(false);
        store.delete(INODE, 2, 3);
        try (DataReader reader = store.reader(INODE, GrantSource.NONE)) {
            byte[] target = new byte[BLOCK];
            for (int round = 0; round < 3; round++) {
                for (int block = 0; block < 2; block++) {
                    assertEquals(BLOCK, reader.read(block, 0, target, 0, BLOCK).join());
                    assertArrayEquals(Arrays.copyOfRange(data, block * BLOCK, (block + 1) * BLOCK), target);
                }
                assertEquals(-1, reader.read(2, 0, target, 0, BLOCK).join());
            }
            assertEquals(0, reader.read(1, BLOCK, target, 0, 10).join());
        }
    }

    @Test
    void a_store_on_a_directory_that_cannot_be_written_says_so_at_the_first_block() throws IOException {
        Path file = Files.createFile(directory.resolve("in-the-way"));
        try (HadoopDataStore blocked = new HadoopDataStore(file.toUri(), BLOCK, new Configuration())) {
            var failed = blocked.writer(INODE, 0, true, GrantSource.NONE).write(new byte[1], 0, 1);
            assertTrue(failed.isCompletedExceptionally());
            assertFalse(blocked.dropsBlocksItself());
        }
    }

    /** As HDFS's and S3A's do, it refuses everything once it is closed. */
    public static final class ClosableFileSystem extends RawLocalFileSystem {
        private volatile boolean closed;

        @Override
        public URI getUri() {
            return URI.create("closable:///");
        }

        @Override
        public boolean delete(org.apache.hadoop.fs.Path path, boolean recursive) throws IOException {
            if (closed) {
                throw new IOException("Filesystem closed");
            }
            return super.delete(path, recursive);
        }

        @Override
        public void close() throws IOException {
            closed = true;
            super.close();
        }
    }

    /** When a JVM ends, Hadoop closes all that is in its cache in no order, and HMFS still removes objects then. */
    @Test
    void hadoop_does_not_close_it_when_a_jvm_ends() throws Exception {
        Configuration conf = new Configuration();
        conf.setClass("fs.closable.impl", ClosableFileSystem.class, FileSystem.class);
        URI root = URI.create("closable://" + directory);
        UserGroupInformation user = UserGroupInformation.createRemoteUser("of-a-jvm-that-ends");
        HadoopDataStore used =
                user.doAs((PrivilegedExceptionAction<HadoopDataStore>) () -> new HadoopDataStore(root, BLOCK, conf));
        write(used.writer(INODE, 0, true, GrantSource.NONE), bytes(1, BLOCK), 0);
        FileSystem.closeAllForUGI(user);
        used.delete(INODE, 0, 1);
        assertFalse(Files.exists(directory.resolve(BlockFiles.nameIn(INODE, 0))));
        used.close();
    }
}
