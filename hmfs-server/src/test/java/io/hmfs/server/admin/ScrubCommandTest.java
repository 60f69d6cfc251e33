package io.hmfs.server.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.client.ClientOptions;
import io.hmfs.client.CreateOptions;
import io.hmfs.client.HmfsClient;
import io.hmfs.core.FormatOptions;
import io.hmfs.core.Hmfs;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.pmem.Backing;
import io.hmfs.server.HmfsServer;
import io.hmfs.server.LeasedFiles;
import io.hmfs.server.PoolEntries;
import io.hmfs.server.ServerConfig;
import io.hmfs.server.setting.ServerSetting;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/**
 * Goal: {@code hmfs scrub} waits for a scrub, and says by text and exit code whether something is damaged.
 * Method: the command as a user runs it, on a real server, of which an object is damaged.
 */
class ScrubCommandTest {
    @TempDir
    private Path directory = Path.of("");

    private @Nullable HmfsServer server;
    private Path data = Path.of("");
    private String out = "";
    private String err = "";

    @BeforeEach
    void start() throws IOException {
        Path pool = directory.resolve("p.pool");
        Hmfs.format(pool, new FormatOptions(FormatOptions.SIZE_MIN, Backing.MAPPED, false, null));
        ServerConfig config =
                ServerConfig.builder(pool).set(ServerSetting.PORT, 0).build();
        HmfsServer started = HmfsServer.start(config);
        server = started;
        try (HmfsClient client =
                HmfsClient.connect("127.0.0.1", started.address().getPort(), ClientOptions.defaults())) {
            for (int i = 0; i < 2; i++) {
                LeasedFiles.of(client, "/d/f" + i, new CreateOptions(0644, false, true, 0755), new byte[10]);
            }
        }
        data = config.dataDirectory();
    }

    @AfterEach
    void stop() {
        if (server != null) {
            server.close();
        }
    }

    private int run(String... arguments) {
        HmfsServer running = server;
        String[] all = Stream.concat(
                        Stream.of(arguments),
                        Stream.of(
                                "--server",
                                "127.0.0.1:"
                                        + (running == null
                                                ? 0
                                                : running.address().getPort())))
                .toArray(String[]::new);
        PrintStream before = System.out;
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        StringWriter errors = new StringWriter();
        CommandLine line = Main.commandLine();
        line.setErr(new PrintWriter(errors, true));
        line.getSubcommands().values().forEach(each -> each.setErr(new PrintWriter(errors, true)));
        System.setOut(new PrintStream(bytes, true, StandardCharsets.UTF_8));
        try {
            return line.execute(all);
        } finally {
            System.setOut(before);
            out = bytes.toString(StandardCharsets.UTF_8);
            err = errors.toString();
        }
    }

    /** What is behind a damaged entry is not read, and the exit code says so. */
    @Test
    void aDirectoryOfWhichNotAllIsReadIsNamed() throws IOException {
        Path pool = directory.resolve("p.pool");
        long f1;
        HmfsServer first = Objects.requireNonNull(server);
        try (HmfsClient client = HmfsClient.connect("127.0.0.1", first.address().getPort(), ClientOptions.defaults())) {
            f1 = client.stat("/d/f1").id();
        }
        first.close();
        PoolEntries.store(pool, f1, EntryRecord.ID_OFFSET, f1 ^ 1L << 40);
        server = HmfsServer.start(
                ServerConfig.builder(pool).set(ServerSetting.PORT, 0).build());
        assertEquals(4, run("scrub"), err);
        assertTrue(out.contains("\nfiles      0\n"), out); // the newest is listed first
        assertTrue(
                out.endsWith(
                        "\ndamaged    1 parts of files and directories\n  /d: an entry of this directory, and no file behind it was read; stop the server, and run hmfs fsck\n"),
                out);
    }

    @Test
    void damageIsListedAndMakesTheExitCode() throws IOException {
        assertEquals(0, run("scrub", "--status"));
        assertEquals("no scrub since the server's start\n", out);
        assertEquals(0, run("scrub"), err);
        assertTrue(out.contains("\nfiles      2\nread       2 objects, 20 B\n"), out);
        assertTrue(out.contains("\ndamaged    0 parts of files and directories\n"), out);
        damage();
        assertEquals(4, run("scrub"), err);
        assertTrue(out.endsWith("\ndamaged    1 parts of files and directories\n  /d/f0: bytes 0 to 9\n"), out);
        assertEquals(4, run("scrub", "--status", "--json"), err);
        assertTrue(out.contains("\"running\":false,\"whole\":true,\"files\":2,\"objects\":2,\"bytes\":"), out);
        assertTrue(out.contains("\"damaged\":1,"), out);
        assertTrue(
                out.matches("(?s).*\"damages\":\\[\\{\"path\":\"/d/f0\",\"inode\":\\d+,\"from\":0,\"to\":10}]}\\s*"),
                out);
        assertEquals(2, run("scrub", "--status", "--no-wait"));
        assertEquals(2, run("scrub", "--rate", "0"));
    }

    private void damage() throws IOException {
        long inode;
        HmfsServer running = server;
        try (HmfsClient client = HmfsClient.connect(
                "127.0.0.1", running == null ? 0 : running.address().getPort(), ClientOptions.defaults())) {
            inode = client.stat("/d/f0").id();
        }
        try (Stream<Path> all = Files.walk(data)) {
            for (Path each : all.toList()) {
                if (each.getFileName().toString().equals(Long.toHexString(inode) + "-0.v1")) {
                    byte[] bytes = Files.readAllBytes(each);
                    bytes[bytes.length - 1] ^= 1;
                    Files.write(each, bytes);
                }
            }
        }
    }
}
