package io.hmfs.server.op;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.Namespace;
import io.hmfs.server.pipeline.HandlerRig;
import io.hmfs.wire.RenewLeasesEncoder;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: a client that renews its leases ends the one that it tells, and none of another client. Method: two clients that tell the same id. */
class RenewLeasesHandlerTest {
    private static final long LEASE = 5;

    @TempDir
    private Path directory;

    private HandlerRig rig;

    @BeforeEach
    void open() throws IOException {
        rig = new HandlerRig(directory);
    }

    @AfterEach
    void close() throws IOException {
        rig.close();
    }

    private static HandlerRig.Message renew(long endedInode, long endedLease) {
        return (out, header) -> new RenewLeasesEncoder()
                .wrapAndApplyHeader(out, 0, header)
                .correlationId(1)
                .endedInode(endedInode)
                .endedLease(endedLease)
                .limit();
    }

    private boolean isClosed(FileRequests.Opened file) {
        return rig.partition().leases().isClosed(file.inode());
    }

    @Test
    void oneLeaseOfTheClientEndsAndTheOthersGoOn() {
        rig.create(Namespace.ROOT_ID, "f", 0666);
        rig.create(Namespace.ROOT_ID, "g", 0666);
        FileRequests.Opened ended = FileRequests.openToWrite(rig, HandlerRig.USER, "/f", LEASE);
        FileRequests.Opened other = FileRequests.openToWrite(rig, HandlerRig.USER, "/g", LEASE);
        rig.assertDone(rig.ask(HandlerRig.USER, renew(0, 0)));
        rig.assertDone(rig.ask(HandlerRig.USER, renew(ended.inode(), LEASE + 1)));
        assertFalse(isClosed(ended));
        rig.assertDone(rig.ask(HandlerRig.USER, renew(ended.inode(), LEASE)));
        assertTrue(isClosed(ended));
        assertFalse(isClosed(other));
    }

    @Test
    void aLeaseOfAnotherClientStays() {
        rig.create(Namespace.ROOT_ID, "f", 0666);
        FileRequests.Opened file = FileRequests.openToWrite(rig, HandlerRig.USER, "/f", LEASE);
        rig.assertDone(rig.ask(HandlerRig.ROOT, renew(file.inode(), LEASE)));
        assertFalse(isClosed(file));
    }
}
