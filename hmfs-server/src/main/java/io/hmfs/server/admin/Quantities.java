package io.hmfs.server.admin;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Sizes and times as people write them: {@code 512M}, {@code 1.0 GiB}, {@code 30s}. */
public final class Quantities {
    private static final Pattern SIZE = Pattern.compile("(\\d{1,15})\\s*([KMGT]?)(?:i?B)?", Pattern.CASE_INSENSITIVE);
    private static final Pattern TIME = Pattern.compile("(\\d{1,12})\\s*(ms|s|m|h)");
    private static final String UNITS = "KMGT";
    private static final String[] TIME_UNITS = {"ns", "us", "ms", "s"};

    private Quantities() {}

    /** Bytes: a whole number with an optional unit K, M, G or T, each 1,024 of the one before. Throws {@link CommandException}. */
    public static long bytes(String what, String text) {
        Matcher matcher = SIZE.matcher(text.strip());
        if (!matcher.matches()) {
            throw CommandException.usage(what + " is '" + text + "'; write a size such as 512M or 4G");
        }
        int power = matcher.group(2).isEmpty() ? 0 : UNITS.indexOf(upper(matcher.group(2))) + 1;
        long unit = 1L << (10 * power);
        try {
            return Math.multiplyExact(Long.parseLong(matcher.group(1)), unit);
        } catch (ArithmeticException e) {
            throw CommandException.usage(what + " is '" + text + "', more than 8 exabytes");
        }
    }

    /** Milliseconds: a whole number with a unit ms, s, m or h. Throws {@link CommandException}. */
    public static long millis(String what, String text) {
        Matcher matcher = TIME.matcher(text.strip());
        if (!matcher.matches()) {
            throw CommandException.usage(what + " is '" + text + "'; write a time such as 500ms, 30s or 5m");
        }
        long factor = switch (matcher.group(2)) {
            case "ms" -> 1;
            case "s" -> 1_000;
            case "m" -> 60_000;
            default -> 3_600_000;
        };
        return Long.parseLong(matcher.group(1)) * factor;
    }

    /** A whole number from {@code min} to {@code max}. Throws {@link CommandException}. */
    public static int number(String what, String text, int min, int max) {
        try {
            int number = Integer.parseInt(text.strip());
            if (number >= min && number <= max) {
                return number;
            }
        } catch (NumberFormatException e) {
            // falls through to the one message for both
        }
        throw CommandException.usage(what + " is '" + text + "'; write a number from " + min + " to " + max);
    }

    /** A size for people, such as {@code 1.5 GiB}. */
    public static String readable(long bytes) {
        if (bytes < 1024) {
            return bytes + " B";
        }
        int power = (63 - Long.numberOfLeadingZeros(bytes)) / 10;
        double scaled = (double) bytes / (1L << (10 * power));
        return String.format(Locale.ROOT, "%.1f %siB", scaled, "KMGTPE".charAt(power - 1));
    }

    /** A duration for people, such as {@code 3 h 12 m}, two units at most. */
    public static String duration(long millis) {
        long seconds = millis / 1000;
        if (seconds < 60) {
            return seconds + " s";
        }
        if (seconds < 3600) {
            return seconds / 60 + " m " + seconds % 60 + " s";
        }
        if (seconds < 86_400) {
            return seconds / 3600 + " h " + seconds % 3600 / 60 + " m";
        }
        return seconds / 86_400 + " d " + seconds % 86_400 / 3600 + " h";
    }

    /** A latency for people, three digits and a unit: {@code 5.12 us}. */
    public static String time(double seconds) {
        double value = seconds * 1e9;
        int unit = 0;
        while (value >= 1000 && unit < TIME_UNITS.length - 1) {
            value /= 1000;
            unit++;
        }
        int digits = value >= 100 || unit == 0 ? 0 : value >= 10 ? 1 : 2;
        return String.format(Locale.ROOT, "%." + digits + "f %s", value, TIME_UNITS[unit]);
    }

    private static String upper(String text) {
        return text.toUpperCase(Locale.ROOT);
    }
}
