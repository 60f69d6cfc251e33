package io.hmfs.hadoop;

import java.io.IOException;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A filesystem on the shared server, and a directory of its own for each test. */
abstract class OwnDirectory {
    static final int BLOCK = (int) ServerProcess.BLOCK_SIZE;
    static final int CHUNK = ServerProcess.CHUNK_SIZE;

    final Path directory = new Path("/files-" + System.nanoTime());

    @SuppressWarnings("NullAway.Init")
    FileSystem fs;

    @BeforeEach
    void open() throws IOException {
        fs = FileSystem.newInstance(ServerProcess.shared().uri(), new Configuration());
        fs.mkdirs(directory);
    }

    @AfterEach
    void close() throws IOException {
        fs.delete(directory, true);
        fs.close();
    }

    static byte[] bytes(int seed, int length) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    Path write(String name, byte[] data) throws IOException {
        Path path = new Path(directory, name);
        try (FSDataOutputStream out = fs.create(path)) {
            out.write(data);
        }
        return path;
    }

    byte[] read(Path path) throws IOException {
        try (FSDataInputStream in = fs.open(path)) {
            return in.readAllBytes();
        }
    }
}
