package io.hmfs.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.KillChild.Operation;
import io.hmfs.core.pmem.Backing;
import io.hmfs.core.pmem.Persistence;
import io.hmfs.core.pmem.PoolFile;
import io.hmfs.core.pmem.PoolFiles;
import io.hmfs.core.pmem.log.LogOptions;
import io.hmfs.core.pmem.log.LoggedPoolFile;
import io.hmfs.core.sim.ReferenceNamespace;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.FileType;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Goal: what a server acknowledged survives its SIGKILL, and nothing is half there (I1). Method: KillChild works with two threads
 * and is killed at a random moment; its pipe says what was acknowledged; the reopened pool must equal the model, with each
 * operation that was under way wholly there or not. More rounds with {@code -Dhmfs.rounds=N}.
 */
final class NamespaceKillTest {
    private static final long ROOT = Namespace.ROOT_ID;
    private static final int LINES_MIN = 300;
    private static final int LINES_SPREAD = 20_000;
    private static final int LOGGED_SPREAD = 2_000; // each answer waits for the disk

    @TempDir
    Path directory;

    private final List<Long> directories = new ArrayList<>();
    private ReferenceNamespace model = new ReferenceNamespace();
    private int acknowledged;

    /** The log's directory, in mode logged. */
    private @Nullable Path log;

    /** What is done to the child when it has said enough; a kill ends it. */
    private interface Blow {
        void strike(Process child) throws IOException, InterruptedException;
    }

    private Path pool() {
        return directory.resolve("pool");
    }

    private void prepare(Backing backing) throws IOException {
        Path logDirectory = log;
        LogOptions options = logDirectory == null ? null : KillChild.log(logDirectory);
        Hmfs.format(pool(), new FormatOptions(FormatOptions.SIZE_MIN, backing, false, options));
        OpenOptions mode = options == null ? OpenOptions.process() : OpenOptions.logged(options);
        try (Namespace namespace = Hmfs.open(pool(), mode)) {
            Attributes out = new Attributes();
            for (String name : List.of("shared", "own0", "own1")) {
                assertEquals(Status.OK, namespace.mkdir(ROOT, Name.of(name), 0755, 0, 0, out));
                assertEquals(Status.OK, model.make(FileType.DIRECTORY, ROOT, name, 0755, 0, 0, out.id));
                directories.add(out.id);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"MAPPED, 5", "PMDK, 3"})
    void whatWasAcknowledgedSurvivesTheKill(Backing backing, int rounds) throws Exception {
        prepare(backing);
        Random random = new Random();
        long seed = Long.getLong("hmfs.seed", random.nextLong());
        random.setSeed(seed);
        for (int round = 0; round < Integer.getInteger("hmfs.rounds", rounds); round++) {
            String where = "-Dhmfs.seed=" + seed + " round " + round;
            try {
                @Nullable
                Operation[] open = replay(killed(random.nextLong(), random.nextInt(LINES_SPREAD) + LINES_MIN));
                compare(open, random.nextBoolean());
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError(where + ": " + e.getMessage(), e);
            }
        }
        assertTrue(acknowledged > 1000, "acknowledged: " + acknowledged);
    }

    /** What the child said before it was killed. */
    private List<String> killed(long seed, int lines) throws IOException, InterruptedException {
        // The process's own method would close the pipe too.
        return struck(seed, lines, child -> child.toHandle().destroyForcibly());
    }

    private List<String> struck(long seed, int lines, Blow blow) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-ea",
                "-Xmx128m",
                "-XX:TieredStopAtLevel=1",
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-D" + (log == null ? "hmfs.none" : "hmfs.log=" + log),
                "-cp",
                System.getProperty("java.class.path"),
                KillChild.class.getName(),
                pool().toString(),
                Long.toString(seed)));
        directories.forEach(id -> command.add(id.toString()));
        Process child = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        List<String> said = new ArrayList<>();
        try (BufferedReader reader = child.inputReader()) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                said.add(line);
                if (said.size() == lines) {
                    blow.strike(child);
                }
                if (said.stream().filter(words -> words.startsWith("!")).count() == KillChild.THREADS) {
                    child.toHandle().destroyForcibly(); // no thread works any more
                }
            }
        } finally {
            child.destroyForcibly();
            child.waitFor();
        }
        assertTrue(said.size() >= lines, () -> "the child ended by itself: " + said);
        return said;
    }

    /** Brings the model up to date; the operations that were under way, one for each thread or null. */
    private @Nullable Operation[] replay(List<String> said) {
        @Nullable Operation[] open = new @Nullable Operation[KillChild.THREADS];
        for (String line : said) {
            String[] words = line.split(" ", -1);
            int thread = Integer.parseInt(words[1]);
            Operation operation = open[thread];
            switch (words[0]) {
                case ">" -> open[thread] = Operation.parse(words, 2);
                case "<" -> {
                    if (operation == null) {
                        throw new AssertionError("answered before it began: " + line);
                    }
                    Status expected = operation.on(model, Long.parseLong(words[3]));
                    assertEquals(expected, Status.valueOf(words[2]), operation.toString());
                    open[thread] = null;
                    acknowledged++;
                }
                default -> throw new AssertionError("the child failed: " + line);
            }
        }
        return open;
    }

    private void compare(@Nullable Operation[] open, boolean scanFirst) throws IOException {
        PoolFile file = log == null
                ? PoolFiles.open(pool(), Persistence.PROCESS, false)
                : LoggedPoolFile.open(pool(), KillChild.log(log));
        PoolNamespace namespace = new PoolNamespace("killed", file, false);
        if (scanFirst) {
            namespace.scanInBackground();
        }
        List<ReferenceNamespace> outcomes = new ArrayList<>(List.of(model));
        for (Operation operation : open) {
            if (operation != null) {
                for (ReferenceNamespace before : List.copyOf(outcomes)) {
                    ReferenceNamespace after = new ReferenceNamespace(before);
                    Attributes made = new Attributes();
                    namespace.stat(operation.directory(), Name.of(operation.name()), made);
                    if (operation.on(after, made.id) == Status.OK) {
                        outcomes.add(after);
                    }
                }
            }
        }
        Map<String, String> seen = Snapshot.of(namespace);
        model = outcomes.stream()
                .filter(outcome -> outcome.snapshot().equals(seen))
                .findFirst()
                .orElseThrow(() -> new AssertionError(
                        "under way " + Arrays.toString(open) + ", model " + model.snapshot() + ", pool " + seen));
        if (!scanFirst) {
            namespace.scanInBackground();
        }
        assertEquals(List.of(), namespace.problems());
        assertEquals(seen, Snapshot.of(namespace));
        namespace.close();
    }

    private void loseMachine() throws IOException {
        Files.delete(pool());
        Files.delete(directory.resolve("pool.ring"));
    }

    @Test
    void withALogWhatWasAcknowledgedSurvivesTheKillAndThenTheMachine() throws Exception {
        log = directory.resolve("log");
        prepare(Backing.MAPPED);
        Random random = new Random();
        long seed = Long.getLong("hmfs.seed", random.nextLong());
        random.setSeed(seed);
        @Nullable Operation[] none = new @Nullable Operation[KillChild.THREADS];
        for (int round = 0; round < Integer.getInteger("hmfs.rounds", 3); round++) {
            String where = "-Dhmfs.seed=" + seed + " round " + round;
            try {
                @Nullable
                Operation[] open = replay(killed(random.nextLong(), random.nextInt(LOGGED_SPREAD) + LINES_MIN));
                if (round % 3 == 2) {
                    loseMachine(); // at the very moment at which the process dies
                    compare(open, false);
                } else {
                    compare(open, random.nextBoolean());
                    compare(none, false);
                    open = replay(killed(random.nextLong(), LINES_MIN));
                    compare(open, random.nextBoolean());
                    loseMachine();
                    compare(none, random.nextBoolean());
                }
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError(where + ": " + e.getMessage(), e);
            }
        }
    }

    @Test
    void aFullDiskLosesNothingThatWasAcknowledged() throws Exception {
        log = directory.resolve("log");
        prepare(Backing.MAPPED);
        // No file of the child may grow any more, nor be written where it is longer: log and image alike.
        List<String> said = struck(
                7,
                LINES_MIN,
                child -> assertEquals(
                        0,
                        new ProcessBuilder("prlimit", "--fsize=65536", "--pid", Long.toString(child.pid()))
                                .inheritIO()
                                .start()
                                .waitFor()));
        List<String> failures =
                said.stream().filter(line -> line.startsWith("!")).toList();
        assertEquals(KillChild.THREADS, failures.size());
        assertTrue(
                failures.stream().anyMatch(line -> line.contains("the log cannot be written: " + log)),
                () -> "" + failures);
        @Nullable
        Operation[] open =
                replay(said.stream().filter(line -> !line.startsWith("!")).toList());
        compare(open, true);
        loseMachine();
        compare(new @Nullable Operation[KillChild.THREADS], true);
        replay(killed(8, LINES_MIN)); // there is room again
    }

    @Test
    void aModelThatMissesOneAcknowledgedOperationIsNoticed() throws Exception {
        prepare(Backing.MAPPED);
        @Nullable Operation[] open = replay(killed(1, LINES_MIN));
        model.make(FileType.FILE, ROOT, "never made", 0, 0, 0, 99);
        boolean noticed = false;
        try {
            compare(open, true);
        } catch (AssertionError e) {
            noticed = true;
        }
        assertTrue(noticed);
    }
}
