package io.hmfs.bench.net;

import io.hmfs.bench.load.PoolSize;
import io.hmfs.bench.load.RemoteCreates;
import io.hmfs.bench.process.PoolDirectory;
import io.hmfs.bench.report.Lines;
import io.hmfs.bench.report.Outcome;
import io.hmfs.bench.report.ReportOptions;
import io.hmfs.bench.report.Result;
import io.hmfs.bench.report.Target;
import io.hmfs.client.ClientOptions;
import io.hmfs.core.pmem.Persistence;
import io.hmfs.server.transport.SocketKind;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.IModelTransformer;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/** {@code hmfs bench net}: requests over loopback beside an echo. */
@Command(
        name = "net",
        mixinStandardHelpOptions = true,
        modelTransformer = NetCommand.Table.class,
        description =
                "Requests through client and server over loopback, beside a plain Netty echo of the same frame sizes.",
        footer = {
            "",
            "Servers and echoes run in a JVM each, with the same flags, sockets and event loops; the clients are here,"
                    + " with one connection and one event loop each unless the table says more. The rounds of the two"
                    + " sides take turns; a ratio is taken round by round. N is --in-flight. Frame sizes are counted on"
                    + " the wire before.",
            "--name-node adds the operation name_node, in mode logged with 1024 in flight unless told otherwise.",
            "",
            "Examples:",
            "  hmfs bench net",
            "  hmfs bench net --ops stat,create,depth --in-flight 256",
            "  hmfs bench net --ops create --persistence logged --in-flight 1024 --log-dir /var/tmp",
            "  hmfs bench net --ops batched --persistence pmem",
            "  hmfs bench net --name-node --log-dir /var/tmp",
            "  hmfs bench net --ops connections --in-flight 4000 --transport io_uring",
            "  hmfs bench net --ops rdma --rdma-host 192.0.2.1",
            "  hmfs bench net --rounds 9 --millis 3000 --json net.json",
        })
public final class NetCommand implements Callable<Integer> {
    /** Adds the table of scenarios to the help. */
    static final class Table implements IModelTransformer {
        @Override
        public CommandSpec transform(CommandSpec spec) {
            List<String> footer = new ArrayList<>(List.of("", "Operations:"));
            Arrays.stream(Scenario.values())
                    .map(scenario -> "  " + scenario.describe())
                    .forEach(footer::add);
            footer.addAll(List.of(spec.usageMessage().footer()));
            spec.usageMessage().footer(footer.toArray(String[]::new));
            return spec;
        }
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
            description = "What to measure, of the operations below (default stat; with --name-node that alone).")
    private @Nullable Set<Scenario> opsAsked;

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
    private SocketKind transport = SocketKind.AUTO;

    @Option(
            names = "--rdma-host",
            paramLabel = "ADDRESS",
            description = "Address of an RDMA device of this machine, for the operations that need one.")
    private @Nullable String rdmaHost;

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
        Set<Scenario> scenarios = EnumSet.noneOf(Scenario.class);
        if (opsAsked != null) {
            scenarios.addAll(opsAsked);
        }
        if (nameNode) {
            scenarios.add(Scenario.NAME_NODE);
        }
        if (scenarios.isEmpty()) {
            scenarios.add(Scenario.STAT);
        }
        try (Testbed bed = new Testbed(plan(scenarios))) {
            List<Comparison> comparisons = new ArrayList<>();
            for (Scenario scenario : scenarios) {
                comparisons.addAll(scenario.open(bed));
            }
            bed.count("requests in flight", (long) bed.plan().inFlight());
            return report.publish(measure(comparisons, bed));
        }
    }

    private Testbed.Plan plan(Set<Scenario> scenarios) {
        boolean onDisk = scenarios.contains(Scenario.NAME_NODE);
        int inFlight = inFlightAsked == null ? (onDisk ? 1024 : 64) : inFlightAsked;
        long making = scenarios.stream().filter(Scenario::makesFiles).count();
        long made = making * (rounds + warmUp) * RemoteCreates.most(millis, inFlight);
        return new Testbed.Plan(
                files,
                inFlight,
                Math.max(inFlight, ClientOptions.defaults().inFlightMax()),
                millis,
                eventLoops == null ? Runtime.getRuntime().availableProcessors() : eventLoops,
                connections,
                nameNodeThreads,
                PoolSize.of(files + made),
                persistenceAsked == null ? (onDisk ? Persistence.LOGGED : Persistence.PROCESS) : persistenceAsked,
                transport,
                rdmaHost,
                poolDirectory == null ? PoolDirectory.standard() : poolDirectory,
                logDirectory == null ? Path.of(System.getProperty("java.io.tmpdir")) : logDirectory);
    }

    private Outcome measure(List<Comparison> comparisons, Testbed bed) throws IOException, InterruptedException {
        Lines lines = new Lines();
        for (int round = -warmUp; round < rounds; round++) {
            Lines kept = round < 0 ? new Lines() : lines;
            Set<String> measured = new HashSet<>();
            for (Comparison comparison : comparisons) {
                comparison.round(kept, measured);
            }
            System.err.println("bench net: "
                    + (round < 0
                            ? "warm-up " + (round + warmUp + 1) + " of " + warmUp
                            : "round " + (round + 1) + " of " + rounds)
                    + " done");
        }
        List<Result> results = new ArrayList<>();
        comparisons.forEach(comparison -> comparison.report(lines, results));
        List<Target> targets = comparisons.stream()
                .map(Comparison::target)
                .filter(Objects::nonNull)
                .toList();
        return new Outcome(results, bed.counters(), targets);
    }
}
