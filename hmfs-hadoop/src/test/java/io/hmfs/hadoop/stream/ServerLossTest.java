package io.hmfs.hadoop.stream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.hadoop.OwnDirectory;
import io.hmfs.hadoop.TestServerProcess;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.ChecksumException;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LeaseRecoverable;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Goal: when the server dies, no write is swallowed and nothing committed is lost, and the same filesystem object
 * works again after a restart; one that stops cleanly is not even missed. Method: SIGKILL and SIGTERM of a server
 * process of its own.
 */
@Tag("one-jdk")
class ServerLossTest {
    private static final Path FILE = new Path("/file");

    @SuppressWarnings("NullAway.Init")
    private TestServerProcess server;

    @SuppressWarnings("NullAway.Init")
    private FileSystem fs;

    @BeforeEach
    void start() throws IOException {
        server = TestServerProcess.start();
        fs = open("250s"); // a server that starts on a busy machine takes its time
    }

    private FileSystem open(String requestTimeout) throws IOException {
        Configuration conf = new Configuration();
        conf.set("fs.hmfs.connect.timeout", "60s");
        conf.set("fs.hmfs.request.timeout", requestTimeout);
        return FileSystem.newInstance(server.uri(), conf);
    }

    /** A filesystem that soon gives up. */
    private void giveUpSoon() throws IOException {
        fs.close();
        fs = open("10s");
    }

    @AfterEach
    void stop() throws IOException {
        fs.close();
        server.close();
    }

    private byte[] read(Path path) throws IOException {
        try (FSDataInputStream in = fs.open(path)) {
            return in.readAllBytes();
        }
    }

    @Test
    void a_write_that_failed_is_reported_and_committed_data_stays() throws Exception {
        giveUpSoon();
        byte[] flushed = OwnDirectory.bytes(1, 100_000);
        FSDataOutputStream out = fs.create(FILE);
        out.write(flushed);
        out.hflush();
        server.kill();
        IOException reported = assertThrows(IOException.class, () -> {
            for (int i = 0; i < 1000; i++) {
                out.write(OwnDirectory.bytes(i, TestServerProcess.CHUNK_SIZE));
            }
        });
        assertTrue(String.valueOf(reported.getMessage()).contains("100000"), reported.getMessage());
        assertThrows(IOException.class, out::hflush);
        assertThrows(IOException.class, out::close);
        out.close();
        server.restart();
        assertArrayEquals(flushed, read(FILE));
    }

    @Test
    void a_close_whose_last_chunk_is_lost_fails() throws Exception {
        giveUpSoon();
        FSDataOutputStream out = fs.create(FILE);
        out.write(OwnDirectory.bytes(1, 10));
        server.kill();
        assertThrows(IOException.class, out::close);
        server.restart();
        assertEquals(0, fs.getFileStatus(FILE).getLen());
    }

    @Test
    void a_close_that_has_nothing_more_to_commit_does_not_wait_until_the_server_is_back() throws Exception {
        FSDataOutputStream out = fs.create(FILE);
        out.write(OwnDirectory.bytes(1, 10));
        out.hflush();
        server.kill();
        long begun = System.nanoTime();
        out.close();
        assertTrue(System.nanoTime() - begun < Duration.ofSeconds(100).toNanos(), "it may take 250 s for a request");
        server.restart();
        try (FileSystem other = open("250s")) {
            LeaseRecoverable leases = (LeaseRecoverable) other;
            long end = System.nanoTime() + Duration.ofSeconds(100).toNanos();
            while (!leases.isFileClosed(FILE)) {
                assertTrue(System.nanoTime() < end, "it is not closed");
                Thread.sleep(10);
            }
        }
    }

    @Test
    void the_same_filesystem_goes_on_after_a_restart_open_readers_included() throws Exception {
        byte[] data = OwnDirectory.bytes(2, 3_000_000);
        try (FSDataOutputStream out = fs.create(FILE)) {
            out.write(data);
        }
        try (FSDataInputStream in = fs.open(FILE)) {
            byte[] got = new byte[data.length];
            in.readFully(got, 0, 200_000);
            server.kill();
            server.restart();
            in.readFully(got, 200_000, data.length - 200_000);
            assertArrayEquals(data, got);
        }
        fs.mkdirs(new Path("/after"));
        assertEquals(2, fs.listStatus(new Path("/")).length);
    }

    @Test
    void a_write_goes_on_over_a_restart_as_if_nothing_had_been() throws Exception {
        byte[] data = OwnDirectory.bytes(3, 2_000_000);
        try (FSDataOutputStream out = fs.create(FILE)) {
            out.write(data, 0, 500_000);
            out.hflush();
            server.terminate();
            server.restart();
            out.write(data, 500_000, 700_000);
            out.hflush();
            server.kill();
            server.restart();
            out.write(data, 1_200_000, 800_000);
        }
        assertArrayEquals(data, read(FILE));
    }

    /** The server finds the loss when it opens the object anew; what comes behind it would leave zeros in place of what was synced. */
    @Test
    void a_stream_writes_nothing_behind_what_the_disk_has_lost() throws Exception {
        FSDataOutputStream out = fs.create(FILE);
        out.write(OwnDirectory.bytes(3, 1_000));
        out.hsync();
        server.kill();
        try (Stream<java.nio.file.Path> objects = Files.walk(server.builtinObjects())) {
            for (java.nio.file.Path each :
                    objects.filter(path -> path.toString().endsWith(".v1")).toList()) {
                Files.delete(each);
            }
        }
        server.restart();
        out.write(7);
        String lost = String.valueOf(assertThrows(IOException.class, out::hsync).getMessage());
        assertTrue(lost.contains("begins at byte 0 of the file"), lost);
        assertThrows(IOException.class, out::close);
        assertEquals(1_000, fs.getFileStatus(FILE).getLen());
        assertThrows(ChecksumException.class, () -> read(FILE));
    }

    /**
     * Threads that make, write, rename, read and delete, while the server is stopped and started: none of them
     * notices.
     */
    @Test
    void work_goes_on_over_clean_restarts_without_one_failure() throws Exception {
        int threads = 4;
        AtomicBoolean over = new AtomicBoolean();
        AtomicInteger rounds = new AtomicInteger();
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            List<Future<?>> work = new ArrayList<>();
            for (int thread = 0; thread < threads; thread++) {
                Path directory = new Path("/work" + thread);
                work.add(pool.submit(() -> {
                    for (int i = 0; !over.get(); i++) {
                        workOnce(directory, i);
                        rounds.incrementAndGet();
                    }
                    return null;
                }));
            }
            for (int restart = 0; restart < 4; restart++) {
                awaitRounds(work, rounds, rounds.get() + 2 * threads);
                server.terminate();
                server.restart();
            }
            awaitRounds(work, rounds, rounds.get() + 2 * threads);
            over.set(true);
            for (Future<?> each : work) {
                each.get();
            }
        } finally {
            pool.shutdownNow();
        }
        assertEquals(0, fs.listStatus(new Path("/")).length);
    }

    /** Each step would be answered otherwise if it were executed twice. */
    private void workOnce(Path directory, int number) throws IOException {
        byte[] data = OwnDirectory.bytes(number, 1000);
        Path made = new Path(directory, "made" + number);
        Path moved = new Path(directory, "moved" + number);
        assertTrue(fs.mkdirs(directory));
        try (FSDataOutputStream out = fs.create(made, false)) {
            out.write(data);
        }
        assertTrue(fs.rename(made, moved), "renamed twice, or not at all");
        assertArrayEquals(data, read(moved));
        assertTrue(fs.delete(moved, false), "deleted twice, or not at all");
        assertTrue(fs.delete(directory, false));
    }

    private static void awaitRounds(List<Future<?>> work, AtomicInteger rounds, int enough) throws Exception {
        while (rounds.get() < enough) {
            for (Future<?> each : work) {
                if (each.isDone()) {
                    each.get(); // throws what went wrong
                }
            }
            Thread.onSpinWait();
        }
    }

    @Test
    void without_a_server_the_error_names_the_address() throws Exception {
        giveUpSoon();
        server.kill();
        SocketTimeoutException gone = assertThrows(SocketTimeoutException.class, () -> fs.exists(FILE));
        assertTrue(String.valueOf(gone.getMessage()).contains(":" + server.uri().getPort()), gone.getMessage());
        server.restart();
        assertEquals(0, fs.listStatus(new Path("/")).length);
    }
}
