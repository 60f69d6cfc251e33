package io.hmfs.bench.net;

import io.hmfs.bench.load.FrameSizes;
import io.hmfs.bench.load.RemoteFiles;
import io.hmfs.bench.peer.EchoClient;
import io.hmfs.bench.process.RemoteServer;
import io.hmfs.client.HmfsClient;
import io.hmfs.core.pmem.Persistence;
import io.hmfs.server.transport.SocketKind;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The servers, echoes and clients that scenarios share or ask for; all of them end with it. */
final class Testbed implements AutoCloseable {
    private final Plan plan;
    private final List<AutoCloseable> opened = new ArrayList<>();
    private final List<AtEnd> atEnd = new ArrayList<>();
    private final Map<String, Number> counters = new LinkedHashMap<>();
    private @Nullable RemoteServer server;
    private @Nullable HmfsClient client;
    private @Nullable RemoteFiles files;

    /**
     * How long, how much and where.
     *
     * @param files files that are there to be looked at
     * @param inFlight requests kept in flight
     * @param inFlightMax requests that a client puts on the wire at once
     * @param millis length of each part of a round
     * @param loops event loops of each server and echo
     * @param connections connections of the scenario of that name
     * @param nameNodeThreads threads that make files in HDFS
     * @param poolSize bytes of each pool
     * @param persistence the servers' mode
     * @param sockets the servers' sockets
     * @param rdmaHost address of an RDMA device of this machine, for the scenarios that need one
     * @param poolParent where pools are made
     * @param logParent where logs are made
     */
    record Plan(
            int files,
            int inFlight,
            int inFlightMax,
            long millis,
            int loops,
            int connections,
            int nameNodeThreads,
            long poolSize,
            Persistence persistence,
            SocketKind sockets,
            @Nullable String rdmaHost,
            Path poolParent,
            Path logParent) {
        long nanos() {
            return millis * 1_000_000;
        }
    }

    /** Reads counters after the last round. */
    @FunctionalInterface
    interface AtEnd {
        void read() throws IOException;
    }

    Testbed(Plan plan) {
        this.plan = plan;
    }

    Plan plan() {
        return plan;
    }

    /** The server that most scenarios share. */
    RemoteServer server() throws IOException {
        if (server == null) {
            server = newServer(plan.sockets(), List.of());
        }
        return server;
    }

    /** The one connection to {@link #server}. */
    HmfsClient client() throws IOException {
        if (client == null) {
            client = open(server().connect(plan.inFlightMax()));
        }
        return client;
    }

    /** The files of {@link #server}. */
    RemoteFiles files() throws IOException, InterruptedException {
        if (files == null) {
            files = new RemoteFiles(client(), 1);
            files.grow(plan.files());
        }
        return files;
    }

    /** One more server, on a pool of its own, with these sockets and further flags of its JVM. */
    RemoteServer newServer(SocketKind sockets, List<String> flags) throws IOException {
        List<String> all = new ArrayList<>(RemoteServer.transport(sockets));
        all.addAll(flags);
        return open(new RemoteServer(new RemoteServer.Setup(
                plan.poolParent(), plan.poolSize(), plan.loops(), plan.persistence(), plan.logParent(), all)));
    }

    /** One more echo. */
    EchoProcess newEcho(FrameSizes sizes) throws IOException {
        return open(new EchoProcess(sizes, plan.loops()));
    }

    /** A client of this echo. */
    EchoClient newEchoClient(EchoProcess echo, FrameSizes sizes) throws InterruptedException {
        return open(new EchoClient(echo.port(), sizes.request(), sizes.reply()));
    }

    /** Closes it with the testbed, before what was opened earlier. */
    <T extends AutoCloseable> T open(T made) {
        opened.addFirst(made);
        return made;
    }

    /** Has the report show this number too. */
    void count(String name, Number value) {
        counters.put(name, value);
    }

    void atEnd(AtEnd reader) {
        atEnd.add(reader);
    }

    /** What was counted, with what is to be read after the last round. */
    Map<String, Number> counters() throws IOException {
        for (AtEnd reader : atEnd) {
            reader.read();
        }
        return counters;
    }

    @Override
    public void close() throws IOException {
        IOException failure = null;
        for (AutoCloseable each : opened) {
            try {
                each.close();
            } catch (Exception e) {
                if (e instanceof InterruptedException) {
                    Thread.currentThread().interrupt();
                }
                failure = failure == null ? new IOException("a part of the testbed did not end: " + e, e) : failure;
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}
