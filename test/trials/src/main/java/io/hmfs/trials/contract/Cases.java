package io.hmfs.trials.contract;

import io.hmfs.bench.process.StepException;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;

/** Runs cases one after the other, goes on after one that fails, and keeps what became of them for the table at the end. */
final class Cases {
    /** What a case does; it returns what was seen, in a few words. */
    interface Body {
        String run() throws Exception;
    }

    private record Row(String suite, String name, double seconds, boolean passed, String seen) {}

    private final PrintStream out;
    private final List<Row> rows = new ArrayList<>();

    Cases(PrintStream out) {
        this.out = out;
    }

    /** Runs one case; what it throws is its failure. */
    void run(String suite, String name, Body body) throws InterruptedException {
        out.printf("%-10s %s …%n", suite, name);
        long start = System.nanoTime();
        String seen;
        boolean passed = false;
        try {
            seen = body.run();
            passed = true;
        } catch (InterruptedException e) {
            throw e;
        } catch (StepException | IOException e) {
            seen = String.valueOf(e.getMessage());
        } catch (Exception e) {
            seen = e.toString();
        }
        rows.add(new Row(suite, name, (System.nanoTime() - start) / 1e9, passed, seen));
        if (!passed) {
            out.printf("%-10s %s FAILED: %s%n", suite, name, seen);
        }
    }

    /** One line for each case, and the sum as the last line. Returns whether all passed, and there was one. */
    boolean report(String title) {
        int width = rows.stream().mapToInt(row -> row.name.length()).max().orElse(1);
        long failed = rows.stream().filter(row -> !row.passed).count();
        out.printf("%n%s%n%n", title);
        for (Row row : rows) {
            String first = row.seen.lines().findFirst().orElse("");
            out.printf(
                    "%-10s %s %7.1f s  %s%s%n",
                    row.suite,
                    row.name + " ".repeat(width - row.name.length()),
                    row.seconds,
                    row.passed ? "ok      " : "FAILED  ",
                    first);
        }
        out.printf("%n%d passed, %d failed%n", rows.size() - failed, failed);
        return failed == 0 && !rows.isEmpty();
    }

    /** Fails with what was found, if it is not what must be. */
    static void require(boolean holds, String otherwise) throws StepException {
        if (!holds) {
            throw new StepException(otherwise);
        }
    }

    /** The same for two values. */
    static void requireEqual(Object expected, Object found, String what) throws StepException {
        require(expected.equals(found), what + ": " + found + ", not " + expected);
    }

    /** A filesystem of its own, not the cached one. */
    static FileSystem open(String uri, String... namesAndValues) throws IOException {
        Configuration conf = new Configuration();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            conf.set(namesAndValues[i], namesAndValues[i + 1]);
        }
        return FileSystem.newInstance(URI.create(uri), conf);
    }
}
