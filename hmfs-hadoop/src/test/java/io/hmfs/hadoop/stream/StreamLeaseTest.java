package io.hmfs.hadoop.stream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.hadoop.CountingLine;
import io.hmfs.hadoop.OwnDirectory;
import io.hmfs.hadoop.TestServerProcess;
import java.io.FileNotFoundException;
import java.io.IOException;
import org.apache.hadoop.HadoopIllegalArgumentException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LeaseRecoverable;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.protocol.AlreadyBeingCreatedException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Goal: one writer for a file, and recovery that ends its lease, as programs know it from HDFS. Method: two filesystems,
 * that is two clients, on one path.
 */
class StreamLeaseTest extends OwnDirectory {
    private final Path path = new Path(directory, "log");

    @SuppressWarnings("NullAway.Init")
    private FileSystem other;

    @BeforeEach
    void openOther() throws IOException {
        other = FileSystem.newInstance(TestServerProcess.shared().uri(), new Configuration());
    }

    @AfterEach
    void closeOther() throws IOException {
        other.close();
    }

    private boolean isClosed() throws IOException {
        return ((LeaseRecoverable) other).isFileClosed(path);
    }

    @Test
    void a_file_that_is_written_is_neither_appended_to_nor_cut() throws IOException {
        FSDataOutputStream out = fs.create(path);
        out.write(bytes(1, 10));
        out.hflush();
        assertFalse(isClosed());
        for (FileSystem each : new FileSystem[] {fs, other}) {
            String message = String.valueOf(assertThrows(AlreadyBeingCreatedException.class, () -> each.append(path))
                    .getMessage());
            assertTrue(
                    message.startsWith("Failed to APPEND_FILE " + path.toUri().getPath() + " for "), message);
            assertTrue(message.contains(" because this file lease is currently owned by "), message);
            assertThrows(AlreadyBeingCreatedException.class, () -> each.truncate(path, 3));
        }
        Path source = write("source", bytes(2, 5));
        assertThrows(AlreadyBeingCreatedException.class, () -> other.concat(path, new Path[] {source}));
        assertThrows(HadoopIllegalArgumentException.class, () -> other.concat(source, new Path[] {path}));
        out.close();
        assertTrue(isClosed());
        assertTrue(other.truncate(path, 3));
        other.append(path).close();
        other.concat(path, new Path[] {source});
        assertEquals(8, fs.getFileStatus(path).getLen());
    }

    @Test
    void what_a_reader_sees_after_recovery_stays_so() throws IOException {
        FSDataOutputStream out = fs.create(path);
        out.write(bytes(1, 1_000));
        out.hflush();
        out.write(bytes(2, 1_000));
        assertTrue(((LeaseRecoverable) other).recoverLease(path));
        assertTrue(isClosed());
        assertEquals(1_000, other.getFileStatus(path).getLen());
        try (FSDataOutputStream next = other.append(path)) {
            next.write(bytes(3, 1_000));
            next.hflush();
            IOException lost = assertThrows(IOException.class, out::hflush);
            assertTrue(lost.toString().contains("the lease on the file was taken by another client"), lost.toString());
            assertFalse(isClosed(), "it is the other one's now");
        }
        assertThrows(IOException.class, out::close);
        assertTrue(isClosed());
        byte[] whole = read(path);
        assertEquals(2_000, whole.length);
        assertArrayEquals(bytes(1, 1_000), java.util.Arrays.copyOf(whole, 1_000));
        assertArrayEquals(bytes(3, 1_000), java.util.Arrays.copyOfRange(whole, 1_000, 2_000));
    }

    @Test
    void whoever_replaces_a_file_takes_it_over() throws IOException {
        FSDataOutputStream out = fs.create(path);
        out.write(bytes(1, 10));
        try (FSDataOutputStream next = other.create(path, true)) {
            next.write(bytes(2, 10));
            assertThrows(FileNotFoundException.class, out::hflush);
            assertThrows(IOException.class, out::close);
            assertFalse(isClosed());
        }
        assertArrayEquals(bytes(2, 10), read(path));
    }

    @Test
    void a_file_that_is_gone_is_missed_and_not_its_lease() throws IOException {
        for (boolean flushed : new boolean[] {false, true}) {
            FSDataOutputStream out = fs.create(path);
            out.write(bytes(1, 10));
            if (flushed) {
                out.hflush();
                out.write(1);
            }
            assertTrue(other.delete(path, false));
            assertThrows(FileNotFoundException.class, out::hflush);
            assertThrows(FileNotFoundException.class, out::close);
        }
        FSDataOutputStream out = fs.create(path);
        out.write(bytes(1, 3 * CHUNK));
        assertTrue(other.delete(path, false));
        assertThrows(FileNotFoundException.class, () -> {
            for (int i = 0; i < 1_000; i++) {
                out.write(bytes(1, CHUNK));
            }
        });
        assertThrows(FileNotFoundException.class, out::close);
    }

    @Test
    void a_stream_that_lost_its_lease_asks_once_what_has_become_of_its_file() throws IOException {
        try (CountingLine line = new CountingLine(other.getUri(), false);
                FileSystem writer = FileSystem.newInstance(line.uri(), new Configuration())) {
            FSDataOutputStream out =
                    writer.create(new Path(line.uri() + path.toUri().getPath()));
            assertTrue(((LeaseRecoverable) other).recoverLease(path));
            out.write(bytes(1, 10));
            int before = line.looks();
            assertThrows(IOException.class, out::hflush);
            assertEquals(before + 1, line.looks());
            assertThrows(IOException.class, out::hflush);
            assertThrows(IOException.class, out::close);
            assertEquals(before + 1, line.looks());
        }
    }

    @Test
    void a_stream_that_ends_lets_go_however_it_ends() throws IOException {
        fs.create(path).close();
        assertTrue(((LeaseRecoverable) fs).isFileClosed(path));
        FSDataOutputStream aborted = fs.append(path);
        aborted.abort();
        fs.append(path).close();
        FSDataOutputStream flushed = fs.append(path);
        flushed.write(1);
        flushed.hflush();
        flushed.close();
        assertTrue(isClosed(), "at once, for all clients");
        FSDataOutputStream moved = fs.append(path);
        moved.write(1);
        Path there = new Path(directory, "moved");
        assertTrue(fs.rename(path, there));
        moved.close();
        assertTrue(((LeaseRecoverable) other).isFileClosed(there));
    }
}
