package io.hmfs.core.pmem;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.hmfs.core.alloc.Regions;
import io.hmfs.core.layout.RegionKind;
import io.hmfs.core.layout.SegmentRecord;
import io.hmfs.core.recovery.Superblock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a pool that has memory which cannot be read is refused before it is read, with the place, and one that has none is opened although its device
 * has some elsewhere. Method: a directory in place of /sys that gives the disk of the test's own files bad blocks where these files are.
 */
final class BadBlocksTest {
    private static final long SIZE = PoolFile.SIZE_MIN;
    private static final long MIB = 1L << 20;

    @TempDir
    Path directory;

    private FakeSysfs fake() throws IOException {
        return new FakeSysfs(Files.createDirectories(directory.toRealPath().resolve("sys")));
    }

    private Path pool() {
        return directory.resolve("pool");
    }

    private String disk() throws IOException {
        return FakeSysfs.text((long) Files.getAttribute(directory, "unix:dev"));
    }

    private void open() throws IOException {
        PoolFiles.open(pool(), Persistence.PROCESS, false, 0, fake().sysfs()).close();
    }

    private static void refused(String part, Executable opening) {
        PoolException e = assertThrows(PoolException.class, opening);
        assertEquals(PoolException.Reason.BAD_BLOCKS, e.reason(), e.getMessage());
        assertTrue(String.valueOf(e.getMessage()).contains(part), e.getMessage());
    }

    /** Where the first byte of the pool is on its disk; skips the test if the filesystem does not tell. */
    private long place() throws IOException {
        PoolFiles.create(pool(), SIZE, Backing.MAPPED, true).close();
        try (PoolLock lock = PoolLock.acquire(pool())) {
            PoolLock.Extent first = lock.extentFrom(0);
            assertNotNull(first);
            assertEquals(0, first.at());
            assumeTrue(first.count() >= MIB, "a file in small pieces");
            return first.place();
        } catch (PoolException e) {
            assumeTrue(false, String.valueOf(e.getMessage()));
            throw e;
        }
    }

    @Test
    void rangesAreInSectors() throws IOException {
        Path block = fake().block("259:0");
        assertEquals(List.of(), BadBlocks.of(block));
        FakeSysfs.put(block, "badblocks", "8 2\n1000 1");
        assertEquals(
                List.of(new BadBlocks.Range(4096, 5120), new BadBlocks.Range(512_000, 512_512)), BadBlocks.of(block));
    }

    @Test
    void aFileWithABadBlockIsRefusedWithItsPlaceInTheFile() throws IOException {
        long sector = place() / 512;
        Path block = fake().block(disk());
        FakeSysfs.put(block, "badblocks", "0 1\n" + (sector + 16) + " 8");
        refused("bytes 8192 to 12287", this::open);
        FakeSysfs.put(block, "badblocks", "0 " + (Long.MAX_VALUE / 512)); // a file made anew may have another place
        refused(
                "ndctl clear-errors",
                () -> PoolFiles.create(pool(), SIZE, Backing.MAPPED, true, fake().sysfs())
                        .close());
    }

    @Test
    void aPoolDoesNotGrowIntoABadBlock() throws IOException {
        place();
        Path block = fake().block(disk());
        try (PoolFile file = PoolFiles.open(pool(), Persistence.PROCESS, false, 2 * SIZE, fake().sysfs())) {
            FakeSysfs.put(block, "badblocks", "0 " + (Long.MAX_VALUE / 512)); // wherever the new part is put
            refused("cannot be read", () -> file.grow(2 * SIZE));
            assertEquals(SIZE, file.fileSize());
            assertEquals(SIZE, Files.size(pool()));
        }
    }

    /** Where the first segment of the index is, in a new pool. */
    private long segments() throws IOException {
        try (PoolFile file = PoolFiles.create(pool(), 4 * SIZE, Backing.MAPPED, false)) {
            Superblock.format(pool(), file, new UUID(1, 2), 42, 2);
            Regions regions = new Regions(file);
            for (int i = 0; i < regions.count(); i++) {
                if (regions.kind(i) == RegionKind.INDEX_SEGMENTS) {
                    return regions.at(i);
                }
            }
        }
        throw new AssertionError("a pool without an index");
    }

    @Test
    void aBadBlockInTheMiddleOfTheIndexIsRefusedWithItsPlace() throws IOException {
        long middle = segments() + SegmentRecord.SIZE + SegmentRecord.SIZE / 2;
        open(); // with an index that is whole
        try (PoolLock lock = PoolLock.acquire(pool())) {
            PoolLock.Extent extent = lock.extentFrom(middle);
            assertNotNull(extent);
            long sector = (extent.place() + middle - extent.at()) / 512;
            FakeSysfs.put(fake().block(disk()), "badblocks", sector + " 8");
        } catch (PoolException e) {
            assumeTrue(false, String.valueOf(e.getMessage())); // the filesystem does not tell
        }
        byte[] before = Files.readAllBytes(pool());
        refused("bytes " + middle + " to " + (middle + 4095), this::open);
        assertArrayEquals(before, Files.readAllBytes(pool()));
    }

    @Test
    void badBlocksOfOtherFilesAreNoneOfThePool() throws IOException {
        long sector = place() / 512;
        Path block = fake().block(disk());
        FakeSysfs.put(block, "badblocks", (sector - 8) + " 8");
        open();
        FakeSysfs.put(block, "badblocks", (sector - 8) + " 9");
        refused("bytes 0 to 511", this::open);
    }

    @Test
    void onAPartitionTheDiskTellsAndThePartitionsBeginIsAdded() throws IOException {
        long sector = place() / 512;
        Path disk = fake().block("259:0");
        fake().partition(disk(), 2048);
        FakeSysfs.put(disk, "badblocks", sector + " 1");
        open();
        FakeSysfs.put(disk, "badblocks", (sector + 2048 + 1) + " 1");
        refused("bytes 512 to 1023", this::open);
    }

    @Test
    void aDeviceIsRefusedWithThePlaceInIt() throws IOException {
        Path dax = fake().dax("1:3", 64 * MIB);
        FakeSysfs.put(dax, "align", "2097152");
        fake().domain("memory_controller");
        Path node = Path.of("/dev/null");
        DaxDevice device = DaxDevice.of(node, fake().sysfs());
        BadBlocks.refuse(node, device);
        FakeSysfs.put(fake().region, "badblocks", "4096 8");
        refused("may not know", () -> BadBlocks.refuse(node, device));
        FakeSysfs.put(fake().region, "resource", "0x100000000");
        FakeSysfs.put(dax, "resource", "0x100100000");
        refused("/dev/null has bad memory: its bytes 1048576 to 1052671", () -> BadBlocks.refuse(node, device));
        FakeSysfs.put(fake().region, "badblocks", "2047 1\n133120 1"); // just before it, and just behind
        BadBlocks.refuse(node, device);
        FakeSysfs.put(fake().region, "badblocks", "133119 2");
        refused("bytes 67108352 to 67108863", () -> BadBlocks.refuse(node, device));
    }
}
