package io.hmfs.server.quota;

import io.hmfs.core.type.Attributes;

/** The limits of one directory, and what is below it. All but {@link #id} is guarded by {@link Quotas}. */
public final class Quota {
    /** No limit. */
    public static final long NONE = -1;

    /** Of all sizes below a directory with a quota, whatever its limits: so many can be added up, and taken off again. */
    static final long BYTES_MAX = Attributes.SIZE_MAX;

    /** The directory. */
    final long id;

    public long names;
    public long bytes;

    /** Of the pool, where its limits stand; NONE for a copy. */
    long record;

    /** Whether the next two are known; until then nothing below changes. */
    boolean isCounted;

    /** Whether nothing was left out, behind a damaged entry. */
    boolean isWhole = true;

    public long usedNames;

    /** {@link Long#MAX_VALUE}: more than that was there when it was counted, and it stays so until the limits are set again. */
    public long usedBytes;

    /** How often it was to be counted anew. */
    int counts;

    public Quota(long id, long names, long bytes, long record) {
        this.id = id;
        this.names = names;
        this.bytes = bytes;
        this.record = record;
    }

    /** The limit of the bytes. */
    long bytesMax() {
        return bytes < 0 ? BYTES_MAX : Math.min(bytes, BYTES_MAX);
    }

    /** Whether so many names more would be too much; what gets less is never too much. */
    boolean isExceededByNames(long more) {
        return names >= 0 && more > 0 && usedNames > names - more;
    }

    /** The same of bytes. */
    boolean isExceededByBytes(long more) {
        return more > 0 && usedBytes > bytesMax() - more;
    }

    /** With the quota lock taken exclusively: until it is counted nothing below changes. */
    void countAnew() {
        isCounted = false;
        counts++;
    }

    void add(long moreNames, long moreBytes) {
        usedNames += moreNames;
        usedBytes = usedBytes == Long.MAX_VALUE ? usedBytes : usedBytes + moreBytes;
    }
}
