package io.hmfs.server.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * Goal: percentiles are told from what the buckets have.
 * Method: buckets by hand.
 */
class TrafficTest {
    private static Traffic.Kind kind(double requests, Map<Double, Double> within) {
        return new Traffic.Kind(requests, 0, new TreeMap<>(within));
    }

    @Test
    void aRequestThatIsNotInItsBucketYetChangesNoPercentile() {
        assertEquals(2, kind(10, Map.of(1.0, 0.0, 2.0, 9.0, 4.0, 9.0)).percentile(1), 1e-9);
        assertEquals(1.5, kind(10, Map.of(1.0, 0.0, 2.0, 9.0, 4.0, 9.0)).percentile(0.5), 1e-9);
    }

    @Test
    void nothingTakesNoTime() {
        assertEquals(0, kind(0, Map.of()).percentile(0.5));
        assertEquals(0, kind(0, Map.of(1.0, 0.0, Double.POSITIVE_INFINITY, 0.0)).percentile(0.99));
    }

    @Test
    void whatIsLongerThanAllBoundsIsTheLastOfThem() {
        assertEquals(1, kind(5, Map.of(1.0, 2.0, Double.POSITIVE_INFINITY, 5.0)).percentile(0.9));
    }
}
