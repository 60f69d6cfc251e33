package io.hmfs.hadoop.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.hmfs.client.Census;
import io.hmfs.client.ClientOptions;
import io.hmfs.client.HmfsClient;
import io.hmfs.client.Removals;
import io.hmfs.client.gc.ObjectStore;
import io.hmfs.client.gc.Orphans;
import io.hmfs.client.gc.Orphans.Kind;
import io.hmfs.hadoop.ObjectStores;
import io.hmfs.hadoop.OwnDirectory;
import io.hmfs.hadoop.TestServerProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: with a data store that is not the server's, objects of removed files go whichever process is killed, and no others.
 * Method: a server process and client processes that are killed; another client, which takes over what has been on
 * record for a moment.
 */
@Tag("one-jdk")
@Timeout(280)
class ObjectRemovalProcessTest {
    private static final int FILES = 300;
    private static final String SOON = "50ms";
    private static final String NEVER = "1000h";

    @SuppressWarnings("NullAway.Init")
    private TestServerProcess server;

    @BeforeEach
    void start() throws IOException {
        server = TestServerProcess.startWithHadoopStore();
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private FileSystem open(String takeOver) throws IOException {
        return open(server.uri(), takeOver);
    }

    private static FileSystem open(URI uri, String takeOver) throws IOException {
        Configuration conf = new Configuration();
        conf.set("fs.hmfs.removal.takeover.after", takeOver);
        return FileSystem.newInstance(uri, conf);
    }

    private HmfsClient client() throws IOException {
        return HmfsClient.connect(
                server.uri().getHost(),
                server.uri().getPort(),
                ClientOptions.defaults().withUser(System.getProperty("user.name")));
    }

    private int recorded() throws IOException {
        try (HmfsClient client = client()) {
            return new Removals(client).pending(0, 0).recorded();
        }
    }

    private long objects() throws IOException {
        for (; ; ) {
            try (Stream<java.nio.file.Path> files = Files.walk(server.objects())) {
                return files.filter(Files::isRegularFile).count();
            } catch (UncheckedIOException e) {
                if (!(e.getCause() instanceof NoSuchFileException)) { // one went meanwhile: count again
                    throw e;
                }
            }
        }
    }

    private static void until(String what, Callable<Boolean> condition) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(100);
        while (!condition.call()) {
            if (System.nanoTime() - end > 0) {
                fail("not within 100 s: " + what);
            }
            Thread.sleep(5);
        }
    }

    /** With several threads, for each file waits for the disk. */
    private void write(String directory, int files) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(Math.min(files, 16));
        try (FileSystem fs = open(NEVER)) {
            List<Future<?>> written = new ArrayList<>();
            for (int i = 0; i < files; i++) {
                Path file = new Path(directory, "f" + i);
                byte[] bytes = OwnDirectory.bytes(i, 100);
                written.add(threads.submit(() -> {
                    try (FSDataOutputStream out = fs.create(file)) {
                        out.write(bytes);
                    }
                    return null;
                }));
            }
            for (Future<?> each : written) {
                each.get();
            }
        } finally {
            threads.shutdownNow();
        }
    }

    private void checkLive(String directory, int files) throws IOException {
        try (FileSystem fs = open(NEVER)) {
            for (int i = 0; i < files; i++) {
                try (FSDataInputStream in = fs.open(new Path(directory, "f" + i))) {
                    assertArrayEquals(OwnDirectory.bytes(i, 100), in.readAllBytes());
                }
            }
        }
    }

    /** Deletes files, hears of each that it is gone, and dies before it has removed an object. */
    public static final class DiesBeforeObjects {
        public static void main(String[] args) throws IOException {
            URI uri = URI.create(args[0]);
            HmfsClient client = HmfsClient.connect(
                    uri.getHost(), uri.getPort(), ClientOptions.defaults().withUser(System.getProperty("user.name")));
            for (int i = 0; i < FILES; i++) {
                client.delete(args[1] + "/f" + i);
            }
            Runtime.getRuntime().halt(0);
        }
    }

    /** Deletes a tree; says when it begins. */
    public static final class DeletesTree {
        public static void main(String[] args) throws IOException {
            FileSystem fs = open(URI.create(args[0]), NEVER);
            System.out.println("begins");
            fs.delete(new Path(args[1]), true);
            System.in.read(); // never said: it is killed
        }
    }

    private Process child(Class<?> main, String path) throws IOException {
        return new ProcessBuilder(
                        java.nio.file.Path.of(System.getProperty("java.home"), "bin", "java")
                                .toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        main.getName(),
                        server.uri().toString(),
                        path)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    /** Leaves all objects of a directory's files, which are gone. */
    private void leave(String path) throws Exception {
        Process killed = child(DiesBeforeObjects.class, path);
        assertTrue(killed.waitFor(60, TimeUnit.SECONDS), "the client hangs");
        assertEquals(0, killed.exitValue());
    }

    @Test
    void what_a_killed_client_has_left_another_one_removes_also_after_a_restart() throws Exception {
        write("/live", 10);
        write("/gone", FILES);
        leave("/gone");
        assertEquals(FILES + 10, objects());
        assertEquals(FILES, recorded());
        server.kill();
        server.restart();
        assertEquals(FILES, recorded());
        try (FileSystem other = open(SOON)) {
            assertFalse(other.exists(new Path("/gone/f0")));
            until("all objects are gone", () -> objects() == 10);
            until("the server knows", () -> recorded() == 0);
        }
        checkLive("/live", 10);
    }

    @Test
    void two_that_take_over_the_same_do_no_harm() throws Exception {
        write("/live", 10);
        write("/gone", FILES);
        leave("/gone");
        try (FileSystem one = open("1ms");
                FileSystem other = open("1ms")) {
            assertFalse(one.exists(new Path("/gone/f0")));
            assertFalse(other.exists(new Path("/gone/f0")));
            until("all objects are gone", () -> objects() == 10);
            until("the server knows", () -> recorded() == 0);
        }
        checkLive("/live", 10);
    }

    /** Whose objects could be there still: those of exactly the files that are. */
    @Test
    void whoever_is_killed_in_the_midst_of_a_tree_the_next_client_brings_it_to_an_end() throws Exception {
        write("/live", 10);
        int interrupted = 0;
        for (int round = 0; round < 4; round++) {
            String tree = "/tree" + round;
            write(tree, 2 * FILES);
            Process child = child(DeletesTree.class, tree);
            assertEquals('b', child.getInputStream().read());
            long before = objects();
            until("it has begun", () -> objects() < before || !child.isAlive());
            if (round % 2 == 0) {
                child.destroyForcibly().waitFor();
            }
            if (round != 0) {
                server.kill();
                server.restart();
            }
            child.destroyForcibly().waitFor();
            interrupted += objects() > 10 ? 1 : 0;
            try (FileSystem next = open(SOON)) {
                next.delete(new Path(tree), true);
                until("all objects are gone", () -> objects() == 10);
                until("the server knows", () -> recorded() == 0);
            }
        }
        assertTrue(interrupted > 0, "each was killed too late");
        checkLive("/live", 10);
    }

    @Test
    void who_deletes_and_closes_leaves_nothing_on_record() throws Exception {
        write("/gone", FILES);
        try (FileSystem fs = open(NEVER)) {
            fs.delete(new Path("/gone"), true);
        }
        assertEquals(0, objects());
        assertEquals(0, recorded());
        write("/gone", 3);
        try (FileSystem fs = open(NEVER)) {
            fs.delete(new Path("/gone"), true);
            until("told while it is open", () -> recorded() == 0);
            assertEquals(0, objects());
        }
    }

    @Test
    void what_no_client_can_remove_stays_on_record_and_is_not_tried_all_the_time() throws Exception {
        write("/gone", FILES);
        leave("/gone");
        long inode;
        try (HmfsClient client = client()) {
            inode = new Removals(client).pending(0, 0).files().get(0).inode();
        }
        java.nio.file.Path object = server.objects()
                .resolve(String.format("%02x/%02x", inode & 0xff, (inode >>> 8) & 0xff))
                .resolve(Long.toHexString(inode) + "-0");
        Files.delete(object);
        Files.createDirectories(object.resolve("inner")); // for root there is nothing that it may not delete
        try (FileSystem fs = open("200ms")) {
            assertFalse(fs.exists(new Path("/gone/f0")));
            until("the others are gone", () -> objects() == 0 && recorded() == 1);
            Thread.sleep(1_000);
            assertEquals(1, recorded());
            try (HmfsClient client = client()) {
                String asked = client.metrics()
                        .lines()
                        .filter(line -> line.startsWith("hmfs_request_duration_seconds_count")
                                && line.contains("objects_removed"))
                        .findFirst()
                        .orElse("");
                double requests = Double.parseDouble(asked.substring(asked.lastIndexOf(' ') + 1));
                assertTrue(requests > 0 && requests < 200, asked);
            }
            Files.delete(object.resolve("inner"));
            Files.deleteIfExists(object); // the client may have been first
            until("that one too", () -> recorded() == 0);
        }
    }

    @Test
    void gc_shows_what_is_on_record_and_removes_it_at_any_age() throws Exception {
        write("/live", 1);
        write("/gone", FILES);
        leave("/gone");
        Orphans shown = gc(false);
        assertEquals(FILES, shown.recorded());
        assertEquals(FILES, shown.found(Kind.ORPHAN).objects());
        assertEquals(FILES, recorded());
        assertEquals(FILES + 1, objects());
        Orphans removed = gc(true);
        assertEquals(FILES, removed.recorded());
        assertEquals(FILES, removed.removed().objects());
        assertEquals(1, objects());
        assertEquals(0, recorded());
        assertEquals(0, gc(true).recorded());
        checkLive("/live", 1);
    }

    private Orphans gc(boolean delete) throws IOException {
        try (HmfsClient client = client()) {
            Census census = new Census(client);
            try (ObjectStore store = new ObjectStores().open("127.0.0.1", client.server())) {
                Orphans orphans = new Orphans(
                        census, store, new Orphans.Options(86_400_000, delete, false, false), Orphans.Listener.NONE);
                orphans.run();
                return orphans;
            }
        }
    }

    private static boolean isRunning() {
        return Thread.getAllStackTraces().keySet().stream()
                .anyMatch(thread -> thread.getName().equals("hmfs-removals"));
    }

    @Test
    void closing_ends_the_thread_also_while_the_server_is_gone() throws Exception {
        FileSystem fs = open(SOON);
        assertTrue(isRunning());
        fs.close();
        assertFalse(isRunning());
        FileSystem other = open(SOON);
        server.kill();
        Thread.sleep(200); // it asks a server that is not there
        assertTrue(isRunning());
        CompletableFuture.runAsync(() -> {
                    try {
                        other.close();
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                })
                .get(20, TimeUnit.SECONDS);
        assertFalse(isRunning());
        server.restart();
    }
}
