package io.hmfs.server;

import io.hmfs.client.ChildClasses;
import io.hmfs.client.StablePort;
import io.hmfs.core.FormatOptions;
import io.hmfs.core.Hmfs;
import io.hmfs.core.pmem.Backing;
import io.hmfs.core.pmem.Persistence;
import io.hmfs.core.pmem.log.LogOptions;
import io.hmfs.server.setting.ServerSetting;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A server in a process of its own, which a test can kill. */
final class ServerChild implements AutoCloseable {
    /** The least that a server allows, so that small files have several objects. */
    static final int BLOCK_SIZE = 64 << 10;

    private static final String STARTED = "started";

    /** Lines of its log that a failure to start shows. */
    private static final int LAST = 30;

    /** What the server's JVM is started with. */
    enum Jvm {
        /** For a second or two. */
        SHORT,
        /** For minutes, and for what is measured: as bin/hmfs starts it. */
        LONG;

        private List<String> flags() {
            return this == SHORT
                    ? List.of("-ea", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
                    : List.of("-XX:MaxGCPauseMillis=10");
        }
    }

    private final Path pool;
    private final Persistence persistence;
    private final Jvm jvm;
    private final StablePort port = StablePort.claim();
    private Process process;

    ServerChild(Path pool, Persistence persistence) throws IOException {
        this(pool, persistence, Jvm.SHORT);
    }

    /** {@code jvm}: for how long it lives. */
    ServerChild(Path pool, Persistence persistence, Jvm jvm) throws IOException {
        this.pool = pool;
        this.persistence = persistence;
        this.jvm = jvm;
        process = launch();
        awaitStarted();
    }

    /** On a new pool in this directory, with a log if the mode has one. */
    static ServerChild onNewPool(Path directory, Persistence persistence) throws IOException {
        Path pool = directory.resolve("pool");
        LogOptions log =
                persistence == Persistence.LOGGED ? LogOptions.in(logOf(pool)).withOnVolatile(true) : null;
        Hmfs.format(pool, new FormatOptions(FormatOptions.SIZE_MIN, Backing.MAPPED, false, log));
        return new ServerChild(pool, persistence);
    }

    /** Arguments: pool, mode, port. */
    public static void main(String[] args) throws IOException {
        ServerConfig.Builder config = config(Path.of(args[0]), Persistence.valueOf(args[1]))
                .set(ServerSetting.PORT, Integer.parseInt(args[2]));
        try (HmfsServer _ = HmfsServer.start(config.build())) {
            System.out.println(STARTED);
            while (System.in.read() >= 0) {
                // nothing is ever said; the end of input is the sign to stop
            }
        }
    }

    /** What such a server is started with, but for its port. */
    static ServerConfig.Builder config(Path pool, Persistence persistence) {
        ServerConfig.Builder config = ServerConfig.builder(pool)
                .set(ServerSetting.EVENT_LOOPS, 2)
                .set(ServerSetting.BLOCK_SIZE, (long) BLOCK_SIZE);
        config.set(ServerSetting.PERSISTENCE, persistence).set(ServerSetting.SUPERUSER, "alice");
        if (persistence == Persistence.LOGGED) {
            config.set(ServerSetting.EMULATE_PMEM, true).set(ServerSetting.LOG_DIRECTORY, logOf(pool));
        }
        return config;
    }

    static Path logOf(Path pool) {
        return pool.resolveSibling("log");
    }

    private Process launch() throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-Xmx128m",
                "-XX:+ExitOnOutOfMemoryError")); // as bin/hmfs starts it
        command.addAll(jvm.flags());
        command.addAll(ChildClasses.flags());
        command.addAll(List.of(
                ServerChild.class.getName(), pool.toString(), persistence.name(), Integer.toString(port.number())));
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.appendTo(log().toFile()))
                .start();
    }

    private Path log() {
        return pool.resolveSibling("server.log");
    }

    private void awaitStarted() throws IOException {
        BufferedReader out = process.inputReader();
        String line = out.readLine();
        while (line != null && !line.equals(STARTED)) {
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

    int port() {
        return port.number();
    }

    long pid() {
        return process.pid();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** SIGKILL; and with the machine goes what stood in its memory. Then a new server on the same port. */
    void killAndRestart(boolean withMachine) throws IOException, InterruptedException {
        kill();
        restart(withMachine);
    }

    /** SIGKILL; returns when the process is gone. */
    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    /** After a {@link #kill}. */
    void restart(boolean withMachine) throws IOException {
        if (withMachine) {
            Files.delete(pool);
            Files.delete(pool.resolveSibling(pool.getFileName() + ".ring"));
        }
        process = launch();
        awaitStarted();
    }

    @Override
    public void close() throws IOException {
        process.getOutputStream().close();
        try {
            process.waitFor();
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
        port.close();
    }
}
