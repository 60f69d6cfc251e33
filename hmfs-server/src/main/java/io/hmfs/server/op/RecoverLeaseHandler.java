package io.hmfs.server.op;

import io.hmfs.core.type.Status;
import io.hmfs.server.access.Access;
import io.hmfs.server.lease.GrantEpochs;
import io.hmfs.server.lease.Leases;
import io.hmfs.server.request.Request;
import io.hmfs.wire.RecoverLeaseDecoder;
import io.hmfs.wire.Wire;

/** RecoverLease: takes a file's lease from the client that has it, and ends grants to write it. */
public final class RecoverLeaseHandler implements Handler {
    private final RecoverLeaseDecoder recover = new RecoverLeaseDecoder();
    private final LeasedFile file = new LeasedFile();

    @Override
    public void execute(Request request) {
        request.checkBlock(RecoverLeaseDecoder.BLOCK_LENGTH);
        recover.wrap(request.in(), Wire.HEADER_SIZE, request.blockLength(), request.version());
        int length = recover.pathLength();
        int at = recover.limit() + RecoverLeaseDecoder.pathHeaderLength();
        Status outcome = file.find(request, recover.baseId(), at, length);
        if (outcome == Status.OK) {
            outcome = request.path().may(file.attributes(), Access.WRITE);
        }
        if (outcome == Status.OK) {
            outcome = recover(request, file.attributes().id);
        }
        request.reply().status(outcome);
    }

    private static Status recover(Request request, long inode) {
        Leases leases = request.partition().leases();
        long stamp = leases.alone(inode, request.mayWait());
        try {
            leases.displace(inode); // first: then there is room for the record, in place of the lease's
            return GrantEnd.by(request, inode, GrantEpochs.Cause.RECOVERY, () -> Status.OK);
        } finally {
            leases.endAlone(inode, stamp);
        }
    }
}
