package io.hmfs.server.data;

import io.hmfs.core.Records;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Cuts of files that have begun and whose objects could not be cut: their records are in the pool, and the next start would cut what is written
 * meanwhile, or keep what a larger size covers by then. So each cut is brought to its end before its file is written, grows or is cut again.
 * Thread-safe; {@link #settle} waits for the disk.
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

    /** Whether a cut of this file is open. None comes to be while the file is shared. */
    public boolean isOpen(long inode) {
        return !isNoneOpen() && open.containsKey(inode); // mostly empty: then nothing is allocated
    }

    /** Whether no file has an open cut. */
    public boolean isNoneOpen() {
        return open.isEmpty();
    }

    /** Brings a cut of this file to its end, if one is open; if that fails, the file must not be changed. */
    public void settle(Records records, long inode) throws IOException {
        if (!isOpen(inode)) {
            return;
        }
        synchronized (this) {
            OpenCut cut = open.get(
                    inode); // under the monitor: another thread may have settled one cut, and added the next one
            if (cut != null) {
                store.truncate(inode, cut.size, cut.before);
                records.clear(cut.record);
                records.fence();
                open.remove(inode);
            }
        }
    }
}
