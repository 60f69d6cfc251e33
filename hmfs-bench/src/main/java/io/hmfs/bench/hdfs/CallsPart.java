package io.hmfs.bench.hdfs;

import io.hmfs.bench.process.StepException;
import io.hmfs.bench.report.Target;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;

/**
 * Calls of {@code FileSystem}, each of which returns with its answer: the median of one thread, the rate of 16 and of 64
 * threads in directories of their own, and how far the slowest of a hundred is from the median with 64.
 */
public final class CallsPart implements Part {
    private static final int FEW = 16;
    private static final int MANY = 64;
    private static final double PERCENT_99 = 0.99;
    private static final short MODE = 0750;

    private interface Action {
        void run(FileSystem files, Path directory, int i) throws IOException;
    }

    /**
     * What is called.
     *
     * @param rate how many times HDFS's rate it is to have with 16 threads
     * @param median the part of HDFS's median that one thread may take
     */
    private record Call(String label, double rate, double median, Action action) {}

    /** In an order in which each finds what it needs, and all together leave nothing. */
    private static final List<Call> CALLS = List.of(
            new Call("mkdirs", 4, 0.5, (files, home, i) -> require(files.mkdirs(made(home, i)))),
            new Call(
                    "setPermission",
                    4,
                    0.5,
                    (files, home, i) -> files.setPermission(made(home, i), new FsPermission(MODE))),
            new Call(
                    "getFileStatus",
                    10,
                    0.35,
                    (files, home, i) ->
                            require(files.getFileStatus(made(home, i)).isDirectory())),
            new Call("exists", 10, 0.35, (files, home, i) -> require(!files.exists(new Path(home, "none" + i)))),
            new Call("rename", 4, 0.5, (files, home, i) -> require(files.rename(made(home, i), moved(home, i)))),
            new Call("rmdir", 4, 0.5, (files, home, i) -> require(files.delete(moved(home, i), false))),
            new Call(
                    "create",
                    12,
                    0.5,
                    (files, home, i) -> files.create(file(home, i), false).close()),
            new Call("delete", 4, 0.5, (files, home, i) -> require(files.delete(file(home, i), false))));

    private final int calls;

    /** So many calls of each kind, by all threads together. */
    public CallsPart(int calls) {
        this.calls = calls;
    }

    static List<Target> targets() {
        List<Target> all = new ArrayList<>();
        for (Call call : CALLS) {
            all.add(Target.atLeast(call.label() + FEW + "/hdfs", call.rate()));
            all.add(Target.atMost(call.label() + "1/hdfs", call.median()));
        }
        return all;
    }

    @Override
    public void round(Side side, int round, Figures figures) throws Exception {
        for (int threads : new int[] {1, FEW, MANY}) {
            Path top = side.path("/calls-%d-%d-%d".formatted(calls, round, threads));
            int each = Math.max(1, calls / threads);
            for (int i = 0; i < threads; i++) {
                side.files().mkdirs(new Path(top, "t" + i));
            }
            for (Call call : CALLS) {
                measure(side, call, top, threads, each, figures);
            }
            for (int i = 0; i < threads; i++) {
                if (side.files().listStatus(new Path(top, "t" + i)).length > 0) {
                    throw new StepException("the calls left something in " + top + " on " + side.name());
                }
            }
            side.files().delete(top, true);
        }
    }

    private static void measure(Side side, Call call, Path top, int threads, int each, Figures figures)
            throws IOException, InterruptedException {
        FileSystem files = side.files();
        long[] nanos = new long[threads * each];
        long start = System.nanoTime();
        Side.each(threads, thread -> {
            Path home = new Path(top, "t" + thread);
            long before = System.nanoTime();
            for (int i = 0; i < each; i++) {
                call.action().run(files, home, i);
                long now = System.nanoTime();
                nanos[thread * each + i] = now - before;
                before = now;
            }
        });
        double seconds = (System.nanoTime() - start) / 1e9;
        Arrays.sort(nanos);
        double median = nanos[nanos.length / 2];
        if (threads == 1) {
            figures.add(call.label() + "1", "us", median / 1e3);
            return;
        }
        figures.add(call.label() + threads, "ops/s", nanos.length / seconds);
        if (threads == MANY) {
            figures.add(
                    call.label() + threads + " p99/p50", "ratio", nanos[(int) (nanos.length * PERCENT_99)] / median);
        }
    }

    private static Path made(Path home, int i) {
        return new Path(home, "made" + i);
    }

    private static Path moved(Path home, int i) {
        return new Path(home, "moved" + i);
    }

    private static Path file(Path home, int i) {
        return new Path(home, "file" + i);
    }

    private static void require(boolean done) throws IOException {
        if (!done) {
            throw new IOException("a call did not do what was asked");
        }
    }
}
