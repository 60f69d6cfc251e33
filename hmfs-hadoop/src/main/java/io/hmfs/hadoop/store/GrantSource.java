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
     * The grant that takes the place of one that the server has refused: grants end when somebody's right to the file ends. Null if the
     * user has no right any more, or the file is gone from its path.
     */
    default CompletableFuture<@Nullable Grant> another(Grant refused) {
        return CompletableFuture.completedFuture(null);
    }

    /**
     * Makes a request with the grant as it is now, and as long as that is refused with {@linkplain #another another}: while
     * rights of many files change, one may have ended before it is shown.
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
