package io.hmfs.bench;

import io.hmfs.bench.load.NameNodeCreates;
import io.hmfs.bench.load.RemoteCreates;
import io.hmfs.bench.peer.NameNode;
import io.hmfs.client.HmfsClient;
import io.hmfs.core.pmem.Persistence;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** create with many in flight beside HDFS's NameNode with its edit log on the same disk. */
final class NetNameNode extends NetOperation {
    private static final String HMFS = "hmfs";
    private static final String PEER = "nameNode";
    private static final List<String> FLAGS = List.of("-Xmx2g");
    private static final double BOUND = 20;

    private final Settings settings;
    private final Persistence persistence;
    private final String name;
    private final RemoteCreates ours;
    private final TemporaryDirectory directory;
    private final NameNode nameNode;
    private final NameNodeCreates theirs;

    NetNameNode(HmfsClient client, Settings settings, Persistence persistence, Path parent, int threads)
            throws IOException, InterruptedException {
        this.settings = settings;
        this.persistence = persistence;
        name = persistence.name().toLowerCase(Locale.ROOT) + settings.inFlight();
        ours = new RemoteCreates(client, "/beside-hdfs");
        String classPath = classPath();
        directory = new TemporaryDirectory(parent);
        NameNode started = null;
        try {
            started = new NameNode(classPath, directory.path(), FLAGS);
            theirs = new NameNodeCreates(started.port(), threads);
        } catch (IOException | InterruptedException | RuntimeException e) {
            try (directory;
                    NameNode _ = started) {
                throw e;
            }
        }
        nameNode = started;
    }

    /** HDFS stands apart from our own class path (ADR 0052, ADR 0111). */
    private static String classPath() throws IOException, InterruptedException {
        @Nullable String home = System.getProperty("hmfs.home");
        if (home == null) {
            throw new IOException("where HMFS lies is not known: start this as bin/hmfs bench net --name-node");
        }
        Process fetch = new ProcessBuilder(
                        Path.of(home, "bin", "lib", "name-node").toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String path = new String(fetch.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        if (fetch.waitFor() != 0 || path.isEmpty()) {
            throw new IOException("HDFS could not be fetched; the reason is above");
        }
        return path;
    }

    @Override
    void round(Lines lines) throws IOException, InterruptedException {
        lines.round(name, HMFS, "ops/s", ours.perSecond(settings.inFlight(), settings.millis()));
        lines.round(name, PEER, "ops/s", theirs.perSecond(settings.millis()));
    }

    @Override
    void report(Lines lines) {
        Target target = persistence == Persistence.LOGGED ? Target.atLeast(name + "/" + PEER, BOUND) : null;
        compare(lines, name, HMFS, PEER, target);
    }

    @Override
    public void close() throws IOException {
        try (directory;
                nameNode) {
            theirs.close();
        }
    }
}
