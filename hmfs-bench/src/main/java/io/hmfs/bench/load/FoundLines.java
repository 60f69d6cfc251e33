package io.hmfs.bench.load;

import java.util.Locale;

/** What a run finds: a line each on standard output, for the benchmark that started this JVM; what is done goes to standard error. */
final class FoundLines {
    private FoundLines() {}

    static void progress(String done) {
        System.err.println("bench: " + done);
    }

    static void round(String name, String unit, double value) {
        round(name, "hmfs", unit, value);
    }

    static void round(String name, String subject, String unit, double value) {
        System.out.printf(Locale.ROOT, "round\t%s\t%s\t%s\t%.6f%n", name, subject, unit, value);
    }

    static void count(String name, double value) {
        System.out.printf(Locale.ROOT, "count\t%s\t%.4f%n", name, value);
    }

    static void count(String name, long value) {
        System.out.printf(Locale.ROOT, "count\t%s\t%d%n", name, value);
    }
}
