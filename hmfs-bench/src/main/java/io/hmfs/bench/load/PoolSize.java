package io.hmfs.bench.load;

/** How large a pool has to be for a number of files with short names. */
public final class PoolSize {
    private static final long MIN = 128L << 20;
    private static final long PER_FILE = 230; // a slot of 192 bytes, and the index at its emptiest
    private static final long REGION = 4L << 20;

    private PoolSize() {}

    /** Bytes, whole regions. */
    public static long of(long files) {
        return (MIN + files * PER_FILE + REGION - 1) & -REGION;
    }
}
