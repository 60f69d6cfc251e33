package io.hmfs.server.tree;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/**
 * Goal: what was renamed since a position is told whole, or it is told that this is not known.
 * Method: positions inside, at the edges and outside of what is kept.
 */
class RenamesForWalksTest {
    private final RenamesForWalks renames = new RenamesForWalks();

    @Test
    void allThatWasRenamedIsToldInItsOrderAndInParts() {
        assertFalse(renames.isWatched());
        long from = renames.watch();
        assertTrue(renames.isWatched());
        assertArrayEquals(new long[0], renames.since(from, 10));
        renames.add(5, false);
        renames.add(6, true);
        renames.add(7, false);
        assertArrayEquals(new long[] {5, 6 | RenamesForWalks.DIRECTORY, 7}, renames.since(from, 10));
        assertArrayEquals(new long[] {5, 6 | RenamesForWalks.DIRECTORY}, renames.since(from, 2));
        assertArrayEquals(new long[] {7}, renames.since(from + 2, 2));
        long second = renames.watch(); // another one begins
        assertEquals(from + 3, second);
        assertArrayEquals(new long[] {7}, renames.since(from + 2, 2));
    }

    @Test
    void whatIsKeptIsToldToTheLastAndNothingOfWhatIsNot() {
        long from = renames.watch();
        for (int i = 1; i <= RenamesForWalks.KEPT; i++) {
            renames.add(i, false);
        }
        long[] all = renames.since(from, RenamesForWalks.KEPT);
        assertEquals(RenamesForWalks.KEPT, all == null ? 0 : all.length);
        assertEquals(1, all == null ? 0 : all[0]);
        renames.add(99, false);
        assertNull(renames.since(from, 10), "the first of them was overwritten");
        assertArrayEquals(new long[] {2}, renames.since(from + 1, 1));
    }

    @Test
    void aPositionOfAnotherTimeIsNotKnown() {
        assertNull(renames.since(1, 10), "not watched");
        long from = renames.watch();
        assertNull(renames.since(from - 1, 10), "before the watch");
        assertNull(renames.since(from + 1, 10), "to come");
        assertNull(renames.since(0, 10));
    }
}
