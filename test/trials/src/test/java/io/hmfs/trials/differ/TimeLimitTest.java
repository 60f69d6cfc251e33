package io.hmfs.trials.differ;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.FileNotFoundException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

class TimeLimitTest {
    private static final long LONG = 60_000;

    @Test
    void whatEndsReturnsOrThrowsAsItWould() throws Exception {
        assertEquals("a", new TimeLimit(LONG).call(() -> "a"));
        FileNotFoundException thrown = new FileNotFoundException();
        assertEquals(
                thrown,
                assertThrows(
                        FileNotFoundException.class,
                        () -> new TimeLimit(LONG).call(() -> {
                            throw thrown;
                        })));
    }

    @Test
    void whatDoesNotEndIsInterruptedAndHasEnded() {
        CountDownLatch never = new CountDownLatch(1);
        boolean[] ended = {false};
        // The limit is used up whole. A busy machine may need as long again to let the thread end.
        assertThrows(
                TimeoutException.class,
                () -> new TimeLimit(2_000).call(() -> {
                    try {
                        never.await();
                    } finally {
                        ended[0] = true;
                    }
                    return "";
                }));
        assertTrue(ended[0]);
    }
}
