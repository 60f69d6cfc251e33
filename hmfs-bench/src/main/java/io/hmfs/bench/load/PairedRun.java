package io.hmfs.bench.load;

import io.hmfs.core.Namespace;
import java.io.IOException;
import java.util.Arrays;
import java.util.function.LongConsumer;

/** Ratios of two ways to create, each on a new pool, in turns, so that a slow spell of the machine hits both. */
final class PairedRun {
    private static final long STEPS_MAX = 300_000;
    private static final int SIXTEEN = 16;
    private static final int LONG_NAME = 128;
    private static final int SHARING_THREADS = 2;
    private static final int UNTIMED = 1 << 30;

    private final OperationOptions options;
    private final long steps;

    private PairedRun(OperationOptions options) {
        this.options = options;
        this.steps = Math.min(options.files(), STEPS_MAX);
    }

    static void run(OperationOptions options) throws IOException, InterruptedException {
        PairedRun run = new PairedRun(options);
        for (int round = -1; round < options.rounds(); round++) { // the first is for the compiler
            double shared = run.create(SHARING_THREADS, true, SIXTEEN, Bed.Names.SCATTERED);
            double apart = run.create(SHARING_THREADS, false, SIXTEEN, Bed.Names.SCATTERED);
            double usual = run.create(1, true, SIXTEEN, Bed.Names.SCATTERED);
            double longNames = run.create(1, true, LONG_NAME, Bed.Names.SCATTERED);
            double counted = run.create(1, true, SIXTEEN, Bed.Names.COUNTED);
            double prefixed = run.create(1, true, 3 * SIXTEEN, Bed.Names.COUNTED);
            double unprefixed = run.create(1, true, 3 * SIXTEEN, Bed.Names.SCATTERED);
            if (round >= 0) {
                FoundLines.round("sharedCreate/privateCreate", "ratio", shared / apart);
                FoundLines.round("create128/create16", "ratio", longNames / usual);
                FoundLines.round("createCounted/createScattered", "ratio", counted / usual);
                FoundLines.round("createPrefixed/createScattered", "ratio", prefixed / unprefixed);
            }
            FoundLines.progress("pairs, round " + (round + 1) + " of " + options.rounds());
        }
    }

    private double create(int threads, boolean shared, int nameLength, Bed.Names names)
            throws IOException, InterruptedException {
        Latencies[] none = new Latencies[threads];
        Arrays.setAll(none, _ -> new Latencies());
        try (Bed bed = Bed.make(options.pool(), steps * threads, nameLength, options.mode())) {
            long[] directories = new long[threads];
            Arrays.fill(directories, Namespace.ROOT_ID);
            for (int t = 0; !shared && t < threads; t++) {
                directories[t] = bed.directory("d" + t);
            }
            return Bed.run(
                    threads,
                    steps,
                    thread -> step(bed, directories[thread], thread * steps, nameLength, names),
                    none,
                    UNTIMED);
        }
    }

    private static LongConsumer step(Bed bed, long directory, long first, int nameLength, Bed.Names names) {
        Bed.Hand hand = new Bed.Hand(nameLength, names);
        return i -> Bed.require(bed.namespace.create(directory, hand.name(first + i), Bed.FILE_MODE, 0, 0, hand.out));
    }
}
