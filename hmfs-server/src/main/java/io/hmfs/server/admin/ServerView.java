package io.hmfs.server.admin;

import io.hmfs.client.ClientOptions;
import io.hmfs.client.HmfsClient;
import io.hmfs.client.HmfsException;
import io.hmfs.client.ResultCode;
import java.io.IOException;
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

    Address address() {
        return Address.parse(server);
    }

    HmfsClient connect() throws IOException {
        Address address = address();
        try {
            return HmfsClient.connect(address.host(), address.port(), ClientOptions.defaults());
        } catch (HmfsException e) {
            throw e; // it answered, and said why not
        } catch (IOException e) {
            throw CommandException.failure("no HMFS server answers at " + address + " (" + Cli.describe(e)
                    + "); start one with: hmfs server --pool FILE");
        }
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
