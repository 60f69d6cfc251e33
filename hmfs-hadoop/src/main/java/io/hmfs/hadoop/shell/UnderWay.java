package io.hmfs.hadoop.shell;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.function.Consumer;

/** The work that a command has begun. Its end is awaited in the order in which it was begun, on the command's thread. */
final class UnderWay {
    /** What a command does about work that has failed. */
    @FunctionalInterface
    interface Failure {
        void because(Throwable cause) throws IOException;
    }

    private record Begun(Future<?> work, Failure failure) {}

    private final int most;
    private final Consumer<Exception> display;
    private final ArrayDeque<Begun> begun = new ArrayDeque<>();

    /** {@code most}: so much work is under way at once. {@code display}: shows a failure to the user. */
    UnderWay(int most, Consumer<Exception> display) {
        this.most = most;
        this.display = display;
    }

    /** Adds work. Awaits the oldest if there is too much. */
    void add(Future<?> work, Failure failure) {
        begun.add(new Begun(work, failure));
        if (begun.size() > most) {
            end(begun.remove());
        }
    }

    /** Returns when all work has ended. */
    void await() {
        while (!begun.isEmpty()) {
            end(begun.remove());
        }
    }

    /** Gives up what no thread has begun. */
    void cancel() {
        begun.forEach(each -> each.work.cancel(false));
        begun.clear();
    }

    private void end(Begun one) {
        try {
            try {
                one.work.get();
            } catch (ExecutionException e) {
                one.failure.because(Objects.requireNonNull(e.getCause()));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("interrupted");
            }
        } catch (IOException e) {
            display.accept(e);
        }
    }
}
