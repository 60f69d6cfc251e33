package io.hmfs.server.admin;

import io.hmfs.client.ClientOptions;
import io.hmfs.client.HmfsClient;
import io.hmfs.client.ServerStatus;
import io.hmfs.server.HmfsServer;
import io.hmfs.server.ServerConfig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.StringJoiner;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Level;
import java.util.logging.Logger;

/** One server from start to end, in the foreground. */
final class ServerRun {
    /** A server on a machine that has other work is slow, and must not end for that. */
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    /** Held, because a logger without a reference forgets its level. */
    private static final Logger LOG = Logger.getLogger("io.hmfs");

    private ServerRun() {}

    /** Serves until SIGTERM, SIGINT or a failure of the server; returns the exit code. */
    static int run(ServerConfig config) throws IOException, InterruptedException {
        // What a good start has to say is printed below.
        LOG.setLevel(Cli.isDebug() ? Level.FINE : Level.WARNING);
        ProgressBar rebuild = ProgressBar.of("rebuilding " + config.pool() + " from " + config.logDirectory());
        HmfsServer server;
        try {
            server = HmfsServer.start(config, rebuild);
        } finally {
            rebuild.end();
        }
        AtomicInteger toldNothing = new AtomicInteger(); // then a clean stop is no success
        Thread stop =
                new Thread(() -> Runtime.getRuntime().halt(Math.max(end(server), toldNothing.get())), "hmfs-stop");
        Runtime.getRuntime().addShutdownHook(stop);
        try {
            System.out.print(describe(config, server));
            System.out.flush();
        } catch (IOException | RuntimeException e) {
            toldNothing.set(Cli.FAILURE);
            throw e;
        }
        return server.awaitStop();
    }

    /**
     * Ends the server, whatever asks for that: a signal, or the process that follows its server. Returns the exit code: after a clean
     * stop that is success, whatever number the signal had; after a failure it is the failure's, also where a signal came on top.
     */
    static int end(HmfsServer server) {
        try {
            int code = server.stop();
            if (code == 0) {
                System.out.println("hmfs: stopped");
                System.out.flush();
            } else {
                System.err.println(
                        "hmfs: the server stopped itself; its last messages say why. Start it again to recover");
            }
            return code;
        } catch (RuntimeException e) {
            System.err.println("hmfs: the stop was not clean: " + Cli.describe(e));
            return HmfsServer.EXIT_FAILED;
        }
    }

    /** Asked of the server itself, over the wire: a value shows that the server answers. */
    private static String describe(ServerConfig config, HmfsServer server) throws IOException {
        InetSocketAddress bound = server.address();
        InetAddress any = bound.getAddress();
        String host = any.isAnyLocalAddress() ? "127.0.0.1" : any.getHostAddress();
        Address address = new Address(host, bound.getPort());
        ServerStatus status;
        ClientOptions defaults = ClientOptions.defaults();
        ClientOptions patient = new ClientOptions(defaults.user(), PATIENCE, PATIENCE, defaults.inFlightMax());
        try (HmfsClient client = HmfsClient.connect(host, bound.getPort(), patient)) {
            status = client.status();
        }
        String mode = switch (config.persistence()) {
            case PMEM ->
                config.emulatePmem()
                        ? "pmem, EMULATED: for measurements, loses data with the power"
                        : "pmem: what was answered survives power failure";
            case PROCESS -> "process: what was answered survives the death of this process, not of the machine";
            case LOGGED ->
                (config.emulatePmem()
                                ? "logged, EMULATED if in memory"
                                : "logged: what was answered survives power failure")
                        + ", by the log in " + config.logDirectory();
        };
        String data = config.isBuiltin()
                ? config.dataDirectory() + " (builtin store, streamed by this server)"
                : config.dataStore() + " (clients write there)";
        return """
                HMFS %s
                  pool     %s (%s, %s, cluster %s)
                  mode     %s
                  memory   %s
                  address  hmfs://%s%s
                  sockets  %s, for at most %d connections
                  data     %s
                  metrics  %s
                  audit    %s
                  started  %s
                  space    free slots %s
                  use      hmfs fs --server %s -ls /
                  stop     Ctrl-C, or kill %d
                """.formatted(
                        status.serverVersion(),
                        status.poolPath(),
                        Quantities.readable(status.capacity()),
                        status.backing(),
                        status.clusterId(),
                        mode,
                        server.memory(),
                        address,
                        any.isAnyLocalAddress() ? " (on all addresses of this machine)" : "",
                        server.transportLabel(),
                        config.connectionsMax(),
                        data,
                        metrics(server),
                        audit(config),
                        steps(server.startSteps()),
                        server.freeSlots(),
                        address,
                        ProcessHandle.current().pid());
    }

    private static String metrics(HmfsServer server) {
        InetSocketAddress admin = server.adminAddress();
        if (admin == null) {
            return "not served (--admin-port 8931 does, with /health)";
        }
        String host = admin.getAddress().isAnyLocalAddress()
                ? "127.0.0.1"
                : admin.getAddress().getHostAddress();
        return "http://" + new Address(host, admin.getPort()) + "/metrics, /health";
    }

    private static String audit(ServerConfig config) {
        Path file = config.observation().auditLog();
        return file == null ? "none (--audit-log FILE)" : file.toString();
    }

    private static String steps(Map<String, Long> nanosByStep) {
        long sum = nanosByStep.values().stream().mapToLong(Long::longValue).sum();
        StringJoiner steps = new StringJoiner(", ", "in " + Quantities.time(sum / 1e9) + ": ", "");
        nanosByStep.forEach((step, nanos) -> steps.add(step + " " + Quantities.time(nanos / 1e9)));
        return steps.toString();
    }
}
