package io.hmfs.trials.quickstart;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.FileSystems;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;

/**
 * A real directory tree that every machine with a JDK has: the public classes of {@code java.base}, read from the runtime image,
 * and the files of the JDK's {@code conf}, {@code include}, {@code legal} and {@code lib}.
 */
final class JavaRuntimeTree {
    /** The image itself and the sources are left out: two files of a hundred megabytes say less than thousands. */
    private static final long FILE_SIZE_MAX = 32L << 20;

    private static final List<String> DIRECTORIES = List.of("conf", "include", "legal", "lib");

    private JavaRuntimeTree() {}

    /** Copies it to {@code target}, and tells {@code expected} what must be found under {@code remote}. */
    static void copy(Path target, String remote, Expected expected) throws IOException {
        Path home = Path.of(System.getProperty("java.home"));
        Files.createDirectories(target);
        expected.addDirectory(remote);
        Copier copier = new Copier(target, remote, expected);
        copier.directory("classes");
        Path classes = FileSystems.getFileSystem(URI.create("jrt:/")).getPath("/modules/java.base/java");
        copier.tree(classes, "classes/java");
        for (String name : DIRECTORIES) {
            if (Files.isDirectory(home.resolve(name))) {
                copier.tree(home.resolve(name), name);
            }
        }
    }

    private static final class Copier {
        private final Path target;
        private final String remote;
        private final Expected expected;

        Copier(Path target, String remote, Expected expected) {
            this.target = target;
            this.remote = remote;
            this.expected = expected;
        }

        void directory(String name) throws IOException {
            Files.createDirectories(target.resolve(name));
            expected.addDirectory(remote + "/" + name);
        }

        void tree(Path source, String name) throws IOException {
            Files.walkFileTree(source, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult preVisitDirectory(Path path, BasicFileAttributes attributes) throws IOException {
                    directory(nameOf(path));
                    return FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult visitFile(Path path, BasicFileAttributes attributes) throws IOException {
                    // Links are followed one by one: the legal texts of a module are links to those of java.base.
                    if (Files.isRegularFile(path) && Files.isReadable(path) && Files.size(path) <= FILE_SIZE_MAX) {
                        file(path, nameOf(path));
                    }
                    return FileVisitResult.CONTINUE;
                }

                private String nameOf(Path path) {
                    String relative = source.relativize(path).toString();
                    return relative.isEmpty() ? name : name + "/" + relative;
                }
            });
        }

        private void file(Path source, String name) throws IOException {
            Path copy = target.resolve(name);
            Files.copy(source, copy);
            copy.toFile().setWritable(true);
            try (InputStream in = Files.newInputStream(copy, LinkOption.NOFOLLOW_LINKS)) {
                expected.addFile(remote + "/" + name, new Expected.Content(Files.size(copy), Digests.of(in)));
            }
        }
    }
}
