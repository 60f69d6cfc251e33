package io.hmfs.bench.report;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code hmfs bench compare}: what stands out between the reports of two commits. */
@Command(
        name = "compare",
        mixinStandardHelpOptions = true,
        description = "Compares reports of two commits that ran in turns, and says what stands out from the noise.",
        footer = {
            "",
            "A figure stands out if the same side was better in every turn, and by 5 % in the median. Exit code 0: nothing got"
                    + " slower; 3: something did.",
            "bin/dev bench REF builds another commit, runs both in turns and ends with this.",
            "",
            "Examples:",
            "  hmfs bench compare --before old1.json,old2.json,old3.json --after new1.json,new2.json,new3.json",
        })
public final class CompareCommand implements Callable<Integer> {
    private static final int SLOWER = 3;

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Option(names = "--before", required = true, split = ",", paramLabel = "FILE", description = "Reports of the one.")
    private List<Path> before = List.of();

    @Option(
            names = "--after",
            required = true,
            split = ",",
            paramLabel = "FILE",
            description = "Reports of the other, as many.")
    private List<Path> after = List.of();

    @Override
    public Integer call() throws IOException {
        if (before.size() != after.size()) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--before names " + before.size() + " reports and --after " + after.size()
                            + ": give one of each for every turn");
        }
        ReportComparison comparison = new ReportComparison(before, after);
        if (comparison.isEmpty()) {
            throw new IOException("the reports have no figure in common: compare the same benchmark");
        }
        PrintWriter out = spec.commandLine().getOut();
        out.println(comparison.table());
        out.println();
        out.println(
                comparison.slower() + " slower, " + comparison.faster() + " faster, in " + before.size() + " turns");
        out.flush();
        return comparison.slower() == 0 ? 0 : SLOWER;
    }
}
