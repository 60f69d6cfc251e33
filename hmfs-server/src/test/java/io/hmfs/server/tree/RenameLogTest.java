package io.hmfs.server.tree;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/**
 * Goal: what has moved since a position is told whole, or it is told that nobody knows.
 * Method: positions inside, at the edges and outside of what is kept.
 */
class RenameLogTest {
    private final RenameLog moved = new RenameLog();

    @Test
    void allThatMovedIsToldInItsOrderAndInParts() {
        assertFalse(moved.isWatched());
        long from = moved.watch();
        assertTrue(moved.isWatched());
        assertArrayEquals(new long[0], moved.since(from, 10));
        moved.add(5, false);
        moved.add(6, true);
        moved.add(7, false);
        assertArrayEquals(new long[] {5, 6 | RenameLog.DIRECTORY, 7}, moved.since(from, 10));
        assertArrayEquals(new long[] {5, 6 | RenameLog.DIRECTORY}, moved.since(from, 2));
        assertArrayEquals(new long[] {7}, moved.since(from + 2, 2));
        long second = moved.watch(); // another one begins
        assertEquals(from + 3, second);
        assertArrayEquals(new long[] {7}, moved.since(from + 2, 2));
    }

    @Test
    void whatIsKeptIsToldToTheLastAndNothingOfWhatIsNot() {
        long from = moved.watch();
        for (int i = 1; i <= RenameLog.KEPT; i++) {
            moved.add(i, false);
        }
        long[] all = moved.since(from, RenameLog.KEPT);
        assertEquals(RenameLog.KEPT, all == null ? 0 : all.length);
        assertEquals(1, all == null ? 0 : all[0]);
        moved.add(99, false);
        assertNull(moved.since(from, 10), "the first of them was overwritten");
        assertArrayEquals(new long[] {2}, moved.since(from + 1, 1));
    }

    @Test
    void aPositionOfAnotherTimeIsNotKnown() {
        assertNull(moved.since(1, 10), "nobody watches");
        long from = moved.watch();
        assertNull(moved.since(from - 1, 10), "before the watch");
        assertNull(moved.since(from + 1, 10), "to come");
        assertNull(moved.since(0, 10));
    }
}
