package io.hmfs.hadoop.shell;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The cases that are known to end otherwise, with the reasons: {@code shell/differences.txt}. */
final class Differences {
    private static final Pattern LINE = Pattern.compile("(\\S+)\\s+([\\d,-]+)\\s+(\\S.*)");

    private record Range(String suite, int first, int last, String reason) {}

    private final List<Range> ranges = new ArrayList<>();

    Differences() {
        try {
            for (String line : Files.readAllLines(Path.of("src", "test", "resources", "shell", "differences.txt"))) {
                Matcher parts = LINE.matcher(line);
                if (!line.startsWith("#") && !line.isBlank()) {
                    if (!parts.matches()) {
                        throw new IllegalStateException("suite, cases, reason: " + line);
                    }
                    add(parts.group(1), parts.group(2), parts.group(3));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void add(String suite, String cases, String reason) {
        for (String each : cases.split(",", -1)) {
            int dash = each.indexOf('-');
            int first = Integer.parseInt(dash < 0 ? each : each.substring(0, dash));
            ranges.add(new Range(suite, first, dash < 0 ? first : Integer.parseInt(each.substring(dash + 1)), reason));
        }
    }

    /** Why the case ends otherwise; null if it must not. */
    @Nullable
    String reason(String suite, int number) {
        for (Range each : ranges) {
            if (each.suite.equals(suite) && each.first <= number && number <= each.last) {
                return each.reason;
            }
        }
        return null;
    }
}
