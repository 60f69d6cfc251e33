package io.hmfs.server.op;

import io.hmfs.client.ResultCode;
import io.hmfs.server.data.RemovalTable;
import io.hmfs.server.data.RemovalUser;
import io.hmfs.server.request.Request;
import io.hmfs.wire.ObjectsRemovedDecoder;
import io.hmfs.wire.Wire;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.TimeUnit;

/**
 * ObjectsRemoved: a client tells of which removed files it has removed the objects, and asks for others (docs/adr/0122). It may tell of, and is
 * told of, the files that its user has removed or owned; superusers all (docs/adr/0221). Another inode, one that is not on record, or one whose
 * removal is not certain, does nothing; one that is cleared wrongly leaves an orphan.
 */
public final class ObjectsRemovedHandler implements Handler {
    private static final int FILES_MAX = 1_024;

    /**
     * The least age of files that users other than superusers are told of, so that none keeps young files from the others by asking all the
     * time.
     */
    private static final long OLDER_THAN_MIN_MILLIS = 60_000;

    private final ObjectsRemovedDecoder removed = new ObjectsRemovedDecoder();
    private final ByteBuffer page =
            ByteBuffer.allocate(FILES_MAX * RemovalTable.ENTRY_BYTES).order(ByteOrder.LITTLE_ENDIAN);

    @Override
    public void execute(Request request) {
        request.checkBlock(ObjectsRemovedDecoder.BLOCK_LENGTH);
        removed.wrap(request.in(), Wire.HEADER_SIZE, request.blockLength(), request.version());
        int at = removed.limit() + ObjectsRemovedDecoder.inodesHeaderLength();
        int length = removed.inodesLength();
        request.in().check(at, length);
        if (length > FILES_MAX * Long.BYTES || length % Long.BYTES != 0) {
            request.reply().failure(ResultCode.INVALID_ARGUMENT, "at most " + FILES_MAX + " inodes of 8 bytes each");
            return;
        }
        RemovalTable record = request.partition().removals();
        page.clear();
        int next = RemovalTable.PLACES;
        if (record != null) {
            RemovalUser user = new RemovalUser(
                    request.uid(), request.userMark(), !request.access().isLimited());
            for (int i = 0; i < length; i += Long.BYTES) {
                record.clear(user, request.in().getLong(at + i, ByteOrder.LITTLE_ENDIAN));
            }
            long olderThanMillis = olderThanMillis(request);
            long from = removed.from();
            if (olderThanMillis >= 0 && from < RemovalTable.PLACES) {
                next = record.page(user, (int) from, TimeUnit.MILLISECONDS.toNanos(olderThanMillis), page);
            }
        }
        long count = record == null ? 0 : record.count();
        request.reply().removals(next, (int) Math.min(Integer.MAX_VALUE, count), page.array(), page.position());
    }

    /** What the client asks for; 0 hides nothing from others, and so has no floor. */
    private long olderThanMillis(Request request) {
        long asked = removed.olderThanMillis();
        return asked > 0 && request.access().isLimited() ? Math.max(OLDER_THAN_MIN_MILLIS, asked) : asked;
    }
}
