package io.hmfs.bench;

import io.hmfs.bench.load.ClosedLoop;
import io.hmfs.bench.load.FrameSizes;
import io.hmfs.bench.load.PoolSize;
import io.hmfs.bench.load.RemoteFiles;
import io.hmfs.bench.peer.EchoClient;
import io.hmfs.bench.peer.EchoServer;
import io.hmfs.client.HmfsClient;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code hmfs bench net}: stat over loopback beside an echo. */
@Command(
        name = "net",
        mixinStandardHelpOptions = true,
        description =
                "stat through client and server over loopback, beside a plain Netty echo of the same frame sizes.",
        footer = {
            "",
            "Server and echo run in a JVM each, with the same flags, sockets and event loops; the clients are here, one"
                    + " connection and one event loop each. The rounds of the two take turns; a ratio is taken round by"
                    + " round. The frame sizes are counted on the wire before.",
            "stat: requests in flight are kept at --in-flight, each answer starts the next request. latency: one in flight,"
                    + " no thread waits. blocking latency: one in flight, as a thread sees it that waits for each answer.",
            "",
            "Examples:",
            "  hmfs bench net",
            "  hmfs bench net --rounds 9 --millis 3000 --json net.json",
        })
final class NetCommand implements Callable<Integer> {
    private static final String STAT = "stat";
    private static final String LATENCY = "latency";
    private static final String BLOCKING = "blocking latency";
    private static final String P99 = " p99";

    @Mixin
    private final ReportOptions report = new ReportOptions();

    @Option(names = "--files", defaultValue = "100000", description = "Files to stat (default ${DEFAULT-VALUE}).")
    private int files;

    @Option(names = "--in-flight", defaultValue = "64", description = "Requests (default ${DEFAULT-VALUE}).")
    private int inFlight;

    @Option(names = "--rounds", defaultValue = "5", description = "Rounds that count (default ${DEFAULT-VALUE}).")
    private int rounds;

    @Option(names = "--warm-up", defaultValue = "2", description = "Rounds before (default ${DEFAULT-VALUE}).")
    private int warmUp;

    @Option(
            names = "--millis",
            defaultValue = "2000",
            description = "Length of each of a round's parts (default ${DEFAULT-VALUE}).")
    private long millis;

    @Option(
            names = "--event-loops",
            description = "Event loops of server and echo each (default: the number of processors).")
    private @Nullable Integer eventLoops;

    @Option(
            names = "--pool-dir",
            paramLabel = "DIR",
            description = "Where the pool is made (default /dev/shm, or the directory for temporary files).")
    private @Nullable Path poolDirectory;

    /** One side of the comparison. */
    private record Subject(String name, Supplier<? extends CompletableFuture<?>> request) {}

    @Override
    public Integer call() throws IOException, InterruptedException {
        Path directory = poolDirectory == null ? PoolDirectory.standard() : poolDirectory;
        int loops = eventLoops == null ? Runtime.getRuntime().availableProcessors() : eventLoops;
        try (RemoteServer server = new RemoteServer(directory, PoolSize.of(files), loops);
                HmfsClient client = server.connect()) {
            RemoteFiles made = new RemoteFiles(client, 1);
            made.grow(files);
            FrameSizes sizes = FrameSizes.ofStat(server.port(), made.path(0));
            try (ChildJvm echo = ChildJvm.start(
                            EchoServer.class,
                            RemoteServer.FLAGS,
                            List.of("" + sizes.request(), "" + sizes.reply(), "" + loops));
                    EchoClient echoClient = new EchoClient(
                            RemoteServer.number(echo.answer(), "ready "), sizes.request(), sizes.reply())) {
                Lines lines =
                        measure(new Subject("hmfs", stats(client, made)), new Subject("echo", echoClient::echoAsync));
                return report.publish(outcome(lines, sizes));
            }
        }
    }

    /** stat of one file after the other in random order, by paths made before. */
    private Supplier<CompletableFuture<?>> stats(HmfsClient client, RemoteFiles made) {
        SplittableRandom random = new SplittableRandom(files);
        String[] paths = new String[files];
        for (int i = 0; i < files; i++) {
            paths[i] = made.path(random.nextInt(files));
        }
        return new Supplier<>() {
            private int next;

            @Override
            public CompletableFuture<?> get() {
                next = next + 1 == paths.length ? 0 : next + 1;
                return client.statAsync(paths[next]);
            }
        };
    }

    private Lines measure(Subject... subjects) throws InterruptedException {
        Lines lines = new Lines();
        long nanos = millis * 1_000_000;
        for (int round = -warmUp; round < rounds; round++) {
            for (Subject subject : subjects) {
                double perSecond = ClosedLoop.throughput(subject.request(), inFlight, nanos);
                ClosedLoop.Latency latency = ClosedLoop.latency(subject.request(), nanos);
                ClosedLoop.Latency blocking = ClosedLoop.blockingLatency(subject.request(), nanos);
                if (round >= 0) {
                    lines.round(STAT, subject.name(), "ops/s", perSecond);
                    latency(lines, LATENCY, subject, latency);
                    latency(lines, BLOCKING, subject, blocking);
                }
            }
            System.err.println("bench net: "
                    + (round < 0
                            ? "warm-up " + (round + warmUp + 1) + " of " + warmUp
                            : "round " + (round + 1) + " of " + rounds)
                    + " done");
        }
        return lines;
    }

    private static void latency(Lines lines, String name, Subject subject, ClosedLoop.Latency latency) {
        lines.round(name, subject.name(), "us", latency.medianNanos() / 1e3);
        lines.round(name + P99, subject.name(), "us", latency.p99Nanos() / 1e3);
    }

    private Outcome outcome(Lines lines, FrameSizes sizes) {
        List<Result> results = new ArrayList<>();
        for (String name : List.of(STAT, LATENCY, LATENCY + P99, BLOCKING, BLOCKING + P99)) {
            Series hmfs = lines.series(name, "hmfs");
            Series echo = lines.series(name, "echo");
            results.add(hmfs.result());
            results.add(echo.result());
            results.add(hmfs.dividedBy(echo).result());
        }
        Map<String, Number> counters = new LinkedHashMap<>();
        counters.put("bytes of a request", (long) sizes.request());
        counters.put("bytes of a reply", (long) sizes.reply());
        counters.put("requests in flight", (long) inFlight);
        counters.put("files", (long) files);
        return new Outcome(
                results,
                counters,
                List.of(
                        Target.atLeast(STAT + "/echo", 0.3),
                        Target.atMost(LATENCY + "/echo", 1.5),
                        Target.atMost(BLOCKING + "/echo", 1.5)));
    }
}
