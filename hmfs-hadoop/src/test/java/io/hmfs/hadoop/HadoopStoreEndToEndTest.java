package io.hmfs.hadoop;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Goal: with a Hadoop filesystem as data store everything works as with the builtin one, and no block outlives its file.
 * Method: a server that announces a local directory; after each operation that frees blocks, the directory is counted.
 */
class HadoopStoreEndToEndTest {
    private static final int BLOCK = (int) ServerProcess.BLOCK_SIZE;

    @SuppressWarnings("NullAway.Init")
    private static ServerProcess server;

    @SuppressWarnings("NullAway.Init")
    private FileSystem fs;

    @BeforeAll
    static void start() throws IOException {
        server = ServerProcess.startWithHadoopStore();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void open() throws IOException {
        fs = FileSystem.newInstance(server.uri(), new Configuration());
    }

    @AfterEach
    void close() throws IOException {
        for (var status : fs.listStatus(new Path("/"))) {
            fs.delete(status.getPath(), true);
        }
        fs.close();
        assertEquals(0, objects(), "objects left behind");
    }

    private static long objects() throws IOException {
        try (Stream<java.nio.file.Path> files = Files.walk(server.objects())) {
            return files.filter(Files::isRegularFile).count();
        }
    }

    /** Closing waits for the reaper; then the count is exact. */
    private long objectsWhenSettled() throws IOException {
        fs.close();
        fs = FileSystem.newInstance(server.uri(), new Configuration());
        return objects();
    }

    private Path write(String name, byte[] data) throws IOException {
        Path path = new Path(name);
        try (FSDataOutputStream out = fs.create(path)) {
            out.write(data);
        }
        return path;
    }

    private byte[] read(Path path) throws IOException {
        try (FSDataInputStream in = fs.open(path)) {
            return in.readAllBytes();
        }
    }

    @Test
    void data_comes_back_and_lies_in_the_store() throws IOException {
        byte[] data = OwnDirectory.bytes(1, 2 * BLOCK + 5);
        Path path = write("/a/file", data);
        assertArrayEquals(data, read(path));
        assertEquals(3, objects());
        try (FSDataOutputStream out = fs.append(path)) {
            out.write(data);
            out.hsync();
            out.write(1);
        }
        byte[] both = Arrays.copyOf(data, 2 * data.length + 1);
        System.arraycopy(data, 0, both, data.length, data.length);
        both[2 * data.length] = 1;
        assertArrayEquals(both, read(path));
        assertEquals(5, objects());
    }

    @Test
    void blocks_go_with_delete_overwrite_truncate_and_replacing_rename() throws IOException {
        Path one = write("/one", new byte[3 * BLOCK]);
        Path two = write("/two", new byte[2 * BLOCK]);
        assertEquals(5, objects());
        write("/two", new byte[1]);
        assertEquals(4, objectsWhenSettled());
        assertTrue(fs.truncate(one, BLOCK));
        assertEquals(2, objectsWhenSettled());
        ((HmfsFileSystem) fs).rename(one, two, Options.Rename.OVERWRITE);
        assertEquals(BLOCK, fs.getFileStatus(two).getLen());
        assertEquals(1, objectsWhenSettled());
    }

    @Test
    void concat_moves_the_bytes_and_leaves_no_block_of_the_sources() throws IOException {
        Path one = write("/one", OwnDirectory.bytes(4, BLOCK - 3));
        Path two = write("/two", OwnDirectory.bytes(5, BLOCK));
        Path three = write("/three", OwnDirectory.bytes(6, 10));
        fs.concat(one, new Path[] {two, three});
        byte[] all = Arrays.copyOf(OwnDirectory.bytes(4, BLOCK - 3), 2 * BLOCK + 7);
        System.arraycopy(OwnDirectory.bytes(5, BLOCK), 0, all, BLOCK - 3, BLOCK);
        System.arraycopy(OwnDirectory.bytes(6, 10), 0, all, 2 * BLOCK - 3, 10);
        assertArrayEquals(all, read(one));
        assertEquals(3, objectsWhenSettled());
    }

    @Test
    void blocks_of_a_whole_tree_go_with_it() throws IOException {
        for (int i = 0; i < 100; i++) {
            write("/tree/d" + i % 5 + "/f" + i, new byte[10]);
        }
        assertEquals(100, objects());
        assertTrue(fs.delete(new Path("/tree"), true));
        assertEquals(0, objectsWhenSettled());
    }

    @Test
    void a_reader_whose_file_was_deleted_hears_of_it() throws IOException {
        Path path = write("/going", OwnDirectory.bytes(3, 3 * BLOCK));
        try (FSDataInputStream in = fs.open(path)) {
            in.read();
            try (FileSystem other = FileSystem.newInstance(server.uri(), new Configuration())) {
                assertTrue(other.delete(path, false));
            }
            assertEquals(0, objects());
            in.seek(2 * BLOCK);
            assertThrows(FileNotFoundException.class, in::read);
        }
        assertFalse(fs.exists(path));
    }
}
