package io.hmfs.bench;

import io.hmfs.bench.load.ClosedLoop;
import io.hmfs.bench.load.RemoteFiles;
import io.hmfs.client.HmfsClient;
import io.hmfs.server.transport.netty.Sockets;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;

/** stat through servers that differ in their sockets only: with many in flight over one connection and over several, and one by one. */
final class NetTransports extends NetOperation {
    private static final String ONE = "stat1 by sockets";
    private static final String BASE = Sockets.EPOLL.label();
    private static final int CONNECTIONS = 16;

    private final Settings settings;
    private final String many;
    private final String spread;
    private final List<Side> sides = new ArrayList<>();

    /** One server with its clients. */
    private record Side(
            String kind, RemoteServer server, List<HmfsClient> clients, List<Supplier<CompletableFuture<?>>> stats)
            implements AutoCloseable {
        @Override
        public void close() throws IOException {
            try (server) {
                clients.forEach(HmfsClient::close);
            }
        }
    }

    /** {@code setup} makes that of a server with further flags. */
    NetTransports(Function<List<String>, RemoteServer.Setup> setup, int inFlightMax, Settings settings)
            throws IOException, InterruptedException {
        this.settings = settings;
        many = "stat" + settings.inFlight() + " by sockets";
        spread = "stat" + settings.inFlight() + " by sockets, " + CONNECTIONS + " connections";
        try {
            for (Sockets kind : List.of(Sockets.EPOLL, Sockets.IO_URING, Sockets.NIO)) {
                String obstacle = kind.obstacle();
                if (obstacle != null) {
                    System.err.println("bench net: without " + kind.label() + ": " + obstacle);
                    continue;
                }
                RemoteServer server = new RemoteServer(setup.apply(RemoteServer.transport(kind)));
                Side side = new Side(kind.label(), server, new ArrayList<>(), new ArrayList<>());
                sides.add(side);
                for (int i = 0; i < CONNECTIONS; i++) {
                    side.clients.add(server.connect(inFlightMax));
                }
                RemoteFiles files = new RemoteFiles(side.clients.getFirst(), 1);
                files.grow(settings.files());
                side.clients.forEach(client -> side.stats.add(NetStat.stats(client, files, settings.files())));
            }
        } catch (IOException | InterruptedException | RuntimeException e) {
            close();
            throw e;
        }
    }

    @Override
    void round(Lines lines) throws InterruptedException {
        for (Side side : sides) {
            Supplier<CompletableFuture<?>> first = side.stats.getFirst();
            int inFlight = settings.inFlight();
            lines.round(
                    many, side.kind, "ops/s", ClosedLoop.throughput(first, inFlight, settings.nanos(), Long.MAX_VALUE));
            lines.round(
                    ONE,
                    side.kind,
                    "us",
                    ClosedLoop.latency(first, settings.nanos()).medianNanos() / 1e3);
            lines.round(spread, side.kind, "ops/s", spread(side));
        }
    }

    /** All clients at once, a share of the requests each. */
    private double spread(Side side) throws InterruptedException {
        int share = Math.max(1, settings.inFlight() / CONNECTIONS);
        List<CompletableFuture<Double>> rates = side.stats.stream()
                .map(stats -> CompletableFuture.supplyAsync(
                        () -> {
                            try {
                                return ClosedLoop.throughput(stats, share, settings.nanos(), Long.MAX_VALUE);
                            } catch (InterruptedException e) {
                                throw new IllegalStateException(e);
                            }
                        },
                        task -> Thread.ofPlatform().start(task)))
                .toList();
        return rates.stream().mapToDouble(CompletableFuture::join).sum();
    }

    @Override
    void report(Lines lines) {
        for (Side side : sides.subList(1, sides.size())) {
            compare(lines, many, side.kind, BASE, null);
            compare(lines, spread, side.kind, BASE, null);
            compare(lines, ONE, side.kind, BASE, null);
        }
    }

    @Override
    public void close() throws IOException {
        for (Side side : sides) {
            side.close();
        }
    }
}
