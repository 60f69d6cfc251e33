package io.hmfs.server.metrics;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/** A file that is appended to until it is long, then becomes FILE.1, what that was FILE.2, and so on. One thread's. */
final class RollingFile implements AutoCloseable {
    private final Path path;
    private final long sizeMax;
    private final int filesMax;
    private FileChannel file;
    private long size;

    /** Goes on with what is there. {@code filesMax} counts the current file too. */
    RollingFile(Path path, long sizeMax, int filesMax) throws IOException {
        this.path = path;
        this.sizeMax = sizeMax;
        this.filesMax = filesMax;
        file = open();
        size = file.size();
    }

    private FileChannel open() throws IOException {
        return FileChannel.open(path, StandardOpenOption.WRITE, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    /** Appends whole lines. If that fails nothing of them is left, as far as the disk lets that be. */
    void write(ByteBuffer lines) throws IOException {
        if (!file.isOpen()) {
            reopen(); // it could not be, when it was last rolled
        }
        if (size > 0 && size + lines.remaining() > sizeMax) {
            roll();
        }
        try {
            while (lines.hasRemaining()) {
                file.write(lines);
            }
            size = file.position();
        } catch (IOException e) {
            file.truncate(size);
            throw e;
        }
    }

    private void reopen() throws IOException {
        file = open();
        size = file.size();
    }

    private void roll() throws IOException {
        file.close();
        if (!Files.exists(path)) { // it was taken away: the older ones need not make way, and the oldest stays
            reopen();
            return;
        }
        try {
            for (int i = filesMax - 1; i > 0; i--) {
                Path older = i == 1 ? path : numbered(i - 1);
                if (Files.exists(older)) {
                    Files.move(older, numbered(i), StandardCopyOption.REPLACE_EXISTING);
                }
            }
            if (filesMax == 1) {
                Files.delete(path);
            }
        } finally {
            reopen(); // also after a failure: the next lines go there, and rolling is tried again
        }
    }

    private Path numbered(int number) {
        return path.resolveSibling(path.getFileName() + "." + number);
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
