package io.hmfs.server.admin;

import io.hmfs.server.ServerConfig;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * How a setting of one type is read, shown, and found in a configuration.
 *
 * @param label what stands for the value in the help
 * @param range the values that are allowed; empty when the label says it
 * @param parse the value of a text; its first argument is what messages call the setting. Throws {@link CommandException}
 * @param show the text of a value, which {@code parse} reads back
 * @param get the value in a configuration; null when the setting has no default of its own
 * @param set puts a value into a configuration in the making
 */
record SettingForm<T>(
        String label,
        String range,
        Parser<T> parse,
        Function<T, String> show,
        @Nullable Function<ServerConfig, T> get,
        BiConsumer<ServerConfig.Builder, T> set) {
    /** Reads a text. */
    @FunctionalInterface
    interface Parser<T> {
        T parse(String name, String text);
    }

    /** Reads a text and puts its value into a configuration. */
    void apply(ServerConfig.Builder builder, String name, String text) {
        set.accept(builder, parse.parse(name, text));
    }

    /** The text of the value that a configuration has; empty when the setting has no default of its own. */
    String text(ServerConfig config) {
        return get == null ? "" : show.apply(get.apply(config));
    }

    static SettingForm<String> text(
            String label, Function<ServerConfig, String> get, BiConsumer<ServerConfig.Builder, String> set) {
        return new SettingForm<>(label, "", (name, text) -> text, text -> text, get, set);
    }

    static SettingForm<Integer> number(
            int min, int max, Function<ServerConfig, Integer> get, BiConsumer<ServerConfig.Builder, Integer> set) {
        return new SettingForm<>(
                "N",
                min + " to " + max,
                (name, text) -> Quantities.number(name, text, min, max),
                String::valueOf,
                get,
                set);
    }

    /** A number, or a word for one that stands for none. */
    static SettingForm<Integer> numberOr(
            String word,
            int none,
            int max,
            Function<ServerConfig, Integer> get,
            BiConsumer<ServerConfig.Builder, Integer> set) {
        return new SettingForm<>(
                "N",
                "0 to " + max + ", or " + word,
                (name, text) -> {
                    if (!text.equals(word) && !text.matches("\\d+")) {
                        throw CommandException.usage(name + " is '" + text + "'; write a port, or " + word);
                    }
                    return text.equals(word) ? none : Quantities.number(name, text, 0, max);
                },
                value -> value == none ? word : String.valueOf(value),
                get,
                set);
    }

    static SettingForm<Long> size(
            long min, long max, Function<ServerConfig, Long> get, BiConsumer<ServerConfig.Builder, Long> set) {
        return new SettingForm<>(
                "SIZE",
                Quantities.compact(min) + " to " + Quantities.compact(max),
                (name, text) -> within(name, text, Quantities.bytes(name, text), min, max),
                Quantities::compact,
                get,
                set);
    }

    /** A size whose upper bound, or both, depend on other settings: {@code range} tells, the configuration checks. */
    static SettingForm<Long> size(
            String range, Function<ServerConfig, Long> get, BiConsumer<ServerConfig.Builder, Long> set) {
        return new SettingForm<>("SIZE", range, Quantities::bytes, Quantities::compact, get, set);
    }

    private static long within(String name, String text, long value, long min, long max) {
        if (value < min || value > max) {
            throw CommandException.usage(name + " is '" + text + "'; write a size from " + Quantities.compact(min)
                    + " to " + Quantities.compact(max));
        }
        return value;
    }

    static SettingForm<Duration> time(
            String range, Function<ServerConfig, Duration> get, BiConsumer<ServerConfig.Builder, Duration> set) {
        return new SettingForm<>(
                "TIME",
                range,
                (name, text) -> Duration.ofMillis(Quantities.millis(name, text)),
                value -> value.toSeconds() + "s",
                get,
                set);
    }

    static SettingForm<Boolean> truth(
            Function<ServerConfig, Boolean> get, BiConsumer<ServerConfig.Builder, Boolean> set) {
        return new SettingForm<>(
                "BOOL",
                "true or false",
                (name, text) -> switch (text) {
                    case "true", "yes", "1" -> true;
                    case "false", "no", "0" -> false;
                    default -> throw CommandException.usage(name + " is '" + text + "'; write true or false");
                },
                String::valueOf,
                get,
                set);
    }

    static <E extends Enum<E>> SettingForm<E> choice(
            String label,
            Class<E> type,
            @Nullable Function<ServerConfig, E> get,
            BiConsumer<ServerConfig.Builder, E> set) {
        String all =
                Arrays.stream(type.getEnumConstants()).map(SettingForm::lower).collect(Collectors.joining(" or "));
        return new SettingForm<>(
                label,
                all,
                (name, text) -> Arrays.stream(type.getEnumConstants())
                        .filter(constant -> constant.name().equalsIgnoreCase(text))
                        .findFirst()
                        .orElseThrow(() -> CommandException.usage(name + " is '" + text + "'; write " + all)),
                SettingForm::lower,
                get,
                set);
    }

    static SettingForm<Path> path(
            String label, @Nullable Function<ServerConfig, Path> get, BiConsumer<ServerConfig.Builder, Path> set) {
        return new SettingForm<>(label, "", SettingForm::absolute, Path::toString, get, set);
    }

    /** An absolute path: a client that asks the server for its pool runs in another directory. */
    static Path absolute(String name, String text) {
        try {
            return Path.of(text).toAbsolutePath().normalize();
        } catch (InvalidPathException e) {
            throw CommandException.usage(name + " is no file name: " + e.getMessage());
        }
    }

    static String lower(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }
}
