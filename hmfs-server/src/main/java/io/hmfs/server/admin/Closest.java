package io.hmfs.server.admin;

import java.util.Collection;

/** Finds the known word nearest to a misspelt one. */
final class Closest {
    private Closest() {}

    /** {@code  (did you mean X?)} for the known word nearest to {@code word}, or nothing when none is near. */
    static String hint(String word, Collection<String> known) {
        String best = "";
        int bestDistance = Math.max(2, word.length() / 3) + 1;
        for (String candidate : known) {
            int distance = distance(word, candidate);
            if (distance < bestDistance) {
                best = candidate;
                bestDistance = distance;
            }
        }
        if (best.isEmpty()) { // perhaps one that has become shorter
            best = known.stream()
                    .filter(each -> word.endsWith("-" + each))
                    .findFirst()
                    .orElse("");
        }
        return best.isEmpty() ? "" : " (did you mean " + best + "?)";
    }

    /** Insertions, removals and replacements of one letter and swaps of two neighbours that turn {@code a} into {@code b}. */
    static int distance(String a, String b) {
        int[][] cost = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) {
            for (int j = 0; j <= b.length(); j++) {
                if (i == 0 || j == 0) {
                    cost[i][j] = i + j;
                    continue;
                }
                int replace = cost[i - 1][j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                cost[i][j] = Math.min(replace, Math.min(cost[i - 1][j], cost[i][j - 1]) + 1);
                if (i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1)) {
                    cost[i][j] = Math.min(cost[i][j], cost[i - 2][j - 2] + 1);
                }
            }
        }
        return cost[a.length()][b.length()];
    }
}
