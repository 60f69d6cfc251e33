package io.hmfs.server.data;

import io.hmfs.core.Records;
import io.hmfs.server.share.BackgroundThreads;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Cuts of files that have begun and whose objects are not cut yet: there are many of them, or they could not be cut. The records of such cuts are in the pool,
 * and the next start would cut what is written meanwhile, or keep what a larger size covers by then. So each cut is brought to its end before its file is
 * written, grows or is cut again, or by a thread of its own, if that is sooner. Thread-safe; {@link #settle} waits for the disk.
 */
public final class OpenCuts implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(OpenCuts.class.getName());
    private static final long CLOSE_MILLIS = 10_000;

    /** Cuts that wait for their thread; threads that add at once may exceed it by one each. */
    static final int BEHIND_MAX = 256;

    private static final long END = 0; // no inode

    /** {@code record}: where it stands in the pool; {@code before}: the size that the file had. Its monitor is had by the thread that settles it. */
    private static final class OpenCut {
        final long record;
        final long size;
        final long before;
        boolean isSettled;

        OpenCut(long record, long size, long before) {
            this.record = record;
            this.size = size;
            this.before = before;
        }
    }

    private final BlockStore store;
    private final Map<Long, OpenCut> open = new ConcurrentHashMap<>();
    private final LinkedBlockingQueue<Long> behind = new LinkedBlockingQueue<>();
    private volatile @Nullable Thread thread;
    private volatile boolean isClosing;

    OpenCuts(BlockStore store) {
        this.store = store;
    }

    /** The objects of a file could not be cut. */
    public void add(long inode, long record, long size, long before) {
        open.put(inode, new OpenCut(record, size, before));
    }

    /**
     * The objects of a file are to be cut after the request, for they are many. False: {@link #BEHIND_MAX} cuts wait already, so the request has to cut them itself.
     * Each of them has a record of the pool, of which leases need some.
     */
    public boolean addBehind(long inode, long record, long size, long before) {
        if (behind.size() >= BEHIND_MAX) {
            return false;
        }
        add(inode, record, size, before);
        behind.add(inode);
        return true;
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
        if (isNoneOpen()) {
            return;
        }
        for (OpenCut cut = open.get(inode); cut != null; cut = open.get(inode)) {
            synchronized (cut) {
                if (!cut.isSettled) {
                    store.truncate(inode, cut.size, cut.before);
                    if (isClosing) {
                        return; // the pool may be closed by now, and the next start does it again
                    }
                    records.clear(cut.record);
                    records.fence();
                    cut.isSettled = true;
                    open.remove(inode, cut);
                }
            }
        }
    }

    /** Begins to settle what is {@linkplain #addBehind behind}. {@code failed}: told of an error that ends it. */
    public void start(Records records, Consumer<Throwable> failed) {
        thread = BackgroundThreads.start("hmfs-cuts", () -> run(records, failed));
    }

    private void run(Records records, Consumer<Throwable> failed) {
        try {
            for (long inode = behind.take(); inode != END && !isClosing; inode = behind.take()) {
                try {
                    settle(records, inode);
                } catch (IOException e) {
                    LOG.log(
                            Level.WARNING,
                            "cannot cut the data of inode " + Long.toHexString(inode)
                                    + "; it is tried again before the file is written",
                            e);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Throwable unexpected) {
            if (!isClosing) {
                failed.accept(unexpected);
            }
        }
    }

    /** Ends after the cut that it is at; the next start settles the others. */
    @Override
    public void close() {
        isClosing = true;
        behind.add(END);
        Thread started = thread;
        if (started != null) {
            try {
                started.join(CLOSE_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
