package io.hmfs.server.data;

import io.hmfs.core.Records;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Cuts of files that have begun and whose objects could not be cut: their records are in the pool, and the next start would cut what is written
 * meanwhile. So each is brought to its end before its file is written again. Thread-safe; waits for the disk.
 */
public final class OpenCuts {
    /** {@code record}: where it stands in the pool; {@code before}: the size that the file had. */
    private record OpenCut(long record, long size, long before) {}

    private final BlockStore store;
    private final Map<Long, OpenCut> open = new ConcurrentHashMap<>();

    OpenCuts(BlockStore store) {
        this.store = store;
    }

    /** The objects of a file could not be cut. */
    public void add(long inode, long record, long size, long before) {
        open.put(inode, new OpenCut(record, size, before));
    }

    /** Brings a cut of this file to its end, if one is open; if that fails, the file must not be changed. */
    public void settle(Records records, long inode) throws IOException {
        OpenCut cut = open.get(inode);
        if (cut == null) {
            return;
        }
        synchronized (this) {
            if (open.containsKey(inode)) {
                store.truncate(inode, cut.size, cut.before);
                records.clear(cut.record);
                records.fence();
                open.remove(inode);
            }
        }
    }
}
