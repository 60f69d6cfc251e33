package io.hmfs.spark;

import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.OutputCommitter;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.spark.sql.execution.datasources.SQLHadoopMapReduceCommitProtocol;
import scala.collection.immutable.Seq;

/** Spark's own way to commit, with its times added up; tasks and driver are threads of one JVM here. */
public final class TimedCommit extends SQLHadoopMapReduceCommitProtocol {
    private static final long serialVersionUID = 1;
    private static final AtomicLong TASKS = new AtomicLong();
    private static final AtomicLong JOBS = new AtomicLong();

    private static volatile String committer = "none";

    /** Since the start of the JVM. */
    record Times(long taskNanos, long jobNanos) {}

    /** Spark calls it. */
    public TimedCommit(String job, String path, boolean dynamicPartitionOverwrite) {
        super(job, path, dynamicPartitionOverwrite);
    }

    static Times times() {
        return new Times(TASKS.get(), JOBS.get());
    }

    /** The class of the last committer. */
    static String committer() {
        return committer;
    }

    @Override
    public OutputCommitter setupCommitter(TaskAttemptContext context) {
        OutputCommitter made = super.setupCommitter(context);
        committer = made.getClass().getSimpleName();
        return made;
    }

    @Override
    public TaskCommitMessage commitTask(TaskAttemptContext context) {
        long start = System.nanoTime();
        try {
            return super.commitTask(context);
        } finally {
            TASKS.addAndGet(System.nanoTime() - start);
        }
    }

    @Override
    public void commitJob(JobContext context, Seq<TaskCommitMessage> messages) {
        long start = System.nanoTime();
        try {
            super.commitJob(context, messages);
        } finally {
            JOBS.addAndGet(System.nanoTime() - start);
        }
    }
}
