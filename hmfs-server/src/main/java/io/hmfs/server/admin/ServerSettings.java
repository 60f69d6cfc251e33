package io.hmfs.server.admin;

import io.hmfs.core.pmem.PoolException;
import io.hmfs.server.ServerConfig;
import io.hmfs.server.setting.ServerSetting;
import java.io.IOException;
import java.io.Reader;
import java.nio.charset.MalformedInputException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The effective settings of a server and where each came from. A flag wins over a variable, that over the properties file, that
 * over the default. A key or variable that is not known is an error: a misspelt setting must not be silently without effect.
 */
final class ServerSettings {
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

    private final Map<ServerSetting<?>, Value> given = new LinkedHashMap<>(); // in the order of the table

    private ServerSettings() {}

    /**
     * Puts them together.
     *
     * @param flags what the command line gave
     * @param variables the environment
     * @param file the properties file, or null for none
     */
    static ServerSettings resolve(
            Map<ServerSetting<?>, String> flags, Map<String, String> variables, @Nullable Path file)
            throws IOException {
        rejectUnknownVariables(variables);
        ServerSettings settings = new ServerSettings();
        Properties properties = file == null ? new Properties() : read(file);
        for (ServerSetting<?> setting : ServerSetting.values()) {
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
        Stream<String> settings = ServerSetting.values().stream().map(ServerSetting::variable);
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
            if (!ServerSetting.keys().contains(key)) {
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
        ServerSetting.Values values = new ServerSetting.Values(path(ServerSetting.POOL, pool.text()));
        given.keySet().forEach(setting -> put(values, setting));
        try {
            // The mode is found below; unlike a value out of range, it needs the pool.
            values.set(ServerSetting.PERSISTENCE, null).checked(this::name);
        } catch (IllegalArgumentException e) {
            throw CommandException.usage(String.valueOf(e.getMessage()));
        }
        mode(values);
        return ServerConfig.of(values);
    }

    private <T> void put(ServerSetting.Values values, ServerSetting<T> setting) {
        values.set(setting, read(setting));
    }

    /** Finds out in which mode to serve the pool, and puts that among the values. */
    private void mode(ServerSetting.Values values) throws IOException {
        PoolMode mode = PoolMode.toServe(
                values.get(ServerSetting.POOL),
                Boolean.TRUE.equals(read(ServerSetting.EMULATE_PMEM)),
                read(ServerSetting.PERSISTENCE),
                read(ServerSetting.LOG_DIRECTORY));
        values.set(ServerSetting.PERSISTENCE, mode.persistence()).set(ServerSetting.LOG_DIRECTORY, mode.logDirectory());
    }

    /** What was given; null if nothing was, or an empty text where there may be nothing. */
    private <T> @Nullable T read(ServerSetting<T> setting) {
        Class<T> type = setting.type();
        Value value = given.get(setting);
        String text = value == null ? "" : value.text();
        if (value == null || (text.isEmpty() && (type == Path.class || setting == ServerSetting.PERSISTENCE))) {
            return null;
        }
        if (type == String.class) {
            return type.cast(text);
        }
        if (type == Long.class) {
            return type.cast(Quantities.bytes(name(setting), text));
        }
        if (type == Duration.class) {
            return type.cast(Duration.ofMillis(Quantities.millis(name(setting), text)));
        }
        return type.cast(type == Path.class ? path(setting, text) : word(setting, text));
    }

    /** A number, or one of the words that the setting knows. */
    private Object word(ServerSetting<?> setting, String text) {
        Class<?> type = setting.type();
        if (type == Integer.class && text.matches("\\d{1,9}")) {
            return Integer.parseInt(text);
        }
        if (setting == ServerSetting.ADMIN_PORT && text.equals(ServerSetting.show(ServerSetting.OFF))) {
            return ServerSetting.OFF;
        }
        if (type == Boolean.class
                && List.of("true", "yes", "1", "false", "no", "0").contains(text)) {
            return List.of("true", "yes", "1").contains(text);
        }
        return Stream.ofNullable(type.getEnumConstants())
                .flatMap(Arrays::stream)
                .filter(word -> ServerSetting.show(word).equalsIgnoreCase(text))
                .findFirst()
                .orElseThrow(() -> CommandException.usage(name(setting) + " is '" + text + "'; write "
                        + (type == Integer.class ? "a number from " : "") + setting.range()));
    }

    /** An absolute path: a client that asks the server for its pool runs in another directory. */
    private Path path(ServerSetting<?> setting, String text) {
        try {
            return Path.of(text).toAbsolutePath().normalize();
        } catch (InvalidPathException e) {
            throw CommandException.usage(name(setting) + " is no file name: " + e.getMessage());
        }
    }

    /** What the setting is called in messages: the variable or key that it came from, else its flag. */
    private String name(ServerSetting<?> setting) {
        Value value = given.get(setting);
        return value == null || value.source().startsWith("flag")
                ? setting.flag()
                : setting.key() + " (" + value.source() + ")";
    }

    /** One line for each setting: key, value, source. */
    String table() throws IOException {
        Value pool = given.get(ServerSetting.POOL);
        ServerSetting.Values values =
                new ServerSetting.Values(pool == null ? Path.of("POOL") : path(ServerSetting.POOL, pool.text()));
        boolean known = true;
        try {
            mode(values);
        } catch (CommandException | PoolException e) {
            known = false; // a start would say why there is none
        }
        StringBuilder table = new StringBuilder();
        for (ServerSetting<?> setting : ServerSetting.values()) {
            Value value = given.get(setting);
            if (value == null) {
                Object fallback = known || setting != ServerSetting.PERSISTENCE ? values.find(setting) : null;
                value = setting == ServerSetting.POOL
                        ? new Value("", "must be given")
                        : new Value(fallback == null ? "" : ServerSetting.show(fallback), "default");
            }
            table.append(String.format("%-20s %-32s %s%n", setting.key(), value.text(), value.source()));
        }
        return table.toString();
    }
}
