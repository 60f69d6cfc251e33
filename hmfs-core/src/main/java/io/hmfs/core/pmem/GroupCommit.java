package io.hmfs.core.pmem;

import java.util.function.Consumer;

/**
 * When what was fenced is durable. With real persistent memory, or without any promise, that is at the fence; with a log it is
 * when the disk has the log up to there, by one sync for all that were fenced meanwhile, and answers have to wait for it.
 */
public interface GroupCommit {
    /** Durable at the fence: no answer waits. */
    GroupCommit AT_FENCE = new GroupCommit() {
        @Override
        public void enter() {}

        @Override
        public long position() {
            return 0;
        }

        @Override
        public void await(long position) {}

        @Override
        public void whenDurable(long position, Runnable action, Consumer<Throwable> onFailure) {
            action.run();
        }

        @Override
        public void whenDurableAnyway(long position, Runnable action, Consumer<Throwable> onFailure) {
            action.run();
        }

        @Override
        public void onFailure(Consumer<Throwable> listener) {}
    };

    /** To be called by a thread before an operation: the last moment to refuse it, because nothing is half done. */
    void enter();

    /** All that this thread has fenced or seen fenced stands at or before this position. */
    long position();

    /** Returns when all up to {@code position} is safe; throws {@link IllegalStateException} if it never will be. */
    void await(long position);

    /**
     * Runs {@code action} when all up to {@code position} is safe, at once if it is; else on a thread that must not be held up.
     * If it never will be safe, {@code onFailure} is called instead.
     */
    void whenDurable(long position, Runnable action, Consumer<Throwable> onFailure);

    /**
     * Runs {@code action} as {@link #whenDurable} does, but does not ask the log to be written: the action waits for a write that another caller asks
     * for, or for the one that the log makes of itself some milliseconds later. For work in the background: if it asked, the log might write the first half
     * of a change, and the answer to that change would wait for a second write.
     */
    void whenDurableAnyway(long position, Runnable action, Consumer<Throwable> onFailure);

    /** Tells {@code listener}, once, if nothing more will be safe. */
    void onFailure(Consumer<Throwable> listener);

    /** How far the log is. */
    default LogFigures figures() {
        return LogFigures.NONE;
    }
}
