package io.hmfs.hadoop.commit;

import io.hmfs.hadoop.HmfsFileSystem;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.lib.output.FileOutputCommitter;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hadoop's own committer, whose commit of a job by algorithm 1 has many renames under way at once. It makes the same directories
 * and files, in the same places: before Hadoop's commit begins, {@link EarlyRenames} brings what stands in nobody's way from the
 * directories of the tasks to the output. Whatever is left, such as two tasks with a file of one name, Hadoop's commit then moves
 * as it always does; so it does if a request fails before. On other filesystems, and by algorithm 2, it is Hadoop's commit alone.
 */
public final class HmfsCommitter extends FileOutputCommitter {
    private static final Logger LOG = LoggerFactory.getLogger(HmfsCommitter.class);

    /** As Hadoop and Spark make it, by its name. */
    public HmfsCommitter(Path output, TaskAttemptContext context) throws IOException {
        super(output, context);
    }

    @Override
    protected void commitJobInternal(JobContext context) throws IOException {
        Path output = getOutputPath();
        boolean tasksAreInPlace = isCommitJobRepeatable(context); // algorithm 2
        if (output != null && !tasksAreInPlace) {
            if (output.getFileSystem(context.getConfiguration()) instanceof HmfsFileSystem files) {
                try (EarlyRenames renames = new EarlyRenames(files)) {
                    renames.merge(committedTasks(files, context), output);
                } catch (IOException e) {
                    if (Thread.currentThread().isInterrupted()) {
                        throw e;
                    }
                    LOG.info(
                            "Renames into {} ahead of Hadoop's commit, which goes on alone, ended with {}",
                            output,
                            e.toString());
                }
            }
        }
        super.commitJobInternal(context);
    }

    private List<Path> committedTasks(FileSystem files, JobContext context) throws IOException {
        List<Path> tasks = new ArrayList<>();
        for (FileStatus each : files.listStatus(getJobAttemptPath(context))) {
            if (each.isDirectory() && !each.getPath().getName().equals(PENDING_DIR_NAME)) {
                tasks.add(each.getPath());
            }
        }
        return tasks;
    }
}
