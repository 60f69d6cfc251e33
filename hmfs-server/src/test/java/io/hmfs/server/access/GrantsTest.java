package io.hmfs.server.access;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a grant is good for its inode, user, access and time, and for nothing else; its key is kept and kept secret.
 * Method: a clock of the test's own; the hash against a known value.
 */
class GrantsTest {
    private static final UUID CLUSTER = new UUID(1, 2);
    private static final long SIP_OF_32_BYTES = 0x7127512f72f27cceL;

    private static final long EPOCH = 9;

    @TempDir
    private Path directory;

    private final AtomicLong seconds = new AtomicLong(1_800_000_000);
    private final Grants grants = new Grants(1, 2, seconds::get);

    /** Over the 32 bytes 00 to 1f with the key 00 to 0f, from a program that gives the value of the paper's appendix for 15. */
    @Test
    void theHashIsSipHash() {
        assertEquals(
                SIP_OF_32_BYTES,
                SipHash.of(
                        0x0706050403020100L,
                        0x0f0e0d0c0b0a0908L,
                        0x0706050403020100L,
                        0x0f0e0d0c0b0a0908L,
                        0x1716151413121110L,
                        0x1f1e1d1c1b1a1918L));
    }

    @Test
    void everythingThatAGrantIsAboutCounts() {
        long grant = grants.grant(Grants.READ);
        long seal = grants.seal(7, 3, grant, EPOCH);
        assertTrue(grants.allows(7, 3, grant, seal, EPOCH, Grants.READ));
        assertFalse(grants.allows(8, 3, grant, seal, EPOCH, Grants.READ));
        assertFalse(grants.allows(7, 4, grant, seal, EPOCH, Grants.READ));
        assertFalse(grants.allows(7, 3, grant, seal, EPOCH, Grants.WRITE));
        assertFalse(grants.allows(7, 3, grant | Grants.WRITE, seal, EPOCH, Grants.WRITE));
        assertFalse(grants.allows(7, 3, grant + (1L << 40), seal, EPOCH, Grants.READ));
        assertFalse(grants.allows(7, 3, grant, seal + 1, EPOCH, Grants.READ));
        assertFalse(grants.allows(7, 3, 0, 0, EPOCH, Grants.READ));
        assertFalse(grants.allows(7, 3, grant, seal, EPOCH + 1, Grants.READ));
        assertFalse(grants.allows(7, 3, grant | Grants.OWNER, seal, EPOCH, Grants.READ));
        assertFalse(new Grants(1, 3, seconds::get).allows(7, 3, grant, seal, EPOCH, Grants.READ));
        assertFalse(new Grants(2, 2, seconds::get).allows(7, 3, grant, seal, EPOCH, Grants.READ));
        long both = grants.grant(Grants.READ | Grants.WRITE);
        assertTrue(grants.allows(7, 3, both, grants.seal(7, 3, both, EPOCH), EPOCH, Grants.WRITE));
    }

    @Test
    void aGrantEnds() {
        long grant = grants.grant(Grants.WRITE);
        long seal = grants.seal(7, 3, grant, EPOCH);
        seconds.addAndGet(Grants.LIFETIME_SECONDS - 1);
        assertTrue(grants.allows(7, 3, grant, seal, EPOCH, Grants.WRITE));
        seconds.addAndGet(1);
        assertFalse(grants.allows(7, 3, grant, seal, EPOCH, Grants.WRITE));
    }

    @Test
    void theKeyIsMadeOnceAndIsTheServersOwn() throws IOException {
        Path file = directory.resolve("key");
        Grants first = Grants.open(file, CLUSTER);
        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
        long grant = first.grant(Grants.READ);
        long seal = first.seal(7, 3, grant, EPOCH);
        assertTrue(Grants.open(file, CLUSTER).allows(7, 3, grant, seal, EPOCH, Grants.READ));
        assertNotEquals(seal, Grants.open(directory.resolve("other"), CLUSTER).seal(7, 3, grant, EPOCH));
        Files.write(file, new byte[3]);
        assertThrows(IOException.class, () -> Grants.open(file, CLUSTER));
    }

    @Test
    void whatOneClusterHasGivenAnotherWithItsKeyDoesNotTake() throws IOException {
        Path file = directory.resolve("key");
        Grants first = Grants.open(file, CLUSTER);
        long grant = first.grant(Grants.READ);
        long seal = first.seal(7, 3, grant, EPOCH);
        assertFalse(Grants.open(file, new UUID(1, 3)).allows(7, 3, grant, seal, EPOCH, Grants.READ));
        assertFalse(Grants.open(file, new UUID(0, 2)).allows(7, 3, grant, seal, EPOCH, Grants.READ));
    }

    @Test
    void aKeyThatOthersCanReadOrChangeIsRefused() throws IOException {
        for (String mode : new String[] {"rw-r-----", "rw-----w-"}) {
            Path file = Files.write(directory.resolve("of-" + mode), new byte[16]);
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
            IOException thrown = assertThrows(IOException.class, () -> Grants.open(file, CLUSTER));
            assertTrue(String.valueOf(thrown.getMessage()).contains("remove it"), thrown.getMessage());
        }
        Path foreign = directory.resolve("foreign");
        Grants.open(foreign, CLUSTER);
        if ("root".equals(System.getProperty("user.name"))) { // no other user can make one of another user's
            Files.setAttribute(foreign, "unix:uid", 1);
            assertThrows(IOException.class, () -> Grants.open(foreign, CLUSTER));
        }
    }
}
