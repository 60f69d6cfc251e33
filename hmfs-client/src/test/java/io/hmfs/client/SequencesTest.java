package io.hmfs.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * Goal: the oldest open number is known, and none is given further above it than the server remembers.
 * Method: random takes and closes, and windows that change, beside a sorted set.
 */
class SequencesTest {
    @Test
    void theOldestAndTheRoomAreThoseOfASortedSet() {
        for (int seed = 0; seed < 200; seed++) {
            Random random = new Random(seed);
            Sequences sequences = new Sequences();
            TreeSet<Long> open = new TreeSet<>();
            int window = 1 + random.nextInt(20);
            sequences.window(window);
            long next = 1;
            for (int step = 0; step < 500; step++) {
                if (random.nextInt(50) == 0) {
                    window = 1 + random.nextInt(40);
                    sequences.window(window);
                }
                boolean room = open.isEmpty() || next - open.first() < window;
                assertEquals(room, sequences.hasRoom());
                if (room && random.nextInt(3) > 0) {
                    assertEquals(next, sequences.take());
                    open.add(next++);
                } else if (!open.isEmpty()) {
                    Long[] all = open.toArray(Long[]::new);
                    long closed = all[random.nextInt(all.length)];
                    open.remove(closed);
                    sequences.close(closed);
                }
                assertEquals(open.isEmpty() ? next : open.first(), sequences.oldest());
                assertEquals(next, sequences.next());
            }
        }
    }

    @Test
    void aWindowOfOneLetsOneOut() {
        Sequences sequences = new Sequences();
        sequences.window(1);
        assertTrue(sequences.hasRoom());
        long one = sequences.take();
        assertFalse(sequences.hasRoom());
        sequences.close(one);
        assertTrue(sequences.hasRoom());
    }
}
