package io.hmfs.hadoop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;

/**
 * Goal: a filesystem that did not open leaves nothing behind, and one that is closed stays so.
 * Method: every way in which opening fails, and the threads that are there afterwards; calls before opening and after
 * closing.
 */
class FileSystemLifecycleTest {
    private static final long ENDS_SECONDS_MAX = 60;

    private static Set<Thread> clientThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("hmfs-"))
                .collect(Collectors.toSet());
    }

    /** Each connection has a thread, which ends with it. */
    private static void failsWithoutALeak(URI address, Configuration conf) throws InterruptedException {
        Set<Thread> before = clientThreads();
        assertThrows(IOException.class, () -> FileSystem.newInstance(address, conf));
        Set<Thread> left = new HashSet<>(clientThreads());
        left.removeAll(before);
        for (Thread thread : left) {
            thread.join(TimeUnit.SECONDS.toMillis(ENDS_SECONDS_MAX));
            assertFalse(thread.isAlive(), thread.getName());
        }
    }

    @Test
    void nothing_is_left_of_a_filesystem_that_did_not_open() throws Exception {
        Configuration wrong = new Configuration();
        wrong.set("fs.hmfs.request.timeout", "soon");
        failsWithoutALeak(TestServerProcess.shared().uri(), wrong);
        int free;
        try (ServerSocket socket = new ServerSocket(0)) {
            free = socket.getLocalPort();
        }
        failsWithoutALeak(URI.create("hmfs://localhost:" + free), new Configuration());
        try (TestServerProcess server = TestServerProcess.startWithStore("nosuch://store/")) {
            failsWithoutALeak(server.uri(), new Configuration());
        }
    }

    @Test
    void closing_again_does_nothing_and_a_closed_filesystem_says_so() throws IOException {
        FileSystem fs = FileSystem.newInstance(TestServerProcess.shared().uri(), new Configuration());
        Path path = new Path("/lifecycle-" + System.nanoTime());
        FSDataOutputStream open = fs.create(path);
        open.write(1);
        assertTrue(fs.deleteOnExit(path));
        fs.close();
        fs.close();
        IOException closed = assertThrows(IOException.class, () -> fs.getFileStatus(path));
        assertEquals("Filesystem closed", closed.getMessage());
        try (FileSystem other =
                FileSystem.newInstance(TestServerProcess.shared().uri(), new Configuration())) {
            assertFalse(other.exists(path));
        }
    }

    @Test
    void scheme_and_address_are_told_before_opening_and_after_closing() throws IOException {
        HmfsFileSystem fs = new HmfsFileSystem();
        assertEquals("hmfs", fs.getScheme());
        assertEquals("hmfs", fs.getUri().getScheme());
        fs.close();
        assertEquals("hmfs", fs.getScheme());
        fs.initialize(TestServerProcess.shared().uri(), new Configuration());
        fs.close();
        assertEquals("hmfs", fs.getScheme());
        assertEquals(TestServerProcess.shared().uri(), fs.getUri());
    }
}
