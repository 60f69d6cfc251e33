package io.hmfs.trials.differ;

import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Ends calls that take too long. Some never end: a recursive listing follows symbolic links that lead back to a directory above them, of two
 * such links each in turn, so that there are billions of paths before one has too many links.
 */
final class TimeLimit {
    private final long millis;

    /** @param millis how long a call may take, and then how long it may take to end once its thread was interrupted */
    TimeLimit(long millis) {
        this.millis = millis;
    }

    /**
     * What the call returns or throws.
     *
     * @throws TimeoutException if it took too long; it has ended
     * @throws IllegalStateException if it goes on although its thread was interrupted
     */
    <T> T call(Callable<T> call) throws Exception {
        FutureTask<T> task = new FutureTask<>(call);
        Thread thread = Thread.ofPlatform().daemon().name("differ-call").unstarted(task);
        thread.start();
        try {
            return task.get(millis, TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof Exception cause ? cause : e;
        } catch (TimeoutException e) {
            thread.interrupt();
            thread.join(millis);
            if (thread.isAlive()) {
                throw new IllegalStateException(
                        "a call goes on, " + millis + " ms after its thread was interrupted", e);
            }
            throw e;
        }
    }
}
