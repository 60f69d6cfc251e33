package io.hmfs.spark;

import java.io.IOException;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * A table that several write to at once: {@code create TABLE} makes it, {@code append TABLE WRITER COMMITS} commits one row each time and says
 * {@code COMMIT n} after it, {@code check TABLE} reads all back. The last line of a check is {@code RESULT rows=… distinct=… snapshots=…
 * linear=…}: how many rows there are, how many different ones, how many versions of the table, and whether each of these but the
 * last has one child, and all are ancestors of the last.
 */
public final class Appends {
    private Appends() {}

    public static void main(String[] args) throws IOException {
        String table = args[1];
        try (SparkSession spark = SparkSession.builder().appName("hmfs-appends").getOrCreate()) {
            switch (args[0]) {
                case "create" ->
                    spark.sql("CREATE TABLE " + table + " (writer STRING, n INT) USING iceberg TBLPROPERTIES ("
                            + "'commit.retry.num-retries'='1000', 'commit.retry.min-wait-ms'='10',"
                            + " 'commit.retry.max-wait-ms'='1000')");
                case "append" -> append(spark, table, args[2], Integer.parseInt(args[3]));
                case "check" -> check(spark, table);
                default -> throw new IllegalArgumentException("create, append or check, not " + args[0]);
            }
        }
    }

    private static void append(SparkSession spark, String table, String writer, int commits) {
        for (int i = 0; i < commits; i++) {
            spark.sql("INSERT INTO " + table + " VALUES ('" + writer + "', " + i + ")");
            System.out.println("COMMIT " + i);
        }
    }

    private static void check(SparkSession spark, String table) {
        Row rows = spark.sql("SELECT count(*), count(DISTINCT writer, n) FROM " + table)
                .first();
        Row versions = spark.sql("SELECT count(*), count(DISTINCT parent_id), count_if(parent_id IS NULL) FROM " + table
                        + ".snapshots")
                .first();
        long current = spark.sql("SELECT count_if(is_current_ancestor) FROM " + table + ".history")
                .first()
                .getLong(0);
        boolean linear = versions.getLong(1) == versions.getLong(0) - 1
                && versions.getLong(2) == 1
                && current == versions.getLong(0);
        System.out.println("RESULT rows=" + rows.getLong(0) + " distinct=" + rows.getLong(1) + " snapshots="
                + versions.getLong(0) + " linear=" + linear);
    }
}
