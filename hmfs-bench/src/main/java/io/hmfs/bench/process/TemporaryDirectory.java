package io.hmfs.bench.process;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import org.jspecify.annotations.Nullable;

/** A new directory that goes with all that is in it. */
public final class TemporaryDirectory implements AutoCloseable {
    private static final String PREFIX = "hmfs-bench-";

    private final Path path;

    public TemporaryDirectory(Path parent) throws IOException {
        path = Files.createTempDirectory(parent, PREFIX);
    }

    public Path path() {
        return path;
    }

    @Override
    public void close() throws IOException {
        delete(path);
    }

    /** Removes a directory with all that is in it. */
    public static void delete(Path top) throws IOException {
        Files.walkFileTree(top, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.delete(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path made, @Nullable IOException problem) throws IOException {
                Files.delete(made);
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
