package io.hmfs.core.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The lines that each thread has written back since its last fence, each with the number of the last store before that. */
final class WriteBacks {
    private record Started(Thread thread, Map<Integer, Long> marks) {}

    private final List<Started> all = new ArrayList<>();

    Map<Integer, Long> ofThisThread() {
        Thread thread = Thread.currentThread();
        for (Started mine : all) { // few threads; no hash, so that a run under a model checker repeats
            if (mine.thread.equals(thread)) {
                return mine.marks;
            }
        }
        Started mine = new Started(thread, new TreeMap<>());
        all.add(mine);
        return mine.marks;
    }

    /** No fence will come. */
    void clear() {
        all.clear();
    }
}
