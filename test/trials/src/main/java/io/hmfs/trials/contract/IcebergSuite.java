package io.hmfs.trials.contract;

import io.hmfs.bench.process.Commands;
import io.hmfs.bench.process.ServerProcess;
import io.hmfs.bench.process.SparkJob;
import io.hmfs.bench.process.StepException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Iceberg's catalog of directories, whose commit is a rename that must fail where a file is: two processes append to one table at once. */
final class IcebergSuite {
    private static final String SUITE = "iceberg";
    private static final List<String> WRITERS = List.of("first", "second");
    private static final int RUN_SECONDS = 240;

    private final Cases cases;
    private final Commands commands;
    private final SparkJob spark;
    private final Path pool;
    private final Path data;
    private ServerProcess server;

    /** A process that uses a table. */
    private interface Program {
        ProcessBuilder of(String what, List<String> arguments) throws IOException, StepException;
    }

    /** Starts a server on a pool that is there, for it alone. */
    IcebergSuite(Cases cases, Commands commands, SparkJob spark, Path pool, Path data) throws Exception {
        this.cases = cases;
        this.commands = commands;
        this.spark = spark;
        this.pool = pool;
        this.data = data;
        server = ServerProcess.start(commands, pool, data, 0);
    }

    void all() throws InterruptedException {
        cases.run(SUITE, "two Sparks, 20 inserts each", this::inserts);
        cases.run(SUITE, "two committers, 200 commits each", () -> commits("together", 200, 0));
        cases.run(SUITE, "the same, the server killed 3 times", () -> commits("killed", 200, 3));
    }

    /** By SQL, with rows. */
    private String inserts() throws Exception {
        int commits = 20;
        String table = "hmfs.contract.inserts";
        Program sql = (what, arguments) -> {
            List<String> all = new ArrayList<>(List.of(what));
            all.addAll(arguments);
            return spark.appends(server.uri(), all);
        };
        write(sql, table, commits, 0);
        int all = WRITERS.size() * commits;
        Cases.requireEqual(
                "RESULT rows=" + all + " distinct=" + all + " snapshots=" + all + " linear=true",
                run(sql, "check", table),
                "read back");
        return all + " rows, each there once, one line of versions";
    }

    /** By the catalog alone, as fast as it goes: the two must have met. */
    private String commits(String table, int commits, int kills) throws Exception {
        Program catalog = (what, arguments) -> spark.tableCommits(server.uri(), what, arguments);
        write(catalog, table, commits, kills);
        int conflicts = 0;
        for (String writer : WRITERS) {
            conflicts += Integer.parseInt(last(out(writer)).replace("RESULT conflicts=", ""));
        }
        Cases.require(conflicts > 0, "the two have never met");
        int all = WRITERS.size() * commits;
        Cases.requireEqual(
                "RESULT files=" + all + " distinct=" + all + " snapshots=" + all + " linear=true",
                run(catalog, "check", table),
                "read back");
        return all + " commits, each there once, one line of versions, " + conflicts + " conflicts";
    }

    private void write(Program program, String table, int commits, int kills) throws Exception {
        run(program, "create", table);
        List<Process> writers = new ArrayList<>();
        try {
            for (String writer : WRITERS) {
                writers.add(program.of("append", List.of(table, writer, "" + commits))
                        .redirectOutput(out(writer).toFile())
                        .redirectError(log(writer).toFile())
                        .start());
            }
            for (int kill = 1; kill <= kills; kill++) {
                awaitCommit(writers.getFirst(), kill * commits / (kills + 1));
                int port = server.port();
                server.kill();
                server = ServerProcess.start(commands, pool, data, port);
            }
            for (int i = 0; i < WRITERS.size(); i++) {
                Process writer = writers.get(i);
                if (!writer.waitFor(RUN_SECONDS, TimeUnit.SECONDS) || writer.exitValue() != 0) {
                    throw new StepException("a writer failed" + Commands.tail(log(WRITERS.get(i))));
                }
            }
        } finally {
            writers.forEach(Process::destroyForcibly);
        }
    }

    /** Until the first writer says so. */
    private void awaitCommit(Process writer, int number) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(RUN_SECONDS);
        while (!Files.readString(out(WRITERS.getFirst())).contains("COMMIT " + number + "\n")) {
            Cases.require(
                    writer.isAlive() && System.nanoTime() < deadline,
                    "no commit " + number + Commands.tail(log(WRITERS.getFirst())));
            Thread.sleep(5);
        }
    }

    /** To its end; the last line that it prints. */
    private String run(Program program, String what, String table) throws Exception {
        String printed = commands.run("iceberg-" + what, program.of(what, List.of(table)), RUN_SECONDS);
        return printed.lines().reduce("", (_, line) -> line);
    }

    private static String last(Path out) throws IOException {
        return Files.readAllLines(out).getLast();
    }

    private Path log(String writer) {
        return commands.log("iceberg-" + writer);
    }

    private Path out(String writer) {
        return commands.log("iceberg-" + writer + "-out");
    }

    void destroy() {
        server.destroy();
    }
}
