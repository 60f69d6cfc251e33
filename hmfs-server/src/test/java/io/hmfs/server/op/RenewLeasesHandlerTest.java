package io.hmfs.server.op;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.FormatOptions;
import io.hmfs.core.Hmfs;
import io.hmfs.core.Namespace;
import io.hmfs.core.OpenOptions;
import io.hmfs.core.ServerNamespace;
import io.hmfs.server.lease.Leases;
import io.hmfs.server.metrics.Meters;
import io.hmfs.server.partition.Partition;
import io.hmfs.server.partition.Partitions;
import io.hmfs.server.pipeline.BareSession;
import io.hmfs.server.pipeline.HandlerRig;
import io.hmfs.server.request.Request;
import io.hmfs.server.share.UserShares;
import io.hmfs.wire.MessageHeaderEncoder;
import io.hmfs.wire.RenewLeasesEncoder;
import io.hmfs.wire.WireBuffer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a client that renews its leases ends the one that it tells, and none of another client. Method: two clients that tell the
 * same id. Its other leases go on: two pools, and a clock of the test.
 */
class RenewLeasesHandlerTest {
    private static final long LEASE = 5;
    private static final long FILE = 77;
    private static final Duration HARD = Duration.ofMinutes(1);

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

    private static Partition partition(Path pool, LongSupplier nanos) throws IOException {
        Hmfs.format(pool, FormatOptions.ofSize(FormatOptions.SIZE_MIN));
        ServerNamespace namespace = Hmfs.openForServer(pool, OpenOptions.process());
        return new Partition(
                namespace,
                new Leases(namespace.records(), new Leases.Limits(HARD, HARD), new UserShares(Map.of()), nanos),
                null,
                0,
                0,
                new UserShares(Map.of()));
    }

    @Test
    void theLeasesOfTheClientGoOnInAllPartitions() throws IOException {
        long[] now = {1_000};
        try (Partition first = partition(directory.resolve("first"), () -> now[0]);
                Partition second = partition(directory.resolve("second"), () -> now[0])) {
            Partitions both = new Partitions(List.of(first, second));
            Request request = new Request(both, new Meters().newMeter(), true);
            BareSession session = new BareSession();
            both.all().forEach(each -> each.leases().give(FILE, session.client(), "h", LEASE));
            ByteBuf frame = Unpooled.buffer(1024);
            int length = renew(0, 0).encode(new WireBuffer().wrap(frame, 0, 1024), new MessageHeaderEncoder());
            now[0] += HARD.toNanos();
            request.decode(frame, 0, length);
            request.begin(session, session.channel(), 1);
            new RenewLeasesHandler(both).execute(request);
            now[0] += HARD.toNanos();
            both.all().forEach(each -> assertTrue(each.leases().isHeld(FILE, session.client(), LEASE)));
        }
    }
}
