package io.hmfs.core.pmem;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.pmem.PoolFileChild.Child;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: a pool file outlives the SIGKILL of its process, is locked against others, and a machine that lacks something says so.
 * Method: PoolFileChild in another JVM, killed while it works, or started with less than it needs.
 */
final class PoolFileProcessTest {
    private static final long SIZE = 80L << 20;

    @TempDir
    Path directory;

    private Path path() {
        return directory.resolve("pool");
    }

    @ParameterizedTest
    @EnumSource(Backing.class)
    void regionsOfAKilledProcessAreFoundAgainAndNoneIsLost(Backing backing) throws Exception {
        int regions = 0;
        try (PoolFile pristine = PoolFiles.create(path(), SIZE, backing, false)) {
            while (pristine.regionAt(regions) != Pmem.NULL) {
                regions++;
            }
        }
        PoolFiles.create(path(), SIZE, backing, true).close();
        long[] seen = new long[regions];
        for (int kill = 1; kill <= 3; kill++) {
            int last = kill * regions / 4;
            try (Child child = PoolFileChild.start("allocate", path().toString())) {
                for (int index = 0; index <= last; index++) {
                    String[] words = child.line().split(" ", -1);
                    assertEquals(index, Integer.parseInt(words[0]));
                    assertTrue(seen[index] == 0 || seen[index] == Long.parseLong(words[1]));
                    seen[index] = Long.parseLong(words[1]);
                }
            } // killed here, in the middle of allocating more
            try (PoolFile file = PoolFiles.open(path(), Persistence.PROCESS, false)) {
                for (int index = 0; index <= last; index++) {
                    assertEquals(seen[index], file.regionAt(index));
                    assertTrue(PoolFileChild.isStamped(file.pmem(), seen[index], file.regionSize(), index));
                }
            }
        }
        try (PoolFile file = PoolFiles.open(path(), Persistence.PROCESS, false)) {
            for (int index = 0; index < regions; index++) {
                assertTrue(file.regionAt(index) != Pmem.NULL, "region " + index + " was lost");
            }
            assertEquals(Pmem.NULL, file.regionAt(regions));
        }
    }

    @ParameterizedTest
    @EnumSource(Backing.class)
    void aFileOpenInAnotherProcessIsLockedUntilThatIsKilled(Backing backing) throws Exception {
        PoolFiles.create(path(), SIZE, backing, false).close();
        try (Child child = PoolFileChild.start("hold", path().toString())) {
            assertEquals("holds " + backing, child.line());
            for (int i = 0; i < 2; i++) {
                PoolException e =
                        assertThrows(PoolException.class, () -> PoolFiles.open(path(), Persistence.PROCESS, false));
                assertEquals(PoolException.Reason.LOCKED, e.reason());
                assertTrue(String.valueOf(e.getMessage()).contains(path().toString()), e.getMessage());
            }
        }
        PoolFiles.open(path(), Persistence.PROCESS, false).close();
    }

    @ParameterizedTest
    @EnumSource(Backing.class)
    void aFileThatIsOpenHereIsLockedForAnotherProcess(Backing backing) throws Exception {
        try (PoolFile file = PoolFiles.create(path(), SIZE, backing, false)) {
            assertEquals(backing, file.backing());
            Files.newInputStream(path()).close(); // this would drop a lock that belongs to the process
            assertThrows(PoolException.class, () -> PoolFiles.open(path(), Persistence.PROCESS, false));
            try (Child child = PoolFileChild.start("hold", path().toString())) {
                assertTrue(child.line().startsWith("LOCKED " + path()));
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Backing.class)
    void aSystemCallThatFindsNoRoomRemovesTheFile(Backing backing) throws Exception {
        try (Child child = PoolFileChild.start(
                List.of("sh", "-c", "ulimit -f 32768; exec \"$0\" \"$@\""), // far below SIZE, in blocks of any size
                Map.of(),
                List.of("-XX:-UsePerfData"),
                "create",
                path().toString(),
                "" + SIZE,
                backing.name())) {
            String line = child.line();
            assertTrue(line.startsWith("NO_SPACE " + path() + " needs " + SIZE), line);
            assertFalse(Files.exists(path()));
        }
    }

    @Test
    void aPlatformWithoutTheNativeLibraryIsNamed() throws Exception {
        try (Child child = PoolFileChild.start(
                List.of(), Map.of(), List.of("-Dos.arch=sparc"), "create", path().toString(), "" + SIZE, "MAPPED")) {
            String line = child.line();
            assertTrue(line.startsWith("MISSING_LIBRARY"), line);
            assertTrue(line.contains("linux-sparc") && line.contains("linux-x86_64"), line);
            assertFalse(Files.exists(path()));
        }
    }

    @Test
    void aMachineWithoutPmdkNamesThePackages() throws Exception {
        for (String library : List.of("libpmemobj.so.1", "libpmem.so.1", "libpmempool.so.1")) {
            Path broken = Files.createDirectory(directory.resolve(library + ".d"));
            Files.write(broken.resolve(library), "no library".getBytes(StandardCharsets.UTF_8));
            try (Child child = PoolFileChild.start(
                    List.of(),
                    Map.of("LD_LIBRARY_PATH", broken.toString()),
                    List.of(),
                    "create",
                    path().toString(),
                    "" + SIZE,
                    "PMDK")) {
                String line = child.line();
                assertTrue(line.startsWith("MISSING_LIBRARY"), line);
                assertTrue(line.contains("libpmemobj1, libpmem1 and libpmempool1"), line);
                assertFalse(Files.exists(path()));
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Backing.class)
    void aKilledProcessLeavesNoTemporaryFile(Backing backing) throws Exception {
        PoolFiles.create(path(), SIZE, backing, false).close();
        Path temporary = Files.createDirectory(directory.resolve("temporary"));
        try (Child child = PoolFileChild.start(
                List.of(), Map.of(), List.of("-Djava.io.tmpdir=" + temporary), "hold", path().toString())) {
            assertEquals("holds " + backing, child.line());
        }
        try (Stream<Path> left = Files.list(temporary)) {
            assertEquals(List.of(), left.toList());
        }
    }
}
