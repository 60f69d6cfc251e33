package io.hmfs.trials.contract;

import io.hmfs.bench.process.Commands;
import io.hmfs.bench.process.SparkJob;
import io.hmfs.bench.process.StepException;
import io.hmfs.trials.spark.SparkOverRestarts;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** Spark's tables: changed in each way, read again by another process, written by many tasks, and by a job that is killed midway and run again. */
final class SparkSuite {
    private static final int END_SECONDS = 60;
    private static final int STOPS = 2; // the first when half of the tasks are done

    private final String suite;
    private final Cases cases;
    private final Commands commands;
    private final SparkJob spark;
    private final FileSystem files;
    private final String uri;

    /** No server is stopped here. */
    private static final class Undisturbed implements SparkOverRestarts.Servant {
        @Override
        public void stop() {
            throw new IllegalStateException("no task was told to stop");
        }

        @Override
        public void start() {
            throw new IllegalStateException("no server was stopped");
        }
    }

    /** {@code suite} is the name of its cases, and of the directory of its tables. */
    SparkSuite(String suite, Cases cases, Commands commands, SparkJob spark, FileSystem files, String uri) {
        this.suite = suite;
        this.cases = cases;
        this.commands = commands;
        this.spark = spark;
        this.files = files;
        this.uri = uri;
    }

    void all() throws InterruptedException {
        tables();
        cases.run(suite, "200 tasks into one directory", () -> manyTasks("/many"));
        cases.run(suite, "the same, killed midway and run again", this::killed);
        cases.run(suite, "no warning of their JVMs blames HMFS", this::unblamed);
    }

    void tables() throws InterruptedException {
        cases.run(suite, "Parquet, written and appended to", () -> change("append", 1500, 1500L * 1499 / 2));
        cases.run(suite, "Parquet, two partitions of ten overwritten", () -> change("overwrite", 802, overwritten()));
    }

    /** The numbers below 1000 that do not end in 3 or 4, and the two rows in their place. */
    private static long overwritten() {
        long sum = 1_000_003 + 1_000_004;
        for (int i = 0; i < 1000; i++) {
            sum += i % 10 == 3 || i % 10 == 4 ? 0 : i;
        }
        return sum;
    }

    private String change(String how, long rows, long sum) throws Exception {
        String table = "/" + suite + "/" + how;
        for (String step : new String[] {how, "read"}) { // the second by another process
            String last = spark.tables(uri, step, table).lines().reduce("", (_, line) -> line);
            Cases.requireEqual("RESULT rows=" + rows + " sum=" + sum + " partitions=10", last, step);
        }
        requireClean(new Path(table));
        return rows + " rows read back, their sum right";
    }

    private String manyTasks(String directory) throws Exception {
        SparkOverRestarts.Tasks tasks =
                new SparkOverRestarts(commands, spark).run(uri, directory, 0, new Undisturbed());
        SparkOverRestarts.requireFirstAttempts(tasks);
        requireClean(new Path(directory));
        return SparkOverRestarts.FILES + " files, each task at its first attempt";
    }

    private String killed() throws Exception {
        String directory = "/killed";
        Process job = spark.manyTasks(uri, directory, SparkOverRestarts.FILES, SparkOverRestarts.ROWS, STOPS)
                .redirectError(commands.log("spark-killed").toFile())
                .start();
        try (BufferedReader out =
                new BufferedReader(new InputStreamReader(job.getInputStream(), StandardCharsets.UTF_8))) {
            String line = out.readLine();
            while (line != null && !line.startsWith("AT ")) {
                line = out.readLine();
            }
            Cases.require(
                    line != null, "the job ended before its middle" + Commands.tail(commands.log("spark-killed")));
        } finally {
            job.destroyForcibly();
        }
        Cases.require(job.waitFor(END_SECONDS, TimeUnit.SECONDS), "the job lives after SIGKILL");
        Path top = new Path(directory);
        Cases.require(files.exists(new Path(top, "_temporary")), "the killed job has left nothing: it was not midway");
        Cases.require(!files.exists(new Path(top, "_SUCCESS")), "the killed job says that it succeeded");
        manyTasks(directory);
        return SparkOverRestarts.FILES + " files and no other after the second run";
    }

    /** With the flags that {@code spark-submit} gives. */
    private String unblamed() throws Exception {
        for (String log : new String[] {"spark", "spark-restarts", "spark-killed"}) {
            WarningsSuite.requireNoBlame(commands.log(log), commands.pluginJar());
        }
        return "no warning of the JVM";
    }

    /** What a job that succeeded leaves: its parts, or directories of them, and the mark. */
    private void requireClean(Path top) throws Exception {
        Cases.require(files.exists(new Path(top, "_SUCCESS")), top + " has no _SUCCESS");
        for (String name : Stream.of(files.listStatus(top))
                .map(FileStatus::getPath)
                .map(Path::getName)
                .toList()) {
            if (!name.equals("_SUCCESS") && !name.startsWith("part-") && !name.startsWith("digit=")) {
                throw new StepException(top + " has " + name);
            }
        }
    }
}
