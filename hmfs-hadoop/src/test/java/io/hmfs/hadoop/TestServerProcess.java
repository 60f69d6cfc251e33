package io.hmfs.hadoop;

import io.hmfs.client.ChildClasses;
import io.hmfs.client.StablePort;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.util.ShutdownHookManager;
import org.jspecify.annotations.Nullable;

/**
 * An HMFS server that tests talk to: a process on the JDK that {@code hmfs.java25} names, for the tests may run on
 * 17.
 */
public final class TestServerProcess implements AutoCloseable {
    /** Small blocks and chunks, so that small files cross both. */
    public static final long BLOCK_SIZE = 1 << 20;

    public static final int CHUNK_SIZE = 64 << 10;

    /** Lines of its log that a failure to start shows. */
    private static final int LAST = 30;

    private static final Object SHARED_LOCK = new Object();
    private static @Nullable TestServerProcess shared;

    private final Path directory;
    private final String dataStore;
    private final StablePort port = StablePort.claim();
    private Process process;

    private TestServerProcess(Path directory, String dataStore) throws IOException {
        this.directory = directory;
        this.dataStore = dataStore;
        this.process = launch();
        awaitStarted();
    }

    /** A server on a new pool with the builtin data store. */
    public static TestServerProcess start() throws IOException {
        return new TestServerProcess(newDirectory(), "builtin");
    }

    /** A server on a new pool whose data goes to a local directory through Hadoop. */
    public static TestServerProcess startWithHadoopStore() throws IOException {
        Path directory = newDirectory();
        return new TestServerProcess(
                directory,
                Files.createDirectory(directory.resolve("objects")).toUri().toString());
    }

    /** A server on a new pool that announces this data store. */
    public static TestServerProcess startWithStore(String dataStore) throws IOException {
        return new TestServerProcess(newDirectory(), dataStore);
    }

    /** The one that most tests share; it ends with this JVM. */
    public static TestServerProcess shared() throws IOException {
        synchronized (SHARED_LOCK) {
            TestServerProcess server = shared;
            if (server == null) {
                server = start();
                shared = server;
                // Behind Hadoop's own, which closes the filesystems: streams that a program left open are committed.
                ShutdownHookManager.get()
                        .addShutdownHook(server::close, FileSystem.SHUTDOWN_HOOK_PRIORITY - 1, 70, TimeUnit.SECONDS);
            }
            return server;
        }
    }

    private static Path newDirectory() throws IOException {
        return Files.createTempDirectory("hmfs-test");
    }

    private Process launch() throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("hmfs.java25", System.getProperty("java.home")), "bin", "java")
                .toString());
        command.addAll(List.of(
                "-ea",
                "--enable-native-access=ALL-UNNAMED",
                "-Xmx256m",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC"));
        command.addAll(ChildClasses.flags());
        command.addAll(List.of(
                TestServerMain.class.getName(),
                directory.resolve("pool").toString(),
                Integer.toString(port.number()),
                dataStore,
                Long.toString(BLOCK_SIZE),
                Integer.toString(CHUNK_SIZE)));
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.appendTo(log().toFile()))
                .start();
    }

    private Path log() {
        return directory.resolve("server.log");
    }

    private void awaitStarted() throws IOException {
        BufferedReader out = process.inputReader();
        String line = out.readLine();
        while (line != null && !line.equals(TestServerMain.STARTED)) {
            line = out.readLine();
        }
        if (line == null) {
            throw new IOException("the server did not start: " + lastOf(log()));
        }
    }

    /** What it said last, in one line, as a table of failures shows only the first of a message. */
    private static String lastOf(Path log) throws IOException {
        List<String> lines = Files.readAllLines(log);
        return String.join(" | ", lines.subList(Math.max(0, lines.size() - LAST), lines.size()));
    }

    public URI uri() {
        return URI.create("hmfs://localhost:" + port.number());
    }

    /** Where the Hadoop store keeps its objects. */
    public Path objects() {
        return directory.resolve("objects");
    }

    /** Where the builtin store keeps its objects. */
    public Path builtinObjects() {
        return directory.resolve("pool.data");
    }

    /** SIGKILL, and wait for the end. */
    public void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    /** SIGTERM, and wait for the end. */
    public void terminate() throws InterruptedException {
        process.destroy();
        process.waitFor();
    }

    /** Starts it again after {@link #kill} or {@link #terminate}, on the same pool and port. */
    public void restart() throws IOException {
        process = launch();
        awaitStarted();
    }

    @Override
    public void close() {
        port.close();
        try {
            process.getOutputStream().close();
            if (!process.waitFor(60, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor(); // or it would still make files in there
            }
            try (Stream<Path> files = Files.walk(directory)) {
                for (Path file : files.sorted((a, b) -> b.compareTo(a)).toList()) {
                    Files.deleteIfExists(file);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(Objects.toString(directory), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
