package io.hmfs.core.kill;

import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

/**
 * Runs the rows of the killing table that have no result yet, or those whose names contain an argument: applies each to a copy of
 * its file, compiles that, and runs the tests against it in a JVM of its own until one fails, the one that failed last time first.
 * A test counts only if it passes on the code as it is. Results go to target/kill/results, and for a row that has none yet the
 * test classes that have not noticed to target/kill/passed: whatever ends a run, the next one goes on from there. The table in
 * docs/paper-map.md is written at the end. Exit code 1: a row survives that says no reason.
 */
public final class KillRun {
    static final Path RESULTS = Path.of("target", "kill", "results");
    static final Path PASSED = Path.of("target", "kill", "passed");
    static final String SURVIVES = "survives";
    static final String HANGS = "hangs: ";

    /** Before a killer in the rows: a test to be tried first, which has not been seen to fail. */
    static final String GUESS = "? ";

    /** How long one test may take before the row counts as hanging. */
    private static final long LIMIT_SECONDS = Long.getLong("hmfs.kill.seconds", 150);

    private static final long LIMIT_KNOWN_SECONDS = Math.max(40, LIMIT_SECONDS / 4);

    /** When this many minutes have gone, no test class and no row begins any more. */
    private static final long END =
            System.nanoTime() + TimeUnit.MINUTES.toNanos(Long.getLong("hmfs.kill.minutes", 100_000));

    /** No verdict: the time was up, or not all tests were run. */
    private static final String UNFINISHED = "";

    /** Rows at a time. */
    private static final int PARALLEL = Integer.getInteger("hmfs.kill.parallel", 1);

    /** Quickest first; none whose outcome depends on how threads happen to be scheduled. */
    private static final List<String> TESTS = chosenOr(
            "engine.PrincipalsTest",
            "alloc.RegionsTest",
            "layout.EntryLayoutTest",
            "layout.IndexLayoutTest",
            "layout.SlotRecordTest",
            "recovery.SuperblockTest",
            "engine.ClockTest",
            "alloc.EpochsTest",
            "alloc.SlotAllocatorTest",
            "lock.LockTableTest",
            "dir.ChildListTest",
            "dir.ChildListSweepTest",
            "index.HashIndexReaderTest",
            "index.HashIndexStepTest",
            "index.SplitHandoverTest",
            "pmem.MappedPmemTest",
            "pmem.PoolFileTest",
            "pmem.log.LoggedPmemTest",
            "pmem.log.LogGroupCommitTest",
            "pmem.log.LogStartTest",
            "layout.TableRecordTest",
            "RecordsTest",
            "RemovedFilesTest",
            "RemovedFilesScanTest",
            "RecordsCrashTest",
            "RemovedFilesCrashTest",
            "NamespaceStepTest",
            "NamespaceRestTest",
            "NamespaceOrderTest",
            "op.RmdirOpTest",
            "op.AttributeOpsTest",
            "op.AppendOpTest",
            "op.DeleteOpTest",
            "op.LinkOpTest",
            "op.CreateOpTest",
            "op.PathOpTest",
            "op.ListOpTest",
            "op.ChainOpsTest",
            "NamespaceMomentTest",
            "op.RenameOpTest",
            "NamespaceRecoveryTest",
            "NamespaceSettleTest",
            "CutOffCreateTest",
            "CutOffStepsTest",
            "NamespaceVerdictTest",
            "NamespaceVisibilityTest",
            "NamespaceBatchCrashTest",
            "NamespaceDeathTest",
            "NamespaceInterleaveTest",
            "NamespaceCrashTest",
            "NumberedVerdictTest",
            "NumberedCrashTest",
            "NamespaceFullTest",
            "NamespaceRuleTest",
            "check.ChainCheckTest",
            "index.HashIndexTest",
            "index.HashIndexCrashTest",
            "LoggedPrefixTest",
            "pmem.log.LogPowerTest",
            "LoggedPoolTest",
            "pmem.log.LogFilesTest",
            "pmem.log.ImageSumsTest",
            "NamespacePairTest",
            "NamespaceReaderTest",
            "NamespaceSimulationTest",
            "NamespaceHistoryTest");

    /** Tests that a row failed, and whether they pass on the code as it is. */
    private final Map<String, Boolean> sound = new ConcurrentHashMap<>();

    /** By row: the test classes that did not notice, of those that have a verdict yet to come. */
    private final Map<String, Set<String>> passed = new ConcurrentHashMap<>();

    private final Path work = Files.createTempDirectory("hmfs-kill");

    private KillRun() throws IOException {}

    /**
     * For a quick look: {@code -Dhmfs.kill.tests=A,B} instead of all; {@code none} for those of the rows alone. What they do not
     * notice has no verdict by that.
     */
    private static List<String> chosenOr(String... all) {
        String chosen = System.getProperty("hmfs.kill.tests");
        return chosen == null ? List.of(all) : List.of(chosen.split(",", -1));
    }

    public static void main(String[] arguments) throws Exception {
        System.exit(new KillRun().run(arguments));
    }

    private int run(String[] arguments) throws IOException, InterruptedException {
        List<Mutation> rows = Mutation.all();
        Files.createDirectories(Objects.requireNonNull(RESULTS.getParent()));
        Map<String, String> results = read(RESULTS);
        read(PASSED).forEach((row, tests) -> passedBy(row).addAll(List.of(tests.split(" ", -1))));
        try (ExecutorService workers = Executors.newFixedThreadPool(PARALLEL)) {
            for (Mutation row : rows) {
                boolean chosen = false;
                for (String argument : arguments) {
                    chosen |= row.name().contains(argument);
                }
                if (arguments.length > 0 ? chosen : !results.containsKey(row.name())) {
                    workers.execute(() -> runAndTell(row, rows.indexOf(row) + 1, rows.size(), results));
                }
            }
        }
        KillTable.write(rows, results);
        long alive = rows.stream()
                .filter(row ->
                        SURVIVES.equals(results.get(row.name())) && row.reason().isEmpty())
                .count();
        System.out.println(alive + " of " + rows.size() + " rows survive without a reason");
        return alive == 0 ? 0 : 1;
    }

    private void runAndTell(Mutation row, int number, int of, Map<String, String> results) {
        long start = System.nanoTime();
        if (start > END) {
            return;
        }
        try {
            String verdict = run(row);
            if (verdict.equals(UNFINISHED)) {
                return;
            }
            synchronized (results) {
                results.put(row.name(), verdict);
                Files.writeString(RESULTS, text(results));
                passed.remove(row.name());
                writePassed();
            }
            long seconds = (System.nanoTime() - start) / 1_000_000_000;
            System.out.printf("%3d of %d  %4d s  %-50s %s%n", number, of, seconds, row.name(), verdict);
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(row.name(), e);
        }
    }

    private static Map<String, String> read(Path file) throws IOException {
        Map<String, String> read = new LinkedHashMap<>();
        if (Files.exists(file)) {
            for (String line : Files.readAllLines(file)) {
                String[] parts = line.split("\t", -1);
                read.put(parts[0], parts[1]);
            }
        }
        return read;
    }

    private Set<String> passedBy(String row) {
        return passed.computeIfAbsent(row, _ -> ConcurrentHashMap.newKeySet());
    }

    private synchronized void writePassed() throws IOException {
        Map<String, String> text = new LinkedHashMap<>();
        passed.forEach((row, tests) -> text.put(row, String.join(" ", tests)));
        Files.writeString(PASSED, text(text));
    }

    private static String text(Map<String, String> results) {
        StringBuilder text = new StringBuilder();
        results.forEach((name, verdict) ->
                text.append(name).append('\t').append(verdict).append('\n'));
        return text.toString();
    }

    private String run(Mutation row) throws IOException, InterruptedException {
        String mutated = row.apply();
        if (mutated.isEmpty()) {
            return "the text is not in " + row.file();
        }
        Path place = Files.createTempDirectory(work, "row");
        Path source = place.resolve(String.valueOf(row.source().getFileName()));
        Files.writeString(source, mutated);
        Path classes = Files.createDirectory(place.resolve("classes"));
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        ByteArrayOutputStream errors = new ByteArrayOutputStream();
        String[] options = {
            "-nowarn",
            "-proc:none",
            "-d",
            classes.toString(),
            "-cp",
            System.getProperty("java.class.path"),
            source.toString()
        };
        if (compiler.run(null, errors, errors, options) != 0) {
            return "does not compile: "
                    + errors.toString(StandardCharsets.UTF_8)
                            .lines()
                            .findFirst()
                            .orElse("");
        }
        Set<String> tests = new LinkedHashSet<>(TESTS);
        tests.remove("none");
        tests.removeAll(passedBy(row.name()));
        String known = row.killer().replace(GUESS, "").replace(HANGS, "");
        if (!known.isEmpty() && !known.equals(SURVIVES)) {
            // The case, then all cases of its method: a new one moves the numbers of those behind it.
            for (String test : new LinkedHashSet<>(List.of(known, known.replaceFirst(" \\[.*", "")))) {
                String verdict = test(classes + ":", List.of(test), LIMIT_KNOWN_SECONDS, _ -> false);
                if (verdict.startsWith(HANGS) == row.killer().contains(HANGS) && isKill(verdict)) {
                    return verdict;
                }
            }
        }
        while (!tests.isEmpty()) {
            String verdict = test(classes + ":", List.copyOf(tests), LIMIT_SECONDS, done -> {
                passedBy(row.name()).add(done);
                return System.nanoTime() > END;
            });
            if (verdict.equals(SURVIVES) && isSomeOnly()) {
                passedBy(row.name()).addAll(tests);
                verdict = UNFINISHED;
            }
            writePassed();
            if (verdict.equals(SURVIVES) || verdict.equals(UNFINISHED) || isKill(verdict)) {
                return verdict;
            }
            tests.remove(KillTable.testClass(verdict)); // which fails on the code as it is
        }
        return isSomeOnly() ? UNFINISHED : SURVIVES;
    }

    private static boolean isSomeOnly() {
        return System.getProperty("hmfs.kill.tests") != null;
    }

    /** Whether the test that a verdict names can tell the difference. */
    private boolean isKill(String verdict) throws IOException, InterruptedException {
        if (verdict.equals(SURVIVES)) {
            return false;
        }
        String test = verdict.replace(HANGS, "");
        Boolean known = sound.get(test);
        if (known == null) {
            known = test("", List.of(test), LIMIT_SECONDS, _ -> false).equals(SURVIVES);
            sound.put(test, known);
            if (!known) {
                System.out.println(test + " fails on the code as it is");
            }
        }
        return known;
    }

    /**
     * The first test that fails, or hangs, or {@link #SURVIVES}; {@code classes} come before those of this program. {@code ends}
     * hears of each test class when the next one begins, and says whether to leave that unfinished.
     */
    private String test(String classes, List<String> tests, long seconds, Predicate<String> ends)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of(
                "-ea", "-Xmx1g", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "--enable-native-access=ALL-UNNAMED"));
        command.add("--sun-misc-unsafe-memory-access=allow");
        System.getProperties().forEach((name, value) -> {
            if (name.toString().startsWith("hmfs.")) {
                command.add("-D" + name + "=" + value);
            }
        });
        command.addAll(List.of("-cp", classes + System.getProperty("java.class.path"), KillRow.class.getName()));
        command.addAll(tests);
        Process child = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        AtomicReference<String> running = new AtomicReference<>("");
        AtomicReference<String> failed = new AtomicReference<>("");
        AtomicLong since = new AtomicLong(System.nanoTime());
        AtomicBoolean ended = new AtomicBoolean();
        Thread reader = Thread.ofPlatform().daemon().start(() -> read(child, running, failed, since, ends, ended));
        boolean hung = false;
        while (!hung && !ended.get() && !child.waitFor(1, TimeUnit.SECONDS)) {
            hung = System.nanoTime() - since.get() > TimeUnit.SECONDS.toNanos(seconds);
        }
        child.destroyForcibly().waitFor();
        reader.join();
        if (hung) {
            return HANGS + running.get();
        }
        if (!failed.get().isEmpty()) {
            return failed.get();
        }
        if (ended.get()) {
            return UNFINISHED;
        }
        return child.exitValue() == 0 ? SURVIVES : running.get(); // or the JVM itself died within that test
    }

    private static void read(
            Process child,
            AtomicReference<String> running,
            AtomicReference<String> failed,
            AtomicLong since,
            Predicate<String> ends,
            AtomicBoolean ended) {
        try (BufferedReader lines = child.inputReader(StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null && !ended.get(); line = lines.readLine()) {
                if (line.startsWith(KillRow.BEGINS)) {
                    String before = running.getAndSet(line.substring(KillRow.BEGINS.length()));
                    since.set(System.nanoTime());
                    if (isOfAnotherClass(before, running.get())) {
                        ended.set(ends.test(KillTable.testClass(before)));
                    }
                } else if (line.startsWith(KillRow.FAILS)) {
                    failed.set(line.substring(KillRow.FAILS.length()));
                }
            }
        } catch (IOException e) {
            // the child was ended
        }
    }

    private static boolean isOfAnotherClass(String before, String now) {
        return !before.isEmpty() && !KillTable.testClass(before).equals(KillTable.testClass(now));
    }
}
