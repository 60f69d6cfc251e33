package io.hmfs.bench.hdfs;

import io.hmfs.bench.process.Commands;
import io.hmfs.bench.process.SparkJob;
import io.hmfs.bench.process.StepException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Spark jobs of so many files, all in one Spark, with the time that its committer takes. */
public final class SparkPart implements Part {
    private static final String LOG = "spark-commits";
    private static final int END_SECONDS = 30;
    private static final Pattern RESULT =
            Pattern.compile("RESULT files=(\\d+) task=([0-9.]+) job=([0-9.]+) all=([0-9.]+)");

    private final Commands commands;
    private final int files;
    private final Process spark;
    private final BufferedReader out;
    private final Writer in;

    /** Starts Spark, fetching it the first time. */
    public SparkPart(Commands commands, Path scratch, int files, List<Side> sides) throws Exception {
        this.commands = commands;
        this.files = files;
        List<String> settings = new ArrayList<>();
        sides.forEach(side -> settings.addAll(side.settings()));
        spark = SparkJob.prepare(commands, scratch, Path.of(System.getProperty("java.home")))
                .commits(sides.getFirst().uri(), settings)
                .redirectError(commands.log(LOG).toFile())
                .start();
        out = new BufferedReader(new InputStreamReader(spark.getInputStream(), StandardCharsets.UTF_8));
        in = spark.outputWriter(StandardCharsets.UTF_8);
    }

    @Override
    public void round(Side side, int round, Figures figures) throws Exception {
        org.apache.hadoop.fs.Path directory = side.path("/spark-" + files + "-" + round);
        in.write(directory + " " + files + "\n");
        in.flush();
        String line = out.readLine();
        Matcher result = RESULT.matcher(line == null ? "" : line);
        if (!result.matches() || Integer.parseInt(result.group(1)) != files) {
            throw new StepException("Spark on " + side.name() + " said: " + line + Commands.tail(commands.log(LOG)));
        }
        figures.add("sparkTask", "ms", Double.parseDouble(result.group(2)));
        figures.add("sparkCommit", "ms", Double.parseDouble(result.group(3)));
        figures.add("sparkJob", "ms", Double.parseDouble(result.group(4)));
        side.files().delete(directory, true);
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
