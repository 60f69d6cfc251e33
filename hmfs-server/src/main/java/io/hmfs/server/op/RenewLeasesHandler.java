package io.hmfs.server.op;

import io.hmfs.server.partition.Partition;
import io.hmfs.server.partition.Partitions;
import io.hmfs.server.request.Request;
import io.hmfs.wire.RenewLeasesDecoder;
import io.hmfs.wire.Wire;

/** RenewLeases: the client still writes its files, in all partitions, except for one at most, whose lease ends. */
public final class RenewLeasesHandler implements Handler {
    private final RenewLeasesDecoder renew = new RenewLeasesDecoder();
    private final Partitions partitions;

    public RenewLeasesHandler(Partitions partitions) {
        this.partitions = partitions;
    }

    @Override
    public void execute(Request request) {
        request.checkBlock(RenewLeasesDecoder.BLOCK_LENGTH);
        renew.wrap(request.in(), Wire.HEADER_SIZE, request.blockLength(), request.version());
        WriteLease.end(request, renew.endedInode(), renew.endedLease());
        for (Partition each : partitions.all()) {
            each.leases().renew(request.session().client(), request.mayWait());
        }
        request.reply().done();
    }
}
