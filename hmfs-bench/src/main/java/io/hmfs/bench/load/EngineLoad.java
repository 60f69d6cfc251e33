package io.hmfs.bench.load;

import io.hmfs.bench.peer.HeapMap;
import java.io.IOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Locale;

/**
 * The rounds of {@code hmfs bench engine}, in a JVM of their own: engine and map take turns, each on something new, so that a slow
 * spell of the machine hits both.
 */
public final class EngineLoad {
    private static final double NANOS = 1e9;
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private EngineLoad() {}

    /** Runs all rounds; the lines are for the benchmark that started this JVM. */
    public static void main(String[] arguments) throws IOException {
        EngineOptions options = EngineOptions.of(arguments);
        KeySet keys = KeySet.of(options);
        for (int round = -options.warmUp(); round < options.rounds(); round++) {
            boolean counts = round >= 0;
            try (EngineSubject engine = EngineSubject.open(options, keys)) {
                System.gc(); // what the other one left is not this one's to collect
                report(counts, "create", "hmfs", options.files(), engine::create);
                report(counts, "stat", "hmfs", options.files(), engine::stat);
                report(counts, "statAll", "hmfs", options.files(), engine::statAll);
                count(counts, "pool bytes", engine.capacity());
                Pages pages = Pages.of(options.pool());
                count(counts, "pages", pages.size());
                count(counts, "percent of the pool in pages of 2 MiB", Math.round(pages.percentHuge()));
            }
            try (EngineSubject engine = EngineSubject.open(options, keys)) {
                report(counts, "createAll", "hmfs", options.files(), engine::createAll);
            }
            HeapMap map = new HeapMap();
            System.gc();
            report(counts, "create", "map", options.files(), () -> map.putAll(keys.strings()));
            report(counts, "stat", "map", options.files(), () -> map.getAll(keys.lookUpStrings()));
            System.err.printf(
                    Locale.ROOT,
                    "bench engine: %s %d of %d done%n",
                    counts ? "round" : "warm-up",
                    counts ? round + 1 : round + options.warmUp() + 1,
                    counts ? options.rounds() : options.warmUp());
        }
        for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
            count(true, "collections of " + collector.getName(), collector.getCollectionCount());
        }
    }

    /** Times a loop twice over: by the clock, and by the processor time of this thread, which others' work disturbs less. */
    private static void report(boolean counts, String name, String subject, int files, Runnable loop) {
        long cpu = THREADS.getCurrentThreadCpuTime();
        long start = System.nanoTime();
        loop.run();
        long nanos = System.nanoTime() - start;
        long cpuNanos = THREADS.getCurrentThreadCpuTime() - cpu;
        if (counts) {
            System.out.println(String.join("\t", "round", name, subject, "ops/s", "" + files * NANOS / nanos));
            System.out.println(
                    String.join("\t", "round", name + " cpu", subject, "ns/op", "" + (double) cpuNanos / files));
        }
    }

    private static void count(boolean counts, String name, long value) {
        if (counts) {
            System.out.println(String.join("\t", "count", name, "" + value));
        }
    }
}
