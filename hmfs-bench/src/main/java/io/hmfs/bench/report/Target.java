package io.hmfs.bench.report;

/**
 * A figure to reach, printed beside the result; never an assertion, because a busy machine would fail it.
 *
 * @param result name of the result whose median it is about
 * @param atLeast whether the bound is a lower one
 */
public record Target(String result, double bound, boolean atLeast) {
    public static Target atLeast(String result, double bound) {
        return new Target(result, bound, true);
    }

    public static Target atMost(String result, double bound) {
        return new Target(result, bound, false);
    }

    /** Whether a median reaches it. */
    public boolean isMet(double median) {
        return atLeast ? median >= bound : median <= bound;
    }
}
