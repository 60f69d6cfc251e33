package io.hmfs.server.listing;

import io.hmfs.core.ServerNamespace;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.FileType;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.StatBatch;
import io.hmfs.wire.StatRecord;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * Makes {@linkplain Exports records} of the stats that one thread answers: {@link #claim} before a batch is looked up, {@link #publish} for an
 * answer, {@link #giveUp} for each name in the end. Only of files that never had several names: those
 * change under each of them, and the times of a directory change with what is in it.
 */
public final class StatPublisher {
    private final @Nullable Export[] exports;
    private final long[] hashes;
    private final long[] claims;
    private final byte[] content = new byte[StatRecord.CONTENT_MAX];

    /** For batches of at most so many names. */
    public StatPublisher(int capacity) {
        exports = new @Nullable Export[capacity];
        hashes = new long[capacity];
        claims = new long[capacity];
    }

    /** Claims the records of names in exported directories. */
    public void claim(Exports all, StatBatch batch) {
        for (int i = 0; i < batch.size(); i++) {
            Export export = all.find(batch.directory(i));
            if (export != null) {
                exports[i] = export;
                hashes[i] = Exports.hash(export, batch.name(i));
                claims[i] = all.claim(export, hashes[i]);
            }
        }
    }

    /** Whether the record of a name is claimed. */
    public boolean isClaimed(int row) {
        return claims[row] != StatRecord.NONE;
    }

    /** Makes a record of the answer for a claimed name, whose frame is in a part of a buffer, when what it tells is durable. */
    public void publish(
            Exports all,
            ServerNamespace namespace,
            int row,
            Name name,
            Attributes found,
            ByteBuf frames,
            int frameAt,
            int frameLength) {
        Export export = exports[row];
        boolean isPlain = found.type == FileType.FILE && !found.indirect;
        if (export == null || !isPlain || !StatRecord.fits(name.length(), frameLength)) {
            return;
        }
        int at = Exports.at(export, hashes[row]);
        long claim = claims[row];
        if (!StatRecord.isHeld(all.memory(), at, claim)) {
            return;
        }
        int length = StatRecord.compose(
                content, export.number(), name.buffer(), name.length(), frames, frameAt, frameLength);
        StatRecord.fill(all.memory(), at, claim, content, length);
        claims[row] = StatRecord.NONE;
        namespace.whenDurable(namespace.logPosition(), () -> all.publish(at, claim, length), _ -> {});
    }

    /** Ends the claim of a name that has become no record. */
    public void giveUp(Exports all, int row) {
        Export export = exports[row];
        if (export != null && isClaimed(row)) {
            StatRecord.giveUp(all.memory(), Exports.at(export, hashes[row]), claims[row]);
            claims[row] = StatRecord.NONE;
        }
    }
}
