package io.hmfs.server.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.client.ClientOptions;
import io.hmfs.client.CreateOptions;
import io.hmfs.client.HmfsClient;
import io.hmfs.core.FormatOptions;
import io.hmfs.core.Hmfs;
import io.hmfs.core.pmem.Backing;
import io.hmfs.server.HmfsServer;
import io.hmfs.server.LeasedFiles;
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
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/**
 * Goal: {@code hmfs gc} says what is there and what it did, and removes nothing unasked.
 * Method: the command as a user runs it, on a real server with one planted orphan; its output whole.
 */
class GcCommandTest {
    private static final long GONE = 0x7F00_0000_0000L;
    private static final long PRIME = 0x9E3779B97F4A7C15L;

    @TempDir
    private Path directory = Path.of("");

    private @Nullable HmfsServer server;
    private Path orphan = Path.of("");
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
        orphan = object(GONE, 3);
        Files.write(orphan, new byte[1536]);
        Files.setLastModifiedTime(
                orphan, FileTime.fromMillis(System.currentTimeMillis() - (2 * 24 + 3) * 3_600_000L - 1_000));
    }

    private Path object(long inode, long block) throws IOException {
        long hash = inode * PRIME;
        Path inner =
                data.resolve(String.format("%02x", hash >>> 56)).resolve(String.format("%02x", hash >>> 48 & 0xFF));
        return Files.createDirectories(inner).resolve(Long.toHexString(inode) + "-" + block);
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

    @Test
    void itShowsWhatThereIsAndRemovesNothing() {
        assertEquals(0, run("gc"));
        assertEquals("""
                data store         builtin
                looked at          3 objects, files with objects 2, directories 2

                                        objects        bytes         oldest
                orphans                       1      1.5 KiB        2 d 3 h
                unfinished blocks             0          0 B              -
                behind the size               0          0 B              -
                young                         0          0 B              -
                unknown names                 0
                on record                     0 files

                Nothing was removed; remove orphans with: hmfs gc --delete
                """, out);
        assertTrue(Files.exists(orphan));
    }

    @Test
    void itNamesThem() {
        assertEquals(0, run("gc", "--list"));
        assertEquals(
                List.of("orphan             1536         2 d 3 h  7f0000000000-3", "data store         builtin"),
                out.lines().limit(2).toList());
    }

    @Test
    void itWritesJson() {
        assertEquals(0, run("gc", "--json", "--older-than", "72h"));
        String json =
                out.replaceAll("\"oldestMillis\":\\d+", "\"oldestMillis\":0").strip();
        assertEquals(
                "{\"dataStore\":\"builtin\",\"objects\":3,\"files\":2,\"directories\":2,"
                        + "\"orphan\":{\"objects\":0,\"bytes\":0},\"unfinished\":{\"objects\":0,\"bytes\":0},"
                        + "\"beyond\":{\"objects\":0,\"bytes\":0},\"young\":{\"objects\":1,\"bytes\":1536,\"oldestMillis\":0},"
                        + "\"unknown\":0,\"recorded\":0,\"removed\":{\"objects\":0,\"bytes\":0}}",
                json);
    }

    @Test
    void itRemovesOrphansWhenToldTo() {
        assertEquals(0, run("gc", "--delete"));
        assertEquals("removed 1 object, 1.5 KiB", out.lines().reduce("", (_, last) -> last));
        assertFalse(Files.exists(orphan));
        assertEquals(0, run("gc", "--delete"));
        assertEquals("removed 0 objects, 0 B", out.lines().reduce("", (_, last) -> last));
    }

    @Test
    void itAsksTwiceBeforeItRemovesMost() throws IOException {
        for (int i = 1; i < 3; i++) {
            Files.write(object(GONE + i, 0), new byte[1]);
        }
        assertEquals(1, run("gc", "--delete", "--older-than", "0s"));
        assertEquals(
                "hmfs: of the inodes with objects in builtin 2 live here and 3 do not; nothing was removed. Is it this server's store? If so, add --most",
                err.strip());
        assertTrue(Files.exists(orphan));
        assertEquals(0, run("gc", "--delete", "--most", "--older-than", "0s"));
        assertFalse(Files.exists(orphan));
    }

    @Test
    void inSafeModeItOnlyLooks() {
        assertEquals(0, run("safemode", "enter"));
        assertEquals(1, run("gc", "--delete"));
        assertEquals("hmfs: the server is in safe mode; nothing was removed", err.strip());
        assertEquals(0, run("gc"));
        assertTrue(Files.exists(orphan));
    }

    @Test
    void whatMakesNoSenseIsRefused() {
        assertEquals(2, run("gc", "--most"));
        assertEquals(2, run("gc", "--unfinished"));
        assertEquals(2, run("gc", "--list", "--json"));
        assertEquals(2, run("gc", "--older-than", "soon"));
        assertTrue(Files.exists(orphan));
    }
}
