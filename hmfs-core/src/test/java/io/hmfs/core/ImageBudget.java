package io.hmfs.core;

import io.hmfs.core.sim.SimPmem;

/** How many images of a moment a test looks at: every one where there are no more than a limit, else a sample. */
final class ImageBudget {
    /** More with {@code -Dhmfs.images=N}. */
    static final int LIMIT = Integer.getInteger("hmfs.images", 64);

    /** A sample grows with the limit: one image of so many. */
    private static final int SAMPLE_OF = 64;

    private ImageBudget() {}

    static boolean takesAll(SimPmem pmem, int limit) {
        return pmem.imageCount() <= limit;
    }

    /** For {@link SimPmem#images}; {@code sample} is the least that is taken of more than {@code limit}. */
    static int of(SimPmem pmem, int limit, int sample) {
        return takesAll(pmem, limit) ? limit : Math.max(sample, limit / SAMPLE_OF);
    }
}
