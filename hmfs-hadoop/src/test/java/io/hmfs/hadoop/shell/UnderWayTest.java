package io.hmfs.hadoop.shell;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * Goal: work is under way up to a bound, and its ends are looked at in order.
 * Method: futures that this test ends.
 */
class UnderWayTest {
    private final List<String> shown = new ArrayList<>();
    private final UnderWay work = new UnderWay(2, failure -> shown.add(failure.getMessage()));

    private static CompletableFuture<String> failed(String why) {
        return CompletableFuture.failedFuture(new IOException(why));
    }

    private static void tell(Throwable cause) throws IOException {
        throw new IOException("told: " + cause.getMessage());
    }

    @Test
    void the_oldest_is_awaited_when_there_is_one_too_many() {
        work.add(failed("one"), UnderWayTest::tell);
        work.add(new CompletableFuture<>(), UnderWayTest::tell);
        assertEquals(List.of(), shown);
        work.add(new CompletableFuture<>(), UnderWayTest::tell);
        assertEquals(List.of("told: one"), shown);
    }

    @Test
    void failures_are_shown_in_the_order_of_the_work() {
        CompletableFuture<String> first = new CompletableFuture<>();
        work.add(first, UnderWayTest::tell);
        work.add(failed("two"), UnderWayTest::tell);
        first.completeExceptionally(new IOException("one"));
        work.await();
        assertEquals(List.of("told: one", "told: two"), shown);
    }

    @Test
    void what_is_given_up_is_not_awaited() {
        CompletableFuture<String> never = new CompletableFuture<>();
        work.add(never, UnderWayTest::tell);
        work.cancel();
        work.await();
        assertTrue(never.isCancelled());
    }

    @Test
    void an_interrupt_is_shown_and_kept() {
        work.add(new CompletableFuture<>(), UnderWayTest::tell);
        Thread.currentThread().interrupt();
        work.await();
        assertTrue(Thread.interrupted());
        assertEquals(List.of("interrupted"), shown);
    }

    @Test
    void other_exceptions_come_out() {
        work.add(failed("one"), cause -> {
            throw new IllegalStateException(cause);
        });
        assertThrows(IllegalStateException.class, work::await);
    }
}
