package io.hmfs.bench;

import io.hmfs.bench.load.ClosedLoop;
import io.hmfs.client.CreateOptions;
import io.hmfs.client.HmfsClient;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** stat of a file ten directories deep beside one that is one directory deep, one request each. */
final class NetDepth extends NetOperation {
    private static final String DEEP = "depth10";
    private static final String FLAT = "depth1";
    private static final int DEPTH = 10;
    private static final int FILES = 100;
    private static final double BOUND = 1.15;

    private final Settings settings;
    private final String many;
    private final String flatMany;
    private final Supplier<CompletableFuture<?>> deep;
    private final Supplier<CompletableFuture<?>> flat;

    NetDepth(HmfsClient client, Settings settings) throws IOException {
        this.settings = settings;
        many = DEEP + ", " + settings.inFlight() + " in flight";
        flatMany = FLAT + ", " + settings.inFlight() + " in flight";
        flat = stats(client, "/level00");
        StringBuilder path = new StringBuilder();
        for (int level = 0; level < DEPTH; level++) {
            path.append("/level%02d".formatted(level));
        }
        deep = stats(client, path.toString());
    }

    private static Supplier<CompletableFuture<?>> stats(HmfsClient client, String directory) throws IOException {
        client.mkdir(directory, 0755, true);
        String[] paths = new String[FILES];
        for (int i = 0; i < FILES; i++) {
            paths[i] = "%s/part-%011d".formatted(directory, i);
            client.create(paths[i], new CreateOptions(0644, false, false, 0755));
        }
        return NetStat.inTurn(client, paths);
    }

    @Override
    void round(Lines lines) throws InterruptedException {
        round(lines, deep, DEEP, many);
        round(lines, flat, FLAT, flatMany);
    }

    private void round(Lines lines, Supplier<CompletableFuture<?>> request, String oneSubject, String manySubject)
            throws InterruptedException {
        lines.round(
                DEEP,
                oneSubject,
                "us",
                ClosedLoop.latency(request, settings.nanos()).medianNanos() / 1e3);
        lines.round(
                many,
                manySubject,
                "us",
                1e6 / ClosedLoop.throughput(request, settings.inFlight(), settings.nanos(), Long.MAX_VALUE));
    }

    @Override
    void report(Lines lines) {
        compare(lines, DEEP, DEEP, FLAT, Target.atMost(DEEP + "/" + FLAT, BOUND));
        compare(lines, many, many, flatMany, Target.atMost(many + "/" + flatMany, BOUND));
    }

    @Override
    public void close() {
        // the client is the command's
    }
}
