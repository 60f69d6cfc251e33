package io.hmfs.bench.load;

import io.hmfs.bench.process.RemoteServer;
import io.hmfs.bench.report.Outcome;
import io.hmfs.bench.report.Result;
import io.hmfs.bench.report.Series;
import io.hmfs.bench.report.Target;
import io.hmfs.client.HmfsClient;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Whether a server's Java heap stays as it is while the number of files grows: used bytes after a full collection, on the way. */
final class HeapCheck {
    private static final int DIRECTORIES = 100;
    private static final List<Integer> TENTHS = List.of(1, 2, 5, 10);
    private static final double GROWTH_MAX = 1.1;

    private HeapCheck() {}

    static Outcome run(Path poolDirectory, int files) throws IOException, InterruptedException {
        List<Result> results = new ArrayList<>();
        Map<String, Number> counters = new LinkedHashMap<>();
        int loops = Runtime.getRuntime().availableProcessors();
        try (RemoteServer server = new RemoteServer(poolDirectory, PoolSize.of(files), loops);
                HmfsClient client = server.connect()) {
            RemoteFiles made = new RemoteFiles(client, DIRECTORIES);
            List<Series> used = new ArrayList<>();
            for (int tenths : TENTHS) {
                int count = (int) ((long) files * tenths / 10);
                long start = System.nanoTime();
                int before = made.count();
                made.grow(count);
                double seconds = (System.nanoTime() - start) / 1e9;
                long heap = server.heapUsed();
                used.add(new Series("heap", count + " files", "bytes", List.of((double) heap)));
                results.add(used.getLast().result());
                results.add(new Series(
                                "create over loopback, to " + count,
                                "hmfs",
                                "ops/s",
                                List.of((count - before) / seconds))
                        .result());
                System.err.println("bench engine: " + count + " files, " + heap + " bytes on the heap");
            }
            results.add(used.getLast().dividedBy(used.getFirst()).result());
        }
        counters.put("files", (long) files);
        counters.put("directories", (long) DIRECTORIES);
        String ratio = results.getLast().name();
        return new Outcome(results, counters, List.of(Target.atMost(ratio, GROWTH_MAX)));
    }
}
