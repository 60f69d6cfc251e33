package io.hmfs.trials.acknowledged;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Stream;

/**
 * What was acknowledged: a directory for each run, {@code run-0001}, with a file for each worker that holds how many of its operations were
 * answered. A count is written in one call, so that a reader after the death of the writer finds the old or the new one.
 */
final class AcknowledgedCounts {
    private static final String RUN = "run-";

    private final Path directory;

    AcknowledgedCounts(Path directory) throws IOException {
        this.directory = Files.createDirectories(directory);
    }

    /** The runs so far, in their order. */
    List<String> runs() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> String.valueOf(file.getFileName()))
                    .filter(name -> name.startsWith(RUN))
                    .sorted()
                    .toList();
        }
    }

    /** The name of the run that comes after these. */
    String next() throws IOException {
        return RUN + "%04d".formatted(runs().size() + 1);
    }

    /** Begins the record of a run. */
    void begin(String run) throws IOException {
        Files.createDirectory(directory.resolve(run));
    }

    /** The operations of a worker that were answered. */
    long acknowledged(String run, int worker) throws IOException {
        Path file = file(run, worker);
        String text = Files.exists(file) ? Files.readString(file).strip() : "";
        return text.isEmpty() ? 0 : Long.parseLong(text);
    }

    /** Opens the count of a worker. */
    FileChannel open(String run, int worker) throws IOException {
        return FileChannel.open(file(run, worker), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    }

    static void write(FileChannel count, long acknowledged) throws IOException {
        ByteBuffer bytes = StandardCharsets.US_ASCII.encode("%012d\n".formatted(acknowledged));
        int length = bytes.remaining();
        if (count.write(bytes, 0) != length) {
            throw new IOException("a count was written in part");
        }
    }

    /** Tells a script that waits for it that all workers of the run have begun. */
    void loading(String run) throws IOException {
        Files.writeString(directory.resolve("loading"), run + "\n");
    }

    private Path file(String run, int worker) {
        return directory.resolve(run).resolve("w%02d".formatted(worker));
    }
}
