package io.hmfs.core.pmem.log;

import io.hmfs.core.pmem.OwnFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/** Names and handling of the files of a log: those of its directory, and the ring. */
final class LogFiles {
    /** Locked by the process that uses the directory. */
    static final String LOCK = "lock";

    static final String CONTROL = "control";
    static final String IMAGE = "image";

    /** Sums of the image's pages. */
    static final String SUMS = "image.sums";

    /** What a fold makes of them. */
    static final String FOLDING = "image.folding";

    private static final Pattern SEGMENT = Pattern.compile("log-[0-9a-f]{16}");

    private LogFiles() {}

    /** Where the part of the log that is in memory stands: beside the pool. */
    static Path ring(Path pool) {
        return pool.resolveSibling(pool.getFileName() + ".ring");
    }

    /** The log file whose first record has this number. */
    static Path segment(Path directory, long firstLsn) {
        return directory.resolve(String.format(Locale.ROOT, "log-%016x", firstLsn));
    }

    static long firstLsn(Path segment) {
        return Long.parseUnsignedLong(segment.getFileName().toString().substring(4), 16);
    }

    /** All log files, in order. */
    static List<Path> segments(Path directory) throws IOException {
        List<Path> found = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
            for (Path file : files) {
                if (SEGMENT.matcher(file.getFileName().toString()).matches()) {
                    found.add(file);
                }
            }
        }
        found.sort(null);
        return found;
    }

    /** Opens a file for writing, making it for this user alone: names of files stand in there. */
    static FileChannel openToWrite(Path path, boolean empty) throws IOException {
        Set<OpenOption> options =
                new HashSet<>(List.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS));
        if (empty) {
            options.add(StandardOpenOption.TRUNCATE_EXISTING);
        }
        return FileChannel.open(path, options, OwnFiles.file());
    }

    /** Writes all of a buffer. */
    static void write(FileChannel file, ByteBuffer buffer, long at) throws IOException {
        long to = at;
        while (buffer.hasRemaining()) {
            to += file.write(buffer, to);
        }
    }

    /** Reads until a buffer is full; behind the file's end there are zeros. */
    static void read(FileChannel file, ByteBuffer buffer, long at) throws IOException {
        int start = buffer.position();
        while (buffer.hasRemaining()) {
            if (file.read(buffer, at + buffer.position() - start) < 0) {
                buffer.put((byte) 0);
            }
        }
    }

    /** Makes the entries of a directory durable. */
    static void sync(Path directory) throws IOException {
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }
}
