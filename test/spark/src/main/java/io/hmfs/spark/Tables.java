package io.hmfs.spark;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.count;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.sum;

import java.io.IOException;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;

/**
 * Changes to Parquet tables: {@code append OUT} writes the numbers below 1000 and appends the next 500; {@code overwrite OUT} writes the
 * numbers below 1000 in ten partitions by their last digit, then replaces the partitions 3 and 4 alone by one row each, a million and the
 * digit; {@code read OUT} changes nothing.
 *
 * <p>The last line is {@code RESULT rows=… sum=… partitions=…}, read back from the table.
 */
public final class Tables {
    private static final long FIRST = 1000;
    private static final long MORE = 500;
    private static final long REPLACED = 1_000_000;

    private Tables() {}

    public static void main(String[] args) throws IOException {
        if (args.length != 2) {
            throw new IllegalArgumentException("usage: append OUT | overwrite OUT | read OUT");
        }
        String out = args[1];
        try (SparkSession spark = SparkSession.builder().appName("hmfs-tables").getOrCreate()) {
            switch (args[0]) {
                case "append" -> append(spark, out);
                case "overwrite" -> overwrite(spark, out);
                case "read" -> {}
                default -> throw new IllegalArgumentException("unknown: " + args[0]);
            }
            Dataset<Row> table = spark.read().parquet(out);
            Row all = table.agg(count(lit(1)).as("rows"), sum("n").as("sum")).first();
            long partitions = table.select(col("digit")).distinct().count();
            System.out.println(
                    "RESULT rows=" + all.getLong(0) + " sum=" + all.getLong(1) + " partitions=" + partitions);
        }
    }

    private static Dataset<Row> numbers(SparkSession spark, long from, long to) {
        return spark.range(from, to).toDF("n").withColumn("digit", col("n").mod(10));
    }

    private static void append(SparkSession spark, String out) {
        numbers(spark, 0, FIRST).write().parquet(out);
        numbers(spark, FIRST, FIRST + MORE).write().mode(SaveMode.Append).parquet(out);
    }

    private static void overwrite(SparkSession spark, String out) {
        numbers(spark, 0, FIRST).write().partitionBy("digit").parquet(out);
        numbers(spark, REPLACED + 3, REPLACED + 5)
                .write()
                .option("partitionOverwriteMode", "dynamic")
                .mode(SaveMode.Overwrite)
                .partitionBy("digit")
                .parquet(out);
    }
}
