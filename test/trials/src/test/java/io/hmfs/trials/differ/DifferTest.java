package io.hmfs.trials.differ;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * Goal: a difference is found, made short and printed so that it can be replayed, and what is known or has been printed does not hide others.
 * Method: two plain maps of paths, in one of which faults are planted.
 */
class DifferTest {
    private static final String NO_ROWS = "";

    /** Directories and files by path; a part of the operations, for all users. */
    private static final class Paths implements Subject {
        private final boolean losesModes;
        private final boolean refusesBob;
        private final SortedMap<String, SortedMap<String, String>> paths = new TreeMap<>();

        Paths(boolean losesModes, boolean refusesBob) {
            this.losesModes = losesModes;
            this.refusesBob = refusesBob;
        }

        @Override
        public void fresh() {
            paths.clear();
        }

        @Override
        public CallOutcome run(Operation operation) {
            List<String> arguments = operation.arguments();
            return CallOutcome.of(
                    switch (operation.kind()) {
                        case FS_MKDIRS -> made(arguments.get(0), arguments.get(1));
                        case FS_SET_PERMISSION -> changed(arguments.get(0), arguments.get(1));
                        case FS_DELETE ->
                            refusesBob && operation.user().equals("bob")
                                    ? "!refused"
                                    : "" + (paths.remove(arguments.get(0)) != null);
                        default -> "ok";
                    });
        }

        private String made(String path, String permission) {
            paths.putIfAbsent(path, new TreeMap<>());
            entry(path).putIfAbsent("permission", permission);
            return "true";
        }

        /** The planted fault: the mode that is set on something that had it is lost. */
        private String changed(String path, String permission) {
            SortedMap<String, String> entry = entry(path);
            if (entry.isEmpty()) {
                return "!nothing";
            }
            entry.put("permission", losesModes && permission.equals(entry.get("permission")) ? "0000" : permission);
            return "ok";
        }

        private SortedMap<String, String> entry(String path) {
            return paths.getOrDefault(path, new TreeMap<>());
        }

        @Override
        public SortedMap<String, SortedMap<String, String>> tree() {
            return paths;
        }
    }

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    private Differ run(String table, boolean losesModes, boolean refusesBob) throws IOException {
        Differ differ = new Differ(
                new Paths(false, false),
                new Paths(losesModes, refusesBob),
                KnownDifferences.parse(table),
                10,
                new PrintStream(out, true, StandardCharsets.UTF_8));
        int[] left = {100};
        differ.run(1, seed -> Generator.session(seed, 500), () -> left[0]-- > 0);
        return differ;
    }

    @Test
    void whereNothingDiffersNothingIsPrinted() throws IOException {
        assertTrue(run(NO_ROWS, false, false).signatures().isEmpty());
        assertEquals("", out.toString(StandardCharsets.UTF_8));
    }

    @Test
    void aDifferenceOfAnOperationBecomesThatOperation() throws IOException {
        List<List<Operation>> minimised = run(NO_ROWS, false, true).minimised();
        assertTrue(
                minimised.stream()
                        .anyMatch(each -> each.size() == 1
                                && each.getFirst().kind() == ApiCall.FS_DELETE
                                && each.getFirst().user().equals("bob")),
                minimised::toString);
    }

    @Test
    void aDifferenceOfTheTreesIsMadeShortAndCanBeReplayed() throws IOException {
        List<List<Operation>> minimised = run(NO_ROWS, true, false).minimised();
        assertEquals(1, minimised.size(), minimised::toString);
        List<Operation> shortest = minimised.getFirst();
        assertEquals(
                List.of(ApiCall.FS_MKDIRS, ApiCall.FS_SET_PERMISSION),
                shortest.stream().map(Operation::kind).toList());
        assertEquals(shortest, Operation.parseAll(out.toString(StandardCharsets.UTF_8)));
    }

    @Test
    void aKnownDifferenceDoesNotHideAnother() throws IOException {
        Differ differ = run("fs\\.delete .* | .* | !refused | for a test", true, true);
        assertEquals(1, differ.signatures().size(), differ.signatures()::toString);
        assertTrue(
                differ.signatures().keySet().iterator().next().startsWith("tree permission"),
                differ.signatures()::toString);
    }
}
