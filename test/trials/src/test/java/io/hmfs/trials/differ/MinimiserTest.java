package io.hmfs.trials.differ;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Goal: what is left fails, and nothing of it can be left out. Method: lists of numbers, and oracles that ask for some of them. */
class MinimiserTest {
    private static final List<Integer> NUMBERS = IntStream.range(0, 100).boxed().toList();

    @Test
    void whatAnOracleNeedsIsLeft() throws IOException {
        Random random = new Random(1);
        for (int i = 0; i < 100; i++) {
            TreeSet<Integer> needed = new TreeSet<>();
            while (needed.size() < 1 + i % 7) {
                needed.add(random.nextInt(NUMBERS.size()));
            }
            assertEquals(
                    List.copyOf(needed),
                    new Minimiser<Integer>(each -> each.containsAll(needed), 10_000).minimise(NUMBERS));
        }
    }

    @Test
    void elementsThatNeedEachOtherGoTogetherOrStay() throws IOException {
        // 20 fails only behind 10, and 10 counts only if 5 is there too.
        Minimiser.Oracle<Integer> oracle =
                each -> each.contains(20) && each.contains(10) == each.contains(5) && each.contains(10);
        assertEquals(List.of(5, 10, 20), new Minimiser<>(oracle, 10_000).minimise(NUMBERS));
    }

    @Test
    void theNumberOfTriesIsBounded() throws IOException {
        int[] tries = {0};
        List<Integer> left = new Minimiser<Integer>(
                        each -> {
                            tries[0]++;
                            return each.contains(99);
                        },
                        3)
                .minimise(NUMBERS);
        assertEquals(3, tries[0]);
        assertTrue(left.contains(99), left::toString);
    }
}
