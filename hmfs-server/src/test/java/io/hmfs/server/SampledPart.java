package io.hmfs.server;

/**
 * Which part of a long exploration a run takes. {@code bin/test} makes the number of the part from the commit, so that a commit is
 * tested the same way each time, and other commits test other parts. {@code -Dhmfs.part=N} chooses it.
 */
public final class SampledPart {
    private static final long PART = Long.getLong("hmfs.part", 0);

    private SampledPart() {}

    /** From 0 on, if there are so many parts. */
    public static int of(int parts) {
        return (int) Math.floorMod(PART, (long) parts);
    }
}
