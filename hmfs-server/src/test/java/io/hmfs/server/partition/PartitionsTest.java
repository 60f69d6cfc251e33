package io.hmfs.server.partition;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hmfs.core.FormatOptions;
import io.hmfs.core.Hmfs;
import io.hmfs.core.Namespace;
import io.hmfs.core.OpenOptions;
import io.hmfs.core.ServerNamespace;
import io.hmfs.core.engine.IdSource;
import io.hmfs.server.ServerConfig;
import io.hmfs.server.lease.Leases;
import io.hmfs.server.share.UserShares;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: an id leads to the partition that gave it out, and one that none gave out to the root's. Method: two pools. */
class PartitionsTest {
    @TempDir
    private Path directory;

    private Partition partition(String name) throws IOException {
        Path pool = directory.resolve(name);
        Hmfs.format(pool, FormatOptions.ofSize(FormatOptions.SIZE_MIN));
        ServerNamespace namespace = Hmfs.openForServer(pool, OpenOptions.process());
        return new Partition(
                namespace,
                new Leases(namespace.records(), ServerConfig.of(Path.of("p")).leases(), new UserShares(Map.of())),
                null,
                0,
                0,
                new UserShares(Map.of()));
    }

    @Test
    void anIdsHighestBitsAreItsPartition() throws IOException {
        try (Partition first = partition("first");
                Partition second = partition("second")) {
            Partitions partitions = new Partitions(List.of(first, second));
            assertEquals(IdSource.PARTITION_SHIFT, Partitions.NUMBER_SHIFT);
            long ofSecond = 1L << IdSource.PARTITION_SHIFT;
            assertSame(first, partitions.of(Namespace.ROOT_ID));
            assertSame(first, partitions.of(Namespace.ROOT_PARENT_ID));
            assertSame(first, partitions.of(ofSecond - 1));
            assertSame(second, partitions.of(ofSecond));
            assertSame(second, partitions.of(2 * ofSecond - 1));
            assertSame(first, partitions.ofRoot());
            assertEquals(List.of(first, second), partitions.all());
        }
    }

    @Test
    void anIdThatNoPartitionGaveOutIsForTheRootsToRefuse() throws IOException {
        try (Partition only = partition("only")) {
            Partitions partitions = new Partitions(List.of(only));
            for (long id : new long[] {-1, Long.MAX_VALUE, Long.MIN_VALUE, 1L << IdSource.PARTITION_SHIFT}) {
                assertSame(only, partitions.of(id));
            }
        }
        assertThrows(IllegalArgumentException.class, () -> new Partitions(List.of()));
    }
}
