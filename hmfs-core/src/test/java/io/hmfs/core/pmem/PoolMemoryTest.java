package io.hmfs.core.pmem;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: no mode is given to memory that does not keep its promise, the refusal says what is missing, lines are written back unless the caches survive, and
 * the text tells which of it holds. Method: each kind of memory, as a directory in place of /sys has it.
 */
final class PoolMemoryTest {
    private static final Path POOL = Path.of("/p");
    private static final long MIB = 1L << 20;

    @TempDir
    Path directory;

    private FakeSysfs fake() throws IOException {
        return new FakeSysfs(directory.toRealPath());
    }

    private @Nullable NdRegion region(String domain) throws IOException {
        fake().domain(domain);
        return NdRegion.of(fake().region);
    }

    private PoolMemory device(String domain) throws IOException {
        FakeSysfs.put(fake().dax("1:3", 64 * MIB), "align", "2097152");
        fake().domain(domain);
        return PoolMemory.of(Path.of("/dev/null"), fake().sysfs());
    }

    private static void refused(PoolMemory memory, String... parts) {
        PoolException e = assertThrows(PoolException.class, () -> memory.permitted(POOL, Persistence.PMEM, false));
        assertEquals(PoolException.Reason.NOT_DAX, e.reason());
        for (String part : parts) {
            assertTrue(String.valueOf(e.getMessage()).contains(part), e.getMessage());
        }
        assertEquals(Persistence.PROCESS, memory.strongest());
    }

    @Test
    void aFileThatIsMappedInSyncKeepsThePromise() throws IOException {
        PoolMemory memory = new PoolMemory("ext4 on pmem0", null, region("memory_controller"), true);
        assertEquals(Persistence.PMEM, memory.permitted(POOL, Persistence.PMEM, false));
        assertEquals(Persistence.PMEM, memory.strongest());
        assertTrue(memory.needsWriteBack(Persistence.PMEM));
        assertFalse(memory.needsWriteBack(Persistence.PROCESS));
        assertEquals(
                "ext4 on pmem0, DAX (MAP_SYNC), region0 with persistence domain memory_controller, write-backs with "
                        + MappedPmem.writeBackInstruction(),
                memory.text(Persistence.PMEM));
    }

    @Test
    void whereTheCachesSurviveNothingIsWrittenBack() throws IOException {
        PoolMemory memory = new PoolMemory("xfs on pmem0", null, region("cpu_cache"), true);
        assertFalse(memory.needsWriteBack(Persistence.PMEM));
        assertTrue(memory.text(Persistence.PMEM).endsWith("cpu_cache, no write-backs: the caches survive"));
        PoolMemory emulated = new PoolMemory("xfs on pmem0", null, region("cpu_cache"), false);
        assertTrue(emulated.needsWriteBack(Persistence.PMEM), "the page cache does not survive");
        PoolMemory hidden = new PoolMemory("xfs on dm-0", null, null, true);
        assertTrue(hidden.needsWriteBack(Persistence.PMEM), "through LVM no region is known");
    }

    @Test
    void aFilesystemThatLostItsDaxIsToldFromOneThatNeverHadIt() throws IOException {
        PoolMemory lost = new PoolMemory("ext4 on pmem0", null, region("memory_controller"), false);
        refused(lost, "/p", "(ext4 on pmem0)", "mounted without DAX", "-o dax=always");
        PoolMemory never = new PoolMemory("ext4 on sda1", null, null, false);
        refused(never, "/p is not on DAX persistent memory,", "--emulate-pmem");
        assertEquals("ext4 on sda1, not DAX", never.text(Persistence.PROCESS));
        assertEquals(Persistence.PMEM, never.permitted(POOL, Persistence.PMEM, true));
        assertThrows(IllegalArgumentException.class, () -> never.permitted(POOL, Persistence.LOGGED, false));
    }

    @Test
    void aDeviceKeepsThePromiseOnlyIfItsPlatformSaysSo() throws IOException {
        PoolMemory memory = device("memory_controller");
        assertEquals(Persistence.PMEM, memory.permitted(POOL, Persistence.PMEM, false));
        assertTrue(memory.text(Persistence.PMEM).startsWith("device DAX, pages of 2048 KiB, region0"));
        assertFalse(device("cpu_cache").needsWriteBack(Persistence.PMEM));
        refused(device(""), "region0", "persistence_domain is ''");
        Files.delete(fake().region.resolve("persistence_domain"));
        PoolMemory lost = PoolMemory.of(Path.of("/dev/null"), fake().sysfs());
        refused(lost, "lost with the power");
        assertTrue(lost.text(Persistence.PROCESS).endsWith("lost with the power"));
    }

    @Test
    void aFileIsExaminedWithoutAChange() throws IOException {
        Path file = Files.write(directory.resolve("f"), new byte[100]);
        PoolMemory memory = PoolMemory.of(file, Sysfs.SYSTEM);
        assertFalse(memory.dax());
        assertEquals(100, Files.size(file));
        Path block = fake().block(FakeSysfs.text((long) Files.getAttribute(file, "unix:dev")));
        fake().domain("memory_controller");
        PoolMemory onPmem = PoolMemory.of(file, fake().sysfs());
        assertTrue(onPmem.place().endsWith(" on " + block.getFileName()), onPmem.place());
        assertNotNull(onPmem.region());
    }
}
