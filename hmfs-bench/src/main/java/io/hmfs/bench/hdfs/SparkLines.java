package io.hmfs.bench.hdfs;

import io.hmfs.bench.process.Commands;
import io.hmfs.bench.process.SparkJob;
import io.hmfs.bench.process.StepException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One Spark for all sides and rounds: a program that answers each line with a line. */
final class SparkLines implements AutoCloseable {
    private static final int END_SECONDS = 30;

    private final Commands commands;
    private final String log;
    private final Process spark;
    private final BufferedReader out;
    private final Writer in;

    /** Starts a program in this Spark. */
    SparkLines(Commands commands, SparkJob job, String program, List<Side> sides) throws Exception {
        this.commands = commands;
        log = "spark-" + program;
        List<String> settings = new ArrayList<>();
        sides.forEach(side -> settings.addAll(side.settings()));
        spark = job.jobs(program, sides.getFirst().uri(), settings)
                .redirectError(commands.log(log).toFile())
                .start();
        out = new BufferedReader(new InputStreamReader(spark.getInputStream(), StandardCharsets.UTF_8));
        in = spark.outputWriter(StandardCharsets.UTF_8);
    }

    /** Sends a line and returns the answer, which must tell of so many files. */
    MatchResult ask(Side side, String line, Pattern answer, int files) throws Exception {
        in.write(line + "\n");
        in.flush();
        String answered = out.readLine();
        Matcher result = answer.matcher(answered == null ? "" : answered);
        if (!result.matches() || Integer.parseInt(result.group("files")) != files) {
            throw new StepException(
                    "Spark on " + side.name() + " said: " + answered + Commands.tail(commands.log(log)));
        }
        return result;
    }

    @Override
    public void close() throws IOException {
        try {
            in.close(); // its end
            end();
        } finally {
            out.close();
        }
    }

    private void end() {
        try {
            spark.waitFor(END_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            spark.destroyForcibly();
        }
    }
}
