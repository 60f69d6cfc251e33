package io.hmfs.client;

/**
 * What a file, or a directory and all below it, amounts to.
 *
 * @param bytes sizes of the files; one with several names counts with each; {@link Long#MAX_VALUE} if they are more
 * @param files and symbolic links
 * @param directories that at the top included
 * @param nameQuota of the directory at the top; -1: none
 * @param spaceQuota the same, in bytes
 */
public record TreeSummary(long bytes, long files, long directories, long nameQuota, long spaceQuota) {
    /** Without quotas. */
    public TreeSummary(long bytes, long files, long directories) {
        this(bytes, files, directories, QuotaInfo.NONE, QuotaInfo.NONE);
    }

    TreeSummary plus(TreeSummary other) {
        long sum = bytes + other.bytes;
        return new TreeSummary(
                sum < 0 ? Long.MAX_VALUE : sum,
                files + other.files,
                directories + other.directories,
                nameQuota,
                spaceQuota);
    }
}
