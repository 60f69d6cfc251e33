package io.hmfs.trials.quickstart;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Runs named steps one after the other, says what happens, and keeps the figures for the table at the end. */
final class Steps {
    private static final long PROGRESS_NANOS = 3_000_000_000L;

    /** What a step does; it returns the number of files that it handled, 0 for none. */
    interface Body {
        long run() throws Exception;
    }

    private record Row(String step, long files, double seconds, String outcome) {}

    private final PrintStream out;
    private final List<Row> rows = new ArrayList<>();
    private String current = "";
    private long lastProgressNanos;

    Steps(PrintStream out) {
        this.out = out;
    }

    /** Runs one step. What it throws is kept as its outcome and goes on to the caller. */
    void run(String name, String what, Body body) throws Exception {
        current = name;
        say(what);
        long start = System.nanoTime();
        lastProgressNanos = start;
        long files = 0;
        String outcome = "FAILED";
        try {
            files = body.run();
            outcome = "ok";
        } finally {
            rows.add(new Row(name, files, (System.nanoTime() - start) / 1e9, outcome));
        }
    }

    /** The step that runs now, or ran last. */
    String current() {
        return current;
    }

    /** One line about the current step. */
    void say(String line) {
        out.printf("%-10s %s%n", current, line);
    }

    /** How far the current step is; printed every few seconds only. */
    synchronized void progress(long done, long all) {
        long now = System.nanoTime();
        if (now - lastProgressNanos >= PROGRESS_NANOS) {
            lastProgressNanos = now;
            say("  %,d of %,d files".formatted(done, all));
        }
    }

    void printTable() {
        double total = rows.stream().mapToDouble(Row::seconds).sum();
        out.println();
        out.printf("%-12s %8s %9s%n", "step", "files", "time");
        for (Row row : rows) {
            String files = row.files() == 0 ? "" : String.format(Locale.ROOT, "%,d", row.files());
            out.printf("%-12s %8s %7.1f s  %s%n", row.step(), files, row.seconds(), row.outcome());
        }
        out.printf("%-12s %8s %7.1f s%n", "all", "", total);
    }
}
