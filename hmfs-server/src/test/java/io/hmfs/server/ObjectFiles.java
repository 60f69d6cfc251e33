package io.hmfs.server;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The objects of a builtin data store, as a test sees them from outside while the server may be removing some. */
final class ObjectFiles {
    private ObjectFiles() {}

    /** The names of those that are there, sorted; one that goes during the look may be among them or not. */
    static List<String> in(Path dataDirectory) throws IOException {
        List<String> names = new ArrayList<>();
        Files.walkFileTree(dataDirectory, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                String name = file.getFileName().toString();
                if (name.contains("-")) {
                    names.add(name.replace(".v1", ""));
                }
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
                return gone(file, e);
            }

            @Override
            public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException e) throws IOException {
                return e == null ? FileVisitResult.CONTINUE : gone(directory, e);
            }

            private FileVisitResult gone(Path path, IOException e) throws IOException {
                if (e instanceof NoSuchFileException && !path.equals(dataDirectory)) {
                    return FileVisitResult.CONTINUE;
                }
                throw e;
            }
        });
        names.sort(null);
        return names;
    }
}
