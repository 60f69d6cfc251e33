package io.hmfs.spark;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.count;
import static org.apache.spark.sql.functions.explode;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.lower;
import static org.apache.spark.sql.functions.split;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;

/**
 * Counts words. {@code count OUT IN…} reads the text files under each IN, writes the table (word, n) to OUT as Parquet, reads
 * it back and prints its figures; {@code read OUT} prints the figures of a table written before. A word is a run of the
 * letters A to Z and a to z, made lower case, so that any other program gets the same table.
 *
 * <p>The last line is {@code RESULT words=… distinct=… sha256=… parts=…}: the digest is over the lines {@code word TAB n} in
 * the order of the words.
 */
public final class WordCount {
    private WordCount() {}

    public static void main(String[] args) throws IOException {
        if (args.length < 2) {
            throw new IllegalArgumentException("usage: count OUT IN… | read OUT");
        }
        try (SparkSession spark =
                SparkSession.builder().appName("hmfs-word-count").getOrCreate()) {
            String table = args[1];
            switch (args[0]) {
                case "count" -> write(spark, table, Arrays.copyOfRange(args, 2, args.length));
                case "read" -> {}
                default -> throw new IllegalArgumentException("unknown: " + args[0]);
            }
            System.out.println(figures(spark, table));
        }
    }

    private static void write(SparkSession spark, String table, String[] inputs) {
        Dataset<Row> words = spark.read()
                .option("recursiveFileLookup", "true")
                .text(inputs)
                .select(explode(split(col("value"), "[^A-Za-z]+")).as("word"))
                .where(col("word").notEqual(""))
                .select(lower(col("word")).as("word"));
        words.groupBy("word")
                .agg(count(lit(1)).as("n"))
                .write()
                .mode(SaveMode.Overwrite)
                .parquet(table);
    }

    private static String figures(SparkSession spark, String table) {
        Dataset<Row> counted = spark.read().parquet(table);
        List<Row> rows = counted.orderBy("word").collectAsList();
        MessageDigest digest = sha256();
        long words = 0;
        for (Row row : rows) {
            digest.update((row.getString(0) + '\t' + row.getLong(1) + '\n').getBytes(StandardCharsets.UTF_8));
            words += row.getLong(1);
        }
        return "RESULT words=" + words + " distinct=" + rows.size() + " sha256="
                + HexFormat.of().formatHex(digest.digest()) + " parts=" + counted.inputFiles().length;
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
