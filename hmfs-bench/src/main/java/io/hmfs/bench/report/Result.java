package io.hmfs.bench.report;

/**
 * One line of a report.
 *
 * @param name what was measured, such as {@code stat}; of a ratio both sides, such as {@code stat/map}
 * @param subject whose figure it is; of a ratio, the numerator's
 * @param unit unit of the three figures, {@code ratio} for a ratio
 */
public record Result(String name, String subject, String unit, double median, double min, double max) {
    /** The unit of a ratio. */
    public static final String RATIO = "ratio";
}
