package io.hmfs.bench;

import io.hmfs.bench.load.ServerMain;
import io.hmfs.client.ClientOptions;
import io.hmfs.client.HmfsClient;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A server in a JVM of its own on a new pool, which goes with it. */
final class RemoteServer implements AutoCloseable {
    /** Flags of the JVM of a server, and of the echo that stands beside it. */
    static final List<String> FLAGS = List.of("-Xmx512m");

    private final Path directory;
    private final ChildJvm child;
    private final int port;

    RemoteServer(Path parent, long poolSize, int eventLoops) throws IOException {
        directory = Files.createTempDirectory(parent, "hmfs-bench-");
        try {
            child = ChildJvm.start(
                    ServerMain.class,
                    FLAGS,
                    List.of(
                            directory.resolve("pool").toString(),
                            Long.toString(poolSize),
                            Integer.toString(eventLoops)));
            port = number(child.answer(), "ready ");
        } catch (IOException | RuntimeException e) {
            delete(directory);
            throw e;
        }
    }

    int port() {
        return port;
    }

    HmfsClient connect() throws IOException {
        return HmfsClient.connect("127.0.0.1", port, ClientOptions.defaults());
    }

    /** Bytes used on the server's heap after a full collection. */
    long heapUsed() throws IOException {
        String answer = child.ask(ServerMain.HEAP);
        return Long.parseLong(answer.substring(ServerMain.HEAP.length()).strip());
    }

    /** The number behind a word in a child's answer. */
    static int number(String answer, String word) throws IOException {
        if (!answer.startsWith(word)) {
            throw new IOException("a child JVM said: " + answer);
        }
        return Integer.parseInt(answer.substring(word.length()));
    }

    @Override
    public void close() throws IOException {
        try {
            child.close();
        } finally {
            delete(directory);
        }
    }

    private static void delete(Path root) throws IOException {
        Files.walkFileTree(root, new SimpleFileVisitor<>() {
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
