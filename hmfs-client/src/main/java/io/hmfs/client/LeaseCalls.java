package io.hmfs.client;

import static io.hmfs.client.CallKind.Retry.REPEATABLE;

import io.hmfs.wire.DoneDecoder;
import io.hmfs.wire.IsClosedEncoder;
import io.hmfs.wire.LeaseStateDecoder;
import io.hmfs.wire.RecoverLeaseEncoder;
import io.hmfs.wire.RenewLeasesEncoder;
import io.hmfs.wire.Wire;

/** Rows: leases. */
final class LeaseCalls {
    private final RecoverLeaseEncoder recoverEncoder = new RecoverLeaseEncoder();
    private final IsClosedEncoder isClosedEncoder = new IsClosedEncoder();
    private final RenewLeasesEncoder renewEncoder = new RenewLeasesEncoder();
    private final LeaseStateDecoder state = new LeaseStateDecoder();

    final CallKind<byte[], Void> recover;
    final CallKind<byte[], Boolean> isClosed;
    final CallKind<Ended, Void> renew;

    LeaseCalls(FileReplies replies) {
        recover = CallKind.ofPath(
                "recover lease",
                REPEATABLE,
                RecoverLeaseEncoder.TEMPLATE_ID,
                RecoverLeaseEncoder.BLOCK_LENGTH,
                (path, out) -> recoverEncoder
                        .wrap(out, Wire.HEADER_SIZE)
                        .baseId(Wire.ROOT_ID)
                        .putPath(path, 0, path.length)
                        .limit(),
                DoneDecoder.TEMPLATE_ID,
                replies::done);
        isClosed = CallKind.ofPath(
                "is closed",
                REPEATABLE,
                IsClosedEncoder.TEMPLATE_ID,
                IsClosedEncoder.BLOCK_LENGTH,
                (path, out) -> isClosedEncoder
                        .wrap(out, Wire.HEADER_SIZE)
                        .baseId(Wire.ROOT_ID)
                        .putPath(path, 0, path.length)
                        .limit(),
                LeaseStateDecoder.TEMPLATE_ID,
                (reply, subject, path) -> state.wrap(reply.in(), Wire.HEADER_SIZE, reply.blockLength(), reply.version())
                                .closed()
                        != 0);
        renew = new CallKind<>(
                "renew leases",
                REPEATABLE,
                RenewLeasesEncoder.TEMPLATE_ID,
                RenewLeasesEncoder.BLOCK_LENGTH,
                each -> 0,
                (each, out) -> renewEncoder
                        .wrap(out, Wire.HEADER_SIZE)
                        .endedInode(each.inode)
                        .endedLease(each.lease)
                        .limit(),
                DoneDecoder.TEMPLATE_ID,
                replies::done);
    }

    /** The lease that is over, while all others of the client go on. */
    record Ended(long inode, long lease) {
        /** No lease is over. */
        static final Ended NONE = new Ended(0, 0);
    }
}
