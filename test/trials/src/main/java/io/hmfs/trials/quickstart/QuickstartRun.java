package io.hmfs.trials.quickstart;

import io.hmfs.bench.process.Commands;
import io.hmfs.bench.process.ServerProcess;
import io.hmfs.bench.process.ShippedSpark;
import io.hmfs.bench.process.SparkJob;
import io.hmfs.bench.process.StepException;
import io.hmfs.trials.spark.SparkOverRestarts;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.hadoop.fs.FileStatus;
import org.jspecify.annotations.Nullable;

/** The steps of one quickstart, in their order. */
final class QuickstartRun {
    private static final String JAVA = "/java";
    private static final String TABLE = "/words.parquet";
    private static final String NUMBERS = "/numbers.parquet";
    private static final int RESTARTS = 5;
    private static final String LOAD = "/under-load";
    private static final List<String> TEXTS = List.of("legal", "conf", "include");
    private static final int COMMAND_SECONDS = 240;
    private static final int SINGLE_RENAMES = 100;
    private static final int SINGLE_DELETES = 100;
    private static final int FILES_BEFORE_KILL = 200;
    private static final int PROGRESS_SECONDS = 3;

    private final Commands commands;
    private final Steps steps;
    private final Path work;
    private final String size;
    private final @Nullable SparkChoice sparkChoice;
    private final Expected expected = new Expected();
    private String backing = "mapped";
    private String unfinished = "";
    private @Nullable WordTable words;
    private @Nullable SparkJob spark;
    private volatile @Nullable ServerProcess server;

    /** Which Spark: null for Maven Central's, with this JDK or, null, the newest that it runs on. */
    record SparkChoice(@Nullable String version, @Nullable Path javaHome) {
        SparkJob prepare(Commands commands, Path scratch) throws Exception {
            if (version != null) {
                return SparkJob.of(ShippedSpark.prepare(commands, scratch, version, javaHome), commands, scratch);
            }
            Path own = Path.of(System.getProperty("java.home"));
            return SparkJob.prepare(commands, scratch, javaHome == null ? own : javaHome);
        }
    }

    /** Works in {@code work}; {@code sparkChoice} null leaves Spark out. */
    QuickstartRun(Commands commands, Steps steps, Path work, String size, @Nullable SparkChoice sparkChoice) {
        this.commands = commands;
        this.steps = steps;
        this.work = work;
        this.size = size;
        this.sparkChoice = sparkChoice;
    }

    void all() throws Exception {
        boolean withSpark = sparkChoice != null;
        steps.run("set up", "looking for PMDK's libraries" + (withSpark ? " and Spark" : ""), this::setUp);
        steps.run("format", "making a " + backing + " pool of " + size, this::format);
        steps.run("server", "starting a server on a free port", () -> start(0));
        steps.run("copy", "copying the Java runtime's own files out of its image", this::copy);
        steps.run(
                "put",
                "hmfs fs -put of " + expected.fileCount() + " files in " + expected.directoryCount() + " directories",
                this::put);
        steps.run("list", "listing and comparing names and sizes", this::list);
        steps.run("read", "reading everything back and comparing checksums", this::read);
        steps.run("rename", "renaming a directory and " + SINGLE_RENAMES + " files", this::rename);
        steps.run("delete", "deleting a directory and " + SINGLE_DELETES + " files", this::delete);
        if (withSpark) {
            steps.run(
                    "spark", "counting words of " + TEXTS + " to Parquet, and the same on the local disk", this::count);
            steps.run(
                    "restarts",
                    "writing " + SparkOverRestarts.FILES + " Parquet files while the server is stopped and started "
                            + RESTARTS + " times",
                    this::countOverRestarts);
        }
        steps.run("kill", "SIGKILL to the server while files are being written", this::kill);
        steps.run("restart", "starting a server on the same pool and port", this::restart);
        steps.run("list again", "comparing names and sizes", this::list);
        steps.run("read again", "comparing the checksums of everything", this::read);
        if (withSpark) {
            steps.run("spark again", "reading the Parquet table", this::readTable);
        }
    }

    private long setUp() throws Exception {
        try {
            Path packages = commands.home().resolve("bin/lib/packages");
            commands.run(
                    "packages",
                    commands.program(List.of(packages.toString(), "libpmemobj1", "libpmem1", "libpmempool1")),
                    COMMAND_SECONDS);
            backing = "pmdk";
            steps.say("PMDK's libraries are here");
        } catch (StepException e) {
            steps.say("no PMDK libraries (libpmemobj1, libpmem1, libpmempool1), so the pool will be a mapped file");
        }
        SparkChoice choice = sparkChoice;
        if (choice != null) {
            steps.say("getting Spark ready (its download comes once and takes a while)");
            spark = choice.prepare(commands, Files.createDirectories(work.resolve("spark")));
        }
        return 0;
    }

    private long format() throws Exception {
        commands.run(
                "format",
                commands.hmfs(
                        "format",
                        pool().toString(),
                        "--size",
                        size,
                        "--backing",
                        backing,
                        "--persistence",
                        ServerProcess.PERSISTENCE),
                COMMAND_SECONDS);
        return 1;
    }

    private long start(int port) throws Exception {
        ServerProcess started = ServerProcess.start(commands, pool(), work.resolve("data"), port);
        server = started;
        steps.say("serving " + started.uri() + " (process " + started.pid() + ")");
        return 0;
    }

    private long copy() throws IOException {
        expected.addDirectory("/");
        JavaRuntimeTree.copy(work.resolve("java"), JAVA, expected);
        return expected.fileCount();
    }

    /** The put is a process of its own; meanwhile the progress is looked up as any other client would. */
    private long put() throws Exception {
        CompletableFuture<Void> finished = new CompletableFuture<>();
        Thread watcher = Thread.ofVirtual().name("quickstart-put-progress").start(() -> watch(finished));
        try {
            commands.run(
                    "put",
                    commands.hmfs(
                            "fs",
                            "--server",
                            current().address(),
                            "-put",
                            "-t",
                            "4",
                            work.resolve("java").toString(),
                            JAVA),
                    COMMAND_SECONDS);
        } finally {
            finished.complete(null);
            watcher.join();
        }
        return expected.fileCount();
    }

    private void watch(CompletableFuture<Void> finished) {
        try (Remote remote = new Remote(current().uri())) {
            while (!finished.isDone()) {
                try {
                    finished.get(PROGRESS_SECONDS, TimeUnit.SECONDS);
                } catch (TimeoutException e) {
                    steps.progress(remote.list("/").files().size(), expected.fileCount());
                }
            }
        } catch (IOException | StepException | ExecutionException e) {
            steps.say("  no progress to see: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private long list() throws Exception {
        try (Remote remote = new Remote(current().uri())) {
            expected.compare(remote.list("/"));
        }
        return expected.fileCount();
    }

    private long read() throws Exception {
        try (Remote remote = new Remote(current().uri())) {
            return remote.compareBytes(expected.files(), steps);
        }
    }

    private long rename() throws Exception {
        try (Remote remote = new Remote(current().uri())) {
            long renamed = move(remote, JAVA + "/classes/java/util", JAVA + "/util-renamed");
            for (String path : expected.filesUnder(JAVA + "/classes/java/lang").subList(0, SINGLE_RENAMES)) {
                renamed += move(remote, path, path + ".renamed");
            }
            expected.compare(remote.list("/"));
            return renamed;
        }
    }

    private long move(Remote remote, String source, String target) throws Exception {
        long files = Math.max(1, expected.filesUnder(source).size());
        if (!remote.files().rename(path(source), path(target))) {
            throw new StepException("rename of " + source + " to " + target + " was refused");
        }
        expected.rename(source, target);
        return files;
    }

    private long delete() throws Exception {
        try (Remote remote = new Remote(current().uri())) {
            int before = expected.fileCount();
            String directory = JAVA + "/classes/java/time";
            commands.run(
                    "rm",
                    commands.hmfs("fs", "--server", current().address(), "-rm", "-r", "-skipTrash", directory),
                    COMMAND_SECONDS);
            expected.remove(directory);
            for (String path :
                    expected.filesUnder(JAVA + "/classes/java/security").subList(0, SINGLE_DELETES)) {
                if (!remote.files().delete(path(path), false)) {
                    throw new StepException("delete of " + path + " was refused");
                }
                expected.remove(path);
            }
            expected.compare(remote.list("/"));
            return (long) before - expected.fileCount();
        }
    }

    private long count() throws Exception {
        WordTable local = WordTable.count(
                TEXTS.stream().map(work.resolve("java")::resolve).toList());
        words = local;
        String output = sparkJob()
                .count(
                        current().uri(),
                        TABLE,
                        TEXTS.stream().map(t -> JAVA + "/" + t).toList());
        long parts = local.compare(output);
        steps.say("%,d words, %,d distinct, the same as on the local disk; %d Parquet files"
                .formatted(local.words(), local.distinct(), parts));
        try (Remote remote = new Remote(current().uri())) {
            learn(remote, TABLE);
        }
        return parts;
    }

    private long countOverRestarts() throws Exception {
        SparkOverRestarts.Tasks tasks = new SparkOverRestarts(commands, sparkJob())
                .run(current().uri(), NUMBERS, RESTARTS, new SparkOverRestarts.Servant() {
                    @Override
                    public void stop() throws Exception {
                        current().stop();
                    }

                    @Override
                    public void start() throws Exception {
                        QuickstartRun.this.start(current().port());
                    }
                });
        SparkOverRestarts.requireFirstAttempts(tasks);
        steps.say("%d tasks, each at its first attempt".formatted(tasks.tasks()));
        try (Remote remote = new Remote(current().uri())) {
            learn(remote, NUMBERS);
        }
        return SparkOverRestarts.FILES;
    }

    /** From now on the table's files, as they are, are expected too. */
    private void learn(Remote remote, String directory) throws IOException {
        expected.addDirectory(directory);
        for (FileStatus status : remote.files().listStatus(path(directory))) {
            String file = status.getPath().toUri().getPath();
            expected.addFile(file, new Expected.Content(status.getLen(), remote.sha256(file)));
        }
    }

    private long kill() throws Exception {
        Expected acknowledged;
        try (WriterUnderKill writer = new WriterUnderKill(current().uri(), LOAD, FILES_BEFORE_KILL)) {
            writer.start();
            writer.awaitFiles();
            current().kill();
            acknowledged = writer.stop();
            unfinished = writer.unfinished();
        }
        expected.addDirectory(LOAD);
        acknowledged.files().forEach(expected::addFile);
        steps.say("%,d files were answered before the kill".formatted(acknowledged.fileCount()));
        return acknowledged.fileCount();
    }

    /** The one file that was under way when the server died may be there or not; neither would be wrong, so it goes. */
    private long restart() throws Exception {
        start(current().port());
        try (Remote remote = new Remote(current().uri())) {
            remote.files().delete(path(unfinished), false);
        }
        return 0;
    }

    private long readTable() throws Exception {
        WordTable local = words;
        if (local == null) {
            throw new StepException("nothing was counted");
        }
        return local.compare(sparkJob().read(current().uri(), TABLE));
    }

    private SparkJob sparkJob() throws StepException {
        SparkJob job = spark;
        if (job == null) {
            throw new StepException("Spark is not ready");
        }
        return job;
    }

    private ServerProcess current() throws StepException {
        ServerProcess running = server;
        if (running == null) {
            throw new StepException("no server is running");
        }
        return running;
    }

    private Path pool() {
        return work.resolve("pool");
    }

    private static org.apache.hadoop.fs.Path path(String path) {
        return new org.apache.hadoop.fs.Path(path);
    }

    /** How to go on with the server that is left running. */
    void printUse(PrintStream out) throws IOException, StepException {
        ServerProcess running = current();
        Path hmfs = commands.home().resolve("bin/hmfs");
        out.println();
        out.println("The server goes on: " + running.uri() + ", files in " + work);
        out.println("  look      " + hmfs + " fs --server " + running.address() + " -ls /java");
        out.println("  status    " + hmfs + " status --server " + running.address());
        out.println(
                "  Spark     --jars " + commands.pluginJar() + " --conf spark.hadoop.fs.defaultFS=" + running.uri());
        out.println("  stop      kill " + running.pid() + " && rm -r " + work);
    }

    void stop() throws Exception {
        steps.run("stop", "stopping the server, removing " + work, () -> {
            current().stop();
            return 0;
        });
    }

    /** For the way out after a failure. */
    void destroy() {
        ServerProcess running = server;
        if (running != null) {
            running.destroy();
        }
    }
}
