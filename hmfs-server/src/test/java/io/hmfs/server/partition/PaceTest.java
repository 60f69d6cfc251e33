package io.hmfs.server.partition;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/** Goal: no more bytes are read in a second than are asked for. Method: a clock that the test sets. */
class PaceTest {
    private static final long SECOND = 1_000_000_000L;

    @Test
    void readsWaitUntilTheirBytesAreDue() {
        Pace pace = new Pace(50);
        assertEquals(SECOND / 2, pace.nanosAfter(500, 1_000, 50));
        assertEquals(SECOND, pace.nanosAfter(500, 1_000, 50), "together with those before");
        assertEquals(0, pace.nanosAfter(0, 1_000, 50 + SECOND));
        assertEquals(SECOND / 4, pace.nanosAfter(500, 2_000, 50 + SECOND), "the rate has risen");
    }

    /** A disk that was slow for an hour is not read twice as fast for the next. */
    @Test
    void oneSecondAtMostIsMadeUpFor() {
        Pace pace = new Pace(0);
        assertEquals(0, pace.nanosAfter(1_000, 1_000, 3_600 * SECOND));
        assertEquals(SECOND, pace.nanosAfter(1_000, 1_000, 3_600 * SECOND));
    }
}
