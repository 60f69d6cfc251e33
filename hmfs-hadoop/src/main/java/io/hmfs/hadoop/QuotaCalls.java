package io.hmfs.hadoop;

import io.hmfs.client.HmfsException;
import io.hmfs.client.QuotaInfo;
import io.hmfs.hadoop.link.HadoopErrors;
import io.hmfs.hadoop.link.ServerLink;
import java.io.FileNotFoundException;
import java.io.IOException;
import org.apache.hadoop.fs.PathIsNotDirectoryException;
import org.apache.hadoop.fs.QuotaUsage;
import org.jspecify.annotations.Nullable;

/** Quotas in Hadoop's terms. */
final class QuotaCalls {
    private QuotaCalls() {}

    /** As HDFS does before it asks: {@link Long#MAX_VALUE} is "as it is", -1 is "none". */
    static void check(long names, long space) {
        boolean valid = (names > 0 || names == QuotaInfo.NONE) && (space >= 0 || space == QuotaInfo.NONE);
        if (!valid) {
            throw new IllegalArgumentException("Invalid values for quota : " + names + " and " + space);
        }
    }

    static void set(ServerLink link, String path, long names, long space) throws IOException {
        try {
            link.repeatable(client -> {
                client.trees().setQuota(path, names, space);
                return Boolean.TRUE;
            });
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

    /** Null: there is no quota. */
    static @Nullable QuotaUsage usage(ServerLink link, String path) throws IOException {
        try {
            QuotaInfo quota = link.repeatable(client -> client.trees().quota(path));
            return quota.isSet()
                    ? new QuotaUsage.Builder()
                            .quota(quota.nameQuota())
                            .spaceQuota(quota.spaceQuota())
                            .fileAndDirectoryCount(quota.names())
                            .spaceConsumed(quota.bytes())
                            .build()
                    : null;
        } catch (HmfsException e) {
            throw HadoopErrors.translateLookup(path, e);
        }
    }
}
