package io.hmfs.hadoop.commit;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.lib.output.PathOutputCommitter;
import org.apache.hadoop.mapreduce.lib.output.PathOutputCommitterFactory;
import org.apache.hadoop.util.ReflectionUtils;

/**
 * Makes the {@link HmfsCommitter} of a job whose output is on HMFS; {@code hmfs-classes.xml} names it for the scheme. A factory that
 * the job asks for whatever the scheme, by {@code mapreduce.outputcommitter.factory.class}, goes before it.
 */
public final class HmfsCommitterFactory extends PathOutputCommitterFactory {
    @Override
    public PathOutputCommitter createOutputCommitter(Path output, TaskAttemptContext context) throws IOException {
        Configuration conf = context.getConfiguration();
        Class<? extends PathOutputCommitterFactory> asked =
                conf.getClass(COMMITTER_FACTORY_CLASS, getClass(), PathOutputCommitterFactory.class);
        return asked.equals(getClass())
                ? new HmfsCommitter(output, context)
                : ReflectionUtils.newInstance(asked, conf).createOutputCommitter(output, context);
    }
}
