package io.hmfs.server.op;

import io.hmfs.client.ResultCode;
import io.hmfs.server.access.Grants;
import io.hmfs.server.data.BlockStore;
import io.hmfs.server.lease.Leases;
import io.hmfs.server.protocol.WelcomeInfo;
import io.hmfs.server.request.Request;
import io.hmfs.wire.Wire;
import io.hmfs.wire.WriteBlockDecoder;
import java.io.IOException;

/** WriteBlock: writes bytes into a block, with a grant and under the client's lease. */
public final class WriteBlockHandler implements Handler {
    private final WriteBlockDecoder write = new WriteBlockDecoder();
    private final StoredBlock block;
    private final FileGrants grants;

    public WriteBlockHandler(WelcomeInfo info, Grants grants) {
        block = new StoredBlock(info);
        this.grants = new FileGrants(grants);
    }

    @Override
    public void execute(Request request) {
        request.checkBlock(WriteBlockDecoder.BLOCK_LENGTH);
        write.wrap(request.in(), Wire.HEADER_SIZE, request.blockLength(), request.version());
        int length = write.payloadLength();
        int at = write.limit() + WriteBlockDecoder.payloadHeaderLength();
        request.in().check(at, length);
        BlockStore store = block.store(request, write.inode(), write.block(), write.position(), length);
        if (store != null) {
            writeShared(request, store, at, length);
        }
    }

    /**
     * From the check of grant and lease to the last byte the file is shared: no other client can take the lease meanwhile, no request that
     * ends the grant is executed, and no cut of the file runs.
     */
    private void writeShared(Request request, BlockStore store, int at, int length) {
        Leases leases = request.partition().leases();
        long inode = write.inode();
        long stamp = leases.share(inode, request.mayWait());
        try {
            if (grants.mayUse(request, inode, write.grant(), write.seal(), Grants.WRITE)
                    && WriteLease.mayWrite(request, inode, write.lease())) {
                write(request, store, at, length);
            }
        } finally {
            leases.unshare(inode, stamp);
        }
    }

    private void write(Request request, BlockStore store, int at, int length) {
        int from = request.in().start() + at;
        long verifier = store.verifier(); // before: a sync that fails from here on may lose these bytes
        try {
            StoredBlock.settleCut(request, write.inode());
            if (store.write(
                    write.inode(),
                    write.block(),
                    write.position(),
                    write.there(),
                    request.in().buffer(),
                    from,
                    length)) {
                request.reply().written(verifier);
            } else {
                request.reply().failure(ResultCode.STALE, "the file was removed");
            }
        } catch (IOException e) {
            StoredBlock.failed(request, "write", write.inode(), write.block(), e);
        }
    }
}
