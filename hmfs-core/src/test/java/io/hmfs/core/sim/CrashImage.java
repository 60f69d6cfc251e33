package io.hmfs.core.sim;

import java.util.Arrays;

/**
 * What a power loss leaves: for each line with stores that were not durable, how many of them it kept, in their order. Valid
 * until the simulator that made it sees its next store or fence.
 */
public final class CrashImage {
    private final int[] lines;
    private final int[] logged;
    private final int[] kept;

    CrashImage(int[] lines, int[] logged, int[] kept) {
        this.lines = lines;
        this.logged = logged;
        this.kept = kept.clone();
    }

    int[] lines() {
        return lines;
    }

    int[] kept() {
        return kept;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof CrashImage image
                && Arrays.equals(lines, image.lines)
                && Arrays.equals(kept, image.kept);
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.hashCode(lines) + Arrays.hashCode(kept);
    }

    /** Such as {@code [128: 1 of 3, 192: 0 of 1]}: offset of the line, stores kept of those not durable. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("[");
        for (int i = 0; i < lines.length; i++) {
            text.append(i == 0 ? "" : ", ").append(lines[i] * 64L);
            text.append(": ").append(kept[i]).append(" of ").append(logged[i]);
        }
        return text.append(']').toString();
    }
}
