package io.hmfs.server.history;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A network namespace for the server, and a pair of devices to it, one of which goes down. Needs root and {@code ip}. */
final class CutNetwork implements AutoCloseable {
    private static final long OWN = ProcessHandle.current().pid();
    private static final String PREFIX = "10.231." + OWN % 250 + ".";

    private final String namespace = "hmfs" + OWN;
    private final String outer = "hmfso" + OWN % 10_000_000;
    private final String inner = "hmfsi" + OWN % 10_000_000;

    CutNetwork() throws IOException {
        ip("netns", "add", namespace);
        try {
            ip("link", "add", outer, "type", "veth", "peer", "name", inner, "netns", namespace);
            ip("address", "add", PREFIX + "1/30", "dev", outer);
            ip("-n", namespace, "address", "add", serverAddress() + "/30", "dev", inner);
            ip("-n", namespace, "link", "set", "lo", "up");
            ip("-n", namespace, "link", "set", inner, "up");
            up();
        } catch (IOException e) {
            ip("netns", "delete", namespace);
            throw e;
        }
    }

    /** Why there can be none here, or an empty text. */
    static String obstacle() {
        try (CutNetwork _ = new CutNetwork()) {
            return "";
        } catch (IOException e) {
            return String.valueOf(e.getMessage());
        }
    }

    /** What runs a command where the server is. */
    List<String> inside() {
        return List.of("ip", "netns", "exec", namespace);
    }

    String serverAddress() {
        return PREFIX + "2";
    }

    void down() throws IOException {
        ip("link", "set", outer, "down");
    }

    void up() throws IOException {
        ip("link", "set", outer, "up");
    }

    private static void ip(String... words) throws IOException {
        List<String> command = new ArrayList<>(List.of("ip"));
        command.addAll(List.of(words));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            if (process.waitFor() != 0) {
                throw new IOException(String.join(" ", command) + ": " + said.strip());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted in " + command, e);
        }
    }

    @Override
    public void close() throws IOException {
        ip("link", "delete", outer); // now: with the namespace it would go some time later
        ip("netns", "delete", namespace);
    }
}
