package io.hmfs.spark;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.apache.spark.sql.SparkSession;

/**
 * Plans reads of partitioned tables, one for each line on standard input, the table's directory; each answers with a line {@code RESULT files=…
 * filesystem=… processor=… all=…}: the files that are there, the milliseconds of all threads in the filesystem, those of them in which the thread had a
 * processor, and those of the planning as a whole.
 */
public final class Plans {
    private Plans() {}

    public static void main(String[] args) throws IOException {
        try (SparkSession spark = SparkSession.builder()
                        .appName("hmfs-plans")
                        .config("spark.hadoop.fs.hdfs.impl", TimedHdfs.class.getName())
                        .config("spark.hadoop.fs.hmfs.impl", TimedHmfs.class.getName())
                        .getOrCreate();
                BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (String table = in.readLine(); table != null; table = in.readLine()) {
                long before = FileSystemTime.nanos();
                long processorBefore = FileSystemTime.processorNanos();
                long start = System.nanoTime();
                int files = spark.read().schema("n BIGINT, p INT").csv(table).inputFiles().length;
                System.out.printf(
                        Locale.ROOT,
                        "RESULT files=%d filesystem=%.3f processor=%.3f all=%.3f%n",
                        files,
                        (FileSystemTime.nanos() - before) / 1e6,
                        (FileSystemTime.processorNanos() - processorBefore) / 1e6,
                        (System.nanoTime() - start) / 1e6);
            }
        }
    }
}
