package io.hmfs.bench;

import io.hmfs.bench.load.ClosedLoop;
import io.hmfs.bench.load.RemoteCreates;
import io.hmfs.client.HmfsClient;
import io.hmfs.core.pmem.Persistence;
import java.io.IOException;

/** create with many in flight beside the echo. */
final class NetCreate extends NetOperation {
    private static final String HMFS = "hmfs";

    private final Settings settings;
    private final Persistence persistence;
    private final String name;
    private final String peer;
    private final RemoteCreates creates;
    private final NetEcho echo;

    NetCreate(RemoteServer server, HmfsClient client, Settings settings, Persistence persistence, int eventLoops)
            throws IOException, InterruptedException {
        this.settings = settings;
        this.persistence = persistence;
        name = "create" + settings.inFlight();
        peer = "echo" + settings.inFlight();
        creates = new RemoteCreates(client, "/new");
        echo = new NetEcho(creates.sizes(server.port()), eventLoops);
    }

    @Override
    void round(Lines lines) throws IOException, InterruptedException {
        lines.round(name, HMFS, "ops/s", creates.perSecond(settings.inFlight(), settings.millis()));
        lines.round(
                name,
                peer,
                "ops/s",
                ClosedLoop.throughput(echo.client()::echoAsync, settings.inFlight(), settings.nanos(), Long.MAX_VALUE));
    }

    @Override
    void report(Lines lines) {
        double bound = switch (persistence) {
            case PROCESS -> 0.35;
            case PMEM -> 0.2;
            case LOGGED -> 0.1;
        };
        compare(lines, name, HMFS, peer, Target.atLeast(name + "/" + peer, bound));
    }

    @Override
    public void close() {
        echo.close();
    }
}
