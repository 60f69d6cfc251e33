package io.hmfs.bench.report;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Where a report goes: a table on standard output always, JSON to a file if asked for. */
public final class ReportOptions {
    private static final String JSON = "--json";

    @Spec(Spec.Target.MIXEE)
    private @Nullable CommandSpec command;

    @Option(names = JSON, paramLabel = "FILE", description = "Also write the report to this file, as JSON.")
    private @Nullable Path json;

    /** Shows the report, and writes it. */
    public int publish(Outcome outcome) throws IOException {
        if (command == null) {
            throw new IllegalStateException("not part of a command");
        }
        Report report = new Report(
                Machine.here(),
                Machine.commit(),
                repeatable(command.commandLine().getParseResult().originalArgs()),
                outcome.results(),
                outcome.counters());
        PrintWriter out = command.commandLine().getOut();
        out.println(ReportTable.of(report, outcome.targets()));
        out.flush();
        if (json != null) {
            Files.writeString(json, ReportJson.of(report));
        }
        return 0;
    }

    /** The command that measures this again, without the file that the report goes to. */
    private String repeatable(List<String> arguments) {
        String name = command == null ? "" : command.name();
        List<String> kept = new ArrayList<>(List.of("hmfs", "bench", name));
        boolean skip = false;
        for (String argument : arguments) {
            boolean isJson = argument.equals(JSON);
            if (!skip && !isJson && !argument.startsWith(JSON + "=") && !argument.equals(name)) {
                kept.add(argument);
            }
            skip = isJson;
        }
        return String.join(" ", kept);
    }
}
