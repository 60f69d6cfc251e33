package io.hmfs.server.exec;

import io.hmfs.client.ResultCode;
import io.hmfs.server.access.Grants;
import io.hmfs.wire.ReadBlockDecoder;
import io.hmfs.wire.SyncBlockDecoder;
import io.hmfs.wire.Wire;
import io.hmfs.wire.WriteBlockDecoder;
import java.io.IOException;
import java.lang.System.Logger.Level;

/** Requests on objects of the builtin data store; only on threads that may wait for the disk. */
final class DataRequests {
    private static final System.Logger LOG = System.getLogger(DataRequests.class.getName());

    // Bytes of the root blocks in the first version of the schema, which had no grants.
    private static final int READ_FIRST = 36;
    private static final int WRITE_FIRST = 32;
    private static final int WRITE_SECOND = 48;
    private static final int SYNC_FIRST = 24;

    private final Worker worker;
    private final ReadBlockDecoder read = new ReadBlockDecoder();
    private final WriteBlockDecoder write = new WriteBlockDecoder();
    private final SyncBlockDecoder sync = new SyncBlockDecoder();

    DataRequests(Worker worker) {
        this.worker = worker;
    }

    private void openRead() {
        worker.checkBlock(ReadBlockDecoder.BLOCK_LENGTH, 2, READ_FIRST);
        read.wrap(worker.in, Wire.HEADER_SIZE, worker.header.blockLength(), worker.header.version());
    }

    /** Bytes that the current request, a read, asks for and may get. */
    int chunkBytes() {
        openRead();
        return (int) Math.min(read.length(), worker.service.info.chunkSize());
    }

    void read() {
        openRead();
        int length = (int) Math.min(read.length(), Integer.MAX_VALUE);
        Service.Data data = worker.service.data;
        if (data == null || !valid(read.inode(), read.block(), read.position(), length)) {
            refuse(data, length);
            return;
        }
        if (!worker.mayUse(read.inode(), read.grant(), read.seal(), Grants.READ)) {
            return;
        }
        int at = worker.reply.openChunk(length);
        try {
            int count =
                    data.store().read(read.inode(), read.block(), read.position(), worker.reply.buffer(), at, length);
            worker.reply.closeChunk(count);
        } catch (IOException e) {
            failed("read", read.inode(), read.block(), e);
        }
    }

    void write() {
        int before = worker.header.version() < 2 ? WRITE_FIRST : WRITE_SECOND;
        worker.checkBlock(WriteBlockDecoder.BLOCK_LENGTH, LeaseRequests.SINCE, before);
        write.wrap(worker.in, Wire.HEADER_SIZE, worker.header.blockLength(), worker.header.version());
        int length = write.payloadLength();
        int at = write.limit() + WriteBlockDecoder.payloadHeaderLength();
        worker.in.check(at, length);
        Service.Data data = worker.service.data;
        if (data == null || !valid(write.inode(), write.block(), write.position(), length)) {
            refuse(data, length);
            return;
        }
        if (!worker.mayUse(write.inode(), write.grant(), write.seal(), Grants.WRITE)) {
            return;
        }
        long lease = LeaseRequests.told(write.lease());
        if (lease == LeaseRequests.NONE) {
            write(data, at, length);
            return;
        }
        // From the look at the lease to the last byte nobody can take it away.
        long stamp = worker.service.leases.share(write.inode(), worker.waits);
        try {
            if (!worker.leases.hasLost(write.inode(), lease)) {
                write(data, at, length);
            }
        } finally {
            worker.service.leases.unshare(write.inode(), stamp);
        }
    }

    private void write(Service.Data data, int at, int length) {
        try {
            boolean kept = data.store()
                    .write(
                            write.inode(),
                            write.block(),
                            write.position(),
                            worker.in.buffer(),
                            worker.in.start() + at,
                            length);
            if (kept) {
                worker.reply.done();
            } else {
                worker.reply.failure(ResultCode.STALE, "the file was removed");
            }
        } catch (IOException e) {
            failed("write", write.inode(), write.block(), e);
        }
    }

    void sync() {
        worker.checkBlock(SyncBlockDecoder.BLOCK_LENGTH, 2, SYNC_FIRST);
        sync.wrap(worker.in, Wire.HEADER_SIZE, worker.header.blockLength(), worker.header.version());
        Service.Data data = worker.service.data;
        if (data == null || !valid(sync.inode(), sync.block(), 0, 0)) {
            refuse(data, 0);
            return;
        }
        if (!worker.mayUse(sync.inode(), sync.grant(), sync.seal(), Grants.WRITE)) {
            return;
        }
        try {
            data.store().sync(sync.inode(), sync.block());
            worker.reply.done();
        } catch (IOException e) {
            failed("sync", sync.inode(), sync.block(), e);
        }
    }

    private boolean valid(long inode, long block, long position, int length) {
        return inode != 0
                && block >= 0
                && position >= 0
                && length >= 0
                && length <= worker.service.info.chunkSize()
                && position <= worker.service.info.blockSize() - length;
    }

    private void refuse(Service.@org.jspecify.annotations.Nullable Data data, int length) {
        int chunkSize = worker.service.info.chunkSize();
        if (data == null) {
            worker.reply.failure(
                    ResultCode.BAD_REQUEST, "file data goes to " + worker.service.info.dataStore() + ", not here");
        } else if (length < 0 || length > chunkSize) {
            worker.reply.failure(ResultCode.TOO_LARGE, "a chunk has at most " + chunkSize + " bytes");
        } else {
            worker.reply.failure(
                    ResultCode.INVALID_ARGUMENT,
                    "not inside a block of " + worker.service.info.blockSize() + " bytes of an inode");
        }
    }

    private void failed(String what, long inode, long block, IOException e) {
        String object = Long.toHexString(inode) + "-" + block;
        LOG.log(Level.ERROR, "cannot " + what + " object " + object, e);
        worker.reply.failure(ResultCode.IO_ERROR, "the server cannot " + what + " the object: " + e.getMessage());
    }
}
