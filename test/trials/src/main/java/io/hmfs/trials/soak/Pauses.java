package io.hmfs.trials.soak;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Pauses for garbage collection, out of a log of {@code -Xlog:gc*,safepoint:file=…:uptime,level,tags}.
 *
 * <p>A pause on a busy machine is longer than its work: its threads wait for a processor. The log has the processor time of each, to
 * hundredths of a second. A pause works at most as long as its threads together had the processor, and what is above that was the
 * machine's. Full collections that a tool asked for are not counted.
 *
 * @param all the pauses, in the order of their ends
 * @param longestOther the longest safepoint that was for something else
 */
public record Pauses(List<Pause> all, Other longestOther) {
    private static final Pattern PAUSE = Pattern.compile(
            "\\[([0-9.]+)s]\\[info *]\\[gc *] GC\\((\\d+)\\) Pause (.*?)(?: \\d+M->\\d+M\\(\\d+M\\))? ([0-9.]+)ms");
    private static final Pattern PROCESSOR =
            Pattern.compile("\\[[^]]*]\\[info *]\\[gc,cpu *] GC\\((\\d+)\\) User=([0-9.]+)s Sys=([0-9.]+)s .*");
    private static final Pattern SAFEPOINT =
            Pattern.compile("\\[[^]]*]\\[info *]\\[safepoint *] Safepoint \"([^\"]*)\",.* Total: (\\d+) ns.*");
    private static final String ASKED_FOR = "Diagnostic Command";
    private static final double ROUNDING_MILLIS = 10; // half a hundredth of a second each, of user and system time

    /**
     * A pause for a collection.
     *
     * @param atSeconds its end, from the start of the JVM on
     * @param kind what the JVM calls it
     * @param millis how long it was by the clock
     * @param workMillis the most of it that can have been work; all of it, if the log does not say
     */
    public record Pause(double atSeconds, String kind, double millis, double workMillis) {}

    /** A safepoint that was not for a collection. */
    public record Other(String name, double millis) {}

    /** Reads the lines of a log. */
    public static Pauses of(List<String> lines) {
        Map<String, Pause> pauses = new LinkedHashMap<>();
        Other longest = new Other("none", 0);
        for (String line : lines) {
            Matcher pause = PAUSE.matcher(line);
            Matcher processor = PROCESSOR.matcher(line);
            Matcher safepoint = SAFEPOINT.matcher(line);
            if (pause.matches()) {
                if (!pause.group(3).contains(ASKED_FOR)) {
                    double millis = Double.parseDouble(pause.group(4));
                    pauses.put(
                            pause.group(2),
                            new Pause(Double.parseDouble(pause.group(1)), pause.group(3), millis, millis));
                }
            } else if (processor.matches()) {
                double used = 1e3 * (Double.parseDouble(processor.group(2)) + Double.parseDouble(processor.group(3)));
                pauses.computeIfPresent(
                        processor.group(1),
                        (_, known) -> new Pause(
                                known.atSeconds,
                                known.kind,
                                known.millis,
                                Math.min(known.millis, used + ROUNDING_MILLIS)));
            } else if (safepoint.matches() && !safepoint.group(1).startsWith("G1")) {
                double total = Long.parseLong(safepoint.group(2)) / 1e6;
                longest = total > longest.millis ? new Other(safepoint.group(1), total) : longest;
            }
        }
        return new Pauses(List.copyOf(pauses.values()), longest);
    }

    /** The pauses after this time. */
    public List<Pause> after(double seconds) {
        return all.stream().filter(pause -> pause.atSeconds > seconds).toList();
    }

    /** The pauses that were longer than this by the clock. */
    public List<Pause> over(double millis) {
        return all.stream().filter(pause -> pause.millis > millis).toList();
    }
}
