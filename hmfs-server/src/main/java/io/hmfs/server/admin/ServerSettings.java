package io.hmfs.server.admin;

import java.io.IOException;
import java.io.Reader;
import java.nio.charset.MalformedInputException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.Properties;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The effective settings of a server and where each came from. A flag wins over a variable, that over the properties file, that
 * over the default. A key or variable that nobody knows is an error: a misspelt setting must not be silently without effect.
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

    private final Map<ServerSetting, Value> values = new EnumMap<>(ServerSetting.class);

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
                settings.values.put(setting, new Value(flag.strip(), "flag " + setting.flag()));
            } else if (variable != null) {
                settings.values.put(setting, new Value(variable.strip(), "variable " + setting.variable()));
            } else if (property != null) {
                settings.values.put(setting, new Value(property.strip(), "file " + file));
            } else if (setting.fallback() != null) {
                settings.values.put(setting, new Value(setting.fallback(), "default"));
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

    /** The value of a setting. Throws {@link CommandException} when it must be given and was not. */
    String text(ServerSetting setting) {
        Value value = values.get(setting);
        if (value == null || (value.text().isEmpty() && setting.fallback() == null)) {
            throw CommandException.usage("no " + setting.key() + " given: use " + setting.flag() + " "
                    + setting.label() + ", " + setting.variable() + " or the key " + setting.key()
                    + " in a file named by --config");
        }
        return value.text();
    }

    /** What the setting is called in messages: its flag and, if it was not that, where the value came from. */
    String name(ServerSetting setting) {
        Value value = values.get(setting);
        return value == null
                        || value.source().startsWith("flag")
                        || value.source().equals("default")
                ? setting.flag()
                : setting.key() + " (" + value.source() + ")";
    }

    int number(ServerSetting setting, int min, int max) {
        return Quantities.number(name(setting), text(setting), min, max);
    }

    boolean truth(ServerSetting setting) {
        return switch (text(setting)) {
            case "true", "yes", "1" -> true;
            case "false", "no", "0" -> false;
            default -> throw CommandException.usage(name(setting) + " is '" + text(setting) + "'; write true or false");
        };
    }

    <E extends Enum<E>> E choice(ServerSetting setting, Class<E> type) {
        for (E constant : type.getEnumConstants()) {
            if (constant.name().equalsIgnoreCase(text(setting).replace('-', '_'))) {
                return constant;
            }
        }
        String all = String.join(
                ", ",
                Arrays.stream(type.getEnumConstants())
                        .map(c -> c.name().toLowerCase(java.util.Locale.ROOT))
                        .toList());
        throw CommandException.usage(name(setting) + " is '" + text(setting) + "'; choose one of: " + all);
    }

    /** One line for each setting: key, value, source. */
    String table() {
        StringBuilder table = new StringBuilder();
        for (ServerSetting setting : ServerSetting.values()) {
            Value value = values.get(setting);
            String text = value == null ? "(not set)" : value.text().isEmpty() ? "(derived)" : value.text();
            table.append(String.format(
                    "%-16s %-28s %s%n", setting.key(), text, value == null ? "required" : value.source()));
        }
        return table.toString();
    }
}
