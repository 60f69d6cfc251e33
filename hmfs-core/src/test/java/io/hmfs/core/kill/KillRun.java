package io.hmfs.core.kill;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;
import org.junit.platform.engine.CancellationToken;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherExecutionRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Runs the rows of the killing table that have no result yet, or those whose names contain an argument: applies each to a copy of
 * its file, compiles that, and runs the tests against it until one fails, the one that failed last time first. Results go to
 * target/kill/results; the table in docs/paper-map.md is written when there is one for each row. Exit code 3: a row hung, and the
 * run is to be started again.
 */
public final class KillRun {
    static final Path RESULTS = Path.of("target", "kill", "results");
    static final String SURVIVES = "survives";
    private static final String HANGS = "hangs";
    private static final int EXIT_HUNG = 3;
    private static final long LIMIT_MILLIS = 1000L * Long.getLong("hmfs.kill.seconds", 240);
    private static final String PACKAGE = "io.hmfs.core.";

    /** Quickest first; none whose outcome depends on how threads happen to be scheduled. */
    private static final List<String> TESTS = chosenOr(
            "alloc.PrincipalsTest",
            "alloc.ClockTest",
            "alloc.EpochsTest",
            "alloc.SlotAllocatorTest",
            "lock.LockTableTest",
            "dir.ChildListTest",
            "pmem.PoolFileTest",
            "NamespaceStepTest",
            "NamespaceTest",
            "NamespaceInterleaveTest",
            "NamespaceRecoveryTest",
            "CutOffCreateTest",
            "NamespaceDeathTest",
            "NamespaceRuleTest",
            "NamespaceFullTest",
            "NamespaceCrashTest",
            "NamespaceVisibilityTest",
            "NamespaceListTest",
            "NamespaceReaderTest",
            "NamespacePairTest",
            "NamespaceSimulationTest",
            "NamespaceHistoryTest");

    private KillRun() {}

    /** For a quick look: {@code -Dhmfs.kill.tests=A,B} instead of all. */
    private static List<String> chosenOr(String... all) {
        String chosen = System.getProperty("hmfs.kill.tests");
        return chosen == null ? List.of(all) : List.of(chosen.split(",", -1));
    }

    public static void main(String[] arguments) throws Exception {
        List<Mutation> rows = Mutation.all();
        Map<String, String> results = results();
        Files.createDirectories(RESULTS.getParent());
        int done = 0;
        for (Mutation row : rows) {
            done++;
            boolean chosen = false;
            for (String argument : arguments) {
                chosen |= row.name().contains(argument);
            }
            if (arguments.length > 0 ? !chosen : results.containsKey(row.name())) {
                continue;
            }
            long start = System.nanoTime();
            String verdict = run(row);
            results.put(row.name(), verdict);
            Files.writeString(RESULTS, text(results));
            System.out.printf(
                    "%3d of %d  %4d s  %-45s %s%n",
                    done, rows.size(), (System.nanoTime() - start) / 1_000_000_000, row.name(), verdict);
            if (verdict.equals(HANGS)) {
                Runtime.getRuntime().halt(EXIT_HUNG); // its threads cannot be ended
            }
        }
        KillTable.write(rows, results);
        long alive = rows.stream()
                .filter(row -> SURVIVES.equals(results.get(row.name())))
                .count();
        System.out.println(alive + " of " + rows.size() + " rows survive");
        Runtime.getRuntime().halt(alive == 0 ? 0 : 1);
    }

    private static Map<String, String> results() throws IOException {
        Map<String, String> results = new LinkedHashMap<>();
        if (Files.exists(RESULTS)) {
            for (String line : Files.readAllLines(RESULTS)) {
                String[] parts = line.split("\t", -1);
                results.put(parts[0], parts[1]);
            }
        }
        return results;
    }

    private static String text(Map<String, String> results) {
        StringBuilder text = new StringBuilder();
        results.forEach((name, verdict) ->
                text.append(name).append('\t').append(verdict).append('\n'));
        return text.toString();
    }

    private static String run(Mutation row) throws IOException, InterruptedException {
        Path work = Files.createTempDirectory("hmfs-kill");
        String mutated = row.apply();
        if (mutated.isEmpty()) {
            return "the text is not in " + row.file();
        }
        Path source = work.resolve(String.valueOf(row.source().getFileName()));
        Files.writeString(source, mutated);
        Path classes = Files.createDirectory(work.resolve("classes"));
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
        return test(row, classes);
    }

    /** The first test that fails, {@link #SURVIVES} or {@link #HANGS}. */
    private static String test(Mutation row, Path classes) throws InterruptedException {
        AtomicReference<@Nullable String> verdict = new AtomicReference<>();
        AtomicReference<String> running = new AtomicReference<>("");
        Thread thread = Thread.ofPlatform().daemon().start(() -> {
            try {
                verdict.compareAndSet(null, firstFailure(order(row), classes, running));
            } catch (Exception | LinkageError | OutOfMemoryError e) {
                verdict.compareAndSet(null, running + " (" + e + ")");
            }
        });
        thread.join(LIMIT_MILLIS);
        String found = verdict.get();
        return found != null ? found : HANGS;
    }

    private static Set<String> order(Mutation row) {
        Set<String> order = new LinkedHashSet<>();
        if (row.killer().endsWith("Test")) {
            order.add(row.killer());
        }
        order.addAll(TESTS);
        return order;
    }

    private static String firstFailure(Set<String> tests, Path classes, AtomicReference<String> running)
            throws Exception {
        try (Loader loader = Loader.of(classes)) {
            Thread.currentThread().setContextClassLoader(loader);
            for (String test : tests) {
                running.set(test);
                String failed = failureOf(test, loader);
                if (failed != null) {
                    return failed;
                }
            }
            return SURVIVES;
        }
    }

    /** The killer of a row may be one method of a class. */
    private static @Nullable String failureOf(String test, ClassLoader loader) throws ClassNotFoundException {
        Class<?> type = Class.forName(PACKAGE + test, false, loader);
        LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
                .selectors(DiscoverySelectors.selectClass(type))
                .build();
        AtomicReference<@Nullable String> failed = new AtomicReference<>();
        CancellationToken token = CancellationToken.create();
        TestExecutionListener listener = new TestExecutionListener() {
            @Override
            public void executionFinished(TestIdentifier id, TestExecutionResult result) {
                if (result.getStatus() == TestExecutionResult.Status.FAILED
                        && failed.compareAndSet(
                                null, test + "." + id.getDisplayName().replace("()", ""))) {
                    token.cancel();
                }
            }
        };
        LauncherFactory.create()
                .execute(LauncherExecutionRequestBuilder.request(request)
                        .cancellationToken(token)
                        .listeners(listener)
                        .build());
        return failed.get();
    }

    /** Sees the mutated classes before the others, and shares none of io.hmfs with this program. */
    private static final class Loader extends URLClassLoader {
        private Loader(URL[] places) {
            super(places, KillRun.class.getClassLoader());
        }

        static Loader of(Path classes) throws IOException {
            List<URL> places = new ArrayList<>();
            places.add(classes.toUri().toURL());
            for (String place : List.of("classes", "test-classes")) {
                places.add(Path.of("target", place).toUri().toURL());
            }
            return new Loader(places.toArray(URL[]::new));
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.startsWith("io.hmfs.")) {
                return super.loadClass(name, resolve);
            }
            synchronized (getClassLoadingLock(name)) {
                Class<?> loaded = findLoadedClass(name);
                return loaded != null ? loaded : findClass(name);
            }
        }

        @Override
        public @Nullable URL getResource(String name) {
            URL found = findResource(name);
            return found != null ? found : super.getResource(name);
        }
    }
}
