package io.hmfs.bench.hdfs;

import io.hmfs.bench.process.Commands;
import io.hmfs.bench.process.ServerProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** HMFS: a server in mode {@code logged} with the builtin data store, started by {@code bin/hmfs server} with its default flags. */
public final class HmfsSide extends Side {
    private static final int FORMAT_SECONDS = 120;
    private static final String PERSISTENCE = "logged";

    private final ServerProcess server;

    /**
     * Starts it.
     *
     * @param pool file to make, in memory
     * @param poolSize bytes of it
     * @param directory where log and data go
     * @param flags further ones of the server
     */
    public HmfsSide(Commands commands, Path pool, long poolSize, Path directory, String... flags) throws Exception {
        super("hmfs");
        String log = directory.resolve("log").toString();
        commands.run(
                "format",
                commands.hmfs(
                        "format",
                        pool.toString(),
                        "--size",
                        "" + poolSize,
                        "--persistence",
                        PERSISTENCE,
                        "--log-directory",
                        log),
                FORMAT_SECONDS);
        String data = directory.resolve("data").toString();
        List<String> all = new ArrayList<>(List.of("--log-directory", log, "--data-directory", data));
        all.addAll(List.of(flags));
        server = ServerProcess.start(commands, pool, PERSISTENCE, 0, all.toArray(String[]::new));
    }

    /** Where it listens on the loopback address. */
    int port() {
        return server.port();
    }

    @Override
    String shell() {
        return "io.hmfs.hadoop.shell.HmfsShell"; // its module is built beside this one
    }

    @Override
    String uri() {
        return server.uri();
    }

    @Override
    List<String> settings() {
        return List.of();
    }

    @Override
    void make(String path, int thread) throws IOException {
        files().create(path(path), false).close();
    }

    @Override
    public void close() {
        server.destroy();
    }
}
