package io.hmfs.bench.net;

import io.hmfs.bench.load.ClosedLoop;
import io.hmfs.bench.load.RemoteFiles;
import io.hmfs.bench.net.Comparison.Side;
import io.hmfs.bench.process.RemoteServer;
import io.hmfs.client.CreateOptions;
import io.hmfs.client.FileInfo;
import io.hmfs.client.HmfsClient;
import io.hmfs.client.ListDetail;
import io.hmfs.client.ListPage;
import io.hmfs.client.ListingCursor;
import io.hmfs.client.NameFilter;
import io.hmfs.client.OpenedFile;
import io.hmfs.client.PagesAhead;
import io.hmfs.client.TransportKind;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What RDMA brings: clients of one server by RDMA and by TCP, at one address of this machine. */
final class RdmaScenarios {
    private static final String OPS = "ops/s";
    private static final String MICROS = "us";
    private static final int HOT_FILES = 64; // so few that none displaces another in a table of attributes
    private static final int BEFORE_TABLE = 200; // stats after which the directory surely has a table
    private static final int PAGES_AHEAD = 4;
    private static final int FILE_MIB = 256;
    private static final int CHUNKS_IN_FLIGHT = 8;
    private static final int FEW = 16;

    private RdmaScenarios() {}

    private static String host(Testbed bed) throws IOException {
        @Nullable String host = bed.plan().rdmaHost();
        if (host == null) {
            throw new IOException("--rdma-host is missing: the address of an RDMA device of this machine, on which the"
                    + " server is to listen, such as 192.0.2.1");
        }
        return host;
    }

    private static RemoteServer server(Testbed bed, int remoteStatDirectories) throws IOException {
        return bed.newServer(bed.plan().sockets(), RemoteServer.rdma(host(bed), remoteStatDirectories));
    }

    private static HmfsClient client(Testbed bed, RemoteServer server, TransportKind transport) throws IOException {
        return bed.open(server.connect(host(bed), transport, bed.plan().inFlightMax()));
    }

    /** Stats, a listing, a file's bytes, and stats that are read in the server's memory. */
    static List<Comparison> beside(Testbed bed) throws IOException, InterruptedException {
        Testbed.Plan plan = bed.plan();
        RemoteServer server = server(bed, 0);
        HmfsClient rdma = client(bed, server, TransportKind.RDMA);
        HmfsClient tcp = client(bed, server, TransportKind.TCP);
        RemoteFiles files = new RemoteFiles(tcp, 1);
        files.grow(plan.files());
        bed.count("files", (long) plan.files());
        List<String> paths = new ArrayList<>();
        for (int i = 0; i < plan.files(); i++) {
            paths.add(files.path(i));
        }
        List<Comparison> all = new ArrayList<>();
        CountedStats byRdma = new CountedStats(server, rdma, paths);
        CountedStats byTcp = new CountedStats(server, tcp, paths);
        String many = "stat" + plan.inFlight();
        all.add(Comparison.atLeast(
                2,
                many,
                OPS,
                new Side("rdma", () -> byRdma.perSecond(plan)),
                new Side("tcp", () -> byTcp.perSecond(plan))));
        all.add(Comparison.atMost(
                0.6,
                many + " server processor",
                MICROS,
                new Side("rdma", byRdma::processorMicros),
                new Side("tcp", byTcp::processorMicros)));
        all.add(Comparison.atMost(
                0.5,
                "stat1",
                MICROS,
                new Side("rdma", LatencyProbe.chained(byRdma, plan.nanos())::median),
                new Side("tcp", LatencyProbe.chained(byTcp, plan.nanos())::median)));
        all.add(new Comparison(
                "stat1 blocking",
                MICROS,
                new Side("rdma", LatencyProbe.blocking(() -> rdma.stat(byRdma.path()), plan.nanos())::median),
                new Side("tcp", LatencyProbe.blocking(() -> tcp.stat(byTcp.path()), plan.nanos())::median),
                null));
        all.add(Comparison.atLeast(
                1.5,
                "list",
                "entries/s",
                new Side("rdma", () -> listed(rdma, "/d0", plan.files())),
                new Side("tcp", () -> listed(tcp, "/d0", plan.files()))));
        FileInfo file = write(tcp);
        all.add(Comparison.atLeast(
                1.5,
                "read",
                "MiB/s",
                new Side("rdma", () -> read(rdma, file)),
                new Side("tcp", () -> read(tcp, file))));
        all.addAll(readStats(bed));
        return all;
    }

    private static List<Comparison> readStats(Testbed bed) throws IOException, InterruptedException {
        Testbed.Plan plan = bed.plan();
        List<CountedStats> both = new ArrayList<>();
        for (int directories : List.of(1, 0)) {
            RemoteServer server = server(bed, directories);
            HmfsClient client = client(bed, server, TransportKind.RDMA);
            RemoteFiles files = new RemoteFiles(client, 1);
            files.grow(HOT_FILES);
            List<String> paths = new ArrayList<>();
            for (int i = 0; i < HOT_FILES; i++) {
                paths.add(files.path(i));
            }
            CountedStats stats = new CountedStats(server, client, paths);
            for (int i = 0; i < BEFORE_TABLE; i++) {
                client.stat(stats.path());
            }
            both.add(stats);
            if (directories > 0) {
                bed.atEnd(() -> bed.count("stats that were read", client.statsRead()));
            }
        }
        CountedStats read = both.getFirst();
        CountedStats asked = both.getLast();
        return List.of(
                new Comparison(
                        "hot stat1 blocking",
                        MICROS,
                        new Side("read", () -> read.blockingMicros(plan)),
                        new Side("asked", () -> asked.blockingMicros(plan)),
                        null),
                new Comparison(
                        "hot stat1 server processor",
                        MICROS,
                        new Side("read", read::processorMicros),
                        new Side("asked", asked::processorMicros),
                        null));
    }

    /** Stats over many connections, and the memory that they pin. */
    static List<Comparison> connections(Testbed bed) throws IOException, InterruptedException {
        Testbed.Plan plan = bed.plan();
        RemoteServer server = server(bed, 0);
        List<HmfsClient> clients = new ArrayList<>();
        clients.add(client(bed, server, TransportKind.RDMA));
        RemoteFiles files = new RemoteFiles(clients.getFirst(), 1);
        files.grow(plan.files());
        long pinned = server.pinned();
        while (clients.size() < plan.connections()) {
            try {
                clients.add(client(bed, server, TransportKind.RDMA));
            } catch (IOException e) {
                throw new IOException(
                        String.format(
                                "connection %,d of %,d: %s", clients.size() + 1, plan.connections(), e.getMessage()),
                        e);
            }
        }
        List<Supplier<CompletableFuture<?>>> stats = new ArrayList<>();
        for (HmfsClient client : clients) {
            int file = stats.size() % plan.files();
            stats.add(() -> client.statAsync(files.path(file)));
        }
        bed.count("connections by RDMA", (long) plan.connections());
        bed.count("pinned by one connection", pinned);
        bed.atEnd(() -> bed.count("pinned by all", server.pinned()));
        bed.atEnd(() -> bed.count(
                "pinned by each further connection", (server.pinned() - pinned) / Math.max(1, plan.connections() - 1)));
        return List.of(new Comparison(
                "stat over " + plan.connections() + " connections",
                OPS,
                new Side("all", () -> inTurn(stats, plan)),
                new Side("few", () -> inTurn(stats.subList(0, Math.min(FEW, stats.size())), plan)),
                null));
    }

    /** Requests over one connection after the other, N in flight in all. */
    private static double inTurn(List<Supplier<CompletableFuture<?>>> clients, Testbed.Plan plan)
            throws InterruptedException {
        ArrayDeque<CompletableFuture<?>> underWay = new ArrayDeque<>();
        long start = System.nanoTime();
        int sent = 0;
        while (System.nanoTime() - start < plan.nanos() || sent < clients.size()) {
            underWay.add(clients.get(sent++ % clients.size()).get());
            if (underWay.size() == plan.inFlight()) {
                joined(underWay.remove());
            }
        }
        for (CompletableFuture<?> each : underWay) {
            joined(each);
        }
        return sent * 1e9 / (System.nanoTime() - start);
    }

    private static <T> T joined(CompletableFuture<T> future) throws InterruptedException {
        try {
            return future.get();
        } catch (ExecutionException e) {
            throw new IllegalStateException("a request failed", e.getCause());
        }
    }

    private static double listed(HmfsClient client, String directory, int wanted)
            throws IOException, InterruptedException {
        long start = System.nanoTime();
        PagesAhead pages = client.listAhead(directory, 0, ListDetail.ALL, NameFilter.NONE, PAGES_AHEAD);
        ListingCursor cursor = ListingCursor.START;
        int entries = 0;
        while (cursor != null) {
            ListPage page = joined(pages.next(cursor));
            entries += page.size();
            cursor = page.next();
        }
        if (entries < wanted) {
            throw new IOException("a listing of " + directory + " has " + entries + " entries of " + wanted);
        }
        return entries * 1e9 / (System.nanoTime() - start);
    }

    private static FileInfo write(HmfsClient client) throws IOException {
        CreateOptions options = new CreateOptions(0644, false, false, 0755)
                .leased(client.leases().next());
        OpenedFile file = client.createAndOpen("/bytes", options);
        byte[] chunk = new byte[client.server().chunkSize()];
        long blockSize = client.server().blockSize();
        for (long at = 0; at < (long) FILE_MIB << 20; at += chunk.length) {
            client.writeBlock(file.grant(), file.info().id(), at / blockSize, at % blockSize, chunk, 0, chunk.length);
        }
        return file.info();
    }

    private static double read(HmfsClient client, FileInfo file) throws InterruptedException {
        long blockSize = client.server().blockSize();
        int chunk = client.server().chunkSize();
        ArrayDeque<byte[]> free = new ArrayDeque<>();
        for (int i = 0; i < CHUNKS_IN_FLIGHT; i++) {
            free.add(new byte[chunk]);
        }
        ArrayDeque<CompletableFuture<byte[]>> underWay = new ArrayDeque<>();
        long start = System.nanoTime();
        for (long at = 0; at < (long) FILE_MIB << 20; at += chunk) {
            byte[] target = free.isEmpty() ? joined(underWay.remove()) : free.remove();
            underWay.add(client.readBlockAsync(file.id(), at / blockSize, at % blockSize, target, 0, chunk)
                    .thenApply(count -> {
                        if (count != chunk) {
                            throw new IllegalStateException("a read brought " + count + " bytes of " + chunk);
                        }
                        return target;
                    }));
        }
        while (!underWay.isEmpty()) {
            joined(underWay.remove());
        }
        return FILE_MIB * 1e9 / (System.nanoTime() - start);
    }

    /** Stats of one path after the other, with what they cost the server's processor. For one thread at a time. */
    private static final class CountedStats implements Supplier<CompletableFuture<?>> {
        private final RemoteServer server;
        private final HmfsClient client;
        private final List<String> paths;
        private int next;
        private long asked;
        private double micros;

        CountedStats(RemoteServer server, HmfsClient client, List<String> paths) {
            this.server = server;
            this.client = client;
            this.paths = paths;
        }

        /** The next path; by a step that is prime to most counts, so that neighbours do not follow each other. */
        String path() {
            asked++;
            next = (int) ((next + 7_919L) % paths.size());
            return paths.get(next);
        }

        @Override
        public CompletableFuture<?> get() {
            return client.statAsync(path());
        }

        double perSecond(Testbed.Plan plan) throws InterruptedException {
            long before = begin();
            double rate = ClosedLoop.throughput(this, plan.inFlight(), plan.nanos(), Long.MAX_VALUE);
            end(before);
            return rate;
        }

        double blockingMicros(Testbed.Plan plan) throws InterruptedException {
            long before = begin();
            double median = LatencyProbe.blocking(() -> client.stat(path()), plan.nanos())
                    .median();
            end(before);
            return median;
        }

        private long begin() {
            asked = 0;
            return server.processorNanos();
        }

        private void end(long before) {
            micros = (server.processorNanos() - before) / 1e3 / Math.max(1, asked);
        }

        /** Microseconds of the server's processor for each of the last measurement. */
        double processorMicros() {
            return micros;
        }
    }
}
