package io.hmfs.server.quota;

/** The limits of one directory, and what is below it. All but {@link #id} is guarded by {@link Quotas}. */
public final class Quota {
    /** No limit. */
    public static final long NONE = -1;

    /** The directory. */
    final long id;

    public long names;
    public long bytes;

    /** Of the pool, where its limits stand; NONE for a copy. */
    long record;

    /** Whether the next two are known; until then nothing below changes. */
    boolean isCounted;

    public long usedNames;
    public long usedBytes;

    /** How often it was to be counted anew. */
    int counts;

    public Quota(long id, long names, long bytes, long record) {
        this.id = id;
        this.names = names;
        this.bytes = bytes;
        this.record = record;
    }

    /** Whether so much more would be too much; what gets less is never too much. */
    static boolean isExceeded(long limit, long used, long more) {
        return limit >= 0 && more > 0 && used > limit - more;
    }
}
