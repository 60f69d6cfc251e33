package io.hmfs.server.admin;

import io.hmfs.core.pmem.Persistence;
import io.hmfs.core.pmem.PoolException;
import io.hmfs.server.ObservationConfig;
import io.hmfs.server.ServerConfig;
import io.hmfs.server.access.AccessConfig;
import io.hmfs.server.transport.netty.Sockets;
import java.io.IOException;
import java.io.Reader;
import java.nio.charset.MalformedInputException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.StringJoiner;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The effective settings of a server and where each came from. A flag wins over a variable, that over the properties file, that
 * over the default. A key or variable that nobody knows is an error: a misspelt setting must not be silently without effect.
 */
final class ServerSettings {
    /** Of a port: none. */
    static final String OFF = "off";

    private static final String PREFIX = "HMFS_";

    /** Variables that are not settings of a server. */
    private static final String[] OTHER_VARIABLES = {
        "HMFS_CONFIG",
        "HMFS_DEBUG",
        "HMFS_JAVA17_HOME",
        "HMFS_JAVA_HOME",
        "HMFS_JAVA_OPTS",
        "HMFS_JDK_DIRS",
        "HMFS_SERVER"
    };

    /** A value and where it came from. */
    record Value(String text, String source) {}

    private final Map<ServerSetting, Value> given = new EnumMap<>(ServerSetting.class);

    private ServerSettings() {}

    /**
     * Puts them together.
     *
     * @param flags what the command line gave
     * @param variables the environment
     * @param file the properties file, or null for none
     */
    static ServerSettings resolve(Map<ServerSetting, String> flags, Map<String, String> variables, @Nullable Path file)
            throws IOException {
        rejectUnknownVariables(variables);
        ServerSettings settings = new ServerSettings();
        Properties properties = file == null ? new Properties() : read(file);
        for (ServerSetting setting : ServerSetting.values()) {
            String variable = variables.get(setting.variable());
            String property = properties.getProperty(setting.key());
            String flag = flags.get(setting);
            if (flag != null) {
                settings.given.put(setting, new Value(flag.strip(), "flag " + setting.flag()));
            } else if (variable != null) {
                settings.given.put(setting, new Value(variable.strip(), "variable " + setting.variable()));
            } else if (property != null) {
                settings.given.put(setting, new Value(property.strip(), "file " + file));
            }
        }
        return settings;
    }

    private static void rejectUnknownVariables(Map<String, String> variables) {
        TreeSet<String> unknown = new TreeSet<>(variables.keySet());
        unknown.removeIf(name -> !name.startsWith(PREFIX));
        Stream<String> settings = Arrays.stream(ServerSetting.values()).map(ServerSetting::variable);
        var known = Stream.concat(settings, Arrays.stream(OTHER_VARIABLES)).toList();
        unknown.removeAll(known);
        if (!unknown.isEmpty()) {
            throw CommandException.usage("unknown variable " + unknown.first() + Closest.hint(unknown.first(), known)
                    + "; unset it, or see hmfs server --help");
        }
    }

    private static Properties read(Path file) throws IOException {
        if (!Files.isRegularFile(file)) {
            throw CommandException.usage("the configuration file " + file + " does not exist or is no file");
        }
        Properties properties = new Properties();
        try (Reader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
            properties.load(reader);
        } catch (MalformedInputException | IllegalArgumentException e) {
            throw CommandException.usage(file + " is no properties file in UTF-8: " + e.getMessage());
        }
        for (String key : new TreeSet<>(properties.stringPropertyNames())) {
            if (ServerSetting.ofKey(key) == null) {
                throw CommandException.usage("unknown key '" + key + "' in " + file
                        + Closest.hint(key, ServerSetting.keys()) + "; see hmfs server --help");
            }
        }
        return properties;
    }

    /**
     * The configuration that they make, with the mode that the pool asks for unless they name one. Throws {@link CommandException}
     * about the first setting that is wrong.
     */
    ServerConfig config() throws IOException {
        Value pool = given.get(ServerSetting.POOL);
        if (pool == null || pool.text().isEmpty()) {
            throw CommandException.usage("no pool given: use --pool FILE, HMFS_POOL, or the key pool in a file named by"
                    + " --config; make a pool with: hmfs format FILE");
        }
        ServerConfig.Builder builder = ServerConfig.builder(path(ServerSetting.POOL, pool));
        try {
            given.forEach((setting, value) -> apply(builder, setting, value));
            PoolMode mode = mode(path(ServerSetting.POOL, pool));
            return builder.persistence(mode.persistence())
                    .logDirectory(mode.logDirectory())
                    .build();
        } catch (IllegalArgumentException e) {
            throw CommandException.usage(renamed(String.valueOf(e.getMessage())));
        }
    }

    private static void apply(ServerConfig.Builder builder, ServerSetting setting, Value value) {
        String text = value.text();
        String name = name(setting, value);
        ServerConfig.Builder done = switch (setting) {
            case POOL -> builder; // it began with that
            case POOL_MAX -> builder.poolMax(Quantities.bytes(name, text));
            case HOST -> builder.host(text);
            case PORT -> builder.port(Quantities.number(name, text, 0, 65_535));
            case PERSISTENCE, LOG_DIRECTORY -> builder; // the mode, from both of them and the pool
            case EMULATE_PMEM -> builder.emulatePmem(truth(name, text));
            case LOG_SEGMENT -> builder.logSegment(Quantities.bytes(name, text));
            case LOG_MAX -> builder.logMax(Quantities.bytes(name, text));
            case DATA_STORE -> builder.dataStore(text);
            case DATA_DIRECTORY -> builder.dataDirectory(path(setting, value));
            case BLOCK_SIZE -> builder.blockSize(Quantities.bytes(name, text));
            case CHUNK_SIZE -> builder.chunkSize(intBytes(name, text));
            case EVENT_LOOPS -> builder.eventLoops(Quantities.number(name, text, 1, Integer.MAX_VALUE));
            case CONNECTIONS_MAX -> builder.connectionsMax(Quantities.number(name, text, 1, Integer.MAX_VALUE));
            case IO_THREADS -> builder.ioThreads(Quantities.number(name, text, 1, Integer.MAX_VALUE));
            case FRAME_MAX -> builder.frameMax(intBytes(name, text));
            case IN_FLIGHT_MAX -> builder.inFlightMax(Quantities.number(name, text, 1, Integer.MAX_VALUE));
            case IO_QUEUE_BYTES_MAX -> builder.ioQueueBytesMax(Quantities.bytes(name, text));
            case IDLE_TIMEOUT -> builder.idleTimeout(Duration.ofMillis(Quantities.millis(name, text)));
            case DRAIN_TIMEOUT -> builder.drainTimeout(Duration.ofMillis(Quantities.millis(name, text)));
            case LEASE_SOFT_LIMIT -> builder.leaseSoftLimit(Duration.ofMillis(Quantities.millis(name, text)));
            case LEASE_HARD_LIMIT -> builder.leaseHardLimit(Duration.ofMillis(Quantities.millis(name, text)));
            case TRANSPORT -> builder.transport(choice(name, text, Sockets.class));
            case PERMISSIONS_ENABLED -> builder.access(access -> access.withPermissionsEnabled(truth(name, text)));
            case SUPERUSER -> builder.access(access -> access.withSuperuser(text));
            case SUPERGROUP -> builder.access(access -> access.withSupergroup(text));
            case GROUP_SOURCE ->
                builder.access(access -> access.withGroupSource(choice(name, text, AccessConfig.Source.class)));
            case STATIC_GROUPS -> builder.access(access -> access.withStaticGroups(text));
            case GROUP_EXPIRY ->
                builder.access(access -> access.withGroupExpiry(Duration.ofMillis(Quantities.millis(name, text))));
            case PROXY_USERS -> builder.access(access -> access.withProxyUsers(text));
            case ADMIN_PORT, ADMIN_HOST, AUDIT_LOG, AUDIT_LOG_SIZE, AUDIT_LOG_FILES, SLOW_THRESHOLD ->
                builder.observation(observation(builder.observation(), setting, value));
        };
        assert done == builder;
    }

    private PoolMode mode(Path pool) throws IOException {
        Value asked = value(ServerSetting.PERSISTENCE);
        Value directory = value(ServerSetting.LOG_DIRECTORY);
        Value emulate = value(ServerSetting.EMULATE_PMEM);
        return PoolMode.toServe(
                pool,
                emulate != null && truth(name(ServerSetting.EMULATE_PMEM, emulate), emulate.text()),
                asked == null ? null : choice(name(ServerSetting.PERSISTENCE, asked), asked.text(), Persistence.class),
                directory == null ? null : path(ServerSetting.LOG_DIRECTORY, directory));
    }

    /** What was given, unless it is empty. */
    private @Nullable Value value(ServerSetting setting) {
        Value value = given.get(setting);
        return value == null || value.text().isEmpty() ? null : value;
    }

    private static int adminPort(String name, String text) {
        if (text.equals(OFF)) {
            return ObservationConfig.OFF;
        }
        if (!text.matches("\\d{1,5}")) {
            throw CommandException.usage(name + " is '" + text + "'; write a port, or off");
        }
        return Quantities.number(name, text, 0, 65_535);
    }

    private static ObservationConfig observation(ObservationConfig old, ServerSetting setting, Value value) {
        String text = value.text();
        String name = name(setting, value);
        return switch (setting) {
            case ADMIN_PORT -> old.withAdmin(old.adminHost(), adminPort(name, text));
            case ADMIN_HOST -> old.withAdmin(text, old.adminPort());
            case AUDIT_LOG ->
                old.withAuditLog(text.isEmpty() ? null : path(setting, value), old.auditLogSize(), old.auditLogFiles());
            case AUDIT_LOG_SIZE -> old.withAuditLog(old.auditLog(), Quantities.bytes(name, text), old.auditLogFiles());
            case AUDIT_LOG_FILES ->
                old.withAuditLog(
                        old.auditLog(), old.auditLogSize(), Quantities.number(name, text, 1, Integer.MAX_VALUE));
            default -> old.withSlowThreshold(Duration.ofMillis(Quantities.millis(name, text)));
        };
    }

    /** What the setting is called in messages: its flag, or the variable or key that it came from. */
    private static String name(ServerSetting setting, Value value) {
        return value.source().startsWith("flag") ? setting.flag() : setting.key() + " (" + value.source() + ")";
    }

    private static Path path(ServerSetting setting, Value value) {
        try {
            // Absolute: whoever asks a server later for its pool stands in another directory.
            return Path.of(value.text()).toAbsolutePath().normalize();
        } catch (InvalidPathException e) {
            throw CommandException.usage(name(setting, value) + " is no file name: " + e.getMessage());
        }
    }

    private static int intBytes(String name, String text) {
        long bytes = Quantities.bytes(name, text);
        if (bytes > Integer.MAX_VALUE) {
            throw CommandException.usage(name + " is '" + text + "'; it must be less than 2G");
        }
        return (int) bytes;
    }

    private static boolean truth(String name, String text) {
        return switch (text) {
            case "true", "yes", "1" -> true;
            case "false", "no", "0" -> false;
            default -> throw CommandException.usage(name + " is '" + text + "'; write true or false");
        };
    }

    private static <E extends Enum<E>> E choice(String name, String text, Class<E> type) {
        StringJoiner all = new StringJoiner(" or ");
        for (E constant : type.getEnumConstants()) {
            if (constant.name().equalsIgnoreCase(text)) {
                return constant;
            }
            all.add(constant.name().toLowerCase(Locale.ROOT));
        }
        throw CommandException.usage(name + " is '" + text + "'; write " + all);
    }

    /** The configuration names its components ({@code blockSize is …}); people know them as settings ({@code --block-size}). */
    private static String renamed(String message) {
        for (ServerSetting setting : ServerSetting.values()) {
            String component = setting.key().replace("-", "") + " ";
            if (message.regionMatches(true, 0, component, 0, component.length())) {
                return setting.flag() + " " + message.substring(component.length());
            }
        }
        return message;
    }

    /** One line for each setting: key, value, source. */
    String table() throws IOException {
        Value pool = given.get(ServerSetting.POOL);
        Path path = pool == null ? Path.of("POOL") : path(ServerSetting.POOL, pool);
        PoolMode mode = knownMode(path);
        StringBuilder table = new StringBuilder();
        for (ServerSetting setting : ServerSetting.values()) {
            Value value = given.getOrDefault(setting, new Value(fallback(setting, path, mode), "default"));
            table.append(String.format(
                    "%-20s %-32s %s%n",
                    setting.key(),
                    value.text(),
                    setting == ServerSetting.POOL && pool == null ? "must be given" : value.source()));
        }
        return table.toString();
    }

    /** The mode, or null: a start would say why there is none. */
    private @Nullable PoolMode knownMode(Path pool) throws IOException {
        try {
            return mode(pool);
        } catch (CommandException | PoolException e) {
            return null;
        }
    }

    private static String fallback(ServerSetting setting, Path pool, @Nullable PoolMode mode) {
        Path log = mode == null ? null : mode.logDirectory();
        return switch (setting) {
            case PERSISTENCE -> mode == null ? "" : mode.persistence().name().toLowerCase(Locale.ROOT);
            case LOG_DIRECTORY -> log == null ? "" : log.toString();
            case DATA_DIRECTORY ->
                log == null
                        ? setting.fallback(pool)
                        : ServerConfig.dataDirectoryIn(log).toString();
            default -> setting.fallback(pool);
        };
    }
}
