package io.hmfs.bench.report;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Reports of two commits that ran in turns: the first of one beside the first of the other, and so on. A slow spell of the machine hits both sides of a turn,
 * so a figure is compared turn by turn; a difference stands out if the same side was better in every turn, and by {@value #MARGIN} in the median.
 */
final class ReportComparison {
    static final double MARGIN = 0.05;

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String ROW = "%-40s %-8s %14s %14s %7s %16s  %s";

    private enum Verdict {
        NONE(""),
        FASTER("faster"),
        SLOWER("SLOWER");

        private final String text;

        Verdict(String text) {
            this.text = text;
        }
    }

    /** A figure of both sides, a value a turn. */
    private record Row(String name, String unit, Series before, Series after) {
        private Series ratio() {
            List<Double> ratios = new ArrayList<>();
            for (int i = 0; i < before.rounds().size(); i++) {
                ratios.add(after.rounds().get(i) / before.rounds().get(i));
            }
            return new Series(name, "", Result.RATIO, ratios);
        }

        private Verdict verdict() {
            Result ratio = ratio().result();
            boolean more = ratio.min() > 1 && ratio.median() > 1 + MARGIN;
            boolean less = ratio.max() < 1 && ratio.median() < 1 - MARGIN;
            if (!more && !less) {
                return Verdict.NONE;
            }
            return more == isRate(unit) ? Verdict.FASTER : Verdict.SLOWER;
        }

        private String text() {
            Result ratio = ratio().result();
            return ROW.formatted(
                            name,
                            unit,
                            figure(before.result().median()),
                            figure(after.result().median()),
                            figure(ratio.median()),
                            figure(ratio.min()) + "–" + figure(ratio.max()),
                            verdict().text)
                    .stripTrailing();
        }
    }

    private final List<Row> rows = new ArrayList<>();

    /** Of as many reports each, at least one. What only one side has measured, and ratios to a peer, are left out. */
    ReportComparison(List<Path> before, List<Path> after) throws IOException {
        Map<String, Series> old = series(before);
        for (Map.Entry<String, Series> figure : series(after).entrySet()) {
            Series was = old.get(figure.getKey());
            Series is = figure.getValue();
            if (was != null
                    && was.rounds().size() == is.rounds().size()
                    && was.unit().equals(is.unit())) {
                rows.add(new Row(figure.getKey(), is.unit(), was, is));
            }
        }
    }

    private static Map<String, Series> series(List<Path> reports) throws IOException {
        Map<String, Series> all = new LinkedHashMap<>();
        for (Path report : reports) {
            JsonNode root = JSON.readTree(report.toFile());
            if (root == null || !root.has("results")) {
                throw new IOException(report + " is no report: write one with --json");
            }
            for (JsonNode result : root.get("results")) {
                String unit = result.get("unit").asText();
                if (!unit.equals(Result.RATIO)) {
                    String name = result.get("name").asText() + ", "
                            + result.get("subject").asText();
                    add(all, name, unit, result.get("median").asDouble());
                }
            }
            for (Map.Entry<String, JsonNode> counter : root.get("counters").properties()) {
                if (counter.getKey().contains("Per")) { // of each operation: other counts depend on the load
                    add(all, counter.getKey(), "count", counter.getValue().asDouble());
                }
            }
        }
        return all;
    }

    private static void add(Map<String, Series> all, String name, String unit, double value) {
        Series known = all.get(name);
        List<Double> values = known == null ? new ArrayList<>() : new ArrayList<>(known.rounds());
        values.add(value);
        all.put(name, new Series(name, "", unit, values));
    }

    private static boolean isRate(String unit) {
        return unit.endsWith("/s");
    }

    private static String figure(double value) {
        return String.format(Locale.ROOT, Math.abs(value) < 1000 ? "%.3f" : "%,.0f", value);
    }

    boolean isEmpty() {
        return rows.isEmpty();
    }

    /** Figures that got worse, beyond the noise. */
    long slower() {
        return rows.stream().filter(row -> row.verdict() == Verdict.SLOWER).count();
    }

    long faster() {
        return rows.stream().filter(row -> row.verdict() == Verdict.FASTER).count();
    }

    /** A table for people. */
    String table() {
        List<String> lines = new ArrayList<>();
        lines.add(ROW.formatted("figure", "unit", "before", "after", "ratio", "in each turn", "")
                .stripTrailing());
        rows.forEach(row -> lines.add(row.text()));
        return String.join(System.lineSeparator(), lines);
    }
}
