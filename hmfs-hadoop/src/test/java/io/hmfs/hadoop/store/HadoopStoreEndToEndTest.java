package io.hmfs.hadoop.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.client.Census;
import io.hmfs.client.ClientOptions;
import io.hmfs.client.HmfsClient;
import io.hmfs.client.gc.ObjectStore;
import io.hmfs.client.gc.Orphans;
import io.hmfs.client.gc.Orphans.Kind;
import io.hmfs.hadoop.HmfsFileSystem;
import io.hmfs.hadoop.ObjectStores;
import io.hmfs.hadoop.OwnDirectory;
import io.hmfs.hadoop.TestServerProcess;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
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
 * Goal: with a Hadoop filesystem as data store everything works as with the builtin one, and no block outlives its
 * file.
 * Method: a server that announces a local directory; after each operation that frees blocks, the directory is
 * counted. What a killed client leaves is found as orphans.
 */
class HadoopStoreEndToEndTest {
    private static final int BLOCK = (int) TestServerProcess.BLOCK_SIZE;

    @SuppressWarnings("NullAway.Init")
    private static TestServerProcess server;

    @SuppressWarnings("NullAway.Init")
    private FileSystem fs;

    @BeforeAll
    static void start() throws IOException {
        server = TestServerProcess.startWithHadoopStore();
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

    /** What a killed client does: it writes blocks and a part of one, commits nothing of that, and is gone. */
    public static final class KilledClient {
        public static void main(String[] args) throws IOException {
            FileSystem fs = FileSystem.newInstance(URI.create(args[0]), new Configuration());
            FSDataOutputStream out = fs.create(new Path(args[1]));
            out.write(new byte[BLOCK]);
            out.hflush();
            out.write(new byte[2 * BLOCK + BLOCK / 2]);
            Runtime.getRuntime().halt(0);
        }
    }

    private static void killClient(String path) throws Exception {
        Process process = new ProcessBuilder(
                        java.nio.file.Path.of(System.getProperty("java.home"), "bin", "java")
                                .toString(),
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        KilledClient.class.getName(),
                        server.uri().toString(),
                        path)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        assertTrue(process.waitFor(60, TimeUnit.SECONDS), "the client hangs");
        assertEquals(0, process.exitValue());
    }

    /** Looks for orphans as {@code hmfs gc} does. */
    private static Orphans gc(boolean delete, boolean unfinished, int olderThanMillis) throws IOException {
        try (HmfsClient client = HmfsClient.connect(
                server.uri().getHost(),
                server.uri().getPort(),
                ClientOptions.defaults().withUser(System.getProperty("user.name")))) {
            Census census = new Census(client);
            try (ObjectStore store = new ObjectStores().open("127.0.0.1", client.server())) {
                var options = new Orphans.Options(olderThanMillis, delete, unfinished, true);
                Orphans orphans = new Orphans(census, store, options, Orphans.Listener.NONE);
                orphans.run();
                return orphans;
            }
        }
    }

    @Test
    void what_a_killed_client_leaves_is_found_and_removed() throws Exception {
        byte[] data = OwnDirectory.bytes(7, 2 * BLOCK + 1);
        Path live = write("/live", data);
        killClient("/killed");
        assertEquals(BLOCK, fs.getFileStatus(new Path("/killed")).getLen());
        Orphans found = gc(true, false, 0);
        assertEquals(0, found.removed().objects());
        assertEquals(2, found.found(Kind.BEYOND).objects());
        assertEquals(1, found.found(Kind.UNFINISHED).objects());
        assertEquals(0, gc(true, true, 3_600_000).removed().objects(), "it is young");
        assertEquals(1, gc(true, true, 0).removed().objects());
        assertEquals(6, objects());

        killClient("/killed2");
        try (HmfsClient client = HmfsClient.connect(
                server.uri().getHost(),
                server.uri().getPort(),
                ClientOptions.defaults().withUser(System.getProperty("user.name")))) {
            client.delete("/killed2"); // and is killed before it comes to the objects
        }
        assertEquals(10, objects());
        assertEquals(4, gc(false, false, 0).found(Kind.ORPHAN).objects());
        assertEquals(10, objects());
        assertEquals(4, gc(true, false, 0).removed().objects());
        assertEquals(6, objects());
        assertArrayEquals(data, read(live));
        assertEquals(BLOCK, read(new Path("/killed")).length);
    }

    @Test
    void while_others_write_and_delete_nothing_of_theirs_is_taken_for_an_orphan() throws Exception {
        AtomicBoolean ended = new AtomicBoolean();
        AtomicInteger written = new AtomicInteger();
        try (FileSystem other = FileSystem.newInstance(server.uri(), new Configuration())) {
            CompletableFuture<Integer> writer = CompletableFuture.supplyAsync(() -> {
                int files = 0;
                try {
                    for (; !ended.get(); files++) {
                        Path path = new Path("/w/in/f" + files);
                        try (FSDataOutputStream out = other.create(path)) {
                            out.write(OwnDirectory.bytes(files, BLOCK));
                            out.hflush();
                            out.write(OwnDirectory.bytes(files, BLOCK / 2));
                        }
                        Path to = new Path("/w/moved" + files);
                        other.rename(path, to);
                        if (files % 2 == 1) {
                            other.delete(to, false);
                        }
                        written.set(files + 1);
                    }
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
                return files;
            });
            for (int i = 0; (i < 20 || written.get() < 20) && !writer.isDone(); i++) {
                gc(true, false, 0);
            }
            ended.set(true);
            int files = writer.get(60, TimeUnit.SECONDS);
            for (int i = 0; i < files; i += 2) {
                byte[] data = read(new Path("/w/moved" + i));
                assertArrayEquals(OwnDirectory.bytes(i, BLOCK), Arrays.copyOf(data, BLOCK));
                assertEquals(BLOCK + BLOCK / 2, data.length);
            }
        }
    }

    @Test
    void files_that_are_no_objects_are_left_alone() throws IOException {
        write("/live", new byte[1]);
        List<java.nio.file.Path> strange = new ArrayList<>();
        for (String name : List.of("note", "ab/cd/x", "ab/cd/7f-0", "tmp/7f-0", "tmp/sub/7f-0." + UUID.randomUUID())) {
            java.nio.file.Path path = server.objects().resolve(name);
            Files.createDirectories(path.getParent());
            strange.add(Files.write(path, new byte[1]));
        }
        Orphans found = gc(true, true, 0);
        assertEquals(5, found.unknown());
        assertEquals(0, found.removed().objects());
        for (java.nio.file.Path each : strange) {
            Files.delete(each); // is there
        }
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
