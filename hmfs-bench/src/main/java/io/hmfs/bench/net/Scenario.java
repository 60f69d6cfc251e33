package io.hmfs.bench.net;

import io.hmfs.bench.load.ClosedLoop;
import io.hmfs.bench.load.FrameSizes;
import io.hmfs.bench.load.ManyConnections;
import io.hmfs.bench.load.ManyConnections.Traffic;
import io.hmfs.bench.load.NameNodeCreates;
import io.hmfs.bench.load.RemoteCreates;
import io.hmfs.bench.load.RemoteFiles;
import io.hmfs.bench.net.Comparison.Probe;
import io.hmfs.bench.net.Comparison.Side;
import io.hmfs.bench.peer.EchoClient;
import io.hmfs.bench.peer.NameNode;
import io.hmfs.bench.process.RemoteServer;
import io.hmfs.bench.process.TemporaryDirectory;
import io.hmfs.client.CreateOptions;
import io.hmfs.client.HmfsClient;
import io.hmfs.core.pmem.Persistence;
import io.hmfs.server.transport.SocketKind;
import io.hmfs.server.transport.netty.NettySockets;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The table of what {@code bench net} measures; a row says what one operation is, how requests are kept under way, and the peer. */
enum Scenario {
    STAT(
            "stat of a random file",
            "N in flight; one in flight, no thread waits; one in flight, a thread waits for each answer",
            "an echo of the same frame sizes",
            Scenario::stat),
    CREATE(
            "create of an empty file, each round in a new directory",
            "N in flight",
            "an echo of the same frame sizes",
            Scenario::create),
    DEPTH(
            "stat of a file ten directories deep",
            "one in flight; N in flight",
            "stat of a file one directory deep",
            Scenario::depth),
    BATCHED(
            "create, all in one directory",
            "N in flight",
            "a server that executes each create alone",
            Scenario::batched),
    TRANSPORTS(
            "stat through each kind of sockets that is there",
            "N in flight over one connection and over 16; one in flight",
            "the server with epoll",
            Scenario::transports),
    CONNECTIONS(
            "stat over --connections, a tenth of them active; memory of each",
            "N in flight in all, at least one for each active connection",
            "16 connections with as many in flight in all, and as many on each; an echo, likewise",
            Scenario::connections),
    RDMA(
            "stat, listing, bytes of a file by RDMA to --rdma-host; stats that are read in the server's memory",
            "N in flight, one in flight",
            "the same by TCP to the same address; stats that are asked for",
            RdmaScenarios::beside),
    RDMA_CONNECTIONS(
            "stat over --connections by RDMA; memory that they pin",
            "N in flight in all",
            "16 of them",
            RdmaScenarios::connections),
    NAME_NODE(
            "create of an empty file, on the disk before its answer",
            "N in flight; HDFS by --name-node-threads",
            "HDFS's NameNode, whose create is two calls, create and complete, each an edit",
            Scenario::nameNode);

    private static final String HMFS = "hmfs";
    private static final String OPS = "ops/s";
    private static final String MICROS = "us";
    private static final int FEW = 16;

    private final String operation;
    private final String load;
    private final String peer;

    @SuppressWarnings("ImmutableEnumChecker") // a reference to a static method
    private final Setup setup;

    /** Sets a scenario up; what it opens belongs to the testbed. */
    @FunctionalInterface
    private interface Setup {
        List<Comparison> open(Testbed bed) throws IOException, InterruptedException;
    }

    Scenario(String operation, String load, String peer, Setup setup) {
        this.operation = operation;
        this.load = load;
        this.peer = peer;
        this.setup = setup;
    }

    /** As it is written on the command line. */
    String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** A row of the help. */
    String describe() {
        return "%-18s%s. %s. Beside %s.".formatted(label(), operation, capitalized(load), peer);
    }

    private static String capitalized(String text) {
        return Character.toUpperCase(text.charAt(0)) + text.substring(1);
    }

    /** Whether it makes files in the shared pool, or a pool of the same size, each round. */
    boolean makesFiles() {
        return this == CREATE || this == BATCHED || this == NAME_NODE;
    }

    List<Comparison> open(Testbed bed) throws IOException, InterruptedException {
        return setup.open(bed);
    }

    private static List<Comparison> stat(Testbed bed) throws IOException, InterruptedException {
        Testbed.Plan plan = bed.plan();
        RemoteFiles files = bed.files();
        FrameSizes sizes = FrameSizes.ofStat(bed.server().port(), files.path(0));
        bed.count("bytes of a stat", (long) sizes.request());
        bed.count("bytes of its reply", (long) sizes.reply());
        bed.count("files", (long) plan.files());
        Supplier<CompletableFuture<?>> ours = stats(bed.client(), files, plan.files());
        EchoProcess peer = bed.newEcho(sizes);
        Supplier<CompletableFuture<Void>> echo = bed.newEchoClient(peer, sizes)::echoAsync;
        List<Comparison> all = new ArrayList<>(many(
                plan.inFlight() < 256 ? 0.3 : 0.5,
                "stat" + plan.inFlight(),
                new Costed(pipelined(ours, plan), bed.server()::processorNanos),
                "echo" + plan.inFlight(),
                new Costed(pipelined(echo, plan), peer::processorNanos)));
        all.addAll(
                latency("stat1", LatencyProbe.chained(ours, plan.nanos()), LatencyProbe.chained(echo, plan.nanos())));
        Supplier<String> paths = endlessly(randomPaths(files, plan.files(), plan.files()));
        all.addAll(latency(
                "stat1 blocking",
                LatencyProbe.blocking(() -> bed.client().stat(paths.get()), plan.nanos()),
                LatencyProbe.blocking(() -> echo.get().get(), plan.nanos())));
        return all;
    }

    private static List<Comparison> many(double bound, String name, Costed ours, String peer, Costed theirs) {
        return List.of(
                Comparison.atLeast(
                        bound, name, OPS, new Side(HMFS, ours::perSecond), new Side(peer, theirs::perSecond)),
                new Comparison(
                        name + " server processor",
                        MICROS,
                        new Side(HMFS, ours::processorMicros),
                        new Side(peer, theirs::processorMicros),
                        null));
    }

    private static List<Comparison> latency(String name, LatencyProbe ours, LatencyProbe echo) {
        return List.of(
                Comparison.atMost(1.3, name, MICROS, new Side(HMFS, ours::median), new Side("echo1", echo::median)),
                Comparison.atMost(2, name + " p99", MICROS, new Side(HMFS, ours::p99), new Side("echo1", echo::p99)));
    }

    private static List<Comparison> create(Testbed bed) throws IOException, InterruptedException {
        Testbed.Plan plan = bed.plan();
        RemoteCreates creates = new RemoteCreates(bed.client(), "/new");
        FrameSizes sizes = creates.sizes(bed.server().port());
        EchoProcess peer = bed.newEcho(sizes);
        EchoClient echo = bed.newEchoClient(peer, sizes);
        double bound = switch (plan.persistence()) {
            case PROCESS -> 0.35;
            case PMEM -> 0.2;
            case LOGGED -> 0.1;
        };
        return many(
                bound,
                "create" + plan.inFlight(),
                new Costed(pipelined(creates, plan), bed.server()::processorNanos),
                "echo" + plan.inFlight(),
                new Costed(pipelined(echo::echoAsync, plan), peer::processorNanos));
    }

    private static List<Comparison> depth(Testbed bed) throws IOException {
        Testbed.Plan plan = bed.plan();
        Supplier<CompletableFuture<?>> flat = statsBelow(bed.client(), "/level00");
        StringBuilder path = new StringBuilder();
        for (int level = 0; level < 10; level++) {
            path.append("/level%02d".formatted(level));
        }
        Supplier<CompletableFuture<?>> deep = statsBelow(bed.client(), path.toString());
        String many = ", " + plan.inFlight() + " in flight";
        Probe deepMany = pipelined(deep, plan);
        Probe flatMany = pipelined(flat, plan);
        return List.of(
                Comparison.atMost(
                        1.15,
                        "depth10",
                        MICROS,
                        new Side("depth10", LatencyProbe.chained(deep, plan.nanos())::median),
                        new Side("depth1", LatencyProbe.chained(flat, plan.nanos())::median)),
                Comparison.atMost(
                        1.15,
                        "depth10" + many,
                        MICROS,
                        new Side("depth10" + many, () -> 1e6 / deepMany.run()),
                        new Side("depth1" + many, () -> 1e6 / flatMany.run())));
    }

    private static List<Comparison> batched(Testbed bed) throws IOException {
        Testbed.Plan plan = bed.plan();
        RemoteServer alone = bed.newServer(plan.sockets(), List.of("-Dhmfs.batchCreates=false"));
        RemoteCreates ours = new RemoteCreates(bed.client(), "/batched");
        RemoteCreates theirs = new RemoteCreates(bed.open(alone.connect(plan.inFlightMax())), "/batched");
        return List.of(Comparison.atLeast(
                1.5,
                "batched",
                OPS,
                new Side("batched", pipelined(ours, plan)),
                new Side("alone", pipelined(theirs, plan))));
    }

    private static List<Comparison> transports(Testbed bed) throws IOException, InterruptedException {
        Testbed.Plan plan = bed.plan();
        String many = "stat" + plan.inFlight() + " by sockets";
        String spread = many + ", " + FEW + " connections";
        List<List<Side>> rows = new ArrayList<>(); // of each kind the sides of many, spread and one, epoll first
        for (SocketKind kind : List.of(SocketKind.EPOLL, SocketKind.IO_URING, SocketKind.NIO)) {
            String obstacle = NettySockets.obstacle(kind);
            if (obstacle != null) {
                System.err.println("bench net: without " + kind.label() + ": " + obstacle);
                continue;
            }
            RemoteServer server = bed.newServer(kind, List.of());
            List<HmfsClient> clients = new ArrayList<>();
            for (int i = 0; i < FEW; i++) {
                clients.add(bed.open(server.connect(plan.inFlightMax())));
            }
            RemoteFiles files = new RemoteFiles(clients.getFirst(), 1);
            files.grow(plan.files());
            List<Supplier<CompletableFuture<?>>> stats = clients.stream()
                    .map(client -> stats(client, files, plan.files()))
                    .toList();
            rows.add(List.of(
                    new Side(kind.label(), pipelined(stats.getFirst(), plan)),
                    new Side(kind.label(), () -> spread(stats, plan)),
                    new Side(kind.label(), LatencyProbe.chained(stats.getFirst(), plan.nanos())::median)));
        }
        List<Comparison> all = new ArrayList<>();
        for (List<Side> sides : rows.subList(1, rows.size())) {
            List<Side> base = rows.getFirst();
            all.add(new Comparison(many, OPS, sides.get(0), base.get(0), null));
            all.add(new Comparison(spread, OPS, sides.get(1), base.get(1), null));
            all.add(new Comparison("stat1 by sockets", MICROS, sides.get(2), base.get(2), null));
        }
        return all;
    }

    /** Servers apart for the few connections and the many: idle connections must not stand beside the few. */
    private static List<Comparison> connections(Testbed bed) throws IOException, InterruptedException {
        Testbed.Plan plan = bed.plan();
        int many = plan.connections();
        int active = Math.max(1, many / 10);
        int inFlight = Math.max(plan.inFlight(), active);
        long nanos = plan.nanos();
        RemoteServer fewServer = bed.newServer(plan.sockets(), List.of());
        RemoteServer manyServer = bed.newServer(plan.sockets(), List.of());
        List<String> paths = new ArrayList<>();
        for (RemoteServer server : List.of(fewServer, manyServer)) {
            try (HmfsClient client = server.connect()) {
                RemoteFiles files = new RemoteFiles(client, 1);
                files.grow(plan.files());
                paths = randomPaths(files, plan.files(), 4096);
            }
        }
        FrameSizes sizes = FrameSizes.ofStat(fewServer.port(), paths.getFirst());
        Traffic stats = Traffic.stats(paths, sizes);
        ManyConnections ofFew = bed.open(new ManyConnections(fewServer.port(), FEW, plan.loops(), stats));
        double unused = ofFew.perSecond(FEW, inFlight, nanos);
        try (ManyConnections warm = new ManyConnections(manyServer.port(), FEW, plan.loops(), stats)) {
            unused += warm.perSecond(FEW, inFlight, nanos); // classes and buffers that the first ones bring
        }
        System.err.printf("bench net: before the connections %.0f/s%n", unused / 2);
        RemoteServer.Memory empty = manyServer.memory();
        ManyConnections ofMany = bed.open(new ManyConnections(manyServer.port(), many, plan.loops(), stats));
        countMemory(bed, "idle", manyServer.memory(), empty);
        bed.atEnd(() -> countMemory(bed, "after the load", manyServer.memory(), empty));
        bed.count("connections", (long) many);
        bed.count("of these active", (long) active);
        bed.count("requests in flight over them", (long) inFlight);
        // Of the echo the active connections alone: this process has not files enough for the others.
        Traffic frames = Traffic.echo(sizes);
        ManyConnections fewEcho =
                bed.open(new ManyConnections(bed.newEcho(sizes).port(), FEW, plan.loops(), frames));
        ManyConnections manyEcho =
                bed.open(new ManyConnections(bed.newEcho(sizes).port(), active, plan.loops(), frames));
        String name = "conn" + many;
        double[] last = new double[1]; // the figure of the many stands beside two peers
        Probe measured = () -> last[0] = ofMany.perSecond(active, inFlight, nanos);
        int shallow = FEW * Math.max(1, inFlight / active);
        return List.of(
                Comparison.atLeast(
                        0.7,
                        name,
                        OPS,
                        new Side(name, measured),
                        new Side("conn16", () -> ofFew.perSecond(FEW, inFlight, nanos))),
                new Comparison(
                        name + ", as many in flight on each",
                        OPS,
                        new Side(name, () -> last[0]),
                        new Side("conn16", () -> ofFew.perSecond(FEW, shallow, nanos)),
                        null),
                new Comparison(
                        "echo" + active,
                        OPS,
                        new Side("echo" + active, () -> manyEcho.perSecond(active, inFlight, nanos)),
                        new Side("echo16", () -> fewEcho.perSecond(FEW, inFlight, nanos)),
                        null));
    }

    private static List<Comparison> nameNode(Testbed bed) throws IOException, InterruptedException {
        Testbed.Plan plan = bed.plan();
        String name = plan.persistence().name().toLowerCase(Locale.ROOT) + plan.inFlight();
        RemoteCreates ours = new RemoteCreates(bed.client(), "/beside-hdfs");
        TemporaryDirectory directory = bed.open(new TemporaryDirectory(plan.logParent()));
        NameNode nameNode = bed.open(new NameNode(hdfsClassPath(), directory.path(), List.of("-Xmx2g")));
        NameNodeCreates theirs = bed.open(new NameNodeCreates(nameNode.port(), plan.nameNodeThreads()));
        bed.count("threads that ask the NameNode", (long) plan.nameNodeThreads());
        Side mine = new Side(HMFS, pipelined(ours, plan));
        Side peer = new Side("nameNode", () -> theirs.perSecond(plan.millis()));
        return List.of(
                plan.persistence() == Persistence.LOGGED
                        ? Comparison.atLeast(20, name, OPS, mine, peer)
                        : new Comparison(name, OPS, mine, peer, null)); // HDFS's edits are on the disk, ours are not
    }

    /** HDFS stands apart from our own class path (ADR 0052, ADR 0111). */
    private static String hdfsClassPath() throws IOException, InterruptedException {
        @Nullable String home = System.getProperty("hmfs.home");
        if (home == null) {
            throw new IOException("where HMFS lies is not known: start this as bin/hmfs bench net --name-node");
        }
        Process fetch = new ProcessBuilder(
                        Path.of(home, "bin", "lib", "name-node").toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String path = new String(fetch.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        if (fetch.waitFor() != 0 || path.isEmpty()) {
            throw new IOException("HDFS could not be fetched; the reason is above");
        }
        return path;
    }

    private static Probe pipelined(Supplier<? extends CompletableFuture<?>> request, Testbed.Plan plan) {
        return () -> ClosedLoop.throughput(request, plan.inFlight(), plan.nanos(), Long.MAX_VALUE);
    }

    private static Probe pipelined(RemoteCreates creates, Testbed.Plan plan) {
        return () -> creates.perSecond(plan.inFlight(), plan.millis());
    }

    /** All clients at once, a share of the requests each. */
    private static double spread(List<Supplier<CompletableFuture<?>>> clients, Testbed.Plan plan) {
        int share = Math.max(1, plan.inFlight() / clients.size());
        List<CompletableFuture<Double>> rates = clients.stream()
                .map(stats -> CompletableFuture.supplyAsync(
                        () -> {
                            try {
                                return ClosedLoop.throughput(stats, share, plan.nanos(), Long.MAX_VALUE);
                            } catch (InterruptedException e) {
                                throw new IllegalStateException(e);
                            }
                        },
                        task -> Thread.ofPlatform().start(task)))
                .toList();
        return rates.stream().mapToDouble(CompletableFuture::join).sum();
    }

    /** What the server's memory has grown by, for each connection. */
    private static void countMemory(Testbed bed, String when, RemoteServer.Memory now, RemoteServer.Memory empty) {
        int connections = bed.plan().connections();
        bed.count(when + ": heap per connection", (now.heap() - empty.heap()) / connections);
        bed.count(when + ": direct memory per connection", (now.direct() - empty.direct()) / connections);
        bed.count(when + ": resident per connection", (now.resident() - empty.resident()) / connections);
        bed.count(when + ": resident in all", now.resident());
    }

    /** stat of one file after the other in random order, by paths made before. */
    private static Supplier<CompletableFuture<?>> stats(HmfsClient client, RemoteFiles files, int count) {
        return inTurn(client, randomPaths(files, count, count));
    }

    /** So many paths, each of a random one of {@code count} files. */
    private static List<String> randomPaths(RemoteFiles files, int count, int wanted) {
        SplittableRandom random = new SplittableRandom(count);
        List<String> paths = new ArrayList<>();
        for (int i = 0; i < wanted; i++) {
            paths.add(files.path(random.nextInt(count)));
        }
        return paths;
    }

    /** stat of files that this makes in a directory that this makes. */
    private static Supplier<CompletableFuture<?>> statsBelow(HmfsClient client, String directory) throws IOException {
        client.mkdir(directory, 0755, true);
        List<String> paths = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            paths.add("%s/part-%011d".formatted(directory, i));
            client.create(paths.getLast(), new CreateOptions(0644, false, false, 0755));
        }
        return inTurn(client, paths);
    }

    /** stat of one path after the other, for ever. */
    private static Supplier<CompletableFuture<?>> inTurn(HmfsClient client, List<String> list) {
        Supplier<String> paths = endlessly(list);
        return () -> client.statAsync(paths.get());
    }

    /** One after the other, and then from the first on again. For one thread at a time. */
    private static Supplier<String> endlessly(List<String> list) {
        String[] all = list.toArray(String[]::new);
        return new Supplier<>() {
            private int next;

            @Override
            public String get() {
                next = next + 1 == all.length ? 0 : next + 1;
                return all[next];
            }
        };
    }
}
