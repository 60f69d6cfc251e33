package io.hmfs.hadoop.shell;

import io.hmfs.hadoop.link.HadoopHas;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FsShell;
import org.apache.hadoop.fs.shell.CommandFactory;
import org.apache.hadoop.fs.shell.FsCommand;
import org.apache.hadoop.util.ToolRunner;

/**
 * Hadoop's shell, for any filesystem. Commands that go over many files have many under way: those that copy, from Hadoop 3.3.2 on, and
 * {@code -chmod}, {@code -chown} and {@code -chgrp} with {@code -R} on HMFS. What they print and what they leave is the same.
 */
public final class HmfsShell extends FsShell {
    @Override
    protected void registerCommands(CommandFactory factory) {
        factory.registerCommands(FsCommand.class);
        PermissionCommands.register(factory);
        if (HadoopHas.COPY_THREADS) {
            factory.addClass(Copies.Put.class, "-put", "-copyFromLocal");
            factory.addClass(Copies.Get.class, "-get", "-copyToLocal");
            factory.addClass(Copies.Cp.class, "-cp");
        }
    }

    /** Runs one command and ends the process with its exit code. */
    public static void main(String[] arguments) throws Exception {
        HmfsShell shell = new HmfsShell();
        Configuration conf = new Configuration();
        conf.setQuietMode(false); // a file of settings that is missing is an error
        int code;
        try {
            code = ToolRunner.run(conf, shell, arguments);
        } finally {
            shell.close();
        }
        System.exit(code);
    }
}
