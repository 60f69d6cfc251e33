package io.hmfs.bench.hdfs;

import io.hmfs.bench.process.StepException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.Set;
import org.apache.hadoop.fs.ContentSummary;

/** {@code -put} of a directory with small files, a hundred to a directory; if asked for, {@code -cp} and {@code -get} of what was put. */
public final class PutPart implements Part {
    private static final int FILES_OF_DIRECTORY = 100;
    private static final int SMALL = 3000; // bytes of the longest

    private final Path source;
    private final int files;
    private final Set<HdfsOp> ops;
    private long bytes;

    /** Makes the files below a directory that is not there yet. */
    PutPart(Path source, int files, Set<HdfsOp> ops) throws IOException {
        this.ops = ops;
        this.source = source;
        this.files = files;
        byte[] content = new byte[SMALL];
        new Random(files).nextBytes(content);
        for (int i = 0; i < files; i++) {
            Path directory = source.resolve("d" + i / FILES_OF_DIRECTORY);
            if (i % FILES_OF_DIRECTORY == 0) {
                Files.createDirectories(directory);
            }
            byte[] part = Arrays.copyOf(content, i * 977 % SMALL);
            Files.write(directory.resolve("f" + i), part);
            bytes += part.length;
        }
    }

    @Override
    public void round(Side side, int round, Figures figures) throws Exception {
        org.apache.hadoop.fs.Path target = side.path("/put-" + files + "-" + round);
        double put = copy(side, "-put", source.toUri().toString(), target);
        if (ops.contains(HdfsOp.PUT)) {
            figures.add("put", "ms", put);
        }
        if (ops.contains(HdfsOp.CP)) {
            org.apache.hadoop.fs.Path copy = target.suffix("-copy");
            figures.add("cp", "ms", copy(side, "-cp", target.toString(), copy));
            side.files().delete(copy, true);
        }
        if (ops.contains(HdfsOp.GET)) {
            org.apache.hadoop.fs.Path back = new org.apache.hadoop.fs.Path(
                    source.resolveSibling("got-" + files + "-" + round).toUri());
            figures.add("get", "ms", copy(side, "-get", target.toString(), back));
            back.getFileSystem(side.conf()).delete(back, true);
        }
        side.files().delete(target, true);
    }

    /** The milliseconds that a command took; fails if not all files are there. */
    private double copy(Side side, String command, String from, org.apache.hadoop.fs.Path to) throws Exception {
        Shell.Ran ran = Shell.run(side, command, from, to.toString());
        ContentSummary there = to.getFileSystem(side.conf()).getContentSummary(to);
        if (there.getFileCount() != files || there.getLength() != bytes) {
            throw new StepException(command + " left " + there.getFileCount() + " files of " + there.getLength()
                    + " bytes, not " + files + " of " + bytes + " on " + side.name());
        }
        return ran.millis();
    }
}
