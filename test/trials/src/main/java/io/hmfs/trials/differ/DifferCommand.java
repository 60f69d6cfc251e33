package io.hmfs.trials.differ;

import io.hmfs.bench.peer.DataNode;
import io.hmfs.bench.peer.NameNode;
import io.hmfs.bench.process.Commands;
import io.hmfs.bench.process.ServerProcess;
import io.hmfs.bench.process.StepException;
import io.hmfs.bench.process.TemporaryDirectory;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.hadoop.fs.FileSystem;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code hmfs bench differ}. */
@Command(
        name = "differ",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Random operations on HMFS and on a real HDFS: are there differences that have no reason?",
        footer = {
            "",
            "Starts a NameNode, a DataNode and an HMFS server, and executes the same operations of several users on",
            "both in lock step. What they return or throw is compared after each, the trees after every few. A",
            "difference that is not in known-differences.txt is made as short as it gets and printed as a script.",
            "The sessions of kept-sessions.txt come first.",
            "Exit code 0: there was none.",
            "",
            "Examples:",
            "  hmfs bench differ --minutes 30 --seed 7",
            "  hmfs bench differ --quick",
            "  hmfs bench differ --sessions 5",
            "  hmfs bench differ --replay FILE",
        })
public final class DifferCommand implements Callable<Integer> {
    private static final String KEPT = "kept-sessions.txt";
    private static final String POOL_SIZE = "256M";
    private static final int COMMAND_SECONDS = 60;
    private static final int FETCH_SECONDS = 1200;
    /** Some hundred operations. */
    private static final int QUICK_SESSIONS = 8;
    /** In a run of so many operations each row of the table must be met. */
    private static final long LONG_RUN = 50_000;

    private static final List<String> FLAGS = List.of("-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");

    @Option(names = "--minutes", paramLabel = "N", description = "How long sessions are begun (default: 10).")
    private double minutes = 10;

    @Option(names = "--sessions", paramLabel = "N", description = "So many sessions and no more.")
    private long sessions = Long.MAX_VALUE;

    @Option(
            names = "--seed",
            paramLabel = "N",
            description = "Of the first session; the next one has the next (default: 1).")
    private long seed = 1;

    @Option(names = "--operations", paramLabel = "N", description = "Operations of a session (default: 60).")
    private int operations = 60;

    @Option(
            names = "--every",
            paramLabel = "N",
            description = "Operations between two looks at the trees (default: 10).")
    private int every = 10;

    @Option(
            names = "--quick",
            description = "The part that bin/test runs: the first " + QUICK_SESSIONS
                    + " sessions from the seed on, however long they take.")
    private boolean quick;

    @Option(
            names = "--replay",
            paramLabel = "FILE",
            description = "One session, as it was printed; what each operation did is shown.")
    private @Nullable Path replay;

    @Override
    public Integer call() throws Exception {
        Path work = Files.createTempDirectory("hmfs-differ-");
        boolean ended = false;
        try {
            FileSystem.enableSymlinks();
            boolean same = run(work);
            ended = true;
            return same ? 0 : 1;
        } catch (StepException e) {
            System.err.println("hmfs: " + e.getMessage());
            return 1;
        } finally {
            if (ended) {
                TemporaryDirectory.delete(work);
            } else {
                System.err.println("hmfs: the logs are in " + work);
            }
        }
    }

    private boolean run(Path work) throws Exception {
        Commands commands = new Commands(
                Path.of(System.getProperty("hmfs.home", ".")), Files.createDirectory(work.resolve("logs")));
        Path script = commands.home().resolve("bin/lib/name-node");
        String classPath = commands.run("hdfs-fetch", commands.program(List.of(script.toString())), FETCH_SECONDS)
                .strip();
        String groups = RemoteSubject.GROUPS.entrySet().stream()
                .map(entry -> entry.getKey() + "=" + entry.getValue())
                .sorted()
                .collect(Collectors.joining(";"));
        ServerProcess server = hmfs(commands, work, groups);
        try (NameNode nameNode = NameNode.withLinks(
                        classPath, Files.createDirectory(work.resolve("name-node")), FLAGS, hdfsSettings(groups));
                DataNode _ = new DataNode(
                        classPath,
                        nameNode,
                        Files.createDirectory(work.resolve("data-node")),
                        FLAGS,
                        "dfs.heartbeat.interval",
                        "1s");
                RemoteSubject hdfs = new RemoteSubject(nameNode.uri(), clientSettings());
                RemoteSubject hmfs = new RemoteSubject(server.uri(), clientSettings())) {
            KnownDifferences known = KnownDifferences.load();
            return replay == null ? random(hdfs, hmfs, known) : replay(hdfs, hmfs, known, Files.readString(replay));
        } finally {
            server.destroy();
        }
    }

    private static ServerProcess hmfs(Commands commands, Path work, String groups) throws Exception {
        Path pool = work.resolve("pool");
        commands.run(
                "format",
                commands.hmfs(
                        "format", pool.toString(), "--size", POOL_SIZE, "--persistence", ServerProcess.PERSISTENCE),
                COMMAND_SECONDS);
        return ServerProcess.start(
                commands,
                pool,
                0,
                "--data-directory",
                work.resolve("data").toString(),
                "--group-source",
                "static",
                "--static-groups",
                groups);
    }

    private static String[] hdfsSettings(String groups) {
        return new String[] {
            "hadoop.user.group.static.mapping.overrides",
            groups + ";" + RemoteSubject.SUPERUSER + "=",
            "dfs.namenode.fs-limits.min-block-size",
            "512",
            // Reads would set access times, which HMFS leaves to setTimes.
            "dfs.namenode.accesstime.precision",
            "1000000000000000",
            "dfs.heartbeat.interval",
            "1s",
        };
    }

    private static List<String> clientSettings() {
        return List.of(
                "dfs.replication",
                "1",
                "dfs.blocksize",
                "" + Client.BLOCK,
                "dfs.client.block.write.locateFollowingBlock.initial.delay.ms",
                "5",
                // Each wait is twice the one before: a DataNode of a busy machine may need seconds to tell of a block.
                "dfs.client.block.write.locateFollowingBlock.retries",
                "14",
                // There is no other DataNode to go on with when a busy machine has kept this one waiting.
                "dfs.client.block.write.replace-datanode-on-failure.enable",
                "false");
    }

    private boolean random(Subject hdfs, Subject hmfs, KnownDifferences known) throws Exception {
        Differ differ = new Differ(hdfs, hmfs, known, every, System.out);
        long end = System.nanoTime() + (long) (minutes * TimeUnit.MINUTES.toNanos(1));
        int kept = 0;
        for (List<Operation> session : keptSessions()) {
            differ.run("kept session " + ++kept, session);
        }
        long[] left = {quick ? QUICK_SESSIONS : sessions};
        differ.run(
                seed,
                number -> Generator.session(number, operations),
                () -> left[0]-- > 0 && (quick || System.nanoTime() < end));
        System.out.println();
        differ.signatures().forEach((signature, times) -> System.out.println(times + " times " + signature));
        List<String> stale = differ.operations() < LONG_RUN ? List.of() : known.stale();
        stale.forEach(row -> System.out.println("stale, nothing has matched it: " + row));
        System.out.println(differ.done());
        return differ.signatures().isEmpty() && stale.isEmpty();
    }

    private static List<List<Operation>> keptSessions() throws IOException {
        try (InputStream in = DifferCommand.class.getResourceAsStream(KEPT)) {
            if (in == null) {
                throw new IOException(KEPT + " is missing");
            }
            return Operation.parseSessions(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    private static boolean replay(Subject hdfs, Subject hmfs, KnownDifferences known, String script) throws Exception {
        Difference difference =
                new LockStep(hdfs, hmfs, known::has).run(Operation.parseAll(script), 1, System.out::println);
        System.out.println(difference == null ? "no difference that is not known" : difference.toString());
        return difference == null;
    }
}
