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

    /** Makes a request with the grant as it is now, and if that is refused once more with {@linkplain #another another}. */
    default <T> CompletableFuture<T> with(Function<Grant, CompletableFuture<T>> request) {
        Grant grant = current();
        CompletableFuture<T> first = request.apply(grant);
        return first.exceptionallyCompose(failure -> isRefusal(failure) ? again(grant, request, first) : first);
    }

    private <T> CompletableFuture<T> again(
            Grant refused, Function<Grant, CompletableFuture<T>> request, CompletableFuture<T> first) {
        return another(refused).thenCompose(grant -> grant == null ? first : request.apply(grant));
    }

    private static boolean isRefusal(@Nullable Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        return cause instanceof HmfsException refused && refused.code() == ResultCode.ACCESS_DENIED;
    }
}
