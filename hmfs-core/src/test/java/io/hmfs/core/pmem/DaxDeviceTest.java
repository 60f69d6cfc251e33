package io.hmfs.core.pmem;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: what the kernel tells of device DAX and of regions is read as it is meant, in each layout of sysfs, and a device that cannot hold a pool is
 * one clear error. Method: a directory in place of /sys that makes /dev/null device DAX.
 */
final class DaxDeviceTest {
    private static final Path NODE = Path.of("/dev/null");
    private static final String NUMBER = "1:3";
    private static final long MIB = 1L << 20;

    @TempDir
    Path directory;

    private FakeSysfs fake() throws IOException {
        return new FakeSysfs(directory.toRealPath());
    }

    private DaxDevice device() throws IOException {
        return DaxDevice.of(NODE, fake().sysfs());
    }

    private void refused(PoolException.Reason reason, String... parts) {
        PoolException e = assertThrows(PoolException.class, this::device);
        assertEquals(reason, e.reason());
        for (String part : parts) {
            assertTrue(String.valueOf(e.getMessage()).contains(part), e.getMessage());
        }
    }

    @Test
    void sizeAndAlignmentAreReadWhereverTheKernelPutsTheAlignment() throws Exception {
        Path device = fake().dax(NUMBER, 64 * MIB);
        for (String place : new String[] {"align", "../dax_region/align", "device/align"}) {
            FakeSysfs.put(device, place, "2097152");
            assertEquals(64 * MIB, device().size());
            assertEquals(2 * MIB, device().align());
            Files.delete(device.resolve(place).normalize());
        }
        refused(PoolException.Reason.IO, NODE.toString(), "no alignment");
        FakeSysfs.put(device, "align", "3000000");
        refused(PoolException.Reason.IO, "no alignment");
    }

    @Test
    void whatIsNoWholePageOfTheDeviceIsNotUsed() throws Exception {
        Path device = fake().dax(NUMBER, 65 * MIB);
        FakeSysfs.put(device, "align", "0x200000");
        assertEquals(64 * MIB, device().size());
    }

    @Test
    void aDeviceOfAnotherKindIsRefused() throws Exception {
        refused(PoolException.Reason.NOT_A_POOL, NODE.toString(), "not device DAX");
        Path device = fake().dax(NUMBER, 64 * MIB);
        fake().link(device.resolve("subsystem"), "class/mem");
        refused(PoolException.Reason.NOT_A_POOL, "not device DAX");
    }

    @Test
    void aDeviceThatIsSystemMemoryIsRefused() throws Exception {
        Path device = fake().dax(NUMBER, 64 * MIB);
        FakeSysfs.put(device, "align", "2097152");
        fake().link(device.resolve("driver"), "bus/dax/drivers/kmem");
        refused(PoolException.Reason.NOT_A_POOL, "system memory", "daxctl reconfigure-device --mode=devdax dax0.0");
    }

    @Test
    void aDeviceWithoutASizeIsRefused() throws Exception {
        Path device = fake().dax(NUMBER, 64 * MIB);
        FakeSysfs.put(device, "align", "2097152");
        Files.delete(device.resolve("size"));
        refused(PoolException.Reason.IO, "no size");
    }

    @Test
    void numbersOfDevicesAreTakenApartAsTheKernelPutsThemTogether() throws Exception {
        fake().block("259:1048577");
        long device = (259L << 8) | 1 | (1048576L << 12);
        assertEquals("259:1048577", FakeSysfs.text(device));
        assertNotNull(fake().sysfs().block(device));
        assertNull(fake().sysfs().block(device + 1));
        assertNull(fake().sysfs().character(device));
        fake().block("5000:300");
        assertNotNull(fake().sysfs().block((904L << 8) | (4096L << 32) | 44 | (256L << 12)));
    }

    @Test
    void onlyANamedDomainOfMemoryThatIsNotVolatileSurvives() throws Exception {
        Path device = fake().dax(NUMBER, 64 * MIB);
        FakeSysfs.put(device, "align", "2097152");
        assertNull(device().region());
        assertFalse(device().survives());
        fake().domain("");
        assertFalse(device().survives());
        fake().domain("memory_controller");
        NdRegion region = device().region();
        assertNotNull(region);
        assertEquals("region0", region.name());
        assertTrue(device().survives());
        assertFalse(region.cachesSurvive());
        fake().domain("cpu_cache");
        assertTrue(device().survives());
        assertTrue(region.cachesSurvive());
        FakeSysfs.put(fake().region, "uevent", "DEVTYPE=nd_volatile");
        assertFalse(device().survives());
    }

    @Test
    void itsPlaceInTheRegionIsKnownOnlyToThoseThatMayKnow() throws Exception {
        Path device = fake().dax(NUMBER, 64 * MIB);
        FakeSysfs.put(device, "align", "2097152");
        fake().domain("memory_controller");
        assertEquals(OptionalLong.empty(), device().offset());
        FakeSysfs.put(fake().region, "resource", "0x100000000");
        assertEquals(OptionalLong.empty(), device().offset());
        FakeSysfs.put(device, "resource", "0x100200000");
        assertEquals(OptionalLong.of(2 * MIB), device().offset());
        FakeSysfs.put(fake().region, "resource", "0x0");
        FakeSysfs.put(device, "resource", "0x0");
        assertEquals(OptionalLong.empty(), device().offset());
    }
}
