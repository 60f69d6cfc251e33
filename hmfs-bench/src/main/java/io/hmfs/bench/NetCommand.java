package io.hmfs.bench;

import io.hmfs.bench.load.PoolSize;
import io.hmfs.bench.load.RemoteCreates;
import io.hmfs.bench.load.RemoteFiles;
import io.hmfs.client.ClientOptions;
import io.hmfs.client.HmfsClient;
import io.hmfs.core.pmem.Persistence;
import io.hmfs.server.transport.netty.Sockets;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code hmfs bench net}: requests over loopback beside an echo. */
@Command(
        name = "net",
        mixinStandardHelpOptions = true,
        description =
                "Requests through client and server over loopback, beside a plain Netty echo of the same frame sizes.",
        footer = {
            "",
            "Server and echo run in a JVM each, with the same flags, sockets and event loops; the clients are here, one"
                    + " connection and one event loop each. The rounds of the two take turns; a ratio is taken round by"
                    + " round. The frame sizes are counted on the wire before.",
            "stat: statN keeps --in-flight N, each answer starts the next request; stat1 has one in flight, no thread waits; stat1"
                    + " blocking as a thread sees it that waits for each answer.",
            "create: createN, each round in a new directory. depth: stat ten directories deep beside one, with one and with"
                    + " N in flight. joined: creates in one directory beside a server that does not join them.",
            "--name-node: create of empty files beside HDFS's NameNode with its defaults. A create of HDFS is two calls of its"
                    + " protocol, create and complete, each an edit that is on the disk before its answer; a create of HMFS is"
                    + " one request, on the disk before its answer too. Many share a sync in both.",
            "transports: stat through servers with epoll, io_uring and the JDK's sockets. connections: stat over --connections, a"
                    + " tenth of them active, beside as many requests in flight over 16, at least one for each active one, and"
                    + " as many on each; and what a connection costs in memory.",
            "",
            "Examples:",
            "  hmfs bench net",
            "  hmfs bench net --ops stat,create,depth --in-flight 256",
            "  hmfs bench net --ops create --persistence logged --in-flight 1024 --log-dir /var/tmp",
            "  hmfs bench net --ops joined --persistence pmem",
            "  hmfs bench net --name-node --log-dir /var/tmp",
            "  hmfs bench net --ops connections --in-flight 4000 --transport io_uring",
            "  hmfs bench net --rounds 9 --millis 3000 --json net.json",
        })
final class NetCommand implements Callable<Integer> {
    /** What can be measured. */
    enum Op {
        STAT,
        CREATE,
        DEPTH,
        JOINED,
        TRANSPORTS,
        CONNECTIONS
    }

    @Mixin
    private final ReportOptions report = new ReportOptions();

    @Option(names = "--files", defaultValue = "100000", description = "Files to stat (default ${DEFAULT-VALUE}).")
    private int files;

    @Option(names = "--in-flight", description = "Requests (default 64; with --name-node 1024).")
    private @Nullable Integer inFlightAsked;

    @Option(
            names = "--ops",
            split = ",",
            paramLabel = "OP",
            description = "What to measure: ${COMPLETION-CANDIDATES} (default STAT; with --name-node none of them).")
    private @Nullable Set<Op> opsAsked;

    @Option(
            names = "--name-node",
            description =
                    "Measure create beside HDFS's NameNode, which is fetched the first time, with its edit log on the"
                            + " disk of --log-dir.")
    private boolean nameNode;

    @Option(
            names = "--name-node-threads",
            defaultValue = "128",
            description = "Threads that make files in HDFS (default ${DEFAULT-VALUE}).")
    private int nameNodeThreads;

    @Option(
            names = "--persistence",
            paramLabel = "MODE",
            description =
                    "The server's mode: process, pmem (emulated where there is none) or logged (default process; with"
                            + " --name-node logged).")
    private @Nullable Persistence persistenceAsked;

    @Option(
            names = "--log-dir",
            paramLabel = "DIR",
            description = "Where the log of the mode logged is made (default: the directory for temporary files).")
    private @Nullable Path logDirectory;

    @Option(
            names = "--connections",
            defaultValue = "10000",
            description = "Connections of the operation of this name (default ${DEFAULT-VALUE}).")
    private int connections;

    @Option(
            names = "--transport",
            paramLabel = "KIND",
            defaultValue = "auto",
            description = "The server's sockets: auto, epoll, io_uring or nio (default ${DEFAULT-VALUE}).")
    private Sockets transport = Sockets.AUTO;

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

    @Override
    public Integer call() throws IOException, InterruptedException {
        Path directory = poolDirectory == null ? PoolDirectory.standard() : poolDirectory;
        Path logParent = logDirectory == null ? Path.of(System.getProperty("java.io.tmpdir")) : logDirectory;
        int loops = eventLoops == null ? Runtime.getRuntime().availableProcessors() : eventLoops;
        int inFlight = inFlightAsked == null ? (nameNode ? 1024 : 64) : inFlightAsked;
        Set<Op> ops = opsAsked == null ? (nameNode ? EnumSet.noneOf(Op.class) : EnumSet.of(Op.STAT)) : opsAsked;
        Persistence persistence =
                persistenceAsked == null ? (nameNode ? Persistence.LOGGED : Persistence.PROCESS) : persistenceAsked;
        int inFlightMax = Math.max(inFlight, ClientOptions.defaults().inFlightMax());
        NetOperation.Settings settings = new NetOperation.Settings(files, inFlight, rounds + warmUp, millis);
        long making = (ops.contains(Op.CREATE) ? 1L : 0) + (ops.contains(Op.JOINED) ? 1 : 0) + (nameNode ? 1 : 0);
        long made = making * settings.rounds() * RemoteCreates.most(millis, inFlight);
        Function<List<String>, RemoteServer.Setup> setup = flags ->
                new RemoteServer.Setup(directory, PoolSize.of(files + made), loops, persistence, logParent, flags);
        List<NetOperation> operations = new ArrayList<>();
        List<String> sockets = RemoteServer.transport(transport);
        try (RemoteServer server = new RemoteServer(setup.apply(sockets));
                HmfsClient client = server.connect(inFlightMax)) {
            try {
                Map<String, Number> counters = new LinkedHashMap<>();
                for (Op op : ops) {
                    operations.add(
                            switch (op) {
                                case STAT -> stat(server, client, settings, loops, counters);
                                case CREATE -> new NetCreate(server, client, settings, persistence, loops);
                                case DEPTH -> new NetDepth(client, settings);
                                case JOINED ->
                                    new NetJoined(
                                            client,
                                            new RemoteServer(setup.apply(List.of("-Dhmfs.joinCreates=false"))),
                                            inFlightMax,
                                            settings);
                                case TRANSPORTS -> new NetTransports(setup, inFlightMax, settings);
                                case CONNECTIONS ->
                                    new NetConnections(setup.apply(sockets), connections, settings, loops, counters);
                            });
                }
                if (nameNode) {
                    operations.add(new NetNameNode(client, settings, persistence, logParent, nameNodeThreads));
                    counters.put("threads that ask the NameNode", (long) nameNodeThreads);
                }
                counters.put("requests in flight", (long) inFlight);
                return report.publish(measure(operations, counters));
            } finally {
                for (NetOperation operation : operations) {
                    operation.close();
                }
            }
        }
    }

    private NetStat stat(
            RemoteServer server,
            HmfsClient client,
            NetOperation.Settings settings,
            int loops,
            Map<String, Number> counters)
            throws IOException, InterruptedException {
        RemoteFiles there = new RemoteFiles(client, 1);
        there.grow(files);
        NetStat stat = new NetStat(server, client, there, settings, loops);
        counters.put("bytes of a stat", (long) stat.sizes().request());
        counters.put("bytes of its reply", (long) stat.sizes().reply());
        counters.put("files", (long) files);
        return stat;
    }

    private Outcome measure(List<NetOperation> operations, Map<String, Number> counters)
            throws IOException, InterruptedException {
        Lines lines = new Lines();
        for (int round = -warmUp; round < rounds; round++) {
            Lines unread = new Lines();
            for (NetOperation operation : operations) {
                operation.round(round < 0 ? unread : lines);
            }
            System.err.println("bench net: "
                    + (round < 0
                            ? "warm-up " + (round + warmUp + 1) + " of " + warmUp
                            : "round " + (round + 1) + " of " + rounds)
                    + " done");
        }
        List<Result> results = new ArrayList<>();
        List<Target> targets = new ArrayList<>();
        for (NetOperation operation : operations) {
            operation.report(lines);
            results.addAll(operation.results());
            targets.addAll(operation.targets());
        }
        return new Outcome(results, counters, targets);
    }
}
