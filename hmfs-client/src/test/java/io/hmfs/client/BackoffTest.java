package io.hmfs.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * Goal: waits double, have a bound, and differ between clients.
 * Method: many seeds, each wait compared with the range that it has to be in.
 */
class BackoffTest {
    private static final long FIRST = 100;
    private static final long LONGEST = 5000;

    @Test
    void waitsDoubleUpToTheLongestAndAreDrawnFromTheirUpperHalf() {
        for (int attempt = 0; attempt < 80; attempt++) {
            long most = attempt < 6 ? FIRST << attempt : LONGEST;
            long least = Long.MAX_VALUE;
            long greatest = 0;
            Set<Long> drawn = new HashSet<>();
            for (int seed = 0; seed < 500; seed++) {
                Backoff backoff = new Backoff(FIRST, LONGEST, new SplittableRandom(seed));
                long wait = 0;
                for (int i = 0; i <= attempt; i++) {
                    wait = backoff.failed();
                }
                assertEquals(attempt + 1, backoff.attempts());
                least = Math.min(least, wait);
                greatest = Math.max(greatest, wait);
                drawn.add(wait);
            }
            assertTrue(least >= most / 2 && greatest <= most, attempt + ": " + least + " to " + greatest);
            assertTrue(drawn.size() > 20, "only " + drawn.size() + " different waits");
        }
    }

    @Test
    void aSuccessBeginsAgainWithTheFirst() {
        Backoff backoff = new Backoff(FIRST, LONGEST, new SplittableRandom(1));
        for (int i = 0; i < 10; i++) {
            backoff.failed();
        }
        backoff.succeeded();
        assertEquals(0, backoff.attempts());
        assertTrue(backoff.failed() <= FIRST);
    }
}
