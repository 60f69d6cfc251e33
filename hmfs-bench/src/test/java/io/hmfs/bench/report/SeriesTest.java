package io.hmfs.bench.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Goal: medians, extremes and ratios are what they say.
 * Method: series worked out by hand, among them one where the ratio of medians differs from the median of ratios.
 */
class SeriesTest {
    @Test
    void theMedianOfAnOddNumberOfRoundsIsTheMiddleOne() {
        Result result = new Series("stat", "hmfs", "ops/s", List.of(9.0, 1.0, 4.0)).result();
        assertEquals(new Result("stat", "hmfs", "ops/s", 4, 1, 9), result);
    }

    @Test
    void theMedianOfAnEvenNumberOfRoundsLiesBetweenTheTwoInTheMiddle() {
        assertEquals(
                3.0,
                new Series("stat", "hmfs", "ops/s", List.of(4.0, 100.0, 2.0, 1.0))
                        .result()
                        .median());
    }

    @Test
    void aRatioIsTakenRoundByRound() {
        Series hmfs = new Series("stat", "hmfs", "ops/s", List.of(1.0, 50.0, 30.0));
        Series map = new Series("stat", "map", "ops/s", List.of(10.0, 100.0, 100.0));
        assertEquals(
                new Result("stat/map", "hmfs", Result.RATIO, 0.3, 0.1, 0.5),
                hmfs.dividedBy(map).result());
    }

    @Test
    void unlikeSeriesHaveNoRatio() {
        Series two = new Series("stat", "hmfs", "ops/s", List.of(1.0, 2.0));
        assertThrows(
                IllegalArgumentException.class, () -> two.dividedBy(new Series("stat", "map", "ops/s", List.of(1.0))));
        assertThrows(
                IllegalArgumentException.class,
                () -> two.dividedBy(new Series("stat", "map", "us", List.of(1.0, 2.0))));
        assertThrows(IllegalArgumentException.class, () -> new Series("stat", "map", "us", List.of()));
    }

    @Test
    void aTargetIsReachedOnItsOwnSide() {
        assertTrue(Target.atLeast("stat/map", 0.4).isMet(0.4));
        assertFalse(Target.atLeast("stat/map", 0.4).isMet(0.39));
        assertTrue(Target.atMost("latency/echo", 1.5).isMet(1.5));
        assertFalse(Target.atMost("latency/echo", 1.5).isMet(1.51));
    }
}
