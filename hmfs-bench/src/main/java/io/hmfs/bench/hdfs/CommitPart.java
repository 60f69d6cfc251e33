package io.hmfs.bench.hdfs;

import io.hmfs.bench.process.StepException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.JobID;
import org.apache.hadoop.mapreduce.OutputCommitter;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.TaskID;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.mapreduce.lib.output.FileOutputCommitter;
import org.apache.hadoop.mapreduce.lib.output.PathOutputCommitter;
import org.apache.hadoop.mapreduce.lib.output.PathOutputCommitterFactory;
import org.apache.hadoop.mapreduce.task.JobContextImpl;
import org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl;

/** A job whose tasks write a file each and commit it with the committer that Hadoop has for the filesystem, algorithm 1, as Spark does by default. */
public final class CommitPart implements Part {
    private static final int THREADS = 4;
    private static final int ALGORITHM = 1; // as Spark sets it; MapReduce has 2
    private static final byte[] ROW = "one row of the output\n".getBytes(StandardCharsets.UTF_8);

    private final int tasks;

    public CommitPart(int tasks) {
        this.tasks = tasks;
    }

    @Override
    public void round(Side side, int round, Figures figures) throws Exception {
        Path out = side.path("/commit-" + tasks + "-" + round);
        FileSystem files = side.files();
        JobID job = new JobID("bench", round);
        TaskAttemptContext setup = attempt(side, job, tasks);
        OutputCommitter committer = PathOutputCommitterFactory.createCommitter(out, setup);
        JobContextImpl context = new JobContextImpl(setup.getConfiguration(), job);
        committer.setupJob(context);
        AtomicLong nanos = new AtomicLong();
        Side.each(THREADS, thread -> {
            for (int task = thread; task < tasks; task += THREADS) {
                nanos.addAndGet(task(side, files, out, attempt(side, job, task)));
            }
        });
        long start = System.nanoTime();
        committer.commitJob(context);
        double jobMillis = (System.nanoTime() - start) / 1e6;
        requireAll(files.listStatus(out), side);
        double taskMillis = nanos.get() / 1e6;
        figures.add("commitTask", "ms", taskMillis);
        figures.add("commitJob", "ms", jobMillis);
        files.delete(out, true);
    }

    private static TaskAttemptContext attempt(Side side, JobID job, int task) {
        Configuration conf = side.conf();
        conf.setInt(FileOutputCommitter.FILEOUTPUTCOMMITTER_ALGORITHM_VERSION, ALGORITHM);
        TaskAttemptID id = new TaskAttemptID(new TaskID(job, TaskType.MAP, task), 0);
        return new TaskAttemptContextImpl(conf, id);
    }

    /** What its commit took. */
    private static long task(Side side, FileSystem files, Path out, TaskAttemptContext attempt) throws IOException {
        PathOutputCommitter committer = PathOutputCommitterFactory.createCommitter(out, attempt);
        committer.setupTask(attempt);
        Path file = new Path(
                committer.getWorkPath(),
                "part-" + attempt.getTaskAttemptID().getTaskID().getId());
        try (OutputStream stream = files.create(file, false)) {
            stream.write(ROW);
        }
        long start = System.nanoTime();
        if (!committer.needsTaskCommit(attempt)) {
            throw new IOException("a task has nothing to commit on " + side.name());
        }
        committer.commitTask(attempt);
        return System.nanoTime() - start;
    }

    private void requireAll(FileStatus[] there, Side side) throws StepException {
        int parts = 0;
        for (FileStatus each : there) {
            parts += each.getPath().getName().startsWith("part-") && each.getLen() == ROW.length ? 1 : 0;
        }
        if (parts != tasks || there.length != tasks + 1) { // and _SUCCESS
            throw new StepException(
                    "the job left " + parts + " parts among " + there.length + " entries on " + side.name());
        }
    }
}
