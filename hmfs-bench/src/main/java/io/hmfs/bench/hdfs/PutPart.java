package io.hmfs.bench.hdfs;

import io.hmfs.bench.process.StepException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.apache.hadoop.fs.ContentSummary;

/** {@code -put} of a directory with small files, a hundred to a directory. */
public final class PutPart implements Part {
    private static final int FILES_OF_DIRECTORY = 100;
    private static final int SMALL = 3000; // bytes of the longest

    private final Path source;
    private final int files;
    private long bytes;

    /** Makes the files below a directory that is not there yet. */
    public PutPart(Path source, int files) throws IOException {
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
        Shell.Ran put = Shell.run(side, "-put", source.toUri().toString(), target.toString());
        ContentSummary there = side.files().getContentSummary(target);
        if (there.getFileCount() != files || there.getLength() != bytes) {
            throw new StepException("-put left " + there.getFileCount() + " files of " + there.getLength()
                    + " bytes, not " + files + " of " + bytes + " on " + side.name());
        }
        figures.add("put", "ms", put.millis());
        side.files().delete(target, true);
    }
}
