package io.hmfs.hadoop;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.ConnectException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Goal: when the server dies, no write is swallowed and nothing committed is lost, and the same filesystem object works again
 * after a restart. Method: SIGKILL of a server process of its own at chosen moments.
 */
class ServerLossTest {
    private static final Path FILE = new Path("/file");

    @SuppressWarnings("NullAway.Init")
    private ServerProcess server;

    @SuppressWarnings("NullAway.Init")
    private FileSystem fs;

    @BeforeEach
    void start() throws IOException {
        server = ServerProcess.start();
        Configuration conf = new Configuration();
        conf.set("fs.hmfs.connect.timeout", "60s"); // a server that starts on a busy machine takes its time
        fs = FileSystem.newInstance(server.uri(), conf);
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
        byte[] flushed = OwnDirectory.bytes(1, 100_000);
        FSDataOutputStream out = fs.create(FILE);
        out.write(flushed);
        out.hflush();
        server.kill();
        IOException reported = assertThrows(IOException.class, () -> {
            for (int i = 0; i < 1000; i++) {
                out.write(OwnDirectory.bytes(i, ServerProcess.CHUNK_SIZE));
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
        FSDataOutputStream out = fs.create(FILE);
        out.write(OwnDirectory.bytes(1, 10));
        server.kill();
        assertThrows(IOException.class, out::close);
        server.restart();
        assertEquals(0, fs.getFileStatus(FILE).getLen());
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
    void without_a_server_the_error_names_the_address() throws Exception {
        server.kill();
        ConnectException gone = assertThrows(ConnectException.class, () -> fs.exists(FILE));
        assertTrue(String.valueOf(gone.getMessage()).contains(":" + server.uri().getPort()), gone.getMessage());
        server.restart();
        assertEquals(0, fs.listStatus(new Path("/")).length);
    }
}
