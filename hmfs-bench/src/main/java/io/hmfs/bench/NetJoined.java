package io.hmfs.bench;

import io.hmfs.bench.load.RemoteCreates;
import io.hmfs.client.HmfsClient;
import java.io.IOException;

/** Creates in one directory through two servers, of which one does not join them. */
final class NetJoined extends NetOperation {
    private static final String JOINED = "joined";
    private static final String UNJOINED = "unjoined";

    private final Settings settings;
    private final RemoteServer unjoinedServer;
    private final HmfsClient unjoinedClient;
    private final RemoteCreates joined;
    private final RemoteCreates unjoined;

    /** Takes the server that does not join, and closes it. */
    NetJoined(HmfsClient client, RemoteServer unjoinedServer, int inFlightMax, Settings settings) throws IOException {
        this.settings = settings;
        this.unjoinedServer = unjoinedServer;
        try {
            joined = new RemoteCreates(client, "/joined");
            unjoinedClient = unjoinedServer.connect(inFlightMax);
            unjoined = new RemoteCreates(unjoinedClient, "/joined");
        } catch (IOException | RuntimeException e) {
            unjoinedServer.close();
            throw e;
        }
    }

    @Override
    void round(Lines lines) throws IOException, InterruptedException {
        lines.round(JOINED, JOINED, "ops/s", joined.perSecond(settings.inFlight(), settings.millis()));
        lines.round(JOINED, UNJOINED, "ops/s", unjoined.perSecond(settings.inFlight(), settings.millis()));
    }

    @Override
    void report(Lines lines) {
        compare(lines, JOINED, JOINED, UNJOINED, Target.atLeast(JOINED + "/" + UNJOINED, 1.5));
    }

    @Override
    public void close() throws IOException {
        try (unjoinedServer) {
            unjoinedClient.close();
        }
    }
}
