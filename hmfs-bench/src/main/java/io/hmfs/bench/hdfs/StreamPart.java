package io.hmfs.bench.hdfs;

import io.hmfs.bench.process.StepException;
import java.nio.ByteBuffer;
import java.util.Random;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** One large file, written with an hflush before its close, and read from its begin to its end. */
public final class StreamPart implements Part {
    private static final int PIECE = 1 << 20;

    private final int pieces;

    /** A file of so many MiB. */
    public StreamPart(int megabytes) {
        pieces = megabytes;
    }

    @Override
    public void round(Side side, int round, Figures figures) throws Exception {
        FileSystem files = side.files();
        Path file = side.path("/stream-" + pieces + "-" + round);
        byte[] piece = new byte[PIECE];
        new Random(pieces).nextBytes(piece);
        ByteBuffer number = ByteBuffer.wrap(piece);
        long start = System.nanoTime();
        try (FSDataOutputStream out = files.create(file, false)) {
            for (int i = 0; i < pieces; i++) {
                number.putInt(0, i);
                out.write(piece);
            }
            out.hflush();
        }
        figures.add("write", "MiB/s", pieces * 1e9 / (System.nanoTime() - start));
        start = System.nanoTime();
        try (FSDataInputStream in = files.open(file)) {
            for (int i = 0; i < pieces; i++) {
                in.readFully(piece);
                if (number.getInt(0) != i) {
                    throw new StepException("MiB " + i + " is another on " + side.name());
                }
            }
            if (in.read() != -1) {
                throw new StepException("the file is longer than what was written on " + side.name());
            }
        }
        figures.add("read", "MiB/s", pieces * 1e9 / (System.nanoTime() - start));
        files.delete(file, false);
    }
}
