package io.hmfs.server.op;

import io.hmfs.client.ResultCode;
import io.hmfs.core.type.Attributes;
import io.hmfs.server.data.BlockStore;
import io.hmfs.server.data.BuiltinData;
import io.hmfs.server.data.CorruptObjectException;
import io.hmfs.server.protocol.WelcomeInfo;
import io.hmfs.server.request.Request;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.FileSystemException;
import org.jspecify.annotations.Nullable;

/** The block of a file that a request reads, writes or makes durable: an object of the server's own data store, if it has one. */
final class StoredBlock {
    private static final System.Logger LOG = System.getLogger(StoredBlock.class.getName());

    private final WelcomeInfo info;

    StoredBlock(WelcomeInfo info) {
        this.info = info;
    }

    /** The store, if these bytes can be in a block of it; null: they cannot, and the reply says why. */
    @Nullable
    BlockStore store(Request request, long inode, long block, long position, int length) {
        return store(request, inode, block, position, length, length);
    }

    /** As {@link #store(Request, long, long, long, int)}, for {@code carried} bytes of a request or a reply that are about {@code length} bytes. */
    @Nullable
    BlockStore store(Request request, long inode, long block, long position, long length, long carried) {
        BuiltinData data = request.partition().data();
        int chunkSize = info.chunkSize();
        if (data == null) {
            request.reply().failure(ResultCode.BAD_REQUEST, "file data goes to " + info.dataStore() + ", not here");
        } else if (length < 0 || carried > chunkSize) {
            request.reply().failure(ResultCode.TOO_LARGE, "a chunk has at most " + chunkSize + " bytes");
        } else if (inode == 0 || position < 0 || position > info.blockSize() - length || !isBlock(block)) {
            request.reply()
                    .failure(
                            ResultCode.INVALID_ARGUMENT,
                            "not inside a block of " + info.blockSize() + " bytes of an inode");
        } else {
            return data.store();
        }
        return null;
    }

    /** Whether a file can be so large that it has this block. */
    private boolean isBlock(long block) {
        return block >= 0 && block <= Attributes.SIZE_MAX / info.blockSize();
    }

    /** Before bytes of a file are written: a cut of it that has begun has to come to its end. */
    static void settleCut(Request request, long inode) throws IOException {
        BuiltinData data = request.partition().data();
        if (data != null) {
            data.cuts().settle(request.namespace().records(), inode);
        }
    }

    /** Replies that an object cannot be read, written or made durable: {@code what} is done with it. */
    static void failed(Request request, String what, long inode, long block, IOException e) {
        failed(request, "the server cannot " + what + " object " + Long.toHexString(inode) + "-" + block, e);
    }

    /** Replies that the store has failed. Where its files are is told to the log, and to no user. */
    static void failed(Request request, String what, IOException e) {
        if (e instanceof CorruptObjectException corrupt) { // what the store has found it has told to the log
            request.reply().failure(ResultCode.CORRUPT, Long.toString(corrupt.position()));
            return;
        }
        LOG.log(Level.ERROR, what, e);
        request.reply().failure(ResultCode.IO_ERROR, what + ": " + reason(e));
    }

    private static String reason(IOException e) {
        String reason = e instanceof FileSystemException named ? named.getReason() : e.getMessage();
        return reason == null ? e.getClass().getSimpleName() : reason;
    }
}
