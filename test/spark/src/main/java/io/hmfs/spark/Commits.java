package io.hmfs.spark;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.apache.spark.sql.SparkSession;

/**
 * Jobs of many files, one for each line {@code DIRECTORY FILES} on standard input; each answers with a line {@code RESULT files=… task=… job=…
 * all=…}: the files that are there, the milliseconds of all its tasks in the committer, those of the job in it, and those of all that was
 * done.
 */
public final class Commits {
    private Commits() {}

    public static void main(String[] args) throws IOException {
        try (SparkSession spark = SparkSession.builder()
                        .appName("hmfs-commits")
                        .config("spark.sql.sources.commitProtocolClass", TimedCommit.class.getName())
                        .getOrCreate();
                BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                String[] words = line.split(" ", 2);
                int files = Integer.parseInt(words[1]);
                TimedCommit.Times before = TimedCommit.times();
                long start = System.nanoTime();
                spark.range(0, files, 1, files).write().csv(words[0]);
                double all = (System.nanoTime() - start) / 1e6;
                TimedCommit.Times after = TimedCommit.times();
                System.out.printf(
                        Locale.ROOT,
                        "RESULT files=%d task=%.3f job=%.3f all=%.3f%n",
                        spark.read().csv(words[0]).inputFiles().length,
                        (after.taskNanos() - before.taskNanos()) / 1e6,
                        (after.jobNanos() - before.jobNanos()) / 1e6,
                        all);
            }
        }
    }
}
