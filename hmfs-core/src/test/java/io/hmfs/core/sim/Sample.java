package io.hmfs.core.sim;

import java.util.SplittableRandom;

/**
 * Which cases of a long exploration a run takes. Of each so many in a row it is one, which depends on the part that the run is of: as
 * many parts with numbers that follow each other take each case once. {@code -Dhmfs.part=N} chooses the part, and
 * {@code -Dhmfs.whole=true} takes every case: {@code bin/dev crash}.
 */
public final class Sample {
    private static final boolean WHOLE = Boolean.getBoolean("hmfs.whole");
    private static final long PART = Long.getLong("hmfs.part", 0);

    static {
        System.out.println(
                WHOLE
                        ? "explorations are run whole"
                        : "explorations are sampled: -Dhmfs.part=" + PART
                                + " repeats the sample, -Dhmfs.whole=true runs all");
    }

    private final int of;
    private final SplittableRandom random;
    private int next;
    private int taken;

    /** One of {@code of} cases. Tests of different names take different ones in the same part, but each test the same when it is repeated. */
    public Sample(int of, String test) {
        this.of = of;
        this.random = new SplittableRandom(test.hashCode());
    }

    /** How much a test must have met to prove something: a sample, which may be of a few cases, at least one of it. */
    public static int least(int ofAll) {
        return WHOLE ? ofAll : 1;
    }

    /** Whether the run takes the next case. */
    public boolean takes() {
        if (next == 0) {
            taken = (int) Math.floorMod(random.nextInt(of) + PART, (long) of);
        }
        boolean takes = WHOLE || next == taken;
        next = (next + 1) % of;
        return takes;
    }
}
