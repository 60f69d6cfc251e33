package io.hmfs.client;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The server's record of removed files whose objects its clients have still to remove; empty where it keeps the data
 * itself. To be told twice, or by two, that a file's objects are gone does no harm, and inodes never come again.
 * Thread-safe.
 */
public final class Removals {
    /** Most files that the server is told of at a time. */
    public static final int TOLD_MAX = 1_024;

    /** Of the record: parts begin at one of them. */
    public static final int PLACES = 1 << 14;

    private static final long NONE = -1;

    private final Calls calls;

    public Removals(HmfsClient client) {
        calls = client.calls();
    }

    /** A removed file: its blocks may still be in the data store. */
    public record RemovedFile(long inode, long size) {}

    /**
     * A part of the record.
     *
     * @param next where the next part begins
     * @param recorded files on the whole record
     */
    public record Pending(List<RemovedFile> files, int next, int recorded) {
        private static Pending of(CensusCalls.PendingBytes told) {
            ByteBuffer bytes = told.files();
            List<RemovedFile> files = new ArrayList<>();
            while (bytes.hasRemaining()) {
                files.add(new RemovedFile(bytes.getLong(), bytes.getLong()));
            }
            return new Pending(files, told.next(), told.recorded());
        }

        /** Whether there is nothing behind this part. */
        public boolean isLast() {
            return next >= PLACES;
        }
    }

    /**
     * Tells the server that the objects of these files are gone, at most {@link #TOLD_MAX}. What is not on record does
     * nothing.
     */
    public CompletableFuture<Void> tell(long[] inodes) {
        return calls.submit(calls.table.census.removals, "", asked(inodes, NONE, 0))
                .thenApply(any -> null);
    }

    /**
     * A part of the files that have been on record for so long, and that no client was told of within that time; 0: all.
     * {@code from}: 0, or where the part before ended.
     */
    public Pending pending(long olderThanMillis, int from) throws IOException {
        return Pending.of(calls.call(calls.table.census.removals, "", asked(new long[0], olderThanMillis, from)));
    }

    private static CensusCalls.ObjectsGone asked(long[] inodes, long olderThanMillis, int from) {
        if (inodes.length > TOLD_MAX) {
            throw new IllegalArgumentException(inodes.length + " inodes; at most " + TOLD_MAX + " at a time");
        }
        ByteBuffer bytes = ByteBuffer.allocate(inodes.length * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        bytes.asLongBuffer().put(inodes);
        return new CensusCalls.ObjectsGone(bytes.array(), olderThanMillis, from);
    }
}
