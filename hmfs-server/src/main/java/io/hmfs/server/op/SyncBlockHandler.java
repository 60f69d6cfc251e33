package io.hmfs.server.op;

import io.hmfs.server.access.Grants;
import io.hmfs.server.data.BlockStore;
import io.hmfs.server.protocol.WelcomeInfo;
import io.hmfs.server.request.Request;
import io.hmfs.wire.SyncBlockDecoder;
import io.hmfs.wire.Wire;
import java.io.IOException;

/** SyncBlock: makes durable what was written into a block. */
public final class SyncBlockHandler implements Handler {
    private final SyncBlockDecoder sync = new SyncBlockDecoder();
    private final StoredBlock block;
    private final FileGrants grants;

    public SyncBlockHandler(WelcomeInfo info, Grants grants) {
        block = new StoredBlock(info);
        this.grants = new FileGrants(grants);
    }

    @Override
    public void execute(Request request) {
        request.checkBlock(SyncBlockDecoder.BLOCK_LENGTH);
        sync.wrap(request.in(), Wire.HEADER_SIZE, request.blockLength(), request.version());
        BlockStore store = block.store(request, sync.inode(), sync.block(), 0, 0);
        if (store == null || !grants.mayUse(request, sync.inode(), sync.grant(), sync.seal(), Grants.WRITE)) {
            return;
        }
        try {
            store.sync(sync.inode(), sync.block());
            request.reply().done();
        } catch (IOException e) {
            StoredBlock.failed(request, "sync", sync.inode(), sync.block(), e);
        }
    }
}
