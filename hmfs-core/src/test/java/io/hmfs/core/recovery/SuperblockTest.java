package io.hmfs.core.recovery;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.alloc.Regions;
import io.hmfs.core.engine.IndexSegments;
import io.hmfs.core.engine.Keys;
import io.hmfs.core.index.HashIndex;
import io.hmfs.core.layout.Ctime;
import io.hmfs.core.layout.DirContentRecord;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.PoolHeader;
import io.hmfs.core.layout.SlotState;
import io.hmfs.core.pmem.PoolException;
import io.hmfs.core.pmem.PoolException.Reason;
import io.hmfs.core.sim.SimPmem;
import io.hmfs.core.sim.SimPoolFile;
import io.hmfs.core.type.Name;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.UUID;
import java.util.function.LongPredicate;
import org.junit.jupiter.api.Test;

/**
 * Goal: a file is a pool only when its format came to an end, and a superblock that does not fit is refused by its reason. Method: power
 * losses at each event of a format; words of the superblock replaced, with a checksum that fits.
 */
final class SuperblockTest {
    private static final Path PATH = Path.of("sim");
    private static final UUID CLUSTER = new UUID(1, 2);

    private static SimPoolFile file() {
        return new SimPoolFile(16 << 10, 10);
    }

    private static void format(SimPoolFile file) {
        try {
            Superblock.format(PATH, file, CLUSTER, 42, 2);
        } catch (PoolException e) {
            throw new AssertionError(e);
        }
    }

    private static boolean isPool(SimPoolFile file) {
        try {
            Superblock.check(PATH, file);
            return true;
        } catch (PoolException e) {
            return false;
        }
    }

    private static long find(HashIndex index, long hash, LongPredicate wanted) {
        long[] seen = new long[HashIndex.CANDIDATES_MAX];
        return Arrays.stream(seen, 0, index.candidates(hash, seen))
                .filter(wanted)
                .findFirst()
                .orElse(0);
    }

    /** The index is there and leads to the root's two objects. */
    private static void assertWhole(SimPoolFile file, String image) {
        SimPmem pmem = file.pmem();
        Regions regions = new Regions(file);
        Keys keys = new Keys(pmem, pmem.get(PoolHeader.SEED_OFFSET));
        HashIndex index =
                HashIndex.open(pmem, PoolHeader.INDEX_ROOT_OFFSET, keys::ofObject, new IndexSegments(pmem, regions));
        long access = find(index, keys.ofEntry(0, new Name()), at -> EntryRecord.id(pmem, at) == 1);
        long content = find(index, keys.ofContent(1), at -> DirContentRecord.id(pmem, at) == 1);
        assertTrue(access != 0 && content != 0, image);
        assertEquals(SlotState.NORMAL, EntryRecord.state(pmem, access), image);
        assertEquals(0755, Ctime.mode(pmem.get(access + EntryRecord.CTIME_OFFSET)), image);
        assertEquals(access, DirContentRecord.access(pmem, content), image);
        assertTrue(pmem.get(PoolHeader.CLOCK_LEASE_OFFSET) > DirContentRecord.mtime(pmem, content), image);
        assertEquals(2, pmem.get(PoolHeader.ID_LEASE_OFFSET), image);
    }

    @Test
    void aFormatThatWasCutOffLeavesNoPool() {
        SimPoolFile file = file();
        int[] pools = new int[1];
        int[] images = new int[1];
        Runnable look = () -> file.pmem().images(12, 1, image -> {
            images[0]++;
            SimPoolFile after = file.crashed(image);
            if (isPool(after)) {
                pools[0]++;
                assertWhole(after, image.toString());
            }
        });
        file.pmem().beforeEachEvent(look);
        format(file);
        file.pmem().beforeEachEvent(null);
        assertTrue(images[0] > 100, "images: " + images[0]);
        int before = pools[0];
        file.pmem().images(100, 1, image -> {
            assertTrue(isPool(file.crashed(image)), image.toString());
            pools[0]++;
        });
        assertTrue(pools[0] > before);
    }

    private static PoolException refuses(Reason reason, long offset, long value) {
        SimPoolFile file = file();
        format(file);
        assertTrue(isPool(file));
        SimPmem pmem = file.pmem();
        pmem.set(offset, value);
        if (offset != PoolHeader.CHECKSUM_OFFSET) {
            pmem.set(PoolHeader.CHECKSUM_OFFSET, PoolHeader.checksum(pmem, 0));
        }
        PoolException refused = assertThrows(PoolException.class, () -> Superblock.check(PATH, file));
        assertEquals(reason, refused.reason());
        return refused;
    }

    @Test
    void whatDoesNotFitIsRefused() {
        refuses(Reason.NOT_A_POOL, PoolHeader.MAGIC_OFFSET, 5);
        for (long other : new long[] {0, PoolHeader.VERSION + 1, Long.MAX_VALUE}) {
            PoolException refused = refuses(Reason.WRONG_VERSION, PoolHeader.VERSION_OFFSET, other);
            assertEquals(
                    "x has format version " + other + ", this HMFS reads version 1. Open it with the HMFS that made it",
                    "x"
                            + String.valueOf(refused.getMessage())
                                    .substring(PATH.toString().length()));
        }
        refuses(Reason.BAD_CHECKSUM, PoolHeader.CHECKSUM_OFFSET, 5);
        refuses(Reason.TRUNCATED, PoolHeader.POOL_SIZE_OFFSET, 5);
        refuses(Reason.WRONG_VERSION, PoolHeader.REGION_SIZE_OFFSET, 8192);
        refuses(Reason.REPAIR_CUT_SHORT, PoolHeader.STATE_OFFSET, PoolHeader.REPAIRING);
    }

    /** A start that finds the magic finds all that was written back before. */
    @Test
    void theMagicComesAfterAllElse() {
        SimPmem pmem = new SimPmem(PoolHeader.SIZE);
        PoolHeader.init(pmem, 0, CLUSTER, 1 << 20, 1 << 14, 42);
        pmem.set(PoolHeader.INDEX_ROOT_OFFSET, 7);
        pmem.writeBack(PoolHeader.INDEX_ROOT_OFFSET, 8);
        pmem.afterEachChangeOf(at -> {
            if (at == PoolHeader.MAGIC_OFFSET) {
                assertTrue(pmem.isDurable(PoolHeader.INDEX_ROOT_OFFSET, 8));
            }
        });
        PoolHeader.seal(pmem, 0);
        assertEquals(PoolHeader.MAGIC, pmem.get(PoolHeader.MAGIC_OFFSET));
    }
}
