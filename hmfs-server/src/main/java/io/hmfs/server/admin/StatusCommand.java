package io.hmfs.server.admin;

import io.hmfs.client.ClientOptions;
import io.hmfs.client.HmfsClient;
import io.hmfs.client.HmfsException;
import io.hmfs.client.ServerInfo;
import io.hmfs.client.ServerStatus;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code hmfs status}. */
@Command(
        name = "status",
        description = "Show what a running server says about itself.",
        sortOptions = false,
        footer = {"", "Examples:", "  hmfs status", "  hmfs status --server meta1:8930 --json"})
final class StatusCommand implements Callable<Integer> {
    @Option(
            names = "--server",
            paramLabel = "HOST:PORT",
            defaultValue = "${env:HMFS_SERVER:-127.0.0.1:8930}",
            description = "The server (default: HMFS_SERVER, else 127.0.0.1:8930).")
    private String server = "127.0.0.1:8930";

    @Option(names = "--json", description = "One JSON object, for programs.")
    private boolean json;

    @Override
    public Integer call() throws IOException {
        Address address = Address.parse(server);
        try (HmfsClient client = connect(address)) {
            ServerStatus status = client.status();
            System.out.print(json ? json(status, client.server()) : table(address, status, client.server()));
        }
        return 0;
    }

    private static HmfsClient connect(Address address) throws IOException {
        try {
            return HmfsClient.connect(address.host(), address.port(), ClientOptions.defaults());
        } catch (HmfsException e) {
            throw e; // it answered, and said why not
        } catch (IOException e) {
            throw CommandException.failure("no HMFS server answers at " + address + " (" + Cli.describe(e)
                    + "); start one with: hmfs server --pool FILE");
        }
    }

    static String table(Address address, ServerStatus status, ServerInfo server) {
        Map<String, Object> rows = new LinkedHashMap<>();
        rows.put("server", address + ", version " + status.serverVersion());
        rows.put("up for", Quantities.duration(status.uptimeMillis()));
        rows.put("connections", status.connections());
        rows.put("pool", status.poolPath());
        rows.put("backing", status.backing() + ", format " + status.formatVersion());
        rows.put("persistence", status.persistence());
        rows.put(
                "used",
                status.regionsUsed() + " of " + status.regionsMax() + " regions ("
                        + percent(status.regionsUsed(), status.regionsMax()) + " % of "
                        + Quantities.readable(status.capacity()) + ")");
        rows.put("data store", server.dataStore() + ", blocks of " + Quantities.readable(server.blockSize()));
        rows.put(
                "recovery",
                (status.recovering() ? "scan running, " : "done, ") + status.recoveredObjects()
                        + " objects were half done at the start");
        rows.put("cluster", status.clusterId() + ", map version " + status.mapVersion());
        StringBuilder table = new StringBuilder();
        rows.forEach((name, value) -> table.append(String.format("%-12s %s%n", name, value)));
        return table.toString();
    }

    static String json(ServerStatus status, ServerInfo server) {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("serverVersion", status.serverVersion());
        values.put("uptimeMillis", status.uptimeMillis());
        values.put("connections", status.connections());
        values.put("poolPath", status.poolPath());
        values.put("backing", status.backing());
        values.put("formatVersion", status.formatVersion());
        values.put("persistence", status.persistence());
        values.put("capacity", status.capacity());
        values.put("regionsUsed", status.regionsUsed());
        values.put("regionsMax", status.regionsMax());
        values.put("dataStore", server.dataStore());
        values.put("blockSize", server.blockSize());
        values.put("recovering", status.recovering());
        values.put("recoveredObjects", status.recoveredObjects());
        values.put("clusterId", status.clusterId());
        values.put("mapVersion", status.mapVersion());
        return Json.object(values) + System.lineSeparator();
    }

    private static long percent(long part, long whole) {
        return whole == 0 ? 0 : Math.round(100.0 * part / whole);
    }
}
