package io.hmfs.server.exec;

/** The limits of one directory, and what is below it. All but {@link #id} is guarded by {@link Quotas}. */
final class Quota {
    /** No limit. */
    static final long NONE = -1;

    /** The directory. */
    final long id;

    long names;
    long bytes;

    /** Whether the next two are known; until then nothing below changes. */
    boolean isCounted;

    long usedNames;
    long usedBytes;

    /** How often it was to be counted anew. */
    int counts;

    Quota(long id, long names, long bytes) {
        this.id = id;
        this.names = names;
        this.bytes = bytes;
    }

    /** Whether so much more would be too much; what gets less is never too much. */
    static boolean isExceeded(long limit, long used, long more) {
        return limit >= 0 && more > 0 && used > limit - more;
    }
}
