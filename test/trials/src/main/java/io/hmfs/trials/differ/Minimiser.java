package io.hmfs.trials.differ;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Delta debugging (Zeller, Hildebrandt, <a href="https://doi.org/10.1109/32.988498">Simplifying and isolating failure-inducing input</a>): leaves
 * out parts, which become smaller and smaller, as long as what is left still fails. What it returns fails, and does not if any one element
 * is left out, unless the number of tries came to its bound.
 */
final class Minimiser<T> {
    /** Says whether these elements still fail. */
    interface Oracle<T> {
        boolean fails(List<T> elements) throws IOException;
    }

    private final Oracle<T> oracle;
    private int triesLeft;

    Minimiser(Oracle<T> oracle, int triesMax) {
        this.oracle = oracle;
        this.triesLeft = triesMax;
    }

    /** A shortest part of them that fails; they must fail as they are. */
    List<T> minimise(List<T> elements) throws IOException {
        List<T> left = new ArrayList<>(elements);
        int part = Math.max(1, left.size() / 2);
        while (triesLeft > 0) {
            boolean shorter = false;
            // From the end: what comes last depends on the most, and little depends on it.
            for (int end = left.size(); end > 0 && triesLeft > 0; end -= part) {
                List<T> candidate = new ArrayList<>(left.subList(0, Math.max(0, end - part)));
                candidate.addAll(left.subList(end, left.size()));
                triesLeft--;
                if (oracle.fails(candidate)) {
                    left = candidate;
                    shorter = true;
                }
            }
            if (part == 1 && !shorter) {
                break;
            }
            part = Math.max(1, part / 2);
        }
        return left;
    }
}
