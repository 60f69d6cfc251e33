package io.hmfs.server.data;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a data directory is of one cluster, and no other cluster's server takes it.
 * Method: directories with and without objects and marks, among them damaged ones.
 */
class DirectoryMarkTest {
    private static final UUID OWN = new UUID(1, 2);
    private static final UUID OTHER = new UUID(1, 3);
    private static final int BLOCK = 1 << 20;

    @TempDir
    private Path directory;

    private Path mark() {
        return directory.resolve(DirectoryMark.NAME);
    }

    private String refusal(UUID cluster, boolean mayBeOlder) {
        IOException refused =
                assertThrows(IOException.class, () -> DirectoryMark.claim(directory, cluster, mayBeOlder, BLOCK));
        return String.valueOf(refused.getMessage());
    }

    @Test
    void theFirstClusterHasItForEver() throws IOException {
        DirectoryMark.claim(directory, OWN, false, BLOCK);
        assertEquals("HMFS data directory 3\ncluster " + OWN + "\n", Files.readString(mark()));
        DirectoryMark.claim(directory, OWN, false, BLOCK);
        String refusal = refusal(OTHER, true);
        assertTrue(refusal.contains(OWN.toString()), refusal);
        assertTrue(refusal.contains(OTHER.toString()), refusal);
        assertTrue(refusal.contains("--data-directory"), refusal);
    }

    /** An older server knows no objects with checksums, and would take them for absent. */
    @Test
    void aMarkFromBeforeChecksumsIsRenewed() throws IOException {
        Files.writeString(mark(), "HMFS data directory 1\ncluster " + OWN + "\n");
        assertTrue(refusal(OTHER, true).contains(OWN.toString()));
        DirectoryMark.claim(directory, OWN, false, BLOCK);
        assertEquals("HMFS data directory 3\ncluster " + OWN + "\n", Files.readString(mark()));
        DirectoryMark.claim(directory, OWN, false, BLOCK);
    }

    /** What its objects are like, says nothing in their names. */
    @Test
    void aDirectoryWithPackedObjectsStaysOne() throws IOException {
        Files.writeString(mark(), "HMFS data directory 2\ncluster " + OWN + "\n");
        assertTrue(refusal(OTHER, true).contains(OWN.toString()));
        for (int start = 0; start < 2; start++) {
            ObjectFormat found = DirectoryMark.claim(directory, OWN, false, BLOCK);
            assertEquals(ObjectFormat.packed(BLOCK).dataAt, found.dataAt);
            assertEquals("HMFS data directory 2\ncluster " + OWN + "\n", Files.readString(mark()));
        }
        Files.delete(mark());
        assertEquals(ObjectFormat.aligned(BLOCK).dataAt, DirectoryMark.claim(directory, OWN, false, BLOCK).dataAt);
    }

    @Test
    void objectsOfUnknownOriginAreOnlyThoseOfAPoolFromBeforeMarks() throws IOException {
        Files.createDirectories(directory.resolve("0a/ff"));
        assertTrue(refusal(OWN, false).contains("no file 'cluster'"));
        assertFalse(Files.exists(mark()), "refused, and taken nevertheless");
        DirectoryMark.claim(directory, OWN, true, BLOCK);
        DirectoryMark.claim(directory, OWN, false, BLOCK);
        refusal(OTHER, true);
    }

    @Test
    void whatIsNoObjectDoesNotMatter() throws IOException {
        Files.createDirectory(directory.resolve("lost+found"));
        Path cutOff = Files.createFile(directory.resolve(DirectoryMark.NAME + "." + OWN + ".new")); // a start
        DirectoryMark.claim(directory, OWN, false, BLOCK);
        assertFalse(Files.exists(cutOff));
    }

    @Test
    void ofTwoServersThatBeginAtOnceOneHasIt() throws Exception {
        for (int round = 0; round < 50; round++) {
            Path fresh = Files.createDirectory(directory.resolve("d" + round));
            CyclicBarrier together = new CyclicBarrier(2);
            List<Future<Boolean>> claims = new ArrayList<>();
            try (ExecutorService servers = Executors.newFixedThreadPool(2)) {
                for (UUID each : List.of(OWN, OTHER)) {
                    claims.add(servers.submit(() -> {
                        together.await();
                        try {
                            DirectoryMark.claim(fresh, each, false, BLOCK);
                            return true;
                        } catch (IOException e) {
                            return false;
                        }
                    }));
                }
            }
            assertTrue(claims.get(0).get() ^ claims.get(1).get(), "round " + round);
        }
    }

    @Test
    void aDamagedMarkIsNotBelieved() throws IOException {
        String whole = "HMFS data directory 3\ncluster " + OWN + "\n";
        for (String damaged : new String[] {
            "",
            whole.substring(0, 30),
            whole + "x",
            whole.replace("directory 3", "directory 4"),
            whole.replace("\n", " ")
        }) {
            Files.writeString(mark(), damaged);
            assertTrue(refusal(OWN, true).contains("does not say"), damaged);
        }
        Files.delete(mark());
        Files.createSymbolicLink(mark(), Files.writeString(directory.resolve("elsewhere"), whole));
        assertThrows(IOException.class, () -> DirectoryMark.claim(directory, OWN, true, BLOCK));
    }
}
