package io.hmfs.client;

/**
 * What a directory may have below it, and has.
 *
 * @param nameQuota {@link #NONE}: no limit
 * @param spaceQuota bytes; {@link #NONE}: no limit
 * @param names files, symbolic links and directories, itself included; 0 if neither has a limit
 * @param bytes sizes of files; 0 if neither has a limit
 */
public record QuotaInfo(long nameQuota, long spaceQuota, long names, long bytes) {
    /** No limit. */
    public static final long NONE = -1;

    /** In a change of a quota: this limit stays as it is. */
    public static final long KEEP = Long.MAX_VALUE;

    /** Whether there is any limit. */
    public boolean isSet() {
        return nameQuota != NONE || spaceQuota != NONE;
    }
}
