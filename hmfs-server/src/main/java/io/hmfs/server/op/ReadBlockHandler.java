package io.hmfs.server.op;

import io.hmfs.server.access.Grants;
import io.hmfs.server.data.BlockStore;
import io.hmfs.server.protocol.WelcomeInfo;
import io.hmfs.server.request.Reply;
import io.hmfs.server.request.Request;
import io.hmfs.wire.ReadBlockDecoder;
import io.hmfs.wire.Wire;
import java.io.IOException;

/** ReadBlock: bytes of a block, or that there is none. */
public final class ReadBlockHandler implements Handler {
    private final ReadBlockDecoder read = new ReadBlockDecoder();
    private final StoredBlock block;
    private final FileGrants grants;

    public ReadBlockHandler(WelcomeInfo info, Grants grants) {
        block = new StoredBlock(info);
        this.grants = new FileGrants(grants);
    }

    private void open(Request request) {
        request.checkBlock(ReadBlockDecoder.BLOCK_LENGTH);
        read.wrap(request.in(), Wire.HEADER_SIZE, request.blockLength(), request.version());
    }

    /** What it asks for, so that small reads are not charged a chunk each. */
    @Override
    public int replyBytes(Request request, int chunkSize) {
        open(request);
        return (int) Math.min(read.length(), chunkSize);
    }

    @Override
    public void execute(Request request) {
        open(request);
        int length = (int) Math.min(read.length(), Integer.MAX_VALUE);
        BlockStore store = block.store(request, read.inode(), read.block(), read.position(), length);
        if (store == null || !grants.mayUse(request, read.inode(), read.grant(), read.seal(), Grants.READ)) {
            return;
        }
        Reply reply = request.reply();
        int at = reply.openChunk(length);
        try {
            reply.closeChunk(store.read(read.inode(), read.block(), read.position(), reply.buffer(), at, length));
        } catch (IOException e) {
            StoredBlock.failed(request, "read", read.inode(), read.block(), e);
        }
    }
}
