package io.hmfs.core;

import io.hmfs.core.sim.ReferenceNamespace;
import io.hmfs.core.type.ListCursor;
import io.hmfs.core.type.Status;
import java.util.Random;
import java.util.TreeSet;

/** An operation, on the engine and on the model. The model's objects get {@code id}. */
record Step(String text, Engine engine, Model model, boolean makes) {
    interface Engine {
        Status on(PoolNamespace namespace);
    }

    interface Model {
        Status on(ReferenceNamespace model, long id);
    }

    /** Page by page, with a hint that may be nonsense. */
    static Step list(long d, Random random) {
        TreeSet<String> seen = new TreeSet<>();
        return new Step(
                "list " + d,
                e -> {
                    ListCursor cursor = new ListCursor();
                    while (!cursor.atEnd()) {
                        int limit = seen.size() + 1 + random.nextInt(5);
                        Status status =
                                e.list(d, cursor, (name, _) -> seen.size() < limit && seen.add(name.toString()));
                        if (status != Status.OK) {
                            return status;
                        }
                        cursor.at = random.nextInt(10) == 0 ? random.nextLong() : cursor.at;
                    }
                    return Status.OK;
                },
                (m, _) -> {
                    TreeSet<String> names = new TreeSet<>();
                    m.names(d).forEach(names::add);
                    return !m.hasDirectory(d)
                            ? Status.NO_SUCH_DIRECTORY
                            : names.equals(seen) ? Status.OK : Status.STALE;
                },
                false);
    }
}
