package io.hmfs.hadoop.store;

import io.hmfs.client.Grant;
import io.hmfs.client.HmfsException;
import io.hmfs.client.ResultCode;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Gives the grant that goes with each request about the data of an open file. Thread-safe. */
@FunctionalInterface
public interface GrantSource {
    /** How many grants are shown for one request before a refusal is one. */
    int ATTEMPTS_MAX = 16;

    /** For stores that ask for none. */
    GrantSource NONE = () -> Grant.NONE;

    /** The grant as it is now. */
    Grant current();

    /**
     * Asks the server for another grant, after it has refused this one. The server refuses a grant that has ended, because the file's
     * mode, owner or ACL have changed. Null if the user has no right to the file any more, or the file is not at its path any more.
     */
    default CompletableFuture<@Nullable Grant> another(Grant refused) {
        return CompletableFuture.completedFuture(null);
    }

    /**
     * Makes a request, and makes it again with {@linkplain #another another grant} each time the server refuses the grant, up to
     * {@link #ATTEMPTS_MAX} times. A new grant may have ended before it is shown, because the rights of many files are changing.
     */
    default <T> CompletableFuture<T> with(Function<Grant, CompletableFuture<T>> request) {
        return attempt(request, current(), ATTEMPTS_MAX);
    }

    private <T> CompletableFuture<T> attempt(Function<Grant, CompletableFuture<T>> request, Grant grant, int left) {
        CompletableFuture<T> asked = request.apply(grant);
        return asked.exceptionallyCompose(failure -> left > 1 && isRefusal(failure)
                ? another(grant).thenCompose(next -> next == null ? asked : attempt(request, next, left - 1))
                : asked);
    }

    private static boolean isRefusal(@Nullable Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        return cause instanceof HmfsException refused && refused.code() == ResultCode.ACCESS_DENIED;
    }
}
