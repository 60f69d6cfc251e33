package io.hmfs.core;

import io.hmfs.core.sim.SimPoolFile;
import java.util.function.Consumer;

/** A process that dies in the middle of its work: it stores nothing from then on, and its memory stays. */
final class ProcessDeath {
    private static final class Death extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    private ProcessDeath() {}

    /** Opens a pool and has a process work on it that dies before an event; false if its work came to an end before that. */
    static boolean before(int event, SimPoolFile file, Consumer<PoolNamespace> work) {
        PoolNamespace namespace = new PoolNamespace("sim", file, false);
        return before(event, file, () -> work.accept(namespace));
    }

    /** The same of one that dies while it opens the pool. */
    static boolean whileItStarts(int event, SimPoolFile file) {
        return before(event, file, () -> new PoolNamespace("sim", file, false));
    }

    /** The same of a process that has the pool open. */
    static boolean before(int event, SimPoolFile file, Runnable work) {
        int[] left = {event};
        file.pmem().beforeEachEvent(() -> {
            if (left[0]-- == 0) {
                throw new Death();
            }
        });
        try {
            work.run();
            file.pmem().beforeEachEvent(null);
            return false;
        } catch (Death e) {
            file.pmem().processDied();
            return true;
        }
    }
}
