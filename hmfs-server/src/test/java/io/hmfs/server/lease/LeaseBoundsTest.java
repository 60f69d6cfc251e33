package io.hmfs.server.lease;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.FormatOptions;
import io.hmfs.core.Hmfs;
import io.hmfs.core.OpenOptions;
import io.hmfs.core.ServerNamespace;
import io.hmfs.server.ServerConfig;
import io.hmfs.server.access.ClientKey;
import io.hmfs.server.share.UserShares;
import io.hmfs.server.share.UserShares.Resource;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Goal: the table of leases has no more rows than it needs, and forgets nothing that was taken. Method: the table alone. */
@Timeout(60)
class LeaseBoundsTest {
    private static final long FILE = 77;
    private static final ClientKey ANNE = new ClientKey(0xa, 1);
    private static final ClientKey ANNES_OTHER = new ClientKey(0xc, 1);
    private static final ClientKey BERT = new ClientKey(0xb, 2);

    @TempDir
    private Path directory;

    private static final long LEASES_MAX = 1_600;

    private final UserShares shares = new UserShares(Map.of(Resource.LEASES, LEASES_MAX));
    private ServerNamespace namespace;

    @BeforeEach
    void open() throws IOException {
        Hmfs.format(directory.resolve("pool"), FormatOptions.ofSize(FormatOptions.SIZE_MIN));
        namespace = Hmfs.openForServer(directory.resolve("pool"), OpenOptions.process());
    }

    @AfterEach
    void close() {
        namespace.close();
    }

    private Leases start() {
        return new Leases(namespace.records(), ServerConfig.of(Path.of("p")).leases(), shares, () -> 1_000);
    }

    private static void displace(Leases leases, long inode) {
        long stamp = leases.alone(inode, true);
        leases.displace(inode);
        leases.endAlone(inode, stamp);
    }

    @Test
    void aFileThatIsRemovedHasNoLease() throws IOException {
        Leases leases = start();
        leases.removed(FILE);
        leases.give(FILE, ANNE, "h", 1);
        leases.give(FILE + 1, BERT, "h", 1);
        long stamp = leases.share(FILE, true); // nor does the removal wait
        leases.removed(FILE);
        leases.unshare(FILE, stamp);
        assertTrue(leases.isClosed(FILE));
        assertTrue(leases.isHeld(FILE + 1, BERT, 1));
        assertEquals(1, leases.count());
        assertEquals(1, start().count(), "nor for the next start");
    }

    @Test
    void clientsHaveAsManyLeasesAsTheirUserMayHave() {
        Leases leases = start();
        for (int i = 1; i <= LEASES_MAX * 7 / 16; i++) {
            assertFalse(leases.isFull(ANNE));
            leases.give(i, i % 2 == 0 ? ANNE : ANNES_OTHER, "h", i);
        }
        assertTrue(leases.refusal(ANNE).contains("700 leases"), leases.refusal(ANNE));
        assertTrue(leases.isFull(ANNE));
        assertFalse(leases.isFull(BERT));
        leases.end(1, ANNES_OTHER, 1);
        assertFalse(leases.isFull(ANNE));
        leases.give(1, ANNE, "h", 1);
        displace(leases, 2);
        assertFalse(leases.isFull(ANNE));
    }

    /** However many older files are taken while its maker is on the way to its lease, and whatever was taken before it was made. */
    @Test
    void whatWasTakenBeforeItsMakerHadALeaseStaysTaken() {
        Leases leases = start();
        long made = 5_000_000;
        displace(leases, made);
        for (long older = made - 1; older > made - 300_000; older--) { // some of them in its place
            displace(leases, older);
        }
        leases.give(made, ANNE, "h", 1);
        assertTrue(leases.isClosed(made));
        for (long next = made + 1; next < made + 1_000; next++) {
            leases.give(next, ANNE, "h", next);
            assertTrue(leases.isHeld(next, ANNE, next));
        }
    }

    @Test
    void norDoesANewerOneHideIt() {
        Leases leases = start();
        displace(leases, FILE);
        for (long newer = FILE + 1; newer < FILE + 300_000; newer++) {
            displace(leases, newer);
        }
        leases.give(FILE, ANNE, "h", 1);
        assertTrue(leases.isClosed(FILE));
    }
}
