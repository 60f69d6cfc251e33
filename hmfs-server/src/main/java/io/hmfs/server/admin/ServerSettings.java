package io.hmfs.server.admin;

import io.hmfs.core.pmem.Persistence;
import io.hmfs.core.pmem.PoolException;
import io.hmfs.server.ServerConfig;
import java.io.IOException;
import java.io.Reader;
import java.nio.charset.MalformedInputException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Locale;
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
            given.forEach((setting, value) -> {
                if (setting.form().get() != null || !value.text().isEmpty()) { // else an empty one is as if not given
                    setting.form().apply(builder, name(setting, value), value.text());
                }
            });
            PoolMode mode = mode(path(ServerSetting.POOL, pool));
            return builder.persistence(mode.persistence())
                    .logDirectory(mode.logDirectory())
                    .build();
        } catch (IllegalArgumentException e) {
            throw CommandException.usage(renamed(String.valueOf(e.getMessage())));
        }
    }

    private PoolMode mode(Path pool) throws IOException {
        ServerConfig.Builder builder = ServerConfig.builder(pool);
        Value emulate = value(ServerSetting.EMULATE_PMEM);
        if (emulate != null) {
            ServerSetting.EMULATE_PMEM.form().apply(builder, name(ServerSetting.EMULATE_PMEM, emulate), emulate.text());
        }
        Value asked = value(ServerSetting.PERSISTENCE);
        Value directory = value(ServerSetting.LOG_DIRECTORY);
        return PoolMode.toServe(
                pool,
                builder.build().emulatePmem(),
                asked == null
                        ? null
                        : (Persistence) ServerSetting.PERSISTENCE
                                .form()
                                .parse()
                                .parse(name(ServerSetting.PERSISTENCE, asked), asked.text()),
                directory == null ? null : path(ServerSetting.LOG_DIRECTORY, directory));
    }

    /** What was given, unless it is empty. */
    private @Nullable Value value(ServerSetting setting) {
        Value value = given.get(setting);
        return value == null || value.text().isEmpty() ? null : value;
    }

    /** What the setting is called in messages: its flag, or the variable or key that it came from. */
    private static String name(ServerSetting setting, Value value) {
        return value.source().startsWith("flag") ? setting.flag() : setting.key() + " (" + value.source() + ")";
    }

    private static Path path(ServerSetting setting, Value value) {
        return SettingForm.absolute(name(setting, value), value.text());
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
