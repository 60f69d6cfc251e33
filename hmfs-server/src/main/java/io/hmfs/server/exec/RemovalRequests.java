package io.hmfs.server.exec;

import io.hmfs.client.ResultCode;
import io.hmfs.server.data.RemovalRecord;
import io.hmfs.wire.ObjectsRemovedDecoder;
import io.hmfs.wire.Wire;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.TimeUnit;

/**
 * What clients tell of the record of removals, and ask it (docs/adr/0122). Anybody may: whoever can remove the objects can as well do that, and say it or
 * not. An inode that is not on record, or whose removal is not certain, does nothing; one that is cleared wrongly leaves an orphan. Of one worker.
 */
final class RemovalRequests {
    private static final int FILES_MAX = 1_024;

    private final Worker worker;
    private final ObjectsRemovedDecoder removed = new ObjectsRemovedDecoder();
    private final ByteBuffer page =
            ByteBuffer.allocate(FILES_MAX * RemovalRecord.ENTRY_BYTES).order(ByteOrder.LITTLE_ENDIAN);

    RemovalRequests(Worker worker) {
        this.worker = worker;
    }

    /** Executes the current request if it is one of these. */
    boolean takes(int templateId) {
        if (templateId == ObjectsRemovedDecoder.TEMPLATE_ID) {
            run();
            return true;
        }
        return false;
    }

    private void run() {
        worker.checkBlock(ObjectsRemovedDecoder.BLOCK_LENGTH);
        removed.wrap(worker.in, Wire.HEADER_SIZE, worker.header.blockLength(), worker.header.version());
        int at = removed.limit() + ObjectsRemovedDecoder.inodesHeaderLength();
        int length = removed.inodesLength();
        worker.in.check(at, length);
        if (length > FILES_MAX * Long.BYTES || length % Long.BYTES != 0) {
            worker.reply.failure(ResultCode.INVALID_ARGUMENT, "at most " + FILES_MAX + " inodes of 8 bytes each");
            return;
        }
        RemovalRecord record = worker.service.removals;
        page.clear();
        int next = RemovalRecord.SLOTS;
        if (record != null) {
            for (int i = 0; i < length; i += Long.BYTES) {
                record.clear(worker.in.getLong(at + i, ByteOrder.LITTLE_ENDIAN));
            }
            long olderThanMillis = removed.olderThanMillis();
            long from = removed.from();
            if (olderThanMillis >= 0 && from < RemovalRecord.SLOTS) {
                next = record.page((int) from, TimeUnit.MILLISECONDS.toNanos(olderThanMillis), page);
            }
        }
        worker.reply.removals(next, record == null ? 0 : record.count(), page.array(), page.position());
    }
}
