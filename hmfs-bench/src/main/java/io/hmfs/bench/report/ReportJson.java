package io.hmfs.bench.report;

import java.util.Map;

/**
 * The JSON of a report, the one shape that every benchmark writes:
 *
 * <pre>
 * {"machine": {"cpu": …, "cores": …, "memoryBytes": …, "jdk": …, "kernel": …}, "commit": …, "command": …,
 *  "results": [{"name": …, "subject": …, "unit": …, "median": …, "min": …, "max": …}], "counters": {…: …}}
 * </pre>
 */
final class ReportJson {
    private final StringBuilder out = new StringBuilder();

    private ReportJson() {}

    static String of(Report report) {
        ReportJson json = new ReportJson();
        json.write(report);
        return json.out.toString();
    }

    private void write(Report report) {
        Machine machine = report.machine();
        out.append("{\n  \"machine\": {");
        text("cpu", machine.cpu()).append(", ");
        number("cores", machine.cores()).append(", ");
        number("memoryBytes", machine.memoryBytes()).append(", ");
        text("jdk", machine.jdk()).append(", ");
        text("kernel", machine.kernel()).append("},\n  ");
        text("commit", report.commit()).append(",\n  ");
        text("command", report.command()).append(",\n  \"results\": [");
        String separator = "\n    ";
        for (Result result : report.results()) {
            out.append(separator).append('{');
            text("name", result.name()).append(", ");
            text("subject", result.subject()).append(", ");
            text("unit", result.unit()).append(", ");
            number("median", result.median()).append(", ");
            number("min", result.min()).append(", ");
            number("max", result.max()).append('}');
            separator = ",\n    ";
        }
        out.append("\n  ],\n  \"counters\": {");
        separator = "\n    ";
        for (Map.Entry<String, Number> counter : report.counters().entrySet()) {
            out.append(separator);
            number(counter.getKey(), counter.getValue());
            separator = ",\n    ";
        }
        out.append("\n  }\n}\n");
    }

    private StringBuilder text(String key, String value) {
        quoted(key);
        out.append(": ");
        return quoted(value);
    }

    private StringBuilder number(String key, Number value) {
        return value instanceof Double real ? number(key, real.doubleValue()) : number(key, value.longValue());
    }

    private StringBuilder number(String key, long value) {
        return quoted(key).append(": ").append(value);
    }

    private StringBuilder number(String key, double value) {
        if (!Double.isFinite(value)) {
            throw new IllegalArgumentException(key + " is " + value + ", which JSON cannot say");
        }
        return quoted(key).append(": ").append(value);
    }

    private StringBuilder quoted(String value) {
        out.append('"');
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c < ' ') {
                out.append("\\u%04x".formatted((int) c));
            } else {
                out.append(c);
            }
        }
        return out.append('"');
    }
}
