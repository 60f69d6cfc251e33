package io.hmfs.core.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.FormatOptions;
import io.hmfs.core.Hmfs;
import io.hmfs.core.Namespace;
import io.hmfs.core.OpenOptions;
import io.hmfs.core.layout.PoolHeader;
import io.hmfs.core.pmem.MappedPmem;
import io.hmfs.core.pmem.Pmem;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: the ids of a pool are not those of another one that was made before it.
 * Method: first ids of times; pools with old and new first ids.
 */
class IdSourceTest {
    @TempDir
    private Path directory;

    private static IdSource from(long first) {
        Pmem pmem = MappedPmem.inMemory(8192);
        pmem.set(PoolHeader.ID_LEASE_OFFSET, first);
        return new IdSource(pmem, 0);
    }

    @Test
    void firstIdsGrowWithTheTimeAndStayBelowThePartition() {
        long now = Instant.parse("2026-03-01T00:00:00Z").toEpochMilli();
        long later = IdSource.firstOfPool(now + 10);
        assertEquals(IdSource.firstOfPool(now) + 2560, later);
        long last = IdSource.firstOfPool(Instant.parse("2050-12-31T00:00:00Z").toEpochMilli());
        assertEquals(0, IdSource.partition(last));
        assertTrue(last > later);
        assertTrue(IdSource.firstOfPool(0) > 1L << 39, "a clock that was never set");
        for (String wrong : List.of("2059-11-27T00:00:00Z", "2100-01-01T00:00:00Z", "9999-01-01T00:00:00Z")) {
            long first = IdSource.firstOfPool(Instant.parse(wrong).toEpochMilli());
            assertEquals(0, IdSource.partition(first + (1L << 45)), wrong);
            assertTrue(first > last, wrong);
        }
        assertEquals(0, IdSource.partition(IdSource.firstOfPool(Long.MAX_VALUE)));
        assertEquals(0, IdSource.partition(IdSource.firstOfPool(Long.MIN_VALUE)));
    }

    @Test
    void poolsFromBeforeAreTold() {
        assertTrue(from(2).mayRepeat());
        assertTrue(from(1L << 32).mayRepeat()); // as many files as nobody has had
        assertFalse(from(IdSource.firstOfPool(0)).mayRepeat());
    }

    @Test
    void aNewPoolSaysSo() throws IOException {
        Path pool = directory.resolve("pool");
        Hmfs.format(pool, FormatOptions.ofSize(FormatOptions.SIZE_MIN));
        try (Namespace namespace = Hmfs.open(pool, OpenOptions.process())) {
            assertFalse(namespace.poolStatus().idsMayRepeat());
        }
    }
}
