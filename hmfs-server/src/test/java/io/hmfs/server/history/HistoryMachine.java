package io.hmfs.server.history;

import io.hmfs.core.FormatOptions;
import io.hmfs.core.Hmfs;
import io.hmfs.core.pmem.Backing;
import io.hmfs.core.pmem.Persistence;
import io.hmfs.core.pmem.log.LogOptions;
import io.hmfs.server.admin.Main;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A server as a process of its own, that is killed; and a memory for its pool, that is lost. The log is on a disk. */
final class HistoryMachine implements AutoCloseable {
    private static final Path MEMORY = Path.of("/dev/shm");
    private static final int PORT_MIN = 12_000;
    private static final int PORT_SPREAD =
            18_000; // below those that connecting clients are given: one could meet itself
    private static final int PORT_ATTEMPTS_MAX = 100;

    private final Path memory;
    private final Path disk;
    private final Persistence mode;
    private final List<String> prefix;
    private final String host;
    private final int port;
    private final Path errors;
    private @Nullable Process process;

    /** {@code prefix}: a command that runs another one where the server is to be. */
    HistoryMachine(Path disk, Persistence mode, List<String> prefix, String host) throws IOException {
        memory = Files.isWritable(MEMORY) ? Files.createTempDirectory(MEMORY, "hmfs-history") : disk.resolve("memory");
        Files.createDirectories(memory);
        this.disk = disk;
        this.mode = mode;
        this.prefix = List.copyOf(prefix);
        this.host = host;
        port = freePort();
        errors = disk.resolve("server.err");
        LogOptions log = mode == Persistence.LOGGED ? LogOptions.in(log()).withOnVolatile(true) : null;
        Hmfs.format(pool(), new FormatOptions(FormatOptions.SIZE_MIN, Backing.MAPPED, false, log));
    }

    private Path pool() {
        return memory.resolve("pool");
    }

    private Path log() {
        return disk.resolve("log");
    }

    String host() {
        return host;
    }

    int port() {
        return port;
    }

    private static int freePort() throws IOException {
        Random random = new Random();
        for (int attempt = 0; attempt < PORT_ATTEMPTS_MAX; attempt++) {
            int port = PORT_MIN + random.nextInt(PORT_SPREAD);
            try (ServerSocket _ = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                return port;
            } catch (IOException taken) {
                // another one, then
            }
        }
        throw new IOException("no free port from " + PORT_MIN + " on");
    }

    /** Starts the server and waits until it answers. */
    void start() throws IOException {
        List<String> command = new ArrayList<>(prefix);
        command.addAll(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-ea",
                "-Xmx256m",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-cp",
                System.getProperty("java.class.path"),
                Served.class.getName(),
                "server"));
        set(command, "pool", pool());
        set(command, "host", host);
        set(command, "port", port);
        set(command, "persistence", mode.name().toLowerCase(Locale.ROOT));
        set(command, "event-loops", 2);
        set(command, "superuser", Histories.USER);
        set(command, "group-source", "static");
        if (mode == Persistence.LOGGED) {
            set(command, "log-directory", log());
            set(command, "emulate-pmem", true); // where the disk is in memory too
            set(command, "log-segment", "64K"); // many are folded
            set(command, "log-max", "256K");
        }
        Process started = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.appendTo(errors.toFile()))
                .start();
        process = started;
        BufferedReader said = started.inputReader();
        for (String line = said.readLine(); ; line = said.readLine()) {
            if (line == null) {
                throw new IOException("the server did not start: " + Files.readString(errors));
            }
            if (line.strip().startsWith("stop ")) { // the last line of what a start says
                return;
            }
        }
    }

    private static void set(List<String> command, String setting, Object value) {
        command.add("--" + setting + "=" + value);
    }

    /** SIGKILL; returns when the process is gone. If it was gone before, that was not asked for. */
    void kill() throws IOException {
        end(ProcessHandle::destroyForcibly);
    }

    /** SIGTERM: the server stops cleanly, or it is an error. */
    void stop() throws IOException {
        int code = end(ProcessHandle::destroy);
        if (code != 0) {
            throw new IOException("a clean stop ended with " + code + ": " + Files.readString(errors));
        }
    }

    /** Returns the exit code. */
    private int end(Consumer<ProcessHandle> signal) throws IOException {
        Process running = process;
        if (running == null) {
            throw new IllegalStateException("no server runs");
        }
        process = null;
        if (!running.isAlive()) {
            throw new IOException("the server has ended by itself: " + Files.readString(errors));
        }
        signal.accept(running.toHandle()); // the process's own methods would close its input first
        try {
            return running.waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while a server ended", e);
        }
    }

    /** What was in memory is gone: the machine lost its power. */
    void loseMemory() throws IOException {
        Files.delete(pool());
        Files.delete(memory.resolve("pool.ring"));
    }

    @Override
    public void close() throws IOException {
        Process running = process;
        if (running != null) {
            running.destroyForcibly().onExit().join();
        }
        try (Stream<Path> files = Files.walk(memory)) {
            for (Path each : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
    }

    /** The server's process: it ends with the one that has started it. */
    static final class Served {
        private Served() {}

        public static void main(String[] arguments) {
            Thread.ofPlatform().daemon().start(() -> {
                try {
                    while (System.in.read() >= 0) {
                        // nothing is ever written
                    }
                } catch (IOException e) {
                    // the other side is gone too
                }
                Runtime.getRuntime().halt(1);
            });
            Main.main(arguments);
        }
    }
}
