package io.hmfs.hadoop.commit;

import java.io.IOException;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.lib.output.PathOutputCommitter;
import org.apache.hadoop.mapreduce.lib.output.PathOutputCommitterFactory;

/** Makes the {@link HmfsCommitter} of a job whose output is on HMFS; {@code hmfs-classes.xml} names it for the schemes. */
public final class HmfsCommitterFactory extends PathOutputCommitterFactory {
    @Override
    public PathOutputCommitter createOutputCommitter(Path output, TaskAttemptContext context) throws IOException {
        return new HmfsCommitter(output, context);
    }
}
