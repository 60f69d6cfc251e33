package io.hmfs.bench;

import io.hmfs.bench.load.EngineLoad;
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
        description = "create and stat of the engine, embedded, beside putIfAbsent and get of a ConcurrentHashMap.",
        footer = {
            "",
            "One thread, mode process, in a JVM of its own. The rounds of the two take turns, each on a new pool or map, after"
                    + " warm-up rounds that do not count; a ratio is taken round by round.",
            "Timed for the engine: filling one reused Name from 16 bytes of an array, the call, and the check of its status."
                    + " Timed for the map: the call with a String of the same characters, made before, and the check of its"
                    + " answer. Both create in one order and look up in another, random one; both find their keys laid out in"
                    + " the order of use. The pool's pages are populated as the engine does it itself, while it runs; the"
                    + " map's heap is large enough and populated before.",
            "The lines named cpu are processor time of the measuring thread: on a busy machine they say more than the clock.",
            "",
            "Examples:",
            "  hmfs bench engine",
            "  hmfs bench engine --files 200000 --rounds 3 --directories 100",
            "  hmfs bench engine --heap-check --heap-files 1000000",
        })
final class EngineCommand implements Callable<Integer> {
    private static final long HEAP_MIN = 1L << 30;
    private static final long HEAP_PER_FILE = 700;

    @Mixin
    private final ReportOptions report = new ReportOptions();

    @Option(
            names = "--files",
            defaultValue = "2000000",
            description = "Files in each round (default ${DEFAULT-VALUE}).")
    private int files;

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
    private EngineLoad.Names names = EngineLoad.Names.COUNTED;

    @Option(
            names = "--look-up",
            defaultValue = "equal",
            description = "What the map is asked with: the same String that is in it, or an equal one"
                    + " (default ${DEFAULT-VALUE}).")
    private EngineLoad.LookUp lookUp = EngineLoad.LookUp.EQUAL;

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

    private Outcome measure(Path pool) throws IOException {
        EngineLoad.Options options = new EngineLoad.Options(pool, files, rounds, warmUp, directories, names, lookUp);
        long heap = (HEAP_MIN + files * HEAP_PER_FILE) >> 20;
        List<String> jvm = new ArrayList<>(List.of("-Xms" + heap + "m", "-Xmx" + heap + "m", "-XX:+AlwaysPreTouch"));
        jvm.addAll(flags);
        Lines lines = new Lines();
        try (ChildJvm child = ChildJvm.start(EngineLoad.class, jvm, options.arguments())) {
            for (String line = child.readLine(); line != null; line = child.readLine()) {
                lines.add(line);
            }
        }
        List<Result> results = new ArrayList<>();
        for (String operation : List.of("create", "stat", "create cpu", "stat cpu")) {
            Series hmfs = lines.series(operation, "hmfs");
            Series map = lines.series(operation, "map");
            results.add(hmfs.result());
            results.add(map.result());
            results.add(hmfs.dividedBy(map).result());
        }
        Map<String, Long> counters = new LinkedHashMap<>(lines.counters());
        counters.put("files", (long) files);
        return new Outcome(
                results, counters, List.of(Target.atLeast("create/map", 0.25), Target.atLeast("stat/map", 0.4)));
    }
}
