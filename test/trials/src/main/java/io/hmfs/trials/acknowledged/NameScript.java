package io.hmfs.trials.acknowledged;

import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The operations of one worker, one after the other without end. Operation n depends on the worker's number and n only, so the number of
 * operations tells which names there must be. Workers share directories, but no names.
 */
final class NameScript {
    /** Directories that all workers share: {@code d0} to {@code d3}. */
    static final int DIRECTORIES = 4;

    private static final int GROUP = 9;
    private static final int SHOWN = 5;
    private static final String LONG_END = "-".repeat(150); // beyond one cache line

    /** What an operation does. */
    enum Kind {
        CREATE,
        MKDIR,
        DELETE,
        RENAME,
        REPLACE
    }

    /** One operation; the paths have no slash before them, and {@code target} is empty where there is none. */
    record Step(Kind kind, String path, String target) {}

    private final int worker;

    NameScript(int worker) {
        this.worker = worker;
    }

    /** How all names of a worker begin. */
    String prefix() {
        return "w%02d-".formatted(worker);
    }

    Step step(long number) {
        long group = number / GROUP;
        String name = "%s%08d".formatted(prefix(), group);
        String here = "d" + group % DIRECTORIES + "/" + name;
        String next = "d" + (group + 1) % DIRECTORIES + "/" + name;
        String other = "d" + (group + 2) % DIRECTORIES + "/" + name;
        return switch ((int) (number % GROUP)) {
            case 0 -> new Step(Kind.CREATE, here + "-a", "");
            case 1 -> new Step(Kind.CREATE, next + "-b", "");
            case 2 -> new Step(Kind.MKDIR, here + "-dir", "");
            case 3 -> new Step(Kind.RENAME, here + "-a", here + "-dir/" + name + "-in");
            case 4 -> new Step(Kind.DELETE, next + "-b", "");
            case 5 -> new Step(Kind.CREATE, here + "-c" + LONG_END, "");
            case 6 -> new Step(Kind.CREATE, other + "-e", "");
            case 7 -> new Step(Kind.RENAME, here + "-dir/" + name + "-in", other + "-out");
            default -> new Step(Kind.REPLACE, other + "-e", here + "-c" + LONG_END);
        };
    }

    /** The names after so many operations. */
    Set<String> after(long steps) {
        Set<String> names = new TreeSet<>();
        for (long number = 0; number < steps; number++) {
            apply(step(number), names);
        }
        return names;
    }

    private static void apply(Step step, Set<String> names) {
        switch (step.kind()) {
            case CREATE, MKDIR -> names.add(step.path());
            case DELETE -> names.remove(step.path());
            case RENAME, REPLACE -> {
                names.remove(step.path());
                names.add(step.target());
            }
        }
    }

    /**
     * Compares the names that are there with those of {@code acknowledged} operations. One more operation may have been executed: the one
     * whose answer was under way, or not recorded yet.
     *
     * @return what differs; null if nothing does
     */
    @Nullable
    String difference(long acknowledged, Set<String> found) {
        Set<String> wanted = after(acknowledged);
        if (wanted.equals(found)) {
            return null;
        }
        Set<String> oneMore = new TreeSet<>(wanted);
        apply(step(acknowledged), oneMore);
        if (oneMore.equals(found)) {
            return null;
        }
        return "worker %d after %d acknowledged operations: missing %s, not expected %s"
                .formatted(worker, acknowledged, without(wanted, found), without(found, oneMore));
    }

    private static String without(Set<String> names, Set<String> others) {
        Set<String> rest = new TreeSet<>(names);
        rest.removeAll(others);
        return rest.size() + " " + rest.stream().limit(SHOWN).toList();
    }
}
