package io.hmfs.bench.load;

import io.hmfs.bench.process.ChildJvm;
import io.hmfs.bench.process.PoolDirectory;
import io.hmfs.bench.report.Lines;
import io.hmfs.bench.report.Outcome;
import io.hmfs.bench.report.ReportOptions;
import io.hmfs.bench.report.Result;
import io.hmfs.bench.report.Series;
import io.hmfs.bench.report.Target;
import io.hmfs.core.pmem.Persistence;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code hmfs bench engine}: the engine in process beside a hash map on the Java heap. */
@Command(
        name = "engine",
        mixinStandardHelpOptions = true,
        description = "Every operation of the engine, embedded; create and stat also beside a ConcurrentHashMap.",
        footer = {
            "",
            "First each operation by itself, with the threads, the mode and the number of files that were asked for:"
                    + " rates, latencies, and ratios of runs that take turns. A chase is a dependent random read of the"
                    + " pool's memory. Fences and written-back lines are counted in a run of their own, in mode pmem with"
                    + " one thread.",
            "",
            "Then the engine beside a map: one thread, mode process, in a JVM of its own. The rounds of the two take"
                    + " turns, each on a new pool or map, after warm-up rounds that do not count; a ratio is taken round"
                    + " by round.",
            "Timed for the engine: filling one reused Name from 16 bytes of an array, the call, and the check of its"
                    + " status. statAll and createAll are the same in batches of 32, where filling the batch is timed,"
                    + " too. Timed for the map: the call with a String of the same characters, made before, and the check"
                    + " of its answer. Both create in one order and look up in another, random one; both find their keys"
                    + " laid out in the order of use. The pool's pages are populated as the engine does it itself, while"
                    + " it runs; the map's heap is large enough and populated before.",
            "The lines named cpu are processor time of the measuring thread: on a busy machine they say more than the"
                    + " clock.",
            "",
            "Examples:",
            "  hmfs bench engine",
            "  hmfs bench engine --files 20000000 --threads 2 --mode pmem --json engine.json",
            "  hmfs bench engine --files 1000000 --crash-open 1000000,5000000",
            "  hmfs bench engine --files 200000 --rounds 3 --directories 100",
            "  hmfs bench engine --heap-check --heap-files 1000000",
        })
public final class EngineCommand implements Callable<Integer> {
    private static final long HEAP_MIN = 1L << 30;
    private static final long HEAP_PER_FILE = 700;
    private static final int MAP_FILES_MAX = 2_000_000;
    private static final int CRASH_ROUNDS = 5;

    @Mixin
    private final ReportOptions report = new ReportOptions();

    @Option(
            names = "--files",
            defaultValue = "2000000",
            description = "Files in the pool (default ${DEFAULT-VALUE}); beside the map never more than 2000000.")
    private int files;

    @Option(names = "--threads", defaultValue = "1", description = "Threads (default ${DEFAULT-VALUE}).")
    private int threads;

    @Option(
            names = "--mode",
            defaultValue = "process",
            description = "process, or pmem: all its write-backs and fences, on any memory (default ${DEFAULT-VALUE}).")
    private Persistence mode = Persistence.PROCESS;

    @Option(names = "--no-map", description = "Leave out the part beside the map.")
    private boolean noMap;

    @Option(
            names = "--crash-open",
            paramLabel = "FILES",
            split = ",",
            description =
                    "Also: how soon a pool of so many files serves after a SIGKILL, in a new JVM and in one that has"
                            + " used another pool before, and how it serves beside the scan; several with commas.")
    private List<Integer> crashOpen = List.of();

    @Option(
            names = "--clean-open",
            paramLabel = "FILES",
            split = ",",
            description =
                    "Also: how soon a full pool of about so many files serves after a clean close, and when it was not"
                            + " closed; several with commas.")
    private List<Integer> cleanOpen = List.of();

    @Option(names = "--rounds", defaultValue = "5", description = "Rounds that count (default ${DEFAULT-VALUE}).")
    private int rounds;

    @Option(names = "--warm-up", defaultValue = "1", description = "Rounds before (default ${DEFAULT-VALUE}).")
    private int warmUp;

    @Option(
            names = "--directories",
            defaultValue = "1",
            description = "Directories that the files are spread over; the map's keys then begin with the directory"
                    + " (default ${DEFAULT-VALUE}).")
    private int directories;

    @Option(
            names = "--names",
            defaultValue = "counted",
            description = "counted: part-00000000017; random: 16 hexadecimal digits (default ${DEFAULT-VALUE}).")
    private EngineOptions.Names names = EngineOptions.Names.COUNTED;

    @Option(
            names = "--look-up",
            defaultValue = "equal",
            description = "What the map is asked with: the same String that is in it, or an equal one"
                    + " (default ${DEFAULT-VALUE}).")
    private EngineOptions.LookUp lookUp = EngineOptions.LookUp.EQUAL;

    @Option(
            names = "--pool-dir",
            paramLabel = "DIR",
            description = "Where the pool is made (default /dev/shm, or the directory for temporary files).")
    private @Nullable Path poolDirectory;

    @Option(
            names = "--heap-check",
            description = "Instead: fill a server with files, and look at its Java heap (-Xmx512m) on the way.")
    private boolean heapCheck;

    @Option(
            names = "--heap-files",
            defaultValue = "10000000",
            description = "Files of the heap check (default ${DEFAULT-VALUE}).")
    private int heapFiles;

    @Option(names = "--jvm", paramLabel = "FLAG", description = "A flag more for the measuring JVM; repeatable.")
    private List<String> flags = List.of();

    @Override
    public Integer call() throws IOException, InterruptedException {
        Path directory = poolDirectory == null ? PoolDirectory.standard() : poolDirectory;
        if (heapCheck) {
            return report.publish(HeapCheck.run(directory, heapFiles));
        }
        Path pool = Files.createTempFile(directory, "hmfs-bench-", ".pool");
        try {
            return report.publish(measure(pool));
        } finally {
            Files.deleteIfExists(pool);
        }
    }

    private Outcome measure(Path pool) throws IOException, InterruptedException {
        Lines lines = new Lines();
        OperationOptions operations = new OperationOptions(pool, files, threads, mode, rounds);
        gather(lines, OperationLoad.class, List.of("-Xmx512m"), operations.arguments());
        for (int count : crashOpen) {
            crash(lines, pool, count);
        }
        for (int count : cleanOpen) {
            gather(
                    lines,
                    CleanLoad.class,
                    List.of("-Xmx512m"),
                    List.of(pool.toString(), Integer.toString(count), mode.name()));
        }
        List<Result> results =
                new ArrayList<>(lines.all().stream().map(Series::result).toList());
        Map<String, Number> counters = new LinkedHashMap<>(lines.counters());
        if (!noMap) {
            besideMap(pool, results, counters);
        }
        counters.put("files", (long) files);
        counters.put("threads", (long) threads);
        return new Outcome(
                results,
                counters,
                List.of(
                        Target.atMost("stat/chase", 3),
                        Target.atLeast("create/create64k", 0.9),
                        Target.atLeast("createAll/createAll64k", 0.9),
                        Target.atLeast("sharedCreate/privateCreate", 0.8),
                        Target.atLeast("create128/create16", 0.85),
                        Target.atLeast("createCounted/createScattered", 0.95),
                        Target.atLeast("createPrefixed/createScattered", 0.95),
                        Target.atMost("statCutOff/stat, never linked", 5),
                        Target.atMost("statCutOff/stat, newest", 5),
                        Target.atMost("statCutOff/stat, in the middle", 5),
                        Target.atLeast("create/map", 0.25),
                        Target.atLeast("stat/map", 0.4),
                        Target.atLeast("createAll/map", 0.25),
                        Target.atLeast("statAll/map", 0.4)));
    }

    private void gather(Lines lines, Class<?> main, List<String> jvm, List<String> arguments) throws IOException {
        List<String> all = new ArrayList<>(jvm);
        all.addAll(flags);
        try (ChildJvm child = ChildJvm.start(main, all, arguments)) {
            for (String line = child.readLine(); line != null; line = child.readLine()) {
                lines.add(line);
            }
        }
    }

    private void crash(Lines lines, Path pool, int count) throws IOException, InterruptedException {
        List<String> arguments = List.of(pool.toString(), Integer.toString(count), mode.name());
        try (ChildJvm filling = ChildJvm.start(CrashLoad.class, List.of("-Xmx512m"), with("fill", arguments))) {
            filling.answer();
            filling.kill();
        }
        for (int round = 0; round < CRASH_ROUNDS; round++) {
            long start = System.nanoTime();
            try (ChildJvm opening = ChildJvm.start(CrashLoad.class, List.of("-Xmx512m"), with("open", arguments))) {
                lines.add(opening.answer()); // told after the first answers
                double millis = (System.nanoTime() - start) / 1e6;
                lines.round("start of the process to first answers, " + count + " files", "hmfs", "ms", millis);
                for (String line = opening.readLine(); line != null; line = opening.readLine()) {
                    lines.add(line);
                }
            }
            gather(lines, CrashLoad.class, List.of("-Xmx512m"), with("warm", arguments));
        }
    }

    private static List<String> with(String first, List<String> rest) {
        List<String> all = new ArrayList<>(List.of(first));
        all.addAll(rest);
        return all;
    }

    private static void besideMap(Series hmfs, Series map, List<Result> results) {
        results.add(new Series(hmfs.name() + " beside a map", "hmfs", hmfs.unit(), hmfs.rounds()).result());
        results.add(hmfs.dividedBy(map).result());
    }

    private void besideMap(Path pool, List<Result> results, Map<String, Number> counters) throws IOException {
        int count = Math.min(files, MAP_FILES_MAX);
        EngineOptions options = new EngineOptions(pool, count, rounds, warmUp, directories, names, lookUp);
        long heap = (HEAP_MIN + count * HEAP_PER_FILE) >> 20;
        Lines lines = new Lines();
        gather(
                lines,
                EngineLoad.class,
                List.of("-Xms" + heap + "m", "-Xmx" + heap + "m", "-XX:+AlwaysPreTouch"),
                options.arguments());
        for (String operation : List.of("create", "stat", "create cpu", "stat cpu")) {
            Series map = lines.series(operation, "map");
            besideMap(lines.series(operation, "hmfs"), map, results);
            results.add(map.result());
            String inBatches = operation.replaceFirst("create|stat", "$0All");
            besideMap(lines.series(inBatches, "hmfs"), map, results);
        }
        lines.counters().forEach(counters::putIfAbsent);
        counters.put("files beside the map", (long) count);
    }
}
