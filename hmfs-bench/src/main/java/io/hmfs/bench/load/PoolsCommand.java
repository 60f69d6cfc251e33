package io.hmfs.bench.load;

import io.hmfs.bench.process.ChildJvm;
import io.hmfs.bench.report.Lines;
import io.hmfs.bench.report.Outcome;
import io.hmfs.bench.report.ReportOptions;
import io.hmfs.bench.report.Result;
import io.hmfs.bench.report.Series;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code hmfs bench pools}: the engine in mode pmem on pools in different memory, in turns. */
@Command(
        name = "pools",
        mixinStandardHelpOptions = true,
        description =
                "Create, stat and delete in mode pmem on pools in different memory, in turns: what persistent memory"
                        + " costs beside the memory of the first.",
        footer = {
            "",
            "On memory that is not persistent all write-backs and fences are made too. Each round makes each pool anew,"
                    + " with one thread; a round before does not count. Files are removed at the end.",
            "",
            "Examples:",
            "  hmfs bench pools /dev/shm/pool /pmem/pool",
            "  hmfs bench pools --overwrite /dev/shm/pool /pmem/pool /dev/dax0.0",
        })
public final class PoolsCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Mixin
    private final ReportOptions report = new ReportOptions();

    @Parameters(
            paramLabel = "PATH",
            arity = "2..*",
            description =
                    "Files that are not there yet, or devices. The first is the one that the others are compared with.")
    private List<Path> paths = List.of();

    @Option(names = "--files", defaultValue = "100000", description = "Files in a pool (default ${DEFAULT-VALUE}).")
    private int files;

    @Option(names = "--rounds", defaultValue = "5", description = "Rounds that count (default ${DEFAULT-VALUE}).")
    private int rounds;

    @Option(names = "--overwrite", description = "Devices may be used: what is on them is lost.")
    private boolean overwrite;

    @Option(names = "--jvm", paramLabel = "FLAG", description = "A flag more for the measuring JVM; repeatable.")
    private List<String> flags = List.of();

    @Override
    public Integer call() throws IOException {
        String wrong = wrong();
        if (wrong != null) {
            throw new ParameterException(spec.commandLine(), wrong);
        }
        List<String> arguments = new ArrayList<>(List.of(Integer.toString(files), Integer.toString(rounds)));
        paths.forEach(path -> arguments.add(path.toString()));
        Lines lines = new Lines();
        try (ChildJvm measuring = ChildJvm.start(PoolsLoad.class, flags, arguments)) {
            for (String line = measuring.readLine(); line != null; line = measuring.readLine()) {
                lines.add(line);
            }
        }
        return report.publish(new Outcome(results(lines), Map.of(), List.of()));
    }

    private @Nullable String wrong() {
        if (files < 1 || rounds < 1) {
            return "--files and --rounds are numbers from 1 on";
        }
        for (Path path : paths) {
            if (Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS) || Files.isDirectory(path)) {
                return path + " is there already: name a file that is not, it is removed at the end";
            }
            if (Files.exists(path) && !overwrite) {
                return path + " is a device, and what is on it would be lost: if it may be, say --overwrite";
            }
        }
        return null;
    }

    private List<Result> results(Lines lines) {
        List<Result> results = new ArrayList<>();
        for (String operation : PoolsLoad.OPERATIONS) {
            Series first = lines.series(operation, paths.getFirst().toString());
            results.add(first.result());
            for (Path path : paths.subList(1, paths.size())) {
                Series other = lines.series(operation, path.toString());
                results.add(other.result());
                results.add(other.dividedBy(first).result());
            }
        }
        return results;
    }
}
