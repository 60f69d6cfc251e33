package io.hmfs.bench.hdfs;

import io.hmfs.bench.load.PoolSize;
import io.hmfs.bench.process.Commands;
import io.hmfs.bench.process.PoolDirectory;
import io.hmfs.bench.process.SparkJob;
import io.hmfs.bench.process.TemporaryDirectory;
import io.hmfs.bench.report.Lines;
import io.hmfs.bench.report.Outcome;
import io.hmfs.bench.report.ReportOptions;
import io.hmfs.bench.report.Result;
import io.hmfs.bench.report.Series;
import io.hmfs.bench.report.Target;
import java.io.Console;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code hmfs bench hdfs}: what Hadoop's programs take over {@code hmfs://} and over {@code hdfs://}. */
@Command(
        name = "hdfs",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "What Hadoop's programs, Spark, table formats and plain streams take, beside a real HDFS.",
        footer = {
            "",
            "A NameNode and a DataNode of HDFS and a server of HMFS run in JVMs of their own, with their files on the"
                    + " same disk. HMFS runs in mode logged: as in HDFS, a change is on the disk before its answer. The"
                    + " client is this JVM for both, warm; but for spark, which is one Spark for both. The rounds of the"
                    + " two take turns, each after a sync of the disk, and a ratio is taken round by round.",
            "",
            "Operations:",
            "  put      -put of --files small files",
            "  cp, get  -put of them, then -cp or -get of what was put",
            "  du, find, chmod, rm  -du -s, -find -name, -chmod -R with -chown -R, and -rm -r -skipTrash of a tree of"
                    + " --tree empty files, made before by 64 threads",
            "  commit   the committer that Hadoop has for the filesystem, algorithm 1: --tasks tasks commit a file each in 4"
                    + " threads (their times added up), then the job",
            "  spark    the same by a Spark job of as many files, its default committer; Maven fetches Spark the first"
                    + " time",
            "  parquet, overwrite  the commit of such a job that writes Parquet by HMFS's committer, or that replaces as many"
                    + " partitions (partitionOverwriteMode=dynamic)",
            "  iceberg, delta  the mean of --commits commits to a new table of Iceberg's HadoopCatalog, or of Delta's"
                    + " kernel, each of which adds a file's name and no file, with the making of the table; Maven fetches"
                    + " both the first time",
            "  distcp   DistCp of --tasks files of 1,000 bytes within the filesystem, four maps in one JVM",
            "  plan     Spark's planning of a read of a table of --partitions partitions with five files in each, the time"
                    + " that its threads spend in the filesystem meanwhile, and what of that they had a processor",
            "  io       one file of --megabytes written, hflush before the close, and read",
            "  calls    one call of FileSystem after the other, --calls of each kind: the median of one thread, the rate"
                    + " of 16 and of 64, and the 99th percentile of 64 beside their median",
            "",
            "The shell is Hadoop's for HDFS, with one thread as is its default, and that of bin/hmfs fs for HMFS.",
            "",
            "Clients of HDFS have the default settings but for dfs.replication=1, there being one DataNode, and but"
                    + " for the pause of a client that closes a file of which the DataNode has not told yet: 400 ms by"
                    + " default, --hdfs-close-millis here, to HDFS's advantage.",
            "",
            "Examples:",
            "  hmfs bench hdfs",
            "  hmfs bench hdfs --ops put,commit --rounds 3",
            "  hmfs bench hdfs --ops rm,du --tree 50000 --directory /data/scratch",
            "  hmfs bench hdfs --quick --json hdfs.json",
        })
public final class HdfsCommand implements Callable<Integer> {
    private static final int SYNC_SECONDS = 120;
    private static final int BAR = 30;
    private static final int QUICK = 50; // what the loads are divided by
    private static final Set<HdfsOp> SPARK = Set.of(HdfsOp.SPARK, HdfsOp.PARQUET, HdfsOp.OVERWRITE);
    private static final Set<HdfsOp> TOOLS = Set.of(HdfsOp.ICEBERG, HdfsOp.DELTA, HdfsOp.DISTCP);
    private static final String COMMITS = "Commits"; // programs of test/spark
    private static final String PLANS = "Plans";
    private static final String TIMED_TOOLS = "TimedTools";
    private static final int WARM_UP = 10; // and those of the first round, which does not count

    @Mixin
    private final ReportOptions report = new ReportOptions();

    @Option(
            names = "--ops",
            split = ",",
            paramLabel = "OP",
            description = "What to measure: ${COMPLETION-CANDIDATES} (default: all).")
    private @Nullable Set<HdfsOp> opsAsked;

    @Option(
            names = "--quick",
            description =
                    "A fiftieth of the load, two rounds, and nothing that has to be fetched unless it is asked for.")
    private boolean quick;

    @Option(names = "--rounds", description = "Rounds that count, after a smaller one (default 5, quick 2).")
    private @Nullable Integer roundsAsked;

    @Option(
            names = "--files",
            defaultValue = "10000",
            description = "Files of put, cp, get (default ${DEFAULT-VALUE}).")
    private int files;

    @Option(
            names = "--tree",
            defaultValue = "200000",
            description = "Files of du, find, chmod, rm (default ${DEFAULT-VALUE}).")
    private int tree;

    @Option(
            names = "--tasks",
            defaultValue = "2000",
            description = "Tasks of commit, spark, parquet, overwrite; files of distcp (default ${DEFAULT-VALUE}).")
    private int tasks;

    @Option(
            names = "--commits",
            defaultValue = "200",
            description = "Commits of iceberg and delta (default ${DEFAULT-VALUE}).")
    private int commits;

    @Option(
            names = "--partitions",
            defaultValue = "20000",
            description = "Partitions of plan (default ${DEFAULT-VALUE}).")
    private int partitions;

    @Option(names = "--megabytes", defaultValue = "1024", description = "MiB of io (default ${DEFAULT-VALUE}).")
    private int megabytes;

    @Option(
            names = "--calls",
            defaultValue = "4000",
            description = "Calls of each kind and number of threads of calls (default ${DEFAULT-VALUE}).")
    private int calls;

    @Option(
            names = "--hdfs-close-millis",
            paramLabel = "MILLIS",
            defaultValue = "5",
            description =
                    "HDFS's dfs.client.block.write.locateFollowingBlock.initial.delay.ms (default ${DEFAULT-VALUE}).")
    private int closeMillis;

    @Option(
            names = "--directory",
            paramLabel = "DIR",
            description =
                    "The disk for edits, blocks, log and data of both (default: the directory for temporary files).")
    private @Nullable Path directory;

    @Option(
            names = "--pool-dir",
            paramLabel = "DIR",
            description = "Where HMFS's pool is made (default /dev/shm, or the directory for temporary files).")
    private @Nullable Path poolDirectory;

    private int done;
    private int all;

    @Override
    public Integer call() throws Exception {
        Set<HdfsOp> ops = opsAsked != null ? opsAsked : quick ? quickOps() : EnumSet.allOf(HdfsOp.class);
        int rounds = roundsAsked != null ? roundsAsked : quick ? 2 : 5;
        Path disk = directory == null ? Path.of(System.getProperty("java.io.tmpdir")) : directory;
        Path pools = poolDirectory == null ? PoolDirectory.standard() : poolDirectory;
        List<String> settings = List.of(
                "dfs.replication",
                "1",
                "dfs.client.block.write.locateFollowingBlock.initial.delay.ms",
                "" + closeMillis);
        try (TemporaryDirectory work = new TemporaryDirectory(disk);
                TemporaryDirectory memory = new TemporaryDirectory(pools)) {
            Path logs = Files.createDirectory(work.path().resolve("logs"));
            Commands commands = new Commands(Path.of(System.getProperty("hmfs.home", ".")), logs);
            long size = PoolSize.of(
                    2L * (tree + files) + 10L * (tasks + commits) + (ops.contains(HdfsOp.PLAN) ? 12L * partitions : 0));
            say("starting HDFS and HMFS");
            try (HdfsSide hdfs = new HdfsSide(
                            commands, Files.createDirectory(work.path().resolve("hdfs")), settings);
                    HmfsSide hmfs = new HmfsSide(
                            commands,
                            memory.path().resolve("pool"),
                            size,
                            Files.createDirectory(work.path().resolve("hmfs")))) {
                return report.publish(measure(ops, rounds, commands, work.path(), List.of(hmfs, hdfs)));
            }
        }
    }

    /** All that needs nothing fetched. */
    private static Set<HdfsOp> quickOps() {
        EnumSet<HdfsOp> ops = EnumSet.complementOf(EnumSet.of(HdfsOp.PLAN));
        ops.removeAll(SPARK);
        ops.removeAll(TOOLS);
        return ops;
    }

    private Outcome measure(Set<HdfsOp> ops, int rounds, Commands commands, Path work, List<Side> sides)
            throws Exception {
        Lines lines = new Lines();
        Lines unread = new Lines();
        Map<String, SparkLines> programs = new HashMap<>(); // warm after the round that does not count
        try {
            start(ops, commands, work, sides, programs);
            List<Part> parts = parts(ops, quick ? QUICK : 1, commands, work, programs);
            List<Part> first = parts(ops, (quick ? QUICK : 1) * WARM_UP, commands, work, programs);
            all = sides.size() * (first.size() + rounds * parts.size());
            for (Part part : first) {
                round(part, -1, sides, commands, work, unread);
            }
            for (int round = 0; round < rounds; round++) {
                for (Part part : parts) {
                    round(part, round, round % 2 == 0 ? sides : sides.reversed(), commands, work, lines);
                }
            }
        } finally {
            for (SparkLines program : programs.values()) {
                program.close();
            }
        }
        if (isTerminal()) {
            System.err.print("\r\033[K");
        }
        return outcome(lines, sides);
    }

    private static boolean isTerminal() {
        return Optional.ofNullable(System.console()).filter(Console::isTerminal).isPresent();
    }

    private void round(Part part, int round, List<Side> sides, Commands commands, Path work, Lines lines)
            throws Exception {
        for (Side side : sides) {
            progress(part, side);
            // What a round has left in the page cache must not be written out during the other side's round.
            commands.run("sync", new ProcessBuilder("sync", "-f", work.toString()), SYNC_SECONDS);
            part.round(side, round + 1, (name, unit, figure) -> lines.round(name, side.name(), unit, figure));
            done++;
        }
    }

    /** Starts what runs in JVMs of its own, fetching it the first time. */
    private static void start(
            Set<HdfsOp> ops, Commands commands, Path work, List<Side> sides, Map<String, SparkLines> programs)
            throws Exception {
        Path java = Path.of(System.getProperty("java.home"));
        Path scratch = work.resolve("spark");
        if (!Collections.disjoint(ops, SPARK)) {
            SparkJob spark = SparkJob.prepare(commands, scratch, java);
            programs.put(COMMITS, new SparkLines(commands, spark, COMMITS, sides));
        }
        if (ops.contains(HdfsOp.PLAN)) {
            SparkJob spark = SparkJob.prepare(commands, scratch, java);
            programs.put(PLANS, new SparkLines(commands, spark, PLANS, sides));
        }
        if (!Collections.disjoint(ops, TOOLS)) {
            SparkJob spark = SparkJob.withTools(commands, scratch, java, null);
            programs.put(TIMED_TOOLS, new SparkLines(commands, spark, TIMED_TOOLS, sides));
        }
    }

    private List<Part> parts(
            Set<HdfsOp> ops, int divisor, Commands commands, Path work, Map<String, SparkLines> programs)
            throws Exception {
        List<Part> parts = new ArrayList<>();
        if (ops.contains(HdfsOp.PUT) || ops.contains(HdfsOp.CP) || ops.contains(HdfsOp.GET)) {
            int number = Math.max(1, files / divisor);
            parts.add(new PutPart(work.resolve("put-" + number), number, ops));
        }
        if (ops.contains(HdfsOp.DU)
                || ops.contains(HdfsOp.FIND)
                || ops.contains(HdfsOp.CHMOD)
                || ops.contains(HdfsOp.RM)) {
            parts.add(new TreePart(Math.max(1, tree / divisor), ops));
        }
        if (ops.contains(HdfsOp.COMMIT)) {
            parts.add(new CommitPart(Math.max(1, tasks / divisor)));
        }
        SparkLines jobs = programs.get(COMMITS);
        if (jobs != null) {
            parts.add(new SparkPart(Math.max(1, tasks / divisor), ops, jobs));
        }
        SparkLines tools = programs.get(TIMED_TOOLS);
        if (tools != null) {
            int number = Math.max(1, commits / divisor);
            parts.add(new ToolsPart(commands, work, number, Math.max(1, tasks / divisor), ops, tools));
        }
        SparkLines plans = programs.get(PLANS);
        if (plans != null) {
            parts.add(new PlanPart(Math.max(1, partitions / divisor), plans));
        }
        if (ops.contains(HdfsOp.IO)) {
            parts.add(new StreamPart(Math.max(1, megabytes / divisor)));
        }
        if (ops.contains(HdfsOp.CALLS)) {
            parts.add(new CallsPart(Math.max(1, calls / divisor)));
        }
        return parts;
    }

    private static Outcome outcome(Lines lines, List<Side> sides) {
        String ours = sides.getFirst().name();
        String theirs = sides.getLast().name();
        List<Result> results = new ArrayList<>();
        for (Series series : lines.all()) {
            if (series.subject().equals(ours)) {
                Series peer = lines.series(series.name(), theirs);
                results.addAll(List.of(
                        series.result(), peer.result(), series.dividedBy(peer).result()));
            }
        }
        List<Target> targets = new ArrayList<>(List.of(
                Target.atMost("put/hdfs", 0.25),
                Target.atMost("du/hdfs", 0.3),
                Target.atMost("rm/hdfs", 0.1),
                Target.atMost("commitJob/hdfs", 0.5),
                Target.atMost("sparkCommit/hdfs", 0.5),
                Target.atMost("planFilesystem/hdfs", 0.3),
                Target.atLeast("write/hdfs", 0.8),
                Target.atLeast("read/hdfs", 0.8)));
        targets.addAll(CallsPart.targets());
        return new Outcome(results, Map.of(), targets);
    }

    /** A bar on a terminal, else a line for each part. */
    private void progress(Part part, Side side) {
        String what = part.getClass().getSimpleName() + " on " + side.name();
        if (isTerminal()) {
            int filled = BAR * done / all;
            System.err.printf("\r\033[K[%s%s] %s", "#".repeat(filled), " ".repeat(BAR - filled), what);
        } else {
            say("%d of %d: %s".formatted(done + 1, all, what));
        }
    }

    private static void say(String what) {
        System.err.println("bench hdfs: " + what);
    }
}
