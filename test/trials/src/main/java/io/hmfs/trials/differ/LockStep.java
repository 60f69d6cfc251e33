package io.hmfs.trials.differ;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Operations in fresh directories of both sides, in lock step, until a difference that does not pass. */
final class LockStep {
    private static final String ABSENT = "absent";
    private static final String TYPE = "type";

    private final Subject hdfs;
    private final Subject hmfs;
    private final Predicate<Difference> passes;
    private long executed;

    /** @param passes whether a difference is none that is looked for */
    LockStep(Subject hdfs, Subject hmfs, Predicate<Difference> passes) {
        this.hdfs = hdfs;
        this.hmfs = hmfs;
        this.passes = passes;
    }

    /** Operations that were executed on both sides. */
    long executed() {
        return executed;
    }

    /**
     * The first difference that does not pass, or null. Where one that passes leaves trees that are not the same, the session ends there: what
     * follows would differ for that reason.
     *
     * @param every after so many operations the trees are compared, and at the end; and after each one that is refused and may leave
     *     directories, so that they are told with it
     * @param trace takes what each operation did
     */
    @Nullable
    Difference run(List<Operation> operations, int every, Consumer<String> trace) throws IOException {
        hdfs.fresh();
        hmfs.fresh();
        for (int i = 0; i < operations.size(); i++) {
            Operation operation = operations.get(i);
            CallOutcome expected = hdfs.run(operation);
            CallOutcome found = hmfs.run(operation);
            executed++;
            boolean same = expected.text().equals(found.text());
            Difference difference = Difference.ofOperation(i, operation, expected, found);
            trace.accept(same ? operation + "\n  both: " + expected.text() : operation.user() + " " + difference);
            if (!same && !passes.test(difference)) {
                return difference;
            }
            boolean mayLeaveParents = found.isRefusal() && operation.kind().makesParents();
            if (!same || mayLeaveParents || (i + 1) % every == 0 || i == operations.size() - 1) {
                List<Difference> inTrees = inTrees(i, operation, found.isRefusal());
                Optional<Difference> first =
                        same ? inTrees.stream().filter(passes.negate()).findFirst() : Optional.empty();
                if (first.isPresent() || !inTrees.isEmpty()) {
                    return first.orElse(null);
                }
            }
        }
        return null;
    }

    private List<Difference> inTrees(int at, Operation last, boolean refused) throws IOException {
        SortedMap<String, SortedMap<String, String>> expected = hdfs.tree();
        SortedMap<String, SortedMap<String, String>> found = hmfs.tree();
        List<Difference> differences = new ArrayList<>();
        TreeSet<String> paths = new TreeSet<>(expected.keySet());
        paths.addAll(found.keySet());
        for (String path : paths) {
            SortedMap<String, String> one = expected.getOrDefault(path, new TreeMap<>());
            SortedMap<String, String> other = found.getOrDefault(path, new TreeMap<>());
            TreeSet<String> fields = new TreeSet<>(one.keySet());
            fields.addAll(other.keySet());
            String type = one.getOrDefault(TYPE, other.getOrDefault(TYPE, ABSENT));
            if (!one.getOrDefault(TYPE, ABSENT).equals(other.getOrDefault(TYPE, ABSENT))) {
                fields.retainAll(List.of(TYPE)); // of what is there on one side only the rest says nothing
            }
            for (String field : fields) {
                String a = one.getOrDefault(field, ABSENT);
                String b = other.getOrDefault(field, ABSENT);
                if (!a.equals(b)) {
                    differences.add(Difference.ofTree(at, last, refused, field, type, path, a, b));
                }
            }
        }
        return differences;
    }
}
