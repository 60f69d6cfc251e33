package io.hmfs.server.op;

import io.hmfs.core.type.Status;
import io.hmfs.server.access.Access;
import io.hmfs.server.lease.Leases;
import io.hmfs.server.request.Request;
import io.hmfs.wire.RecoverLeaseDecoder;
import io.hmfs.wire.Wire;

/** RecoverLease: takes a file's lease from the client that has it. */
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
            displace(request.partition().leases(), file.attributes().id, request.mayWait());
        }
        request.reply().status(outcome);
    }

    private static void displace(Leases leases, long inode, boolean mayWait) {
        long stamp = leases.alone(inode, mayWait);
        try {
            leases.displace(inode);
        } finally {
            leases.endAlone(inode, stamp);
        }
    }
}
