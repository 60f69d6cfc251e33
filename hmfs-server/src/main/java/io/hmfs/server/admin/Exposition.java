package io.hmfs.server.admin;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Metrics in Prometheus's text format, version 0.0.4, read strictly: each sample belongs to a family that was announced with help and
 * type, and stands with it. What is not so is an {@link IllegalArgumentException} with the line.
 */
public final class Exposition {
    private static final Pattern HELP = Pattern.compile("# HELP ([a-zA-Z_:][a-zA-Z0-9_:]*) (.+)");
    private static final Pattern TYPE =
            Pattern.compile("# TYPE ([a-zA-Z_:][a-zA-Z0-9_:]*) (counter|gauge|histogram|summary|untyped)");
    private static final Pattern SAMPLE = Pattern.compile("([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\\{(.*)\\})? (\\S+)");
    private static final Pattern LABEL =
            Pattern.compile("([a-zA-Z_][a-zA-Z0-9_]*)=\"((?:[^\"\\\\\\n]|\\\\[\\\\\"n])*)\"(?:,|$)");

    /** One value. */
    public record Sample(String name, Map<String, String> labels, double value) {}

    /** A family of values. */
    public record Family(String type, String help, List<Sample> samples) {}

    private final Map<String, Family> families = new LinkedHashMap<>();
    private String current = "";
    private String help = "";

    private Exposition() {}

    /** Reads a whole text; what is not so is an {@link IllegalArgumentException}. */
    public static Exposition parse(String text) {
        Exposition exposition = new Exposition();
        if (!text.isEmpty() && !text.endsWith("\n")) {
            throw new IllegalArgumentException("the last line does not end");
        }
        text.lines().forEach(exposition::line);
        return exposition;
    }

    private void line(String line) {
        Matcher announced = HELP.matcher(line);
        Matcher typed = TYPE.matcher(line);
        if (announced.matches()) {
            current = announced.group(1);
            help = announced.group(2);
        } else if (typed.matches()) {
            Family family = new Family(typed.group(2), help, new ArrayList<>());
            if (!typed.group(1).equals(current) || families.put(current, family) != null) {
                throw new IllegalArgumentException("out of place: " + line);
            }
        } else {
            sample(line);
        }
    }

    private void sample(String line) {
        Matcher matcher = SAMPLE.matcher(line);
        Family family = families.get(current);
        if (!matcher.matches() || family == null || !belongs(matcher.group(1), current, family.type())) {
            throw new IllegalArgumentException("no sample of " + current + ": " + line);
        }
        String labels = matcher.group(2);
        Sample sample = new Sample(
                matcher.group(1), labels == null ? Map.of() : labels(labels, line), number(matcher.group(3)));
        if (family.samples().stream()
                .anyMatch(other ->
                        other.name().equals(sample.name()) && other.labels().equals(sample.labels()))) {
            throw new IllegalArgumentException("twice: " + line);
        }
        family.samples().add(sample);
    }

    private static boolean belongs(String sample, String family, String type) {
        String suffix = sample.startsWith(family) ? sample.substring(family.length()) : "?";
        return switch (type) {
            case "histogram" -> suffix.equals("_bucket") || suffix.equals("_sum") || suffix.equals("_count");
            case "summary" -> suffix.isEmpty() || suffix.equals("_sum") || suffix.equals("_count");
            default -> suffix.isEmpty();
        };
    }

    private static Map<String, String> labels(String text, String line) {
        Map<String, String> labels = new TreeMap<>();
        Matcher matcher = LABEL.matcher(text);
        int at = 0;
        while (at < text.length()) {
            if (!matcher.find() || matcher.start() != at) {
                throw new IllegalArgumentException("labels of " + line);
            }
            labels.put(matcher.group(1), unescaped(matcher.group(2)));
            at = matcher.end();
        }
        return labels;
    }

    private static String unescaped(String text) {
        return text.replace("\\n", "\n").replace("\\\"", "\"").replace("\\\\", "\\");
    }

    private static double number(String text) {
        return switch (text) {
            case "+Inf" -> Double.POSITIVE_INFINITY;
            case "-Inf" -> Double.NEGATIVE_INFINITY;
            default -> Double.parseDouble(text);
        };
    }

    Map<String, Family> families() {
        return families;
    }

    /** The samples of this name, in their order. */
    List<Sample> samples(String name) {
        return families.values().stream()
                .flatMap(family -> family.samples().stream())
                .filter(sample -> sample.name().equals(name))
                .toList();
    }

    /** The sum of the samples of this name with these labels; 0 if there are none. */
    public double sum(String name, Predicate<Map<String, String>> labels) {
        return samples(name).stream()
                .filter(sample -> labels.test(sample.labels()))
                .mapToDouble(Sample::value)
                .sum();
    }

    /** The sum of the samples of this name; 0 if there are none. */
    public double sum(String name) {
        return sum(name, labels -> true);
    }

    /** Whether there is a sample of this name with these labels. */
    public boolean has(String name, Predicate<Map<String, String>> labels) {
        return samples(name).stream().anyMatch(sample -> labels.test(sample.labels()));
    }

    /** Whether there is such a family. */
    boolean has(String family) {
        return families.containsKey(family);
    }
}
