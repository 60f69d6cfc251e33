package io.hmfs.core.pmem;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: a pool file gives the same header and regions each time it is opened, and every bad file is one clear error.
 * Method: real files with both backings, in one process; other processes are PoolFileProcessTest's.
 */
final class PoolFileTest {
    private static final long SIZE = 40L << 20;

    @TempDir
    Path directory;

    private Path path() {
        return directory.resolve("pool");
    }

    private PoolFile create(Backing backing) throws PoolException {
        return PoolFiles.create(path(), SIZE, backing, false);
    }

    private PoolFile open() throws PoolException {
        return PoolFiles.open(path(), Persistence.PROCESS, false);
    }

    private static PoolException fails(PoolException.Reason reason, String part, Executable opening) {
        PoolException e = assertThrows(PoolException.class, opening);
        assertEquals(reason, e.reason(), e.getMessage());
        assertTrue(String.valueOf(e.getMessage()).contains(part), e.getMessage());
        return e;
    }

    private static List<Long> allRegions(PoolFile file) throws PoolException {
        List<Long> regions = new ArrayList<>();
        for (long at = file.regionAt(0); at != Pmem.NULL; at = file.regionAt(regions.size())) {
            regions.add(at);
        }
        return regions;
    }

    private static void assertZero(Pmem pmem, long at, long count) {
        for (long word = at; word < at + count; word += 8) {
            assertEquals(0, pmem.get(word), "at " + word);
        }
    }

    /** Else the kernel could map no region by huge pages, whatever it has. A mapping of another thread may come in between. */
    @Test
    void aPoolIsMappedAtABoundaryOfHugePages() throws IOException {
        Path memory = Path.of("/dev/shm");
        Path path = Files.createTempFile(Files.isWritable(memory) ? memory : directory, "hmfs-test-", ".pool");
        try {
            long size = PoolFile.SIZE_MIN + 3 * 4096; // no multiple of 2 MiB
            PoolFiles.create(path, size, Backing.MAPPED, true).close();
            List<Long> off = new ArrayList<>();
            for (int i = 0; i < 5 && !off.contains(0L); i++) {
                try (PoolFile file = PoolFiles.open(path, Persistence.PROCESS, false)) {
                    file.populate(file.regionAt(0), PoolFile.REGION_SIZE);
                    assertZero(file.pmem(), file.regionAt(0), PoolFile.REGION_SIZE);
                    off.add(mappedAt(path) % (2L << 20));
                }
            }
            assertTrue(off.contains(0L), off.toString());
        } finally {
            Files.delete(path);
        }
    }

    private static long mappedAt(Path path) throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/self/maps"))) {
            if (line.endsWith(path.toString())) {
                return Long.parseUnsignedLong(line.substring(0, line.indexOf('-')), 16);
            }
        }
        throw new AssertionError(path + " is not mapped");
    }

    @ParameterizedTest
    @EnumSource(Backing.class)
    void aNewFileIsZeroAlignedAndReallyReserved(Backing backing) throws Exception {
        try (PoolFile file = create(backing)) {
            assertEquals(backing, file.backing());
            assertEquals(SIZE, file.fileSize());
            assertEquals(SIZE, file.pmem().size());
            assertEquals(0, file.header() % 4096);
            assertZero(file.pmem(), file.header(), PoolFile.HEADER_SIZE);
            long end = file.header() + PoolFile.HEADER_SIZE;
            for (long region : allRegions(file)) {
                assertEquals(0, region % 4096);
                assertTrue(region >= end, "regions overlap neither the header nor one another");
                assertZero(file.pmem(), region, file.regionSize());
                end = region + file.regionSize();
            }
            assertTrue(end <= SIZE);
        }
        long blocks = allocated(path());
        assertTrue(blocks >= SIZE, "only " + blocks + " bytes are reserved");
    }

    private static long allocated(Path path) throws IOException {
        Process du = new ProcessBuilder("du", "-B1", path.toString()).start();
        try (var output = du.inputReader()) {
            return Long.parseLong(output.readLine().split("\t", 2)[0]);
        }
    }

    @ParameterizedTest
    @EnumSource(Backing.class)
    void regionsMaxIsNotExceeded(Backing backing) throws Exception {
        try (PoolFile file = create(backing)) {
            int regions = allRegions(file).size();
            assertTrue(regions >= 6 && regions <= file.regionsMax(), regions + " of " + file.regionsMax());
            assertEquals(Pmem.NULL, file.regionAt(regions), "full stays full");
            assertThrows(IndexOutOfBoundsException.class, () -> file.regionAt(-1));
        }
    }

    @ParameterizedTest
    @EnumSource(Backing.class)
    void headerAndRegionsAreFoundAgain(Backing backing) throws Exception {
        long header;
        List<Long> regions;
        try (PoolFile file = create(backing)) {
            header = file.header();
            file.pmem().set(header + PoolFile.HEADER_SIZE - 8, 77);
            regions = allRegions(file);
            for (int i = 0; i < regions.size(); i++) {
                PoolFileChild.stamp(file.pmem(), regions.get(i), file.regionSize(), i);
            }
        }
        try (PoolFile file = open()) {
            assertEquals(backing, file.backing());
            assertEquals(header, file.header());
            assertEquals(77, file.pmem().get(header + PoolFile.HEADER_SIZE - 8));
            assertEquals(regions, allRegions(file));
            for (int i = 0; i < regions.size(); i++) {
                assertTrue(PoolFileChild.isStamped(file.pmem(), regions.get(i), file.regionSize(), i));
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Backing.class)
    void cas16WorksInAMappedFile(Backing backing) throws Exception {
        try (PoolFile file = create(backing)) {
            assertTrue(file.pmem().cas16(file.header(), 0, 0, 1, 2));
            assertFalse(file.pmem().cas16(file.header(), 0, 0, 3, 4));
            assertEquals(1, file.pmem().get(file.header()));
            assertEquals(2, file.pmem().get(file.header() + 8));
        }
    }

    @ParameterizedTest
    @EnumSource(Backing.class)
    void populateChangesNothing(Backing backing) throws Exception {
        try (PoolFile file = create(backing)) {
            long region = file.regionAt(0);
            PoolFileChild.stamp(file.pmem(), region, file.regionSize(), 0);
            file.populate(region, file.regionSize());
            assertTrue(PoolFileChild.isStamped(file.pmem(), region, file.regionSize(), 0));
            assertZero(file.pmem(), region + 8, file.regionSize() - 16);
            assertThrows(IndexOutOfBoundsException.class, () -> file.populate(SIZE - 4096, 8192));
        }
    }

    @ParameterizedTest
    @EnumSource(Backing.class)
    void anOpenFileIsLockedInThisProcessToo(Backing backing) throws Exception {
        try (PoolFile file = create(backing)) {
            fails(PoolException.Reason.LOCKED, path().toString(), this::open);
            fails(PoolException.Reason.LOCKED, path().toString(), this::open); // the refused one dropped no lock
            fails(PoolException.Reason.LOCKED, path().toString(), () -> PoolFiles.create(path(), SIZE, backing, true));
            file.pmem().set(file.header(), 1);
        }
        try (PoolFile file = open()) {
            assertEquals(1, file.pmem().get(file.header()));
        }
    }

    @ParameterizedTest
    @EnumSource(Backing.class)
    void closingTwiceIsHarmlessAndUseAfterwardsIsRefused(Backing backing) throws Exception {
        PoolFile file = create(backing);
        file.close();
        file.close();
        assertThrows(IllegalStateException.class, () -> file.pmem().get(0));
        assertThrows(IllegalStateException.class, () -> file.pmem().cas16(0, 0, 0, 1, 1));
        open().close();
    }

    @ParameterizedTest
    @EnumSource(Backing.class)
    void overwriteStartsFromZeroAndIsNeededToReplace(Backing backing) throws Exception {
        for (Backing before : Backing.values()) {
            try (PoolFile file = PoolFiles.create(path(), SIZE, before, true)) {
                for (long region : allRegions(file)) {
                    PoolFileChild.stamp(file.pmem(), region, file.regionSize(), 5);
                }
                file.pmem().set(file.header(), 5);
            }
            fails(PoolException.Reason.ALREADY_EXISTS, path().toString(), () -> create(backing));
            try (PoolFile file = PoolFiles.create(path(), SIZE, backing, true)) {
                assertEquals(0, file.pmem().get(file.header()));
                assertZero(file.pmem(), file.regionAt(0), file.regionSize());
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Backing.class)
    void pmemOnOrdinaryMemoryIsRefusedUnlessEmulated(Backing backing) throws Exception {
        try (PoolFile file = create(backing)) {
            assertFalse(file.dax(), "the test's directory is not DAX");
            assertEquals(Persistence.PROCESS, file.pmem().persistence());
        }
        fails(PoolException.Reason.NOT_DAX, "--emulate-pmem", () -> PoolFiles.open(path(), Persistence.PMEM, false));
        try (PoolFile file = PoolFiles.open(path(), Persistence.PMEM, true)) {
            assertEquals(Persistence.PMEM, file.pmem().persistence());
            assertFalse(file.dax(), "emulation does not hide what the memory is");
            file.pmem().set(file.header(), 9);
            file.pmem().persist(file.header(), 8);
        }
        try (PoolFile file = open()) {
            assertEquals(9, file.pmem().get(file.header()));
        }
    }

    @ParameterizedTest
    @EnumSource(Backing.class)
    void moreThanTheDiskHasIsRefusedAndRemoved(Backing backing) throws Exception {
        long free = Files.getFileStore(directory).getUsableSpace();
        long size = free + (1L << 40);
        PoolException e =
                fails(PoolException.Reason.NO_SPACE, "" + size, () -> PoolFiles.create(path(), size, backing, false));
        assertTrue(String.valueOf(e.getMessage()).contains(" free"), e.getMessage());
        assertFalse(Files.exists(path()));
    }

    @ParameterizedTest
    @EnumSource(Backing.class)
    void anOldPoolSurvivesAReplacementThatDoesNotFit(Backing backing) throws Exception {
        try (PoolFile file = create(backing)) {
            file.pmem().set(file.header(), 6);
        }
        fails(PoolException.Reason.NO_SPACE, "needs", () -> PoolFiles.create(path(), 1L << 60, backing, true));
        try (PoolFile file = open()) {
            assertEquals(6, file.pmem().get(file.header()));
        }
    }

    @Test
    void aMissingFileADirectoryAndAMissingDirectoryAreToldApart() {
        fails(PoolException.Reason.NOT_FOUND, path().toString(), this::open);
        fails(
                PoolException.Reason.NOT_A_POOL,
                "directory",
                () -> PoolFiles.open(directory, Persistence.PROCESS, false));
        Path nowhere = directory.resolve("none").resolve("pool");
        fails(
                PoolException.Reason.NOT_FOUND,
                "no such directory",
                () -> PoolFiles.create(nowhere, SIZE, Backing.MAPPED, false));
    }

    @Test
    void aShortFileIsRefusedAndKept() throws Exception {
        byte[] bytes = "not a pool".getBytes(StandardCharsets.UTF_8);
        Files.write(path(), bytes);
        fails(PoolException.Reason.TRUNCATED, "10 bytes", this::open);
        assertArrayEquals(bytes, Files.readAllBytes(path()));
    }

    @Test
    void aCutMappedFileTellsItsSizeAndKeepsOffsets() throws Exception {
        create(Backing.MAPPED).close();
        cut(SIZE - 5000);
        try (PoolFile file = open()) {
            assertEquals(SIZE - 5000, file.fileSize()); // what the superblock's check goes by
            assertEquals(SIZE - 8192, file.pmem().size());
            assertEquals(SIZE / file.regionSize() - 2, file.regionsMax());
            assertThrows(IndexOutOfBoundsException.class, () -> file.pmem().get(SIZE - 8192));
        }
    }

    @Test
    void aCutPmdkFileIsRefused() throws Exception {
        try (PoolFile file = create(Backing.PMDK)) {
            assertNotEquals(0, file.regionAt(0));
        }
        cut(SIZE - (8L << 20));
        fails(PoolException.Reason.NOT_A_POOL, "cut off", this::open);
        fails(PoolException.Reason.NOT_A_POOL, "cut off", this::open); // and the refusal left no lock behind
    }

    @Test
    void aDamagedPmdkHeaderIsRefused() throws Exception {
        create(Backing.PMDK).close();
        try (FileChannel channel = FileChannel.open(path(), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            ByteBuffer one = ByteBuffer.allocate(1); // of an id that is drawn at random
            channel.read(one, 100);
            channel.write(ByteBuffer.wrap(new byte[] {(byte) (one.get(0) ^ 1)}), 100);
        }
        fails(PoolException.Reason.NOT_A_POOL, "checksum", this::open);
    }

    private PoolFile openToGrow(long sizeMax) throws PoolException {
        return PoolFiles.open(path(), Persistence.PROCESS, false, sizeMax);
    }

    /** Behind the end is an error, never a signal: also where the mapping goes on. */
    private static void endsAt(Pmem pmem, long end) {
        pmem.get(end - 8);
        assertEquals(end, pmem.size());
        assertThrows(IndexOutOfBoundsException.class, () -> pmem.get(end));
        assertThrows(IndexOutOfBoundsException.class, () -> pmem.set(end, 1));
        assertThrows(IndexOutOfBoundsException.class, () -> pmem.cas16(end, 0, 0, 1, 1));
        assertThrows(IndexOutOfBoundsException.class, () -> pmem.writeBack(end - 64, 65));
        assertThrows(IndexOutOfBoundsException.class, () -> pmem.copyOut(end - 8, new byte[9], 0, 9));
        pmem.prefetch(end, 3 * Pmem.LINE);
    }

    @Test
    void aMappedFileGrowsInPlace() throws Exception {
        create(Backing.MAPPED).close();
        long more = SIZE + 3 * PoolFile.REGION_SIZE;
        try (PoolFile file = openToGrow(2 * SIZE)) {
            assertEquals(2 * SIZE, file.sizeMax());
            endsAt(file.pmem(), SIZE);
            int regions = file.regionsMax();
            file.pmem().set(SIZE - 8, 77);
            file.grow(more);
            assertEquals(more, file.fileSize());
            assertEquals(regions + 3, file.regionsMax());
            assertEquals(77, file.pmem().get(SIZE - 8));
            assertZero(file.pmem(), SIZE, more - SIZE);
            endsAt(file.pmem(), more);
            assertTrue(allocated(path()) >= more, "really reserved");
            file.pmem().set(more - 8, 78);
        }
        try (PoolFile file = open()) {
            assertEquals(more, file.sizeMax());
            assertEquals(78, file.pmem().get(more - 8));
        }
    }

    @Test
    void whatACutOffGrowthLeftIsOutOfReachAndGoesWithTheNext() throws Exception {
        create(Backing.MAPPED).close();
        long more = SIZE + PoolFile.REGION_SIZE;
        try (FileChannel channel = FileChannel.open(path(), StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap(new byte[] {77}), more + 5);
            channel.write(ByteBuffer.wrap(new byte[] {77}), SIZE + 5);
        }
        try (PoolFile file = openToGrow(2 * SIZE)) {
            assertFalse(file.bound(more + 7), "more than there is");
            assertTrue(file.bound(SIZE));
            endsAt(file.pmem(), SIZE);
            file.grow(more);
            assertZero(file.pmem(), SIZE, PoolFile.REGION_SIZE);
            endsAt(file.pmem(), more);
        }
        assertEquals(more, Files.size(path()));
    }

    @Test
    void aGrowthThatFindsNoSpaceLeavesTheFileAsItWas() throws Exception {
        create(Backing.MAPPED).close();
        long tooMuch = Files.getFileStore(directory).getTotalSpace() + SIZE;
        try (PoolFile file = openToGrow(tooMuch)) {
            fails(PoolException.Reason.NO_SPACE, "free", () -> file.grow(tooMuch));
            endsAt(file.pmem(), SIZE);
            file.grow(SIZE + PoolFile.REGION_SIZE);
            file.shrink(SIZE);
            endsAt(file.pmem(), SIZE);
        }
        assertEquals(SIZE, Files.size(path()));
    }

    @Test
    void theHolesOfACopyGetSpaceWhenItIsOpened() throws Exception {
        long at;
        try (PoolFile file = create(Backing.MAPPED)) {
            at = file.regionAt(0);
            file.pmem().set(at, 7);
        }
        byte[] all = Files.readAllBytes(path());
        Files.delete(path());
        copyWithHoles(all);
        long before = allocated();
        assertTrue(before < SIZE / 2, "allocated: " + before);
        PoolFiles.openReadOnly(path()).close();
        assertEquals(before, allocated());
        try (PoolFile file = open()) {
            assertTrue(allocated() >= SIZE, "allocated: " + allocated());
            assertEquals(7, file.pmem().get(at));
        }
        assertArrayEquals(all, Files.readAllBytes(path()));
    }

    @Test
    void aPoolWithMoreHolesThanThereIsRoomIsRefusedAndKept() throws Exception {
        create(Backing.MAPPED).close();
        long tooMuch = Files.getFileStore(directory).getTotalSpace() + SIZE;
        try (FileChannel channel = FileChannel.open(path(), StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.allocate(1), tooMuch - 1);
        }
        long before = allocated();
        fails(PoolException.Reason.NO_SPACE, "has holes", this::open);
        assertEquals(before, allocated());
    }

    private void copyWithHoles(byte[] all) throws IOException {
        int page = 4096;
        try (FileChannel channel = FileChannel.open(path(), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            for (int from = 0; from < all.length; from += page) {
                byte[] bytes = Arrays.copyOfRange(all, from, from + page);
                if (from + page == all.length || !Arrays.equals(bytes, new byte[page])) {
                    channel.write(ByteBuffer.wrap(bytes), from);
                }
            }
        }
        Files.setPosixFilePermissions(path(), PosixFilePermissions.fromString("rw-------"));
    }

    private long allocated() throws Exception {
        Process stat = new ProcessBuilder("stat", "-c", "%b", path().toString()).start();
        String blocks = new String(stat.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return 512 * Long.parseLong(blocks.strip());
    }

    private void cut(long size) throws IOException {
        try (FileChannel channel = FileChannel.open(path(), StandardOpenOption.WRITE)) {
            channel.truncate(size);
        }
    }
}
