package io.hmfs.bench.load;

import io.hmfs.core.pmem.Persistence;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/**
 * Every operation of the engine at one number of files, in a JVM of its own; what it finds goes to standard output, a line each
 * ({@code round}, {@code count}).
 */
public final class OperationLoad {
    /** What is measured: all of it, or the parts that need no large pool. */
    public record Options(Path pool, long files, int threads, Persistence mode, int rounds) {
        public Options {
            if (files < 1000 || threads < 1 || rounds < 1) {
                throw new IllegalArgumentException("at least 1000 files, 1 thread and 1 round");
            }
        }

        /** These options as {@link OperationLoad#main} takes them. */
        public List<String> arguments() {
            return List.of(
                    pool.toString(),
                    Long.toString(files),
                    Integer.toString(threads),
                    mode.name(),
                    Integer.toString(rounds));
        }

        static Options of(String[] arguments) {
            return new Options(
                    Path.of(arguments[0]),
                    Long.parseLong(arguments[1]),
                    Integer.parseInt(arguments[2]),
                    Persistence.valueOf(arguments[3]),
                    Integer.parseInt(arguments[4]));
        }
    }

    private OperationLoad() {}

    /** Runs everything once. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        Options options = Options.of(arguments);
        CountedRun.run(options.pool());
        progress("counted");
        PairedRun.run(options);
        NumberedRun.run(options);
        CutOffRun.run(options);
        long grown = 2L * options.rounds() * OperationRun.SMALL;
        long room = options.files() + options.files() / 4 + grown;
        try (Bed bed = Bed.make(options.pool(), room, 16, options.mode())) {
            new OperationRun(options, bed).run();
        }
    }

    static void progress(String done) {
        System.err.println("bench engine: " + done);
    }

    static void round(String name, String unit, double value) {
        System.out.printf(Locale.ROOT, "round\t%s\thmfs\t%s\t%.6f%n", name, unit, value);
    }

    static void count(String name, double value) {
        System.out.printf(Locale.ROOT, "count\t%s\t%.4f%n", name, value);
    }

    static void count(String name, long value) {
        System.out.printf(Locale.ROOT, "count\t%s\t%d%n", name, value);
    }
}
