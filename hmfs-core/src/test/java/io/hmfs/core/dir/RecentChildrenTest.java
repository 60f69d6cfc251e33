package io.hmfs.core.dir;

import static io.hmfs.core.dir.RecentChildren.DISTANCE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Goal: in a pool of any size a new child of a directory is told which one stands so many behind it, and never one of another directory. */
class RecentChildrenTest {
    private static final int CHILDREN = 3 * DISTANCE;

    @ParameterizedTest
    @ValueSource(longs = {1, 448 << 10, 64 << 20, 1L << 33, Long.MAX_VALUE})
    void eachChildIsToldWhatStandsBehindIt(long capacity) {
        RecentChildren recent = new RecentChildren(capacity);
        for (long directory = 64; directory < 64 * 1_000; directory += 64) {
            for (long child = 1; child <= CHILDREN; child++) {
                long expected = child <= DISTANCE ? 0 : directory + child - DISTANCE;
                assertEquals(expected, recent.noted(directory, directory + child));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {448 << 10, 1L << 33})
    void directoriesThatTakeTurnsAreToldTheirOwnOrNothing(long capacity) {
        RecentChildren recent = new RecentChildren(capacity);
        int told = 0;
        for (long child = 1; child <= CHILDREN; child++) {
            for (long directory = 64; directory <= 192; directory += 64) {
                long behind = recent.noted(directory, directory + child);
                assertTrue(behind == 0 || behind == directory + child - DISTANCE, directory + ": " + behind);
                told += behind == 0 ? 0 : 1;
            }
        }
        assertTrue(told > 0);
    }
}
