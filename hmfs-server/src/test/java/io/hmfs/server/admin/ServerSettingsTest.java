package io.hmfs.server.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.FormatOptions;
import io.hmfs.core.Hmfs;
import io.hmfs.core.pmem.Backing;
import io.hmfs.core.pmem.Persistence;
import io.hmfs.core.pmem.log.LogOptions;
import io.hmfs.server.ObservationConfig;
import io.hmfs.server.ServerConfig;
import io.hmfs.server.access.AccessConfig;
import io.hmfs.server.lease.Leases;
import io.hmfs.server.partition.ScrubLimits;
import io.hmfs.server.protocol.ReplyCompression;
import io.hmfs.server.setting.ServerSetting;
import io.hmfs.server.transport.RdmaUse;
import io.hmfs.server.transport.SocketKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: settings from flags, variables and a file become the configuration that was meant, and every mistake is named.
 * Method: resolves small sets of each kind and looks at the configuration, the table or the message.
 */
final class ServerSettingsTest {
    private static final Map<ServerSetting<?>, String> POOL =
            Map.of(ServerSetting.POOL, "/p", ServerSetting.PERSISTENCE, "process");

    @TempDir
    private Path directory = Path.of("");

    @Test
    void withoutAnythingElseTheConfigurationIsTheDefaultOfThePool() throws IOException {
        assertEquals(
                ServerConfig.of(Path.of("/p")), resolve(POOL, Map.of(), null).config());
    }

    @Test
    void aFlagWinsOverAVariableAndThatOverTheFile() throws IOException {
        Path file = file("pool=/f\npersistence=process\nport=1\nhost=file\nio-threads=5\n");
        ServerConfig config = resolve(
                        Map.of(ServerSetting.PORT, "3"), Map.of("HMFS_PORT", "2", "HMFS_HOST", "variable"), file)
                .config();
        assertEquals(3, config.port());
        assertEquals("variable", config.host());
        assertEquals(5, config.ioThreads());
        assertEquals(Path.of("/f"), config.pool());
    }

    @Test
    void everySettingReachesTheConfiguration() throws IOException {
        ServerConfig config = resolve(Map.of(), Map.of(), file("""
            pool = /p
            pool-max = 3G
            host = h
            port = 1
            persistence = pmem
            emulate-pmem = true
            refuse-unchecked = true
            log-directory = /l
            log-segment = 2M
            log-max = 8M
            data-store = s3a://bucket/data
            data-directory = /d
            block-size = 1M
            chunk-size = 64K
            scrub-interval = 12h
            scrub-rate = 8M
            event-loops = 7
            connections-max = 8
            io-threads = 9
            frame-max = 4M
            in-flight-max = 11
            reply-bytes-max = 16M
            request-bytes-max = 48M
            answer-bytes-max = 24M
            io-queue-bytes-max = 32M
            listing-cache-bytes = 64M
            idle-timeout = 5m
            drain-timeout = 250ms
            lease-soft-limit = 90s
            lease-hard-limit = 30m
            transport = io_uring
            rdma = on
            transport-spin = 70
            remote-stat-directories = 71
            compress-from = 5K
            compress-local = true
            permissions-enabled = false
            superuser = hmfs
            supergroup = admins
            group-source = static
            static-groups = bob=a, b;carol=
            group-expiry = 2m
            proxy-users = livy=*@10.0.0.0/8
            admin-port = 8931
            admin-host = ::1
            audit-log = /a
            audit-log-size = 1M
            audit-log-files = 3
            slow-threshold = 20ms
            """)).config();
        ServerConfig expected = new ServerConfig(
                Path.of("/p"),
                3L << 30,
                "h",
                1,
                Persistence.PMEM,
                true,
                true,
                Path.of("/l"),
                2 << 20,
                8 << 20,
                "s3a://bucket/data",
                Path.of("/d"),
                1 << 20,
                64 << 10,
                new ScrubLimits(Duration.ofHours(12), 8 << 20),
                7,
                8,
                9,
                4 << 20,
                11,
                16 << 20,
                48 << 20,
                24 << 20,
                32 << 20,
                64 << 20,
                Duration.ofMinutes(5),
                Duration.ofMillis(250),
                SocketKind.IO_URING,
                RdmaUse.ON,
                70,
                71,
                new ReplyCompression(5 << 10, true),
                new Leases.Limits(Duration.ofSeconds(90), Duration.ofMinutes(30)),
                new AccessConfig(
                        false,
                        "hmfs",
                        "admins",
                        AccessConfig.Source.STATIC,
                        "bob=a, b;carol=",
                        Duration.ofMinutes(2),
                        "livy=*@10.0.0.0/8"),
                new ObservationConfig("::1", 8931, Path.of("/a"), 1 << 20, 3, Duration.ofMillis(20)));
        assertEquals(expected, config);
    }

    @Test
    void dataIsWhereTheLogIsUnlessToldOtherwise() throws IOException {
        Map<ServerSetting<?>, String> flags =
                Map.of(ServerSetting.POOL, "/m/p", ServerSetting.LOG_DIRECTORY, "/disk/log");
        ServerSettings settings = resolve(flags, Map.of(), null);
        assertEquals(Path.of("/disk/log/data"), settings.config().dataDirectory());
        assertTrue(settings.table().matches("(?s).*data-directory +/disk/log/data +default\n.*"), settings.table());
    }

    /** Beside a device is the memory of /dev. */
    @Test
    void aPoolOnADeviceNeedsADirectoryForDataAndKey() throws IOException {
        Map<ServerSetting<?>, String> flags = Map.of(ServerSetting.POOL, "/dev/null");
        CommandException refused = assertThrows(
                CommandException.class, () -> resolve(flags, Map.of(), null).config());
        String message = String.valueOf(refused.getMessage());
        assertTrue(message.contains("--data-directory is /dev/null.data"), message);
        ServerConfig.Builder builder = ServerConfig.builder(Path.of("/dev/null"));
        assertThrows(IllegalArgumentException.class, builder::build);
        ServerConfig config =
                builder.set(ServerSetting.DATA_DIRECTORY, Path.of("/disk/data")).build();
        assertEquals(Path.of("/disk/data"), config.dataDirectory());
    }

    @Test
    void theTableShowsEachValueAndItsSource() throws IOException {
        String table = resolve(POOL, Map.of("HMFS_PORT", "2"), null).table();
        assertTrue(table.matches("(?s).*pool +/p +flag --pool\n.*"), table);
        assertTrue(table.matches("(?s).*port +2 +variable HMFS_PORT\n.*"), table);
        assertTrue(table.matches("(?s).*data-directory +/p.data +default\n.*"), table);
        assertEquals(ServerSetting.values().size(), table.lines().count());
    }

    @Test
    void aDefaultWrittenOutIsReadBackAsTheSameConfiguration() throws IOException {
        StringBuilder file = new StringBuilder("pool=/p\npersistence=process\n");
        for (ServerSetting<?> setting : ServerSetting.values()) {
            if (setting != ServerSetting.POOL && setting != ServerSetting.PERSISTENCE) {
                file.append(setting.key() + "=" + setting.fallback(Path.of("/p")) + "\n");
            }
        }
        assertEquals(
                ServerConfig.of(Path.of("/p")),
                resolve(Map.of(), Map.of(), file(file.toString())).config());
    }

    @Test
    void theTableShowsTheModeThatThePoolAsksFor() throws IOException {
        Path log = directory.resolve("log");
        Path pool = directory.resolve("p");
        Hmfs.format(
                pool,
                new FormatOptions(
                        FormatOptions.SIZE_MIN,
                        Backing.MAPPED,
                        false,
                        LogOptions.in(directory.resolve("p.log")).withOnVolatile(true)));
        String table = resolve(Map.of(ServerSetting.POOL, pool.toString()), Map.of(), null)
                .table();
        assertTrue(table.matches("(?s).*persistence +logged +default\n.*"), table);
        assertTrue(table.contains(" " + directory.resolve("p.log") + " "), table);
        assertTrue(table.contains(" " + directory.resolve("p.log/data") + " "), table);
        ServerConfig config = resolve(
                        Map.of(ServerSetting.POOL, pool.toString(), ServerSetting.LOG_DIRECTORY, log.toString()),
                        Map.of("HMFS_PERSISTENCE", ""),
                        null)
                .config();
        assertEquals(Persistence.LOGGED, config.persistence());
        assertEquals(log, config.logDirectory());
    }

    @Test
    void anUnknownVariableIsNamedWithTheNearestKnownOne() {
        assertMessage("HMFS_PROT (did you mean HMFS_PORT?)", () -> resolve(POOL, Map.of("HMFS_PROT", "1"), null));
    }

    @Test
    void variablesOfTheLauncherAndOfOtherProgramsAreNoMistake() throws IOException {
        var _ = resolve(POOL, Map.of("HMFS_JAVA_HOME", "/j", "HMFS_DEBUG", "1", "PATH", "/bin"), null);
    }

    @Test
    void anUnknownKeyIsNamedWithTheFileAndTheNearestKnownOne() throws IOException {
        Path file = file("hots=x\n");
        assertMessage("unknown key 'hots' in " + file + " (did you mean host?)", () -> resolve(POOL, Map.of(), file));
    }

    @Test
    void aSettingThatHadALongerNameIsNamedToo() throws IOException {
        Path file = file("native-transport=true\n");
        assertMessage("(did you mean transport?)", () -> resolve(POOL, Map.of(), file));
        assertMessage(
                "(did you mean HMFS_TRANSPORT?)", () -> resolve(POOL, Map.of("HMFS_NATIVE_TRANSPORT", "true"), null));
    }

    @Test
    void aWrongValueIsNamedWithWhereItCameFrom() {
        assertMessage(
                "port (variable HMFS_PORT) is 'x'",
                () -> resolve(POOL, Map.of("HMFS_PORT", "x"), null).config());
        assertMessage(
                "--persistence is 'x'; write pmem or process",
                () -> resolve(Map.of(ServerSetting.POOL, "/p", ServerSetting.PERSISTENCE, "x"), Map.of(), null)
                        .config());
        assertMessage(
                "transport (variable HMFS_TRANSPORT) is 'x'; write auto or epoll or io_uring or nio",
                () -> resolve(POOL, Map.of("HMFS_TRANSPORT", "x"), null).config());
        assertMessage(
                "chunk-size (variable HMFS_CHUNK_SIZE) is '1'; write a size from 4K to ",
                () -> resolve(POOL, Map.of("HMFS_CHUNK_SIZE", "1"), null).config());
        assertMessage(
                "frame-max (variable HMFS_FRAME_MAX) is '32K'; write a size from 448K to 64M",
                () -> resolve(POOL, Map.of("HMFS_FRAME_MAX", "32K"), null).config());
    }

    @Test
    void theEndsOfARangeAreTakenAndWhatLiesBeyondIsNot() throws IOException {
        int ranges = 0;
        for (ServerSetting<?> setting : ServerSetting.values()) {
            Matcher range = Pattern.compile("(\\d+)([KMGT]?) to (\\d+)([KMGT]?)(, or off)?")
                    .matcher(setting.range());
            if (!range.matches()) {
                continue;
            }
            ranges++;
            String least = range.group(1) + range.group(2);
            String most = range.group(3) + range.group(4);
            for (String end : List.of(least, most)) {
                Map<ServerSetting<?>, String> flags = new HashMap<>(POOL);
                flags.put(setting, end);
                if (setting == ServerSetting.LOG_SEGMENT) {
                    flags.put(ServerSetting.LOG_MAX, "1T");
                } else if (setting == ServerSetting.FRAME_MAX) {
                    flags.put(ServerSetting.CHUNK_SIZE, "4K");
                }
                var _ = resolve(flags, Map.of(), null).config();
            }
            String above = (Long.parseLong(range.group(3)) + 1) + range.group(4);
            Map<ServerSetting<?>, String> flags = new HashMap<>(POOL);
            flags.put(setting, above);
            assertMessage(
                    setting.flag() + " is '" + above + "'; write a ",
                    () -> resolve(flags, Map.of(), null).config());
        }
        assertTrue(ranges >= 12, "ranges: " + ranges);
    }

    @Test
    void anEmbeddingProgramHearsTheSameAsACommand() {
        Map<ServerSetting<?>, String> flags = new HashMap<>(POOL);
        flags.put(ServerSetting.LEASE_HARD_LIMIT, "45s");
        CommandException command = assertThrows(
                CommandException.class, () -> resolve(flags, Map.of(), null).config());
        IllegalArgumentException embedded = assertThrows(
                IllegalArgumentException.class,
                () -> ServerConfig.builder(Path.of("/p"))
                        .set(ServerSetting.LEASE_HARD_LIMIT, Duration.ofSeconds(45))
                        .build());
        assertEquals("lease-hard-limit is '45s'; write a time from 60s to 604800s", embedded.getMessage());
        assertEquals("--" + embedded.getMessage(), command.getMessage());
    }

    @Test
    void aModeThatHasALogNeedsItsDirectory() {
        IllegalArgumentException wrong = assertThrows(
                IllegalArgumentException.class,
                () -> ServerConfig.builder(Path.of("/p"))
                        .set(ServerSetting.PERSISTENCE, Persistence.LOGGED)
                        .build());
        assertTrue(String.valueOf(wrong.getMessage()).contains("log-directory"), wrong.getMessage());
    }

    @Test
    void theDocumentationListsTheSettingsAsTheTableDoes() throws IOException {
        List<String> rows = Files.readAllLines(Path.of("..", "docs", "operations.md")).stream()
                .dropWhile(line -> !line.startsWith("| setting |"))
                .skip(2)
                .takeWhile(line -> line.startsWith("|"))
                .toList();
        assertEquals(
                String.join(
                        "\n",
                        ServerSetting.values().stream().map(ServerSetting::row).toList()),
                String.join("\n", rows));
    }

    @Test
    void withoutAPoolTheMessageSaysHowToGiveOne() {
        assertMessage("no pool given", () -> resolve(Map.of(), Map.of(), null).config());
    }

    private static ServerSettings resolve(
            Map<ServerSetting<?>, String> flags, Map<String, String> variables, @Nullable Path file)
            throws IOException {
        return ServerSettings.resolve(flags, variables, file);
    }

    private static void assertMessage(String part, org.junit.jupiter.api.function.Executable action) {
        CommandException e = assertThrows(CommandException.class, action);
        assertTrue(String.valueOf(e.getMessage()).contains(part), e.getMessage());
    }

    private Path file(String content) throws IOException {
        return Files.writeString(directory.resolve("server.properties"), content);
    }
}
