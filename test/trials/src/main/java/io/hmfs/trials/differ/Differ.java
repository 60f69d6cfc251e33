package io.hmfs.trials.differ;

import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.LongFunction;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Sessions, one seed after the other. Of differences of one signature the first is made short and printed; the others are counted, and the
 * sessions go on behind them as they do behind those that are known.
 */
final class Differ {
    private static final int TRIES_MAX = 400;

    private final Subject hdfs;
    private final Subject hmfs;
    private final KnownDifferences known;
    private final int every;
    private final PrintStream out;
    private final Map<String, Integer> signatures = new LinkedHashMap<>();
    private final List<List<Operation>> minimised = new ArrayList<>();
    private long operations;
    private long sessions;

    /** @param every after so many operations the trees are compared */
    Differ(Subject hdfs, Subject hmfs, KnownDifferences known, int every, PrintStream out) {
        this.hdfs = hdfs;
        this.hmfs = hmfs;
        this.known = known;
        this.every = every;
        this.out = out;
    }

    /** Runs sessions from this seed on while it may go on. */
    void run(long seed, LongFunction<List<Operation>> generator, BooleanSupplier goesOn) throws IOException {
        for (long number = seed; goesOn.getAsBoolean(); number++) {
            run("seed " + number, generator.apply(number));
        }
    }

    /** Runs one session; {@code name}: printed with a difference. */
    void run(String name, List<Operation> session) throws IOException {
        Difference difference = run(session, every, this::isPassed);
        sessions++;
        if (difference != null) {
            report(name, session.subList(0, difference.at() + 1), difference);
            signatures.put(difference.signature(), 1);
        }
    }

    private boolean isPassed(Difference difference) {
        return known.has(difference)
                || signatures.computeIfPresent(difference.signature(), (signature, times) -> times + 1) != null;
    }

    private @Nullable Difference run(List<Operation> session, int treesEvery, Predicate<Difference> passes)
            throws IOException {
        LockStep run = new LockStep(hdfs, hmfs, passes);
        try {
            return run.run(session, treesEvery, line -> {});
        } finally {
            operations += run.executed();
        }
    }

    private void report(String name, List<Operation> session, Difference first) throws IOException {
        AtomicReference<Difference> last = new AtomicReference<>(first);
        Predicate<Difference> passes = each -> known.has(each) || signatures.containsKey(each.signature());
        boolean inTree = first.kind().startsWith("tree");
        List<Operation> shortest = new Minimiser<Operation>(
                        candidate -> {
                            Difference again = run(candidate, inTree ? 1 : Integer.MAX_VALUE, passes);
                            if (again == null || !again.signature().equals(first.signature())) {
                                return false;
                            }
                            last.set(again);
                            return true;
                        },
                        TRIES_MAX)
                .minimise(session);
        minimised.add(shortest);
        out.printf(
                "%n# difference %d, %s, %d of %d operations; bin/dev differ replay FILE%n%s# %s%n",
                signatures.size() + 1,
                name,
                shortest.size(),
                session.size(),
                Operation.script(shortest),
                last.get().toString().replace(System.lineSeparator(), System.lineSeparator() + "# "));
        out.flush();
    }

    /** The shortest sessions, in the order in which their differences came. */
    List<List<Operation>> minimised() {
        return minimised;
    }

    /** How often differences of each signature came. */
    Map<String, Integer> signatures() {
        return signatures;
    }

    /** How many operations each side has executed. */
    long operations() {
        return operations;
    }

    /** What was done so far, in a line. */
    String done() {
        return "%d sessions, %d operations on each side, %d differences that are not known"
                .formatted(sessions, operations, signatures.size());
    }
}
