package io.hmfs.trials.spark;

import io.hmfs.bench.process.Commands;
import io.hmfs.bench.process.SparkJob;
import io.hmfs.bench.process.StepException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A Spark job of many tasks whose server goes, and comes again at the same port, each time that one of the tasks says so. */
public final class SparkOverRestarts {
    /** Files that the job writes, each in a task of its own. */
    public static final int FILES = 200;

    /** Of each. */
    public static final int ROWS = 100;

    private static final int END_SECONDS = 300;
    private static final Pattern RESULT =
            Pattern.compile("RESULT files=(\\d+) rows=(\\d+) sum=(\\d+) tasks=(\\d+) failed=(\\d+) attempts=(\\d+)");

    private final Commands commands;
    private final SparkJob spark;

    /** What is done to the server. */
    public interface Servant {
        /** Ends the server; returns when it is gone. */
        void stop() throws Exception;

        /** Starts it again. */
        void start() throws Exception;
    }

    /** What became of the tasks. */
    public record Tasks(int tasks, int failed, int attempts) {}

    public SparkOverRestarts(Commands commands, SparkJob spark) {
        this.commands = commands;
        this.spark = spark;
    }

    /** Writes {@link #FILES} files to a new directory; fails if the job does, or if a row is not there afterwards. */
    public Tasks run(String uri, String directory, int restarts, Servant server) throws Exception {
        Process job = spark.manyTasks(uri, directory, FILES, ROWS, restarts)
                .redirectError(commands.log("spark-restarts").toFile())
                .start();
        String last = "";
        int seen = 0;
        try (BufferedReader out =
                        new BufferedReader(new InputStreamReader(job.getInputStream(), StandardCharsets.UTF_8));
                Writer in = job.outputWriter(StandardCharsets.UTF_8)) {
            for (String line = out.readLine(); line != null; line = out.readLine()) {
                if (line.startsWith("AT ")) {
                    seen++;
                    server.stop();
                    in.write("go on\n"); // into a server that is not there
                    in.flush();
                    server.start();
                }
                last = line;
            }
            if (!job.waitFor(END_SECONDS, TimeUnit.SECONDS) || job.exitValue() != 0) {
                throw new StepException("the Spark job failed, after " + seen + " restarts" + tail());
            }
        } finally {
            job.destroyForcibly();
        }
        return judge(last, seen, restarts);
    }

    private Tasks judge(String last, int seen, int restarts) throws StepException, IOException {
        Matcher result = RESULT.matcher(last);
        if (!result.matches()) {
            throw new StepException("the Spark job printed no result" + tail());
        }
        long rows = (long) FILES * ROWS;
        long sum = rows * (rows - 1) / 2;
        if (seen != restarts) {
            throw new StepException("the server was started again " + seen + " times, not " + restarts);
        }
        if (!result.group(1).equals("" + FILES)
                || !result.group(2).equals("" + rows)
                || !result.group(3).equals("" + sum)) {
            throw new StepException(
                    "of " + FILES + " files with " + rows + " rows and the sum " + sum + " the job reads back " + last);
        }
        return new Tasks(
                Integer.parseInt(result.group(4)),
                Integer.parseInt(result.group(5)),
                Integer.parseInt(result.group(6)));
    }

    private String tail() throws IOException {
        return Commands.tail(commands.log("spark-restarts"));
    }

    /** Fails unless each task succeeded at its first attempt. */
    public static void requireFirstAttempts(Tasks tasks) throws StepException {
        if (tasks.failed() != 0 || tasks.attempts() != 0) {
            throw new StepException(tasks.failed() + " of " + tasks.tasks() + " tasks failed; a task was tried "
                    + (tasks.attempts() + 1) + " times");
        }
    }
}
