package io.hmfs.core.pmem.log;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Folds log files that are complete into the image and drops them. The image may hold any part of what is being folded: a rebuild
 * replays from the last fold on, and the log reaches at least to where this one goes, which the control file says before. What the pages of the image must
 * be is told by their sums at each moment: those in place, or those in the list of the fold.
 */
final class LogFolder {
    private static final System.Logger LOG = System.getLogger(LogFolder.class.getName());

    /** How often a page that is damaged is logged anew, by one process. */
    private static final int HEALED_MAX = 3;

    private static final long POLL_MILLIS = 100;

    private record Closed(Path path, long lastLsn, long bytes) {}

    private final LogControl control;
    private final LogOptions options;
    private final LogGroupCommit groupCommit;
    private final LoggedPmem pmem;
    private final LogReader reader;
    private final ArrayDeque<Closed> queue = new ArrayDeque<>();

    /** How often each page was logged anew. */
    private final Map<Long, Integer> healed = new HashMap<>();

    private final Thread thread;
    private long waiting;
    private boolean stopping;
    private boolean healing;

    LogFolder(LogControl control, LogOptions options, LogGroupCommit groupCommit, LoggedPmem pmem) {
        this.control = control;
        this.options = options;
        this.groupCommit = groupCommit;
        this.pmem = pmem;
        this.reader = new LogReader(control);
        this.thread = Thread.ofPlatform().daemon().name("hmfs-fold").unstarted(this::runUntilStopped);
    }

    void start() {
        thread.start();
    }

    /** A log file that is complete and on the disk. */
    synchronized void add(Path path, long lastLsn, long bytes) {
        queue.add(new Closed(path, lastLsn, bytes));
        waiting += bytes;
        notifyAll();
    }

    /** Returns when the log has room for {@code bytes} more; until then operations wait, for the ring fills. */
    synchronized void awaitRoom(long bytes) {
        try {
            while (waiting + bytes > options.logMax() && !stopping && !healing && thread.isAlive()) {
                wait(POLL_MILLIS);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException("no thread interrupts the log's writer", e);
        }
    }

    void stop() {
        synchronized (this) {
            stopping = true;
            notifyAll();
        }
        LogGroupCommit.join(thread);
    }

    private synchronized boolean awaitClosed() {
        try {
            while (queue.isEmpty() && !stopping) {
                wait(POLL_MILLIS);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException("no thread interrupts the log's folder", e);
        }
        return !stopping;
    }

    private void runUntilStopped() {
        Path current = options.directory();
        try (FileChannel image = FileChannel.open(
                        options.directory().resolve(LogFiles.IMAGE),
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE);
                FileChannel list = LogFiles.openToWrite(FoldList.path(options.directory()), false);
                ImageSums sums = ImageSums.open(options.directory())) {
            ImageFold fold = new ImageFold(image);
            while (awaitClosed()) {
                Closed closed;
                synchronized (this) {
                    closed = queue.element();
                }
                current = closed.path;
                fold(closed, fold, image, list, sums);
                synchronized (this) {
                    queue.remove();
                    waiting -= closed.bytes;
                    notifyAll();
                }
            }
        } catch (IOException | RuntimeException | Error e) {
            groupCommit.fail(current, e);
        }
    }

    private void fold(Closed closed, ImageFold fold, FileChannel image, FileChannel list, ImageSums sums)
            throws IOException {
        if (closed.lastLsn > control.folded) {
            // [fold.1] Before the image holds any of it: the log must reach this far, or the image is ahead of it.
            control.folding = closed.lastLsn;
            control.write();
            read(closed, fold);
            Set<Long> damaged = new TreeSet<>();
            FoldList pages = FoldList.begun(options.directory(), control);
            if (pages.lastLsn == 0) {
                pages = fold.plan(sums, closed.lastLsn, damaged);
            } else if (pages.lastLsn != closed.lastLsn) {
                throw new IOException("it ends with line " + closed.lastLsn + ", but the image may hold lines up to "
                        + pages.lastLsn);
            }
            // [fold.2] What the pages will be, before one of them changes: from here on they are verified by that. Also
            // of a fold that is done again: after a sync that failed the list may be in the system's cache alone.
            pages.write(list, control);
            list.force(false);
            fold.write(pages, damaged);
            for (int i = 0; i < pages.count(); i++) {
                sums.set(pages.page(i), pages.sum(i));
            }
            // [fold.3] The image and the sums in their places, then what the control file says of them.
            image.force(false);
            sums.sync();
            heal(damaged);
            // [fold.4] Then the log file goes.
            control.folded = closed.lastLsn;
            control.write();
        }
        Files.delete(closed.path);
    }

    private void read(Closed closed, ImageFold fold) throws IOException {
        fold.clear();
        LogReader.End end = reader.read(List.of(closed.path), control.folded, closed.lastLsn, fold::add);
        if (end.lsn() != closed.lastLsn) {
            throw new IOException("it ends with line " + end.lsn() + " instead of " + closed.lastLsn);
        }
        fold.sort();
    }

    /**
     * [fold.5] The pool in memory is whole. With all lines of such a page in the log it does not matter what the image has: the next fold writes it as a
     * whole, and so does a rebuild before that. The log may exceed its bound meanwhile, or the writer would wait for this thread.
     */
    private void heal(Set<Long> damaged) throws IOException {
        if (damaged.isEmpty()) {
            return;
        }
        long first = damaged.iterator().next();
        String what = DamagedPages.text(options.directory(), first, damaged.size(), false);
        for (long page : damaged) {
            if (healed.merge(page, 1, Integer::sum) > HEALED_MAX) {
                throw new IOException(
                        what + ", again after it was written anew. Keep the pool and its ring, copy the log's"
                                + " directory to another disk, and start with that");
            }
        }
        LOG.log(
                System.Logger.Level.WARNING,
                what + ". It is written anew from the pool in memory. A disk that does not keep what it was given is to"
                        + " be replaced");
        setHealing(true);
        for (long page : damaged) {
            pmem.log(page * ImageSums.PAGE, ImageSums.PAGE);
        }
        groupCommit.await(groupCommit.position());
        setHealing(false);
    }

    private synchronized void setHealing(boolean now) {
        healing = now;
        notifyAll();
    }
}
