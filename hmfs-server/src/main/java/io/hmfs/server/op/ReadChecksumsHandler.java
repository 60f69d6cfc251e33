package io.hmfs.server.op;

import io.hmfs.core.type.Status;
import io.hmfs.server.access.Grants;
import io.hmfs.server.data.BlockStore;
import io.hmfs.server.protocol.WelcomeInfo;
import io.hmfs.server.request.Reply;
import io.hmfs.server.request.Request;
import io.hmfs.wire.ReadChecksumsDecoder;
import io.hmfs.wire.Wire;
import java.io.IOException;

/** ReadChecksums: the CRC of each 512 bytes of a part of a block, for users that may read the block. The block's data is not read for it. */
public final class ReadChecksumsHandler implements Handler {
    private final ReadChecksumsDecoder read = new ReadChecksumsDecoder();
    private final StoredBlock block;
    private final FileGrants grants;

    public ReadChecksumsHandler(WelcomeInfo info, Grants grants) {
        block = new StoredBlock(info);
        this.grants = new FileGrants(grants);
    }

    private void open(Request request) {
        request.checkBlock(ReadChecksumsDecoder.BLOCK_LENGTH);
        read.wrap(request.in(), Wire.HEADER_SIZE, request.blockLength(), request.version());
    }

    @Override
    public int replyBytes(Request request, int chunkSize) {
        open(request);
        return (int) Math.min(Math.max(0, BlockStore.checksumBytes(read.length())), chunkSize);
    }

    @Override
    public void execute(Request request) {
        open(request);
        long length = read.length();
        long bytes = BlockStore.checksumBytes(length);
        BlockStore store = block.store(request, read.inode(), read.block(), read.position(), length, bytes);
        if (store == null || !grants.mayUse(request, read.inode(), read.grant(), read.seal(), Grants.READ)) {
            return;
        }
        Reply reply = request.reply();
        if (!BlockStore.isChunkStart(read.position())) {
            reply.status(Status.INVALID_ARGUMENT);
            return;
        }
        int at = reply.openChunk((int) bytes);
        try {
            boolean isWhole =
                    store.readChecksums(read.inode(), read.block(), read.position(), length, reply.buffer(), at);
            reply.closeChunk((int) bytes, isWhole);
        } catch (IOException e) {
            StoredBlock.failed(request, "read the checksums of", read.inode(), read.block(), e);
        }
    }
}
