package io.hmfs.hadoop.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.hmfs.client.FileVersion;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.BlockLocation;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: locations are told of every byte or of none, and not at any price. Method: a store below a view of a local
 * directory, blocks of four bytes.
 */
@Timeout(120)
class LocationsTest {
    private static final int BLOCK = 4;
    private static final long INODE = 0x100000000abcdL;
    private static final int BLOCKS_MAX = 1 << 14;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path directory;

    @SuppressWarnings("NullAway.Init")
    private HadoopDataStore store;

    @BeforeEach
    void open() throws IOException {
        Configuration conf = new Configuration();
        conf.set("fs.viewfs.mounttable.c.link./store", directory.toUri().toString()); // one that tells places
        store = new HadoopDataStore(URI.create("viewfs://c/store"), BLOCK, conf);
    }

    @AfterEach
    void close() throws IOException {
        store.close();
    }

    private void write(long first, int blocks) throws IOException {
        Path objects = Files.createDirectories(directory.resolve("cd/ab"));
        for (long block = first; block < first + blocks; block++) {
            Files.write(objects.resolve(Long.toHexString(INODE) + "-" + block), new byte[BLOCK]);
        }
    }

    private BlockLocation @Nullable [] of(long size, long start, long length) {
        return new Locations(store, BLOCK).of(new FileVersion(INODE, 1, size), start, length);
    }

    @Test
    void a_file_that_is_all_there_is_told_block_by_block() throws IOException {
        write(0, 3);
        BlockLocation[] told = of(12, 5, 100);
        assertNotNull(told);
        assertEquals(2, told.length);
        assertEquals(4, told[0].getOffset());
        assertEquals(8, told[1].getOffset());
    }

    @Test
    void of_a_file_with_a_hole_nothing_is_told() throws IOException {
        write(0, 1);
        write(2, 1);
        assertNotNull(of(4, 0, 4));
        assertNull(of(12, 0, 12));
        assertNull(of(12, 5, 1));
        assertNull(of(14, 8, 6), "its end");
    }

    @Test
    void a_size_without_data_asks_nothing() {
        assertNull(of(Long.MAX_VALUE, 0, Long.MAX_VALUE));
    }

    @Test
    void a_file_of_very_many_blocks_is_not_asked_for_one_by_one() throws IOException {
        write(0, BLOCKS_MAX + 2);
        long size = (long) BLOCK * (BLOCKS_MAX + 2);
        assertNull(of(size, 0, size));
        BlockLocation[] told = of(size, size - 10 * BLOCK, Long.MAX_VALUE);
        assertNotNull(told);
        assertEquals(10, told.length, "a part of it is");
    }
}
