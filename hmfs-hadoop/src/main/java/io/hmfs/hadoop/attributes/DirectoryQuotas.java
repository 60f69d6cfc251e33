package io.hmfs.hadoop.attributes;

import io.hmfs.client.HmfsException;
import io.hmfs.client.QuotaInfo;
import io.hmfs.hadoop.link.HadoopErrors;
import io.hmfs.hadoop.link.ServerLink;
import java.io.FileNotFoundException;
import java.io.IOException;
import org.apache.hadoop.fs.PathIsNotDirectoryException;
import org.apache.hadoop.fs.QuotaUsage;
import org.jspecify.annotations.Nullable;

/** Quotas of directories in Hadoop's terms. Thread-safe. */
public final class DirectoryQuotas {
    private final ServerLink link;

    public DirectoryQuotas(ServerLink link) {
        this.link = link;
    }

    /** Rejects what HDFS rejects before it asks: {@link Long#MAX_VALUE} is "as it is", -1 is "no limit". */
    public static void check(long names, long space) {
        boolean valid = (names > 0 || names == QuotaInfo.NONE) && (space >= 0 || space == QuotaInfo.NONE);
        if (!valid) {
            throw new IllegalArgumentException("Invalid values for quota : " + names + " and " + space);
        }
    }

    /** Limits the names (itself included) and the bytes of files below a directory. */
    public void set(String path, long names, long space) throws IOException {
        try {
            link.repeat(client -> client.trees().setQuota(path, names, space));
        } catch (HmfsException e) {
            throw switch (e.code()) {
                case NOT_FOUND -> caused(new FileNotFoundException("Directory does not exist: " + path), e);
                case NOT_DIRECTORY -> caused(new PathIsNotDirectoryException(path), e);
                default -> HadoopErrors.translate(path, e);
            };
        }
    }

    private static IOException caused(IOException thrown, HmfsException cause) {
        thrown.initCause(cause);
        return thrown;
    }

    /** What the quota of a directory counts; null if it has none. */
    public @Nullable QuotaUsage usage(String path) throws IOException {
        QuotaInfo quota = link.ask(path, client -> client.trees().quota(path));
        return quota.isSet()
                ? new QuotaUsage.Builder()
                        .quota(quota.nameQuota())
                        .spaceQuota(quota.spaceQuota())
                        .fileAndDirectoryCount(quota.names())
                        .spaceConsumed(quota.bytes())
                        .build()
                : null;
    }
}
