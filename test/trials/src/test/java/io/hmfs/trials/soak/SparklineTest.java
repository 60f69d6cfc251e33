package io.hmfs.trials.soak;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Goal: a chart shows the least value lowest, the greatest highest, and no peak gets lost where columns are few.
 * Method: short rows whose charts are known.
 */
class SparklineTest {
    @Test
    void theLeastIsLowestAndTheGreatestHighest() {
        assertEquals("▁▃▅█", Sparkline.of(List.of(10.0, 12.0, 14.0, 17.0), 60));
    }

    @Test
    void aFlatRowIsFlat() {
        assertEquals("▁▁▁", Sparkline.of(List.of(5.0, 5.0, 5.0), 60));
    }

    @Test
    void aColumnShowsTheGreatestOfItsValues() {
        assertEquals("▁█▁", Sparkline.of(List.of(0.0, 0.0, 9.0, 0.0, 0.0, 0.0), 3));
    }

    @Test
    void nothingHasNoChart() {
        assertEquals("", Sparkline.of(List.of(), 60));
    }
}
