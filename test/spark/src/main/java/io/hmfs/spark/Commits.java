package io.hmfs.spark;

import static org.apache.spark.sql.functions.col;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;

/**
 * Jobs of many files, one for each line {@code KIND DIRECTORY FILES} on standard input; each answers with a line {@code RESULT files=… committer=… task=…
 * job=… all=…}: the files that are there, the class that has committed, the milliseconds of all its tasks in the committer, those of the
 * job in it, and those of all that was done. {@code csv}: text. {@code parquet}: Parquet, with HMFS's committer in place of Parquet's own. {@code overwrite}:
 * text, a partition for each file, all of which replace others.
 */
public final class Commits {
    private Commits() {}

    public static void main(String[] args) throws IOException {
        try (SparkSession spark = SparkSession.builder()
                        .appName("hmfs-commits")
                        .config("spark.sql.sources.commitProtocolClass", TimedCommit.class.getName())
                        .config(
                                "spark.sql.parquet.output.committer.class",
                                "io.hmfs.hadoop.commit.HmfsCommitter")
                        .getOrCreate();
                BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                String[] words = line.split(" ", 3);
                String directory = words[1];
                int files = Integer.parseInt(words[2]);
                String format = words[0].equals("parquet") ? "parquet" : "csv";
                boolean overwrites = words[0].equals("overwrite");
                if (overwrites) {
                    partitions(spark, directory, files);
                }
                TimedCommit.Times before = TimedCommit.times();
                long start = System.nanoTime();
                if (overwrites) {
                    partitions(spark, directory, files);
                } else {
                    spark.range(0, files, 1, files).write().format(format).save(directory);
                }
                double all = (System.nanoTime() - start) / 1e6;
                TimedCommit.Times after = TimedCommit.times();
                System.out.printf(
                        Locale.ROOT,
                        "RESULT files=%d committer=%s task=%.3f job=%.3f all=%.3f%n",
                        spark.read().format(format).load(directory).inputFiles().length,
                        TimedCommit.committer(),
                        (after.taskNanos() - before.taskNanos()) / 1e6,
                        (after.jobNanos() - before.jobNanos()) / 1e6,
                        all);
            }
        }
    }

    private static void partitions(SparkSession spark, String directory, int files) {
        spark.range(0, files, 1, files)
                .toDF("n")
                .withColumn("partition", col("n"))
                .write()
                .option("partitionOverwriteMode", "dynamic")
                .mode(SaveMode.Overwrite)
                .partitionBy("partition")
                .csv(directory);
    }
}
