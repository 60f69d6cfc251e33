package io.hmfs.server.admin;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.FormatOptions;
import io.hmfs.core.Hmfs;
import io.hmfs.core.OpenOptions;
import io.hmfs.core.pmem.Backing;
import io.hmfs.core.pmem.Persistence;
import io.hmfs.core.pmem.PoolException;
import io.hmfs.core.pmem.PoolPlace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Goal: what is answered survives the machine unless the operator has asked for less, and a pool is served as it was made.
 * Method: pools of each kind on a disk and in memory, and the mode that is chosen for them, or the one line that says why there is none.
 * No test has DAX memory.
 */
class PoolModeTest {
    private static final Path MEMORY = Path.of("/dev/shm");

    private Path disk = Path.of("");
    private Path pool = Path.of("");

    @BeforeEach
    void makeDirectory() throws IOException {
        // Not the directory for temporary files, which may be in memory.
        disk = Files.createTempDirectory(
                Files.createDirectories(Path.of("target")).toAbsolutePath(), "pool-mode-");
        pool = disk.resolve("p");
    }

    @AfterEach
    void removeDirectory() throws IOException {
        List<Path> all;
        try (Stream<Path> walk = Files.walk(disk)) {
            all = walk.toList();
        }
        for (Path path : all.reversed()) {
            Files.delete(path);
        }
    }

    private Path log() {
        return disk.resolve("p.log");
    }

    private static PoolMode made(Path pool, @Nullable Persistence asked, @Nullable Path log) throws IOException {
        return PoolMode.toMake(pool, Backing.MAPPED, asked, log);
    }

    private static PoolMode served(Path pool, @Nullable Persistence asked, @Nullable Path log) throws IOException {
        return PoolMode.toServe(pool, false, asked, log);
    }

    private static void assertRefused(org.junit.jupiter.api.function.Executable action, String... parts) {
        CommandException e = assertThrows(CommandException.class, action);
        String message = String.valueOf(e.getMessage());
        assertEquals(1, message.lines().count());
        for (String part : parts) {
            assertTrue(message.contains(part), message);
        }
    }

    @Test
    void aPoolOnADiskIsMadeWithALogBesideIt() throws IOException {
        PoolMode logged = new PoolMode(Persistence.LOGGED, log());
        assertEquals(logged, made(pool, null, null));
        assertEquals(logged, made(pool, Persistence.LOGGED, null));
        Path named = disk.resolve("other");
        assertEquals(new PoolMode(Persistence.LOGGED, named), made(pool, null, named));
        try (Stream<Path> left = Files.list(disk)) {
            assertEquals(List.of(), left.toList());
        }
    }

    @Test
    void aPoolInMemoryNeedsALogDirectoryOrToBeGivenUp() throws IOException {
        Path shared = MEMORY.resolve("hmfs-pool-mode-test");
        assertRefused(() -> made(shared, null, null), shared.toString(), "--log-directory", "--persistence process");
        assertRefused(() -> made(shared, Persistence.LOGGED, null), "--log-directory");
        assertRefused(() -> served(shared, Persistence.LOGGED, null), "--log-directory", "--persistence process");
        assertEquals(new PoolMode(Persistence.LOGGED, log()), made(shared, null, log()));
        assertEquals(new PoolMode(Persistence.PROCESS, null), made(shared, Persistence.PROCESS, null));
    }

    @Test
    void whatCannotSurviveIsNotMadeUnasked() throws IOException {
        assertRefused(() -> PoolMode.toMake(pool, Backing.PMDK, null, null), "PMDK", "--persistence process", "mapped");
        assertEquals(
                new PoolMode(Persistence.PROCESS, null),
                PoolMode.toMake(pool, Backing.PMDK, Persistence.PROCESS, null));
        assertRefused(() -> made(pool, Persistence.PMEM, null), "DAX");
        assertThrows(CommandException.class, () -> made(pool, Persistence.PROCESS, log()));
        assertThrows(CommandException.class, () -> PoolMode.toMake(pool, Backing.PMDK, null, log()));
        PoolException nowhere = assertThrows(PoolException.class, () -> made(disk.resolve("no/p"), null, null));
        assertTrue(String.valueOf(nowhere.getMessage()).contains("no such directory"), nowhere.getMessage());
    }

    @Test
    void aPoolWithALogIsServedWithIt() throws IOException {
        Hmfs.format(pool, FormatOptions.logged(FormatOptions.SIZE_MIN, log()));
        PoolMode logged = new PoolMode(Persistence.LOGGED, log());
        assertEquals(logged, served(pool, null, null)); // the pool itself comes with the first start
        Hmfs.open(pool, OpenOptions.logged(log())).close();
        assertTrue(Files.exists(pool));
        assertEquals(logged, served(pool, null, null));
        Path elsewhere = disk.resolve("moved");
        Files.move(log(), elsewhere);
        assertRefused(() -> served(pool, null, null), log().toString(), "--log-directory");
        assertEquals(new PoolMode(Persistence.LOGGED, elsewhere), served(pool, null, elsewhere));
        Files.delete(pool);
        assertRefused(() -> served(pool, null, null), "does not exist", "--log-directory");
    }

    @Test
    void aPoolWithoutALogIsNotServedUnasked() throws IOException {
        Hmfs.format(pool, FormatOptions.ofSize(FormatOptions.SIZE_MIN));
        assertRefused(() -> served(pool, null, null), pool.toString(), "--persistence process", "hmfs format");
        assertEquals(new PoolMode(Persistence.PROCESS, null), served(pool, Persistence.PROCESS, null));
        assertEquals(new PoolMode(Persistence.PMEM, null), PoolMode.toServe(pool, true, null, null));
    }

    @Test
    void neitherADiskNorTmpfsIsDaxAndNothingIsChangedToFindOut() throws IOException {
        assertFalse(PoolPlace.isDax(MEMORY.resolve("hmfs-pool-mode-test")));
        assertFalse(Files.exists(MEMORY.resolve("hmfs-pool-mode-test.probe")));
        byte[] text = "no pool at all".getBytes(java.nio.charset.StandardCharsets.UTF_8);
        Files.write(pool, text);
        assertFalse(PoolPlace.isDax(pool));
        assertEquals(new PoolMode(Persistence.PROCESS, null), served(pool, null, null)); // opening it says what it is
        assertArrayEquals(text, Files.readAllBytes(pool));
    }

    @Test
    void whatStandsBesideThePoolStays() throws IOException {
        Path beside = pool.resolveSibling(pool.getFileName() + ".probe");
        Files.writeString(beside, "of another program");
        assertFalse(PoolPlace.isDax(pool));
        assertEquals("of another program", Files.readString(beside));
        try (Stream<Path> files = Files.list(disk)) {
            assertEquals(List.of(beside), files.toList());
        }
    }

    /** A pool with a log is removed and made anew: a device has to stay. */
    @Test
    void aDeviceIsNoPlaceForAPoolWithALogNorIsAnyDevice() {
        Path device = Path.of("/dev/null");
        for (org.junit.jupiter.api.function.Executable logged : List.<org.junit.jupiter.api.function.Executable>of(
                () -> made(device, null, log()),
                () -> made(device, Persistence.LOGGED, null),
                () -> served(device, Persistence.LOGGED, log()),
                () -> Hmfs.format(device, FormatOptions.logged(FormatOptions.SIZE_MIN, log())),
                () -> Hmfs.open(device, OpenOptions.logged(log())))) {
            PoolException refused = assertThrows(PoolException.class, logged);
            assertTrue(String.valueOf(refused.getMessage()).contains("/dev/null is a device"), refused.getMessage());
        }
        for (org.junit.jupiter.api.function.Executable unlogged : List.<org.junit.jupiter.api.function.Executable>of(
                () -> made(device, null, null),
                () -> served(device, null, null),
                () -> Hmfs.open(device, OpenOptions.process()))) {
            PoolException refused = assertThrows(PoolException.class, unlogged);
            assertTrue(String.valueOf(refused.getMessage()).contains("not device DAX"), refused.getMessage());
        }
        assertTrue(Files.exists(device));
    }

    @Test
    void aDirectoryIsNoPool() {
        for (Path directory : List.of(disk, Path.of("/"))) {
            PoolException refused = assertThrows(PoolException.class, () -> PoolPlace.isDax(directory));
            assertEquals(directory + ": is a directory; name a file in it", refused.getMessage());
        }
    }
}
