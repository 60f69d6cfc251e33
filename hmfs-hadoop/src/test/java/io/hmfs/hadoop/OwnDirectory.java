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
public abstract class OwnDirectory {
    protected static final int BLOCK = (int) TestServerProcess.BLOCK_SIZE;
    protected static final int CHUNK = TestServerProcess.CHUNK_SIZE;

    protected final Path directory = new Path("/files-" + System.nanoTime());

    @SuppressWarnings("NullAway.Init")
    protected FileSystem fs;

    @BeforeEach
    protected void open() throws IOException {
        fs = FileSystem.newInstance(TestServerProcess.shared().uri(), new Configuration());
        fs.mkdirs(directory);
    }

    @AfterEach
    protected void close() throws IOException {
        fs.delete(directory, true);
        fs.close();
    }

    public static byte[] bytes(int seed, int length) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    protected Path write(String name, byte[] data) throws IOException {
        Path path = new Path(directory, name);
        try (FSDataOutputStream out = fs.create(path)) {
            out.write(data);
        }
        return path;
    }

    protected byte[] read(Path path) throws IOException {
        try (FSDataInputStream in = fs.open(path)) {
            return in.readAllBytes();
        }
    }
}
