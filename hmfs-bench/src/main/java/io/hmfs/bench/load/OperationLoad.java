package io.hmfs.bench.load;

import java.io.IOException;

/**
 * Every operation of the engine at one number of files, in a JVM of its own; what it finds goes to standard output, a line each
 * ({@code round}, {@code count}).
 */
public final class OperationLoad {
    private OperationLoad() {}

    /** Runs everything once. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        OperationOptions options = OperationOptions.of(arguments);
        CountedRun.run(options.pool());
        FoundLines.progress("counted");
        PairedRun.run(options);
        NumberedRun.run(options);
        CutOffRun.run(options);
        long grown = 2L * options.rounds() * OperationRun.SMALL;
        long room = options.files() + options.files() / 4 + grown;
        try (Bed bed = Bed.make(options.pool(), room, 16, options.mode())) {
            new OperationRun(options, bed).run();
        }
    }
}
