package io.hmfs.hadoop.shell;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;

/**
 * A command that was run in this process.
 *
 * @param code the exit code
 * @param output what it printed, errors among it
 */
public record ShellRun(int code, String output) {
    public static ShellRun of(Tool shell, Configuration conf, String... arguments) throws Exception {
        PrintStream out = System.out;
        PrintStream err = System.err;
        ByteArrayOutputStream captured = new ByteArrayOutputStream();
        int code;
        try (PrintStream into = new PrintStream(captured, true, StandardCharsets.UTF_8)) {
            System.setOut(into);
            System.setErr(into);
            code = ToolRunner.run(new Configuration(conf), shell, arguments);
        } finally {
            System.setOut(out);
            System.setErr(err);
        }
        return new ShellRun(code, captured.toString(StandardCharsets.UTF_8));
    }
}
