package io.hmfs.hadoop.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hmfs.client.Grant;
import io.hmfs.client.HmfsException;
import io.hmfs.client.ResultCode;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Goal: a request is made with as many grants as it takes, and no more. Method: grants that are numbered, of which the first ones have ended. */
class GrantSourceTest {
    /** Gives grants 1, 2, …, {@code last}. */
    private record Numbered(long last) implements GrantSource {
        @Override
        public Grant current() {
            return new Grant(1, 1);
        }

        @Override
        public CompletableFuture<@Nullable Grant> another(Grant refused) {
            long next = refused.grant() + 1;
            return CompletableFuture.completedFuture(next > last ? null : new Grant(next, next));
        }
    }

    /** The number of the grant with which a request succeeds that is refused before {@code good}. */
    private static long outcome(long last, long good, ResultCode code) {
        return new Numbered(last)
                .with(grant -> grant.grant() < good
                        ? CompletableFuture.<Long>failedFuture(new HmfsException(code, "planned"))
                        : CompletableFuture.completedFuture(grant.grant()))
                .join();
    }

    @Test
    void a_request_is_made_with_grants_until_one_is_good() {
        long most = GrantSource.ATTEMPTS_MAX;
        assertEquals(1, outcome(100, 1, ResultCode.ACCESS_DENIED));
        assertEquals(2, outcome(100, 2, ResultCode.ACCESS_DENIED));
        assertEquals(most, outcome(100, most, ResultCode.ACCESS_DENIED));
        assertThrows(CompletionException.class, () -> outcome(100, most + 1, ResultCode.ACCESS_DENIED));
        assertThrows(CompletionException.class, () -> outcome(3, 4, ResultCode.ACCESS_DENIED), "there is no other");
        assertThrows(CompletionException.class, () -> outcome(100, 2, ResultCode.LEASE_LOST), "that is no refusal");
    }
}
