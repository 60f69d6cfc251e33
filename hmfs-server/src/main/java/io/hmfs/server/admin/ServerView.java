package io.hmfs.server.admin;

import io.hmfs.client.ClientOptions;
import io.hmfs.client.HmfsClient;
import io.hmfs.client.HmfsException;
import io.hmfs.client.ResultCode;
import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The running server that a command asks. */
final class ServerView {
    @Option(
            names = "--server",
            paramLabel = "HOST:PORT",
            defaultValue = "${env:HMFS_SERVER:-127.0.0.1:8930}",
            description = "The server (default: HMFS_SERVER, else 127.0.0.1:8930).")
    private String server = "127.0.0.1:8930";

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            defaultValue = "5s",
            description = "Longest wait for an answer, a restart of the server included (default: 5s).")
    private String timeout = "5s";

    Address address() {
        return Address.parse(server);
    }

    HmfsClient connect() throws IOException {
        Address address = address();
        long millis = Quantities.millis("--timeout", timeout);
        if (millis == 0) {
            throw CommandException.usage("--timeout is '" + timeout + "'; it must be over zero");
        }
        Duration wait = Duration.ofMillis(millis);
        ClientOptions defaults = ClientOptions.defaults();
        ClientOptions options = new ClientOptions(defaults.user(), wait, wait, defaults.inFlightMax())
                .withTransport(address.transport());
        try {
            return HmfsClient.connect(address.host(), address.port(), options);
        } catch (HmfsException e) {
            throw explained(e);
        } catch (IOException e) {
            throw CommandException.failure("no HMFS server answers at " + address + " (" + Cli.describe(e)
                    + "); start one with: hmfs server --pool FILE");
        }
    }

    /** What a server says that answers; of one that does not, what to do. */
    HmfsException explained(HmfsException problem) {
        if (problem.code() == ResultCode.TIMEOUT) {
            throw CommandException.failure("the server at " + address() + " does not answer any more, or too slowly: "
                    + Cli.describe(problem) + "; start it again if it has ended, or wait longer with --timeout");
        }
        return problem;
    }

    /** The server's metrics; null if it is too old to have them. */
    static @Nullable Exposition metrics(HmfsClient client) throws IOException {
        try {
            return Exposition.parse(client.metrics());
        } catch (HmfsException e) {
            if (e.code() == ResultCode.BAD_REQUEST) {
                return null;
            }
            throw e;
        }
    }
}
