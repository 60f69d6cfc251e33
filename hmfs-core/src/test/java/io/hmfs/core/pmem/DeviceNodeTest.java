package io.hmfs.core.pmem;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a device is locked, mapped and grown into as a file is, its node stays what it is, and a node that other users reach is refused. Method: a node
 * of the zero device, which can be mapped, and a directory in place of /sys that calls it device DAX of volatile memory. It keeps nothing, so what survives
 * is for a guest with persistent memory: test/guest/devdax.sh. Only the superuser makes nodes; without that right the class is skipped.
 */
final class DeviceNodeTest {
    private static final long DEVICE = 64L << 20;
    private static final long SIZE = 40L << 20;

    @TempDir
    Path directory;

    private Path node() {
        return directory.resolve("dax0.0");
    }

    private Sysfs sysfs() throws IOException {
        FakeSysfs fake =
                new FakeSysfs(Files.createDirectories(directory.toRealPath().resolve("sys")));
        FakeSysfs.put(fake.dax("1:5", DEVICE), "align", "4194304");
        return fake.sysfs();
    }

    @BeforeEach
    void makeNode() throws IOException, InterruptedException {
        Process mknod = new ProcessBuilder("mknod", "-m", "600", node().toString(), "c", "1", "5")
                .redirectErrorStream(true)
                .start();
        mknod.getInputStream().readAllBytes();
        assumeTrue(mknod.waitFor() == 0, "no right to make a device node");
        assumeTrue(canBeOpened(), "a filesystem without devices");
    }

    private boolean canBeOpened() {
        try {
            Files.newInputStream(node()).close();
            return true;
        } catch (IOException _) {
            return false;
        }
    }

    private PoolFile open(Persistence persistence, long sizeMax) throws IOException {
        return PoolFiles.open(node(), persistence, false, sizeMax, sysfs());
    }

    private static void fails(PoolException.Reason reason, String part, Executable work) {
        PoolException e = assertThrows(PoolException.class, work);
        assertEquals(reason, e.reason(), e.getMessage());
        assertTrue(String.valueOf(e.getMessage()).contains(part), e.getMessage());
    }

    @Test
    void aPoolTakesAPartOfADeviceAtItsAlignment() throws IOException {
        try (PoolFile file = PoolFiles.create(node(), SIZE, Backing.MAPPED, false, sysfs())) {
            assertEquals(SIZE, file.fileSize());
            assertEquals(SIZE, file.pmem().size());
            assertTrue(file.isDevice());
            assertEquals(Persistence.PROCESS, file.pmem().persistence());
            assertTrue(file.memory().startsWith("device DAX, pages of 4096 KiB"), file.memory());
            file.pmem().set(file.regionAt(0), 7);
            assertThrows(IndexOutOfBoundsException.class, () -> file.pmem().get(SIZE));
        }
        assertTrue(DaxDevice.isDevice(node()));
        try (PoolLock lock = PoolLock.acquire(node(), sysfs());
                var arena = java.lang.foreign.Arena.ofShared()) {
            assertEquals(0, lock.map(DEVICE, false, arena).address() % (4 << 20));
        }
    }

    @Test
    void aDeviceIsOpenOnce() throws IOException {
        try (PoolFile file = open(Persistence.PROCESS, 0)) {
            assertEquals(DEVICE, file.fileSize());
            fails(PoolException.Reason.LOCKED, "in use", () -> open(Persistence.PROCESS, 0));
        }
        open(Persistence.PROCESS, 0).close();
    }

    @Test
    void thePoolMayBeSmallerThanItsDeviceAndNotLarger() throws IOException {
        try (PoolFile file = open(Persistence.PROCESS, 0)) {
            assertFalse(file.bound(DEVICE + PoolFile.REGION_SIZE));
            assertTrue(file.bound(SIZE));
            assertEquals(SIZE, file.fileSize());
        }
        fails(
                PoolException.Reason.NO_SPACE,
                "does not fit",
                () -> PoolFiles.create(node(), DEVICE + 4096, Backing.MAPPED, true, sysfs()));
        assertTrue(DaxDevice.isDevice(node()), "what failed has not removed it");
    }

    @Test
    void aFormatThatFailsLeavesTheNode() {
        fails(
                PoolException.Reason.NOT_A_POOL,
                "llpl takes a device only by a name that begins with /dev/dax",
                () -> PoolFiles.create(node(), SIZE, Backing.PMDK, true, sysfs()));
        assertTrue(DaxDevice.isDevice(node()));
    }

    @Test
    void aGrowthClearsWhatStoodInTheDevice() throws IOException {
        fails(PoolException.Reason.NO_SPACE, "cannot grow", () -> open(Persistence.PROCESS, DEVICE + 4096));
        try (PoolFile file = open(Persistence.PROCESS, DEVICE)) {
            file.pmem().set(SIZE, 77);
            file.pmem().set(DEVICE - 8, 78);
            assertTrue(file.bound(SIZE));
            assertEquals(DEVICE, file.sizeMax());
            file.grow(DEVICE);
            assertEquals(DEVICE, file.fileSize());
            assertEquals(0, file.pmem().get(SIZE));
            assertEquals(0, file.pmem().get(DEVICE - 8));
            file.shrink(SIZE);
            assertEquals(SIZE, file.fileSize());
        }
        assertTrue(DaxDevice.isDevice(node()));
    }

    @Test
    void volatileMemoryHasNoModePmem() {
        fails(PoolException.Reason.NOT_DAX, "lost with the power", () -> open(Persistence.PMEM, 0));
    }

    @Test
    void theRealKernelKnowsThatItIsNoDeviceDax() {
        fails(
                PoolException.Reason.NOT_A_POOL,
                "not device DAX",
                () -> PoolFiles.open(node(), Persistence.PROCESS, false));
        fails(
                PoolException.Reason.NOT_A_POOL,
                "not device DAX",
                () -> PoolFiles.create(node(), SIZE, Backing.MAPPED, true));
        assertTrue(DaxDevice.isDevice(node()));
    }

    @Test
    void aNodeThatAllUsersReachIsRefusedAndKeepsItsMode() throws IOException {
        for (String mode : new String[] {"rw----r--", "rw-----w-"}) {
            Files.setPosixFilePermissions(node(), PosixFilePermissions.fromString(mode));
            fails(PoolException.Reason.IO, "mode 600", () -> open(Persistence.PROCESS, 0));
            assertEquals(mode, PosixFilePermissions.toString(Files.getPosixFilePermissions(node())));
        }
        Files.setPosixFilePermissions(node(), PosixFilePermissions.fromString("rw-rw----"));
        open(Persistence.PROCESS, 0).close();
    }

    @Test
    void aNodeOfAnotherUserIsRefused() throws IOException {
        Files.setAttribute(node(), "unix:uid", 12_345);
        fails(PoolException.Reason.IO, "belongs to user 12345", () -> open(Persistence.PROCESS, 0));
    }

    @Test
    void aLinkToADeviceIsRefused() throws IOException {
        Path link = Files.createSymbolicLink(directory.resolve("link"), node());
        fails(
                PoolException.Reason.NOT_A_POOL,
                "symbolic link",
                () -> PoolFiles.open(link, Persistence.PROCESS, false, 0, sysfs()));
    }

    @Test
    void aPoolWithALogIsNeverADevice() throws IOException {
        fails(PoolException.Reason.NOT_A_POOL, "is a device", () -> PoolPlace.requireFile(node()));
        assertNotEquals(0, DaxDevice.number(node()));
    }
}
