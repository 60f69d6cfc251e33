package io.hmfs.server;

import io.hmfs.client.ChildClasses;
import io.hmfs.core.FormatOptions;
import io.hmfs.core.Hmfs;
import io.hmfs.core.pmem.Backing;
import io.hmfs.core.pmem.Persistence;
import io.hmfs.core.pmem.log.LogOptions;
import io.hmfs.server.admin.Main;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A server as a process of its own, that is killed; and a memory for its pool, that is lost. The log is on a disk. */
public final class ServerMachine implements AutoCloseable {
    /** Its superuser. */
    public static final String USER = "alice";

    private static final Path MEMORY = Path.of("/dev/shm");
    private static final String LOG = "log";
    private static final String BOOTED = "mount --bind \"$0\" /proc/sys/kernel/random/boot_id && exec \"$@\"";
    private static final int PORT = 12_020; // below those that connecting clients are given: one could meet itself

    private final Path memory;
    private final Path disk;
    private final Persistence mode;
    private final List<String> prefix;
    private final String host;
    private final Path errors;
    private final List<String> more;
    private @Nullable Process process;

    /** {@code prefix}: a command that runs another one where the server is to be. */
    public ServerMachine(Path disk, Persistence mode, List<String> prefix, String host) throws IOException {
        this(disk, disk, disk, mode, prefix, host, List.of());
    }

    /** A server in mode logged on a disk that lies, of a machine that seems to boot again when the power was cut; {@code more}: settings. */
    static ServerMachine onLyingDisk(LyingDisk disk, Path directory, List<String> more) throws IOException {
        Path boot = directory.resolve("boot-id");
        List<String> prefix = List.of("unshare", "--mount", "sh", "-c", BOOTED, boot.toString());
        ServerMachine machine = new ServerMachine(
                disk.path(), disk.backing(), directory, Persistence.LOGGED, prefix, ownAddress(), more);
        Files.writeString(boot, UUID.randomUUID() + "\n");
        return machine;
    }

    /** {@code formatted}: where the disk is without a filesystem that cannot be mapped, as a format does with an image. */
    private ServerMachine(
            Path disk,
            Path formatted,
            Path directory,
            Persistence mode,
            List<String> prefix,
            String host,
            List<String> more)
            throws IOException {
        memory = Files.isWritable(MEMORY)
                ? Files.createTempDirectory(MEMORY, "hmfs-machine")
                : directory.resolve("memory");
        Files.createDirectories(memory);
        this.disk = disk;
        this.mode = mode;
        this.prefix = List.copyOf(prefix);
        this.host = host;
        this.more = List.copyOf(more);
        errors = directory.resolve("server.err");
        LogOptions log = mode == Persistence.LOGGED
                ? LogOptions.in(formatted.resolve(LOG)).withOnVolatile(true)
                : null;
        Hmfs.format(pool(), new FormatOptions(FormatOptions.SIZE_MIN, Backing.MAPPED, false, log));
    }

    /** A loopback address that no other server has, so that none takes its place while it is down. */
    public static String ownAddress() {
        Random random = new Random();
        return "127.%d.%d.%d".formatted(1 + random.nextInt(254), random.nextInt(256), 1 + random.nextInt(254));
    }

    private Path pool() {
        return memory.resolve("pool");
    }

    private Path log() {
        return disk.resolve(LOG);
    }

    public String host() {
        return host;
    }

    public int port() {
        return PORT;
    }

    /** Starts the server and waits until it answers. */
    public void start() throws IOException {
        begin();
        awaitStarted();
    }

    /** Starts the server. */
    void begin() throws IOException {
        Files.deleteIfExists(errors);
        List<String> command = new ArrayList<>(prefix);
        command.addAll(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-ea",
                "-Xmx256m",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow"));
        command.addAll(ChildClasses.flags());
        command.addAll(List.of(Served.class.getName(), "server"));
        set(command, "pool", pool());
        set(command, "host", host);
        set(command, "port", PORT);
        set(command, "persistence", mode.name().toLowerCase(Locale.ROOT));
        set(command, "event-loops", 2);
        set(command, "superuser", USER);
        set(command, "group-source", "static");
        if (mode == Persistence.LOGGED) {
            set(command, "log-directory", log());
            set(command, "emulate-pmem", true); // where the disk is in memory too
            set(command, "log-segment", "64K"); // many are folded
            set(command, "log-max", "256K");
        }
        command.addAll(more);
        Process started = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.appendTo(errors.toFile()))
                .start();
        process = started;
    }

    /** Waits until the server answers. Throws if it ends before, with what it said. */
    void awaitStarted() throws IOException {
        BufferedReader said = running().inputReader();
        for (String line = said.readLine(); ; line = said.readLine()) {
            if (line == null) {
                throw new IOException("the server did not start: " + errors());
            }
            if (line.strip().startsWith("stop ")) { // the last line of what a start says
                return;
            }
        }
    }

    private static void set(List<String> command, String setting, Object value) {
        command.add("--" + setting + "=" + value);
    }

    private Process running() {
        Process running = process;
        if (running == null) {
            throw new IllegalStateException("no server runs");
        }
        return running;
    }

    /** What the server has said on its errors' stream since it was started. */
    String errors() {
        try {
            return Files.readString(errors);
        } catch (IOException e) {
            return e.toString();
        }
    }

    boolean isAlive() {
        Process running = process;
        return running != null && running.isAlive();
    }

    /** Waits for the server to end by itself; its exit code. */
    int awaitEnd() throws InterruptedException {
        int code = running().waitFor();
        process = null;
        return code;
    }

    /**
     * SIGKILL, whether the server has ended or not, and the power of its disk is cut; memory goes, too. A process that waits for the disk ends only when
     * that answers.
     */
    String cutPower(LyingDisk lying, long seed) throws IOException, InterruptedException {
        Process known = process;
        process = null;
        if (known != null) {
            known.toHandle().destroyForcibly();
        }
        String lost = lying.cut(seed);
        if (known != null) {
            known.waitFor();
        }
        lying.powerOn();
        Files.writeString(errors.resolveSibling("boot-id"), UUID.randomUUID() + "\n");
        loseMemory();
        return lost;
    }

    /** SIGKILL; returns when the process is gone. If it was gone before, that was not asked for. */
    public void kill() throws IOException {
        end(ProcessHandle::destroyForcibly);
    }

    /** SIGTERM: the server stops cleanly, or it is an error. */
    public void stop() throws IOException {
        int code = end(ProcessHandle::destroy);
        if (code != 0) {
            throw new IOException("a clean stop ended with " + code + ": " + errors());
        }
    }

    /** Returns the exit code. */
    private int end(Consumer<ProcessHandle> signal) throws IOException {
        Process running = running();
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
    public void loseMemory() throws IOException {
        try (Stream<Path> files = Files.list(memory)) {
            for (Path each : files.toList()) {
                Files.delete(each);
            }
        }
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
