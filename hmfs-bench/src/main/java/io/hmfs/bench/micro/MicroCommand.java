package io.hmfs.bench.micro;

import io.hmfs.bench.process.PoolDirectory;
import io.hmfs.bench.report.Outcome;
import io.hmfs.bench.report.ReportOptions;
import io.hmfs.bench.report.Result;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.results.ResultRole;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.format.OutputFormatFactory;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;
import org.openjdk.jmh.util.Statistics;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code hmfs bench micro}: the engine's parts by JMH, each fork a JVM of its own. */
@Command(
        name = "micro",
        mixinStandardHelpOptions = true,
        description = "JMH benchmarks: cas16, persist, index look-up (hit, miss), create, stat, delete, append, list.",
        footer = {
            "",
            "Mode pmem is emulated here: the real write-backs and fences, but on ordinary memory. Mode logged has its"
                    + " log in the directory for temporary files (java.io.tmpdir), and waits for it.",
            "",
            "Examples:",
            "  hmfs bench micro",
            "  hmfs bench micro stat create",
            "  hmfs bench micro persist --iterations 10 --json persist.json",
        })
public final class MicroCommand implements Callable<Integer> {
    private static final String ALLOCATION = "gc.alloc.rate.norm";
    private static final int MEDIAN = 50;

    @Mixin
    private final ReportOptions report = new ReportOptions();

    @Parameters(
            paramLabel = "NAME",
            arity = "0..*",
            description = "Parts of names of benchmarks, as regular expressions (default: all).")
    private List<String> names = List.of();

    @Option(
            names = "--forks",
            defaultValue = "1",
            description = "JVMs for each; 0: this one, for a look at what runs (default ${DEFAULT-VALUE}).")
    private int forks;

    @Option(names = "--warm-up", defaultValue = "3", description = "Iterations before (default ${DEFAULT-VALUE}).")
    private int warmUp;

    @Option(names = "--iterations", defaultValue = "5", description = "Iterations (default ${DEFAULT-VALUE}).")
    private int iterations;

    @Option(
            names = "--time",
            paramLabel = "MILLIS",
            defaultValue = "1000",
            description = "Length of an iteration (default ${DEFAULT-VALUE}).")
    private int timeMillis;

    @Option(names = "--files", description = "Files to stat and index entries to find, instead of a million.")
    private @Nullable Integer files;

    @Option(
            names = "-prof",
            paramLabel = "PROFILER",
            defaultValue = "gc",
            description = "A profiler of JMH; gc shows the bytes that each call allocates (default ${DEFAULT-VALUE}).")
    private List<String> profilers = List.of();

    @Option(
            names = "--pool-dir",
            paramLabel = "DIR",
            description = "Where pools are made (default /dev/shm, or the directory for temporary files).")
    private @Nullable Path poolDirectory;

    @Override
    public Integer call() throws Exception {
        Path directory = poolDirectory == null ? PoolDirectory.standard() : poolDirectory;
        System.setProperty(Benchmarks.POOL_DIRECTORY, directory.toString()); // for what runs in this JVM
        ChainedOptionsBuilder options = new OptionsBuilder()
                .forks(forks)
                .warmupIterations(warmUp)
                .measurementIterations(iterations)
                .warmupTime(TimeValue.milliseconds(timeMillis))
                .measurementTime(TimeValue.milliseconds(timeMillis))
                .shouldFailOnError(true)
                .jvmArgsAppend(
                        "--enable-native-access=ALL-UNNAMED",
                        "--sun-misc-unsafe-memory-access=allow",
                        "-D" + Benchmarks.POOL_DIRECTORY + "=" + directory);
        for (String name : names.isEmpty() ? List.of("") : names) {
            options.include("^" + Benchmarks.class.getPackageName() + "\\..*" + name + ".*");
        }
        for (String profiler : profilers) {
            options.addProfiler(profiler);
        }
        if (files != null) {
            options.param("files", files.toString()).param("entries", files.toString());
        }
        Collection<RunResult> runs = new Runner(
                        options.build(), OutputFormatFactory.createFormatInstance(System.err, VerboseMode.NORMAL))
                .run();
        return report.publish(outcome(runs));
    }

    private static Outcome outcome(Collection<RunResult> runs) {
        List<Result> results = new ArrayList<>();
        Map<String, Number> counters = new LinkedHashMap<>();
        for (RunResult run : runs) {
            String name = name(run.getParams());
            results.add(result(name, run.getPrimaryResult()));
            run.getSecondaryResults().forEach((label, secondary) -> {
                if (label.endsWith(ALLOCATION)) {
                    results.add(result(name, secondary));
                } else if (secondary.getRole() == ResultRole.SECONDARY && Double.isFinite(secondary.getScore())) {
                    counters.put(name + " " + label, Math.round(secondary.getScore()));
                }
            });
        }
        return new Outcome(results, counters, List.of());
    }

    private static Result result(String name, org.openjdk.jmh.results.Result<?> measured) {
        Statistics all = measured.getStatistics();
        return new Result(name, "hmfs", measured.getScoreUnit(), all.getPercentile(MEDIAN), all.getMin(), all.getMax());
    }

    /** The method, and the parameters it ran with. */
    private static String name(BenchmarkParams params) {
        String full = params.getBenchmark();
        List<String> values = new ArrayList<>();
        for (String key : params.getParamsKeys()) {
            values.add(key + "=" + params.getParam(key).toLowerCase(Locale.ROOT));
        }
        String method = full.substring(full.lastIndexOf('.') + 1);
        return values.isEmpty() ? method : method + "(" + String.join(",", values) + ")";
    }
}
