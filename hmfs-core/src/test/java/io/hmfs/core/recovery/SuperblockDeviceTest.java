package io.hmfs.core.recovery;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.MemoryPoolFile;
import io.hmfs.core.pmem.MappedPmem;
import io.hmfs.core.pmem.PoolException;
import io.hmfs.core.pmem.PoolFile;
import java.nio.file.Path;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Goal: a device that has become smaller than its pool is told from a file that was cut off. Method: a pool whose file says that it has less. */
final class SuperblockDeviceTest {
    private static final long SIZE = 64L << 20;

    private static final class Shrunk extends MemoryPoolFile {
        private final boolean device;

        Shrunk(MappedPmem pmem, boolean device) {
            super(pmem, PoolFile.REGION_SIZE, (int) (SIZE / PoolFile.REGION_SIZE) - 1);
            this.device = device;
        }

        @Override
        public boolean isDevice() {
            return device;
        }

        @Override
        public long fileSize() {
            return SIZE - PoolFile.REGION_SIZE;
        }
    }

    @Test
    void aDeviceThatShrankIsToldFromAFileThatWasCutOff() throws PoolException {
        Path path = Path.of("/dev/dax0.0");
        MappedPmem pmem = MappedPmem.inMemory(SIZE);
        PoolFile whole = new MemoryPoolFile(pmem, PoolFile.REGION_SIZE, (int) (SIZE / PoolFile.REGION_SIZE) - 1);
        Superblock.format(path, whole, UUID.randomUUID(), 1, 2);
        Superblock.check(path, whole);
        for (boolean device : new boolean[] {true, false}) {
            PoolException e = assertThrows(PoolException.class, () -> Superblock.check(path, new Shrunk(pmem, device)));
            assertEquals(PoolException.Reason.TRUNCATED, e.reason());
            String message = String.valueOf(e.getMessage());
            assertTrue(message.contains("/dev/dax0.0 has 62914560 bytes, its superblock says 67108864"), message);
            assertTrue(message.contains(device ? "the device was made smaller" : "it was cut off"), message);
        }
    }
}
