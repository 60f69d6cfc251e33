package io.hmfs.bench;

import io.hmfs.bench.load.FrameSizes;
import io.hmfs.bench.load.ManyConnections;
import io.hmfs.bench.load.ManyConnections.Traffic;
import io.hmfs.bench.load.RemoteFiles;
import io.hmfs.bench.peer.EchoServer;
import io.hmfs.client.HmfsClient;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * stat over many connections, of which some are active, beside few: with as many requests in flight in all, so that the few bring and take
 * long batches, and with as many on each connection. The first also of an echo, with the active ones only, for this process has not files enough for more: what the sockets alone cost. Servers apart for the few and the
 * many: idle connections must not stand beside the few.
 */
final class NetConnections extends NetOperation {
    private static final int FEW = 16;
    private static final int ACTIVE_OF = 10; // one in so many
    private static final int PATHS = 4096;
    private static final double BOUND = 0.7;

    private final Settings settings;
    private final int many;
    private final int active;
    private final int inFlight;
    private final String ofServer;
    private final String asDeep;
    private final String ofEcho;
    private final List<AutoCloseable> opened = new ArrayList<>();
    private final RemoteServer manyServer;
    private final ManyConnections fewOfServer;
    private final ManyConnections manyOfServer;
    private final ManyConnections fewOfEcho;
    private final ManyConnections manyOfEcho;
    private final RemoteServer.Memory empty;
    private final Map<String, Number> counters;

    NetConnections(
            RemoteServer.Setup setup, int connections, Settings settings, int loops, Map<String, Number> counters)
            throws IOException, InterruptedException {
        this.settings = settings;
        this.counters = counters;
        many = connections;
        active = Math.max(1, connections / ACTIVE_OF);
        inFlight = Math.max(settings.inFlight(), active);
        ofServer = "conn" + many;
        asDeep = ofServer + ", as many in flight on each";
        ofEcho = "echo" + active;
        try {
            RemoteServer fewServer = open(new RemoteServer(setup));
            manyServer = open(new RemoteServer(setup));
            List<String> paths = new ArrayList<>();
            for (RemoteServer server : List.of(fewServer, manyServer)) {
                try (HmfsClient client = server.connect()) {
                    RemoteFiles files = new RemoteFiles(client, 1);
                    files.grow(settings.files());
                    paths = paths(files);
                }
            }
            FrameSizes sizes = FrameSizes.ofStat(fewServer.port(), paths.getFirst());
            Traffic stats = Traffic.stats(paths, sizes);
            fewOfServer = open(new ManyConnections(fewServer.port(), FEW, loops, stats));
            double unused = fewOfServer.perSecond(FEW, inFlight, settings.nanos());
            ManyConnections warm = new ManyConnections(manyServer.port(), FEW, loops, stats);
            unused += warm.perSecond(FEW, inFlight, settings.nanos()); // classes and buffers that the first ones bring
            warm.close();
            System.err.printf("bench net: before the connections %.0f/s%n", unused / 2);
            empty = manyServer.memory();
            manyOfServer = open(new ManyConnections(manyServer.port(), many, loops, stats));
            tell("idle", manyServer.memory());
            fewOfEcho = open(new ManyConnections(echo(sizes, loops), FEW, loops, Traffic.echo(sizes)));
            manyOfEcho = open(new ManyConnections(echo(sizes, loops), active, loops, Traffic.echo(sizes)));
        } catch (IOException | InterruptedException | RuntimeException e) {
            close();
            throw e;
        }
        counters.put("connections", (long) many);
        counters.put("of these active", (long) active);
        counters.put("requests in flight over them", (long) inFlight);
    }

    private <T extends AutoCloseable> T open(T made) {
        opened.addFirst(made);
        return made;
    }

    private int echo(FrameSizes sizes, int loops) throws IOException {
        ChildJvm echo = open(ChildJvm.start(
                EchoServer.class, RemoteServer.FLAGS, List.of("" + sizes.request(), "" + sizes.reply(), "" + loops)));
        return RemoteServer.number(echo.answer(), "ready ");
    }

    private List<String> paths(RemoteFiles files) {
        SplittableRandom random = new SplittableRandom(settings.files());
        List<String> paths = new ArrayList<>();
        for (int i = 0; i < PATHS; i++) {
            paths.add(files.path(random.nextInt(settings.files())));
        }
        return paths;
    }

    /** What the server's memory has grown by, for each connection. */
    private void tell(String when, RemoteServer.Memory now) {
        counters.put(when + ": heap per connection", (now.heap() - empty.heap()) / many);
        counters.put(when + ": direct memory per connection", (now.direct() - empty.direct()) / many);
        counters.put(when + ": resident per connection", (now.resident() - empty.resident()) / many);
        counters.put(when + ": resident in all", now.resident());
    }

    @Override
    void round(Lines lines) throws IOException, InterruptedException {
        double perSecond = manyOfServer.perSecond(active, inFlight, settings.nanos());
        lines.round(ofServer, ofServer, "ops/s", perSecond);
        lines.round(ofServer, "conn16", "ops/s", fewOfServer.perSecond(FEW, inFlight, settings.nanos()));
        double shallow = fewOfServer.perSecond(FEW, FEW * Math.max(1, inFlight / active), settings.nanos());
        lines.round(asDeep, ofServer, "ops/s", perSecond);
        lines.round(asDeep, "conn16", "ops/s", shallow);
        lines.round(ofEcho, ofEcho, "ops/s", manyOfEcho.perSecond(active, inFlight, settings.nanos()));
        lines.round(ofEcho, "echo16", "ops/s", fewOfEcho.perSecond(FEW, inFlight, settings.nanos()));
    }

    @Override
    void report(Lines lines) throws IOException {
        tell("after the load", manyServer.memory());
        compare(lines, ofServer, ofServer, "conn16", Target.atLeast(ofServer + "/conn16", BOUND));
        compare(lines, asDeep, ofServer, "conn16", null);
        compare(lines, ofEcho, ofEcho, "echo16", null);
    }

    @Override
    public void close() throws IOException {
        for (AutoCloseable each : opened) {
            try {
                each.close();
            } catch (IOException | RuntimeException e) {
                throw e;
            } catch (Exception e) {
                throw new IOException(e);
            }
        }
    }
}
