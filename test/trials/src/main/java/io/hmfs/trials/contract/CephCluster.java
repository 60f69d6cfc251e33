package io.hmfs.trials.contract;

import io.hmfs.bench.process.Commands;
import io.hmfs.bench.process.StepException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A Ceph cluster of one monitor and one OSD, whose disk is a file, on the loopback; with one pool. Ceph's programs must be installed. */
final class CephCluster implements AutoCloseable {
    static final String POOL = "blocks";

    private static final List<String> PROGRAMS = List.of("ceph-mon", "ceph-osd", "monmaptool", "ceph", "rados");
    private static final long DISK = 6L << 30; // of which what is written takes room
    private static final int COMMAND_SECONDS = 60;
    private static final int STOP_SECONDS = 30;

    private final Commands commands;
    private final Path directory;
    private final Path conf;
    private final Process monitor;
    private Process osd;

    /** The programs that are not on the PATH; empty: it can be started. */
    static List<String> missing() {
        List<String> path = List.of(System.getenv().getOrDefault("PATH", "").split(":", -1));
        return PROGRAMS.stream()
                .filter(program -> path.stream().noneMatch(each -> Files.isExecutable(Path.of(each, program))))
                .toList();
    }

    /** Starts it. {@code directory}: a new one. */
    CephCluster(Commands commands, Path directory) throws IOException, InterruptedException, StepException {
        this.commands = commands;
        this.directory = directory;
        conf = directory.resolve("ceph.conf");
        Files.createDirectories(directory.resolve("osd"));
        Files.createDirectories(directory.resolve("mon"));
        String id = UUID.randomUUID().toString();
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        Files.writeString(conf, configuration(id, port));
        run("monmap", "monmaptool", "--create", "--fsid", id, "--addv", "a", "[v2:127.0.0.1:" + port + "]", map());
        run("mon-make", "ceph-mon", "-c", conf.toString(), "--mkfs", "-i", "a", "--monmap", map());
        monitor = start("ceph-mon", "ceph-mon", "-c", conf.toString(), "-i", "a", "-f");
        Process first = null;
        boolean started = false;
        try {
            String osdId = UUID.randomUUID().toString();
            run("osd-new", "ceph", "-c", conf.toString(), "osd", "new", osdId);
            run("osd-make", "ceph-osd", "-c", conf.toString(), "-i", "0", "--mkfs", "--osd-uuid", osdId);
            first = startOsd();
            osd = first;
            run("pool", "ceph", "-c", conf.toString(), "osd", "pool", "create", POOL, "8");
            run("pool-write", "rados", "-c", conf.toString(), "-p", POOL, "create", "first");
            run("pool-clear", "rados", "-c", conf.toString(), "-p", POOL, "rm", "first");
            started = true;
        } finally {
            if (!started) {
                end(first);
                end(monitor);
            }
        }
    }

    private String map() {
        return directory.resolve("monmap").toString();
    }

    /** Without authentication: a client that reaches the loopback is let in. */
    private String configuration(String id, int port) {
        return """
            [global]
            fsid = %s
            mon host = [v2:127.0.0.1:%d/0]
            public addr = 127.0.0.1
            auth cluster required = none
            auth service required = none
            auth client required = none
            admin socket =
            run dir = %3$s
            log file = %3$s/$name.log
            mon data = %3$s/mon
            mon allow pool size one = true
            osd data = %3$s/osd
            osd pool default size = 1
            osd pool default min size = 1
            osd objectstore = bluestore
            osd memory target = 939524096
            bluestore block create = true
            bluestore block size = %4$d
            bluestore cache autotune = false
            bluestore cache size = 67108864
            """.formatted(id, port, directory, DISK);
    }

    private String run(String name, String... command) throws IOException, InterruptedException, StepException {
        return commands.run("ceph-" + name, commands.program(List.of(command)), COMMAND_SECONDS);
    }

    private Process start(String name, String... command) throws IOException {
        return commands.program(List.of(command))
                .redirectErrorStream(true)
                .redirectOutput(
                        ProcessBuilder.Redirect.appendTo(commands.log(name).toFile()))
                .start();
    }

    private Process startOsd() throws IOException {
        return start("ceph-osd", "ceph-osd", "-c", conf.toString(), "-i", "0", "-f");
    }

    /** SIGKILL. */
    void killOsd() throws InterruptedException {
        osd.destroyForcibly();
        osd.waitFor(STOP_SECONDS, TimeUnit.SECONDS);
    }

    /** After {@link #killOsd}, on the same disk. */
    void restartOsd() throws IOException {
        osd = startOsd();
    }

    /** For {@code fs.hmfs.rados.conf}. */
    Path conf() {
        return conf;
    }

    /** Names of all objects in a namespace of the pool, sorted, as Ceph's own program tells them. */
    List<String> objects(String namespace) throws IOException, InterruptedException, StepException {
        String all = run("ls", "rados", "-c", conf.toString(), "-p", POOL, "-N", namespace, "ls");
        List<String> names = new ArrayList<>();
        try (Stream<String> lines = all.lines()) {
            lines.sorted().forEach(names::add);
        }
        return names;
    }

    private static void end(@Nullable Process process) {
        if (process != null) {
            process.destroyForcibly();
        }
    }

    @Override
    public void close() {
        end(osd);
        end(monitor);
    }
}
