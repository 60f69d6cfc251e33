package io.hmfs.bench;

import io.hmfs.bench.load.ClosedLoop;
import io.hmfs.bench.load.FrameSizes;
import io.hmfs.bench.load.RemoteFiles;
import io.hmfs.client.HmfsClient;
import java.io.IOException;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** stat of random files beside the echo: with many in flight, and one by one. */
final class NetStat extends NetOperation {
    private static final String HMFS = "hmfs";
    private static final String ONE = "stat1";
    private static final String ECHO_ONE = "echo1";
    private static final String P99 = " p99";
    private static final String BLOCKING = " blocking";
    private static final int MANY = 256;

    private final Settings settings;
    private final String many;
    private final String echoMany;
    private final Supplier<CompletableFuture<?>> stats;
    private final FrameSizes sizes;
    private final NetEcho echo;

    NetStat(RemoteServer server, HmfsClient client, RemoteFiles files, Settings settings, int eventLoops)
            throws IOException, InterruptedException {
        this.settings = settings;
        many = "stat" + settings.inFlight();
        echoMany = "echo" + settings.inFlight();
        stats = stats(client, files, settings.files());
        sizes = FrameSizes.ofStat(server.port(), files.path(0));
        echo = new NetEcho(sizes, eventLoops);
    }

    FrameSizes sizes() {
        return sizes;
    }

    /** stat of one file after the other in random order, by paths made before. */
    static Supplier<CompletableFuture<?>> stats(HmfsClient client, RemoteFiles files, int count) {
        SplittableRandom random = new SplittableRandom(count);
        String[] paths = new String[count];
        for (int i = 0; i < count; i++) {
            paths[i] = files.path(random.nextInt(count));
        }
        return inTurn(client, paths);
    }

    /** stat of one path after the other, for ever. */
    static Supplier<CompletableFuture<?>> inTurn(HmfsClient client, String[] paths) {
        return new Supplier<>() {
            private int next;

            @Override
            public CompletableFuture<?> get() {
                next = next + 1 == paths.length ? 0 : next + 1;
                return client.statAsync(paths[next]);
            }
        };
    }

    @Override
    void round(Lines lines) throws InterruptedException {
        round(lines, stats, HMFS, HMFS);
        round(lines, echo.client()::echoAsync, echoMany, ECHO_ONE);
    }

    private void round(
            Lines lines, Supplier<? extends CompletableFuture<?>> request, String manySubject, String oneSubject)
            throws InterruptedException {
        double perSecond = ClosedLoop.throughput(request, settings.inFlight(), settings.nanos(), Long.MAX_VALUE);
        ClosedLoop.Latency latency = ClosedLoop.latency(request, settings.nanos());
        ClosedLoop.Latency blocking = ClosedLoop.blockingLatency(request, settings.nanos());
        lines.round(many, manySubject, "ops/s", perSecond);
        lines.round(ONE, oneSubject, "us", latency.medianNanos() / 1e3);
        lines.round(ONE + P99, oneSubject, "us", latency.p99Nanos() / 1e3);
        lines.round(ONE + BLOCKING, oneSubject, "us", blocking.medianNanos() / 1e3);
        lines.round(ONE + BLOCKING + P99, oneSubject, "us", blocking.p99Nanos() / 1e3);
    }

    @Override
    void report(Lines lines) {
        double bound = settings.inFlight() < MANY ? 0.3 : 0.5;
        compare(lines, many, HMFS, echoMany, Target.atLeast(many + "/" + echoMany, bound));
        compareOne(lines, ONE, 1.3);
        compareOne(lines, ONE + P99, 2);
        compareOne(lines, ONE + BLOCKING, 1.3);
        compareOne(lines, ONE + BLOCKING + P99, 2);
    }

    private void compareOne(Lines lines, String name, double bound) {
        compare(lines, name, HMFS, ECHO_ONE, Target.atMost(name + "/" + ECHO_ONE, bound));
    }

    @Override
    public void close() {
        echo.close();
    }
}
