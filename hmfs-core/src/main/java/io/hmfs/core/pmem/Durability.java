package io.hmfs.core.pmem;

import java.util.function.Consumer;

/**
 * When what was fenced is safe. With real persistent memory, or without any promise, that is at the fence; with a log it is
 * when the disk has the log up to there, and an answer has to wait for it.
 */
public interface Durability {
    /** Safe at the fence: no answer waits. */
    Durability AT_FENCE = new Durability() {
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

    /** Tells {@code listener}, once, if nothing more will be safe. */
    void onFailure(Consumer<Throwable> listener);

    /** How far the log is. */
    default LogFigures figures() {
        return LogFigures.NONE;
    }
}
