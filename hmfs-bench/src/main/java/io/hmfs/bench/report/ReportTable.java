package io.hmfs.bench.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** A report for people: a table, the targets beside their results. */
final class ReportTable {
    private static final String ROW = "%-28s %-10s %-8s %14s %14s %14s  %s";

    private ReportTable() {}

    static String of(Report report, List<Target> targets) {
        Machine machine = report.machine();
        List<String> lines = new ArrayList<>();
        lines.add("hmfs bench: " + report.command());
        lines.add("%s, %d cores, %.1f GiB; %s; %s; commit %s"
                .formatted(
                        machine.cpu(),
                        machine.cores(),
                        machine.memoryBytes() / (double) (1 << 30),
                        machine.jdk(),
                        machine.kernel(),
                        report.commit()));
        lines.add("");
        lines.add(ROW.formatted("name", "subject", "unit", "median", "min", "max", "target"));
        for (Result result : report.results()) {
            lines.add(ROW.formatted(
                            result.name(),
                            result.subject(),
                            result.unit(),
                            figure(result.median()),
                            figure(result.min()),
                            figure(result.max()),
                            verdict(result, targets))
                    .stripTrailing());
        }
        if (!report.counters().isEmpty()) {
            lines.add("");
            for (Map.Entry<String, Number> counter : report.counters().entrySet()) {
                Number value = counter.getValue();
                String figure = value instanceof Long
                        ? String.format(Locale.ROOT, "%,d", value.longValue())
                        : String.format(Locale.ROOT, "%,.3f", value.doubleValue());
                lines.add("%-50s %20s".formatted(counter.getKey(), figure));
            }
        }
        return String.join(System.lineSeparator(), lines);
    }

    private static String verdict(Result result, List<Target> targets) {
        for (Target target : targets) {
            if (target.result().equals(result.name())) {
                return "%s %s: %s"
                        .formatted(
                                target.atLeast() ? "at least" : "at most",
                                target.bound(),
                                target.isMet(result.median()) ? "reached" : "MISSED");
            }
        }
        return "";
    }

    private static String figure(double value) {
        return String.format(Locale.ROOT, Math.abs(value) < 1000 ? "%.3f" : "%,.0f", value);
    }
}
