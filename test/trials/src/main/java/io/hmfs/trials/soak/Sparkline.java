package io.hmfs.trials.soak;

import java.util.List;

/** A chart of one line: eight heights, from the least value to the greatest. */
public final class Sparkline {
    private static final String HEIGHTS = "▁▂▃▄▅▆▇█";

    private Sparkline() {}

    /** So many columns at most; a column shows the greatest of the values that fall into it. */
    public static String of(List<Double> values, int columnsMax) {
        int columns = Math.min(columnsMax, values.size());
        if (columns == 0) {
            return "";
        }
        double[] tops = new double[columns];
        for (int column = 0; column < columns; column++) {
            int from = column * values.size() / columns;
            int to = (column + 1) * values.size() / columns;
            tops[column] = values.subList(from, to).stream()
                    .mapToDouble(Double::doubleValue)
                    .max()
                    .orElseThrow();
        }
        double least = values.stream().mapToDouble(Double::doubleValue).min().orElseThrow();
        double span = values.stream().mapToDouble(Double::doubleValue).max().orElseThrow() - least;
        StringBuilder line = new StringBuilder();
        for (double top : tops) {
            int height = span == 0 ? 0 : (int) Math.round((top - least) / span * (HEIGHTS.length() - 1));
            line.append(HEIGHTS.charAt(height));
        }
        return line.toString();
    }
}
