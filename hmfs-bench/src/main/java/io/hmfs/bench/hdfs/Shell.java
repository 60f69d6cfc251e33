package io.hmfs.bench.hdfs;

import io.hmfs.bench.process.StepException;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;

/** The shell of a side, in this JVM: so that it is warm for both sides. */
final class Shell {
    private Shell() {}

    /** What a command took, and what it printed. */
    record Ran(double millis, String printed) {}

    /** Runs one command; fails if its exit code is not 0. */
    static Ran run(Side side, String... arguments) throws Exception {
        Configuration conf = side.conf();
        Tool shell = conf.getClassByName(side.shell())
                .asSubclass(Tool.class)
                .getDeclaredConstructor()
                .newInstance();
        ByteArrayOutputStream captured = new ByteArrayOutputStream();
        PrintStream before = System.out;
        int code;
        double millis;
        try (PrintStream out = new PrintStream(captured, false, StandardCharsets.UTF_8)) {
            System.setOut(out);
            long start = System.nanoTime();
            code = ToolRunner.run(conf, shell, arguments);
            millis = (System.nanoTime() - start) / 1e6;
        } finally {
            System.setOut(before);
        }
        if (code != 0) {
            throw new StepException(shell.getClass().getSimpleName() + " " + String.join(" ", arguments) + " on "
                    + side.name() + " ended with " + code);
        }
        return new Ran(millis, captured.toString(StandardCharsets.UTF_8));
    }
}
