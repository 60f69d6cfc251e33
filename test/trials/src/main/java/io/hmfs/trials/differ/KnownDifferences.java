package io.hmfs.trials.differ;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The table of differences that have a reason, {@code known-differences.txt}: what, outcome of HDFS, outcome of HMFS and the reason, with
 * {@code " | "} between them. The first three are regular expressions that must match as a whole; the first is matched with
 * {@link Difference#what}. A later one may refer to a group of an earlier one.
 */
final class KnownDifferences {
    private static final String FILE = "known-differences.txt";
    private static final int COLUMNS = 4;
    private static final String SEPARATOR = "\u0000"; // in no outcome

    private record Row(String text, Pattern pattern) {
        boolean matches(Difference difference) {
            return pattern.matcher(difference.what()
                            + SEPARATOR
                            + difference.hdfs().text()
                            + SEPARATOR
                            + difference.hmfs().text())
                    .matches();
        }
    }

    private final List<Row> rows;
    private final Set<Row> hit = new HashSet<>();

    private KnownDifferences(List<Row> rows) {
        this.rows = rows;
    }

    /** The table that comes with this class. */
    static KnownDifferences load() throws IOException {
        try (InputStream in = KnownDifferences.class.getResourceAsStream(FILE)) {
            if (in == null) {
                throw new IOException(FILE + " is missing");
            }
            return parse(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    /** A table of its text. */
    static KnownDifferences parse(String table) {
        List<Row> rows = new ArrayList<>();
        Map<String, String> abbreviations = new HashMap<>();
        for (String line : table.lines().toList()) {
            if (line.isBlank() || line.startsWith("#")) {
                continue;
            }
            if (line.startsWith("<")) {
                String[] words = line.split(" = ", 2);
                if (words.length != 2 || !words[0].endsWith(">")) {
                    throw new IllegalArgumentException("an abbreviation is <NAME> = EXPRESSION: " + line);
                }
                abbreviations.put(words[0], words[1]);
                continue;
            }
            String expressions = line;
            for (Map.Entry<String, String> each : abbreviations.entrySet()) {
                expressions = expressions.replace(each.getKey(), each.getValue());
            }
            String[] columns = expressions.split(" \\| ", -1);
            if (columns.length != COLUMNS || columns[COLUMNS - 1].isBlank()) {
                throw new IllegalArgumentException("a row is WHAT | HDFS | HMFS | REASON: " + line);
            }
            rows.add(new Row(
                    line,
                    Pattern.compile(columns[0] + SEPARATOR + columns[1] + SEPARATOR + columns[2], Pattern.DOTALL)));
        }
        return new KnownDifferences(rows);
    }

    /** Whether it stands in the table; its row is not stale then. */
    boolean has(Difference difference) {
        boolean found = false;
        for (Row row : rows) {
            if (row.matches(difference)) {
                hit.add(row);
                found = true;
            }
        }
        return found;
    }

    /** Rows that no difference has matched so far. */
    List<String> stale() {
        return rows.stream().filter(row -> !hit.contains(row)).map(Row::text).toList();
    }
}
