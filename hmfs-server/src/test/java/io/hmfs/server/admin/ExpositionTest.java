package io.hmfs.server.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * Goal: metrics are read as the format says, and what is not in the format is refused; percentiles come from the right buckets.
 * Method: small texts, each with one mistake; buckets by hand.
 */
class ExpositionTest {
    private static final String HEAD = "# HELP a_total What.\n# TYPE a_total counter\n";

    @Test
    void samplesHaveTheirLabelsAndValues() {
        Exposition read = Exposition.parse(
                HEAD
                        + "a_total{x=\"1\",y=\"\\\\ \\\" \\n,}\"} 3.0\na_total{x=\"2\"} +Inf\n# HELP b What.\n# TYPE b gauge\nb -1e-3\n");
        assertEquals(3.0, read.sum("a_total", labels -> "1".equals(labels.get("x"))));
        assertEquals(
                Map.of("x", "1", "y", "\\ \" \n,}"),
                read.samples("a_total").getFirst().labels());
        assertEquals(-0.001, read.sum("b"));
        assertEquals(
                "counter",
                read.families()
                        .getOrDefault("a_total", new Exposition.Family("", "", List.of()))
                        .type());
    }

    @Test
    void whatIsNotInTheFormatIsRefused() {
        for (String wrong : List.of(
                "a_total 1\n", // not announced
                HEAD + "a_total 1", // no end of line
                HEAD + "a_total x\n",
                HEAD + "a_total 1\na_total 2\n", // twice
                HEAD + "b 1\n",
                HEAD + "a_total{x=1} 1\n",
                HEAD + "a_total{x=\"1} 1\n",
                HEAD + "a_total{x=\"1\" y=\"2\"} 1\n",
                HEAD + HEAD,
                "# TYPE a counter\n", // no help
                "# HELP a What.\n# TYPE b counter\n",
                HEAD + "\n",
                HEAD + "a_total_sum 1\n")) {
            assertThrows(IllegalArgumentException.class, () -> Exposition.parse(wrong), wrong);
        }
    }

    @Test
    void percentilesLieInTheirBuckets() {
        TreeMap<Double, Double> within = new TreeMap<>(Map.of(1.0, 50.0, 2.0, 90.0, 4.0, 100.0));
        within.put(Double.POSITIVE_INFINITY, 100.0);
        Traffic.Kind kind = new Traffic.Kind(100, 0, within);
        assertEquals(1.0, kind.percentile(0.5));
        assertEquals(1.5, kind.percentile(0.7), 1e-9);
        assertEquals(4.0, kind.percentile(1));
        assertEquals(0, new Traffic.Kind(0, 0, new TreeMap<>()).percentile(0.5));
        within.put(Double.POSITIVE_INFINITY, 200.0);
        assertEquals(
                4.0, new Traffic.Kind(200, 0, within).percentile(0.99)); // longer than the last bound: at least that
    }

    @Test
    void trafficBetweenTwoLooksIsTheDifferenceAndANewServerStartsAtNothing() {
        Traffic before = Traffic.of(Exposition.parse(requests(10, 2)));
        Traffic after = Traffic.of(Exposition.parse(requests(15, 3)));
        assertEquals(6, after.since(before).kind("stat").requests());
        assertEquals(1, after.since(before).kind("stat").failed());
        assertEquals(12, before.since(after).kind("stat").requests());
        assertEquals(List.of(), after.since(after).operations());
    }

    private static String requests(int good, int bad) {
        return "# HELP hmfs_requests_total R\n# TYPE hmfs_requests_total counter\n"
                + "hmfs_requests_total{operation=\"stat\",status=\"OK\"} " + good + "\n"
                + "hmfs_requests_total{operation=\"stat\",status=\"NOT_FOUND\"} " + bad + "\n";
    }
}
