package io.hmfs.spark;

import static org.apache.spark.sql.functions.count;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.sum;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;

/**
 * A job of many small tasks: {@code OUT FILES ROWS STOPS} writes the numbers below FILES × ROWS as Parquet, a task and a file for each
 * ROWS of them, and reads them back. STOPS of the tasks say {@code AT} on standard output and wait for a line on standard input, in the
 * middle of their work.
 *
 * <p>The last line is {@code RESULT files=… rows=… sum=… tasks=… failed=… attempts=…}: the highest number of an attempt at a task, 0 if none
 * was tried again.
 */
public final class ManyTasks {
    private static final BufferedReader IN =
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));

    private ManyTasks() {}

    /** Counts tasks; Spark calls it on one thread, and no more once it is stopped. */
    private static final class Counter extends SparkListener {
        private volatile int tasks;
        private volatile int failed;
        private volatile int attempts;

        @Override
        @SuppressWarnings("NonAtomicVolatileUpdate") // one thread
        public void onTaskEnd(SparkListenerTaskEnd end) {
            tasks++;
            failed += end.taskInfo().successful() ? 0 : 1;
            attempts = Math.max(attempts, end.taskInfo().attemptNumber() + end.stageAttemptId());
        }
    }

    public static void main(String[] args) throws IOException {
        if (args.length != 4) {
            throw new IllegalArgumentException("usage: OUT FILES ROWS STOPS");
        }
        String out = args[0];
        int tasks = Integer.parseInt(args[1]);
        long numbers = tasks * Long.parseLong(args[2]);
        int stops = Integer.parseInt(args[3]);
        Counter counter = new Counter();
        String read;
        int files;
        try (SparkSession spark =
                SparkSession.builder().appName("hmfs-many-tasks").getOrCreate()) {
            spark.sparkContext().addSparkListener(counter);
            spark.range(0, numbers, 1, tasks)
                    .mapPartitions(
                            (MapPartitionsFunction<Long, Long>) rows -> stopping(rows, tasks, stops), Encoders.LONG())
                    .toDF("n")
                    .write()
                    .mode(SaveMode.Overwrite) // what a run that was killed has left
                    .parquet(out);
            Row all = spark.read()
                    .parquet(out)
                    .agg(count(lit(1)).as("rows"), sum("n").as("sum"))
                    .first();
            read = "rows=" + all.getLong(0) + " sum=" + all.getLong(1);
            files = spark.read().parquet(out).inputFiles().length;
        }
        System.out.println("RESULT files=" + files + " " + read + " tasks=" + counter.tasks + " failed="
                + counter.failed + " attempts=" + counter.attempts);
    }

    /** The rows of a task, which stops before its first one if it is its turn. */
    private static Iterator<Long> stopping(Iterator<Long> rows, int files, int stops) throws IOException {
        TaskContext task = TaskContext.get();
        int part = task.partitionId();
        boolean isStop = (part + 1L) * stops / files > (long) part * stops / files;
        if (isStop && task.attemptNumber() == 0) {
            stop(part);
        }
        return rows;
    }

    private static void stop(int part) throws IOException {
        synchronized (IN) {
            System.out.println("AT " + part);
            if (IN.readLine() == null) {
                throw new IOException("no line said that task " + part + " may go on");
            }
        }
    }
}
