package io.hmfs.server.partition;

import io.hmfs.core.OpenOptions;
import io.hmfs.server.lease.Leases;
import io.hmfs.server.share.UserShares;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Where a partition's pool is, and how it is served.
 *
 * @param leases how long writers may be silent
 * @param data the directory of the builtin data store; null: the data store is not the server's own
 * @param blockSize bytes of a block of file data
 * @param durable whether what was answered must survive the machine
 * @param scrub when and how fast the data is verified
 * @param listingCacheBytes bytes of pages of listings that are kept; 0: none
 * @param exportedDirectoriesMax directories at a time whose stats clients read by RDMA; 0: none
 */
public record PartitionConfig(
        Path pool,
        OpenOptions options,
        Leases.Limits leases,
        @Nullable Path data,
        long blockSize,
        boolean durable,
        ScrubLimits scrub,
        long listingCacheBytes,
        int exportedDirectoriesMax,
        Map<UserShares.Resource, Long> bounds) {}
