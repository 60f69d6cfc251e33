package io.hmfs.server;

/**
 * Which part of a long exploration a run takes: {@code bin/test} makes the number of one of the commit, so that each commit is tested
 * the same way again, and other commits with other parts. {@code -Dhmfs.part=N} chooses it.
 */
public final class SampledPart {
    private static final long PART = Long.getLong("hmfs.part", 0);

    private SampledPart() {}

    /** From 0 on, if there are so many parts. */
    public static int of(int parts) {
        return (int) Math.floorMod(PART, (long) parts);
    }
}
