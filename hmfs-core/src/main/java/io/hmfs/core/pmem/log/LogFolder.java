package io.hmfs.core.pmem.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;

/**
 * Folds log files that are complete into the image and drops them. The image may hold any part of what is being folded: a rebuild
 * replays from the last fold on, and the log reaches at least to where this one goes, which the control file says before.
 */
final class LogFolder {
    /** Bits of a sort key for the record's place among its file's; the line's number stands above. */
    private static final int INDEX_BITS = 24;

    private static final int RUN_MAX = 64 << 10;

    /** A page: what lies between two lines that are no further apart is in pages that are written anyway. */
    private static final int GAP_MAX = 4 << 10;

    private static final long POLL_MILLIS = 100;

    private record Closed(Path path, long lastLsn, long bytes) {}

    private final LogControl control;
    private final LogOptions options;
    private final LogGroupCommit groupCommit;
    private final LogReader reader;
    private final ArrayDeque<Closed> queue = new ArrayDeque<>();
    private final ByteBuffer run = ByteBuffer.allocateDirect(RUN_MAX);
    private final Thread thread;
    private long[] keys = new long[0];
    private int[] places = new int[0];
    private int count;
    private long waiting;
    private boolean stopping;

    LogFolder(LogControl control, LogOptions options, LogGroupCommit groupCommit) {
        this.control = control;
        this.options = options;
        this.groupCommit = groupCommit;
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
            while (waiting + bytes > options.logMax() && !stopping && thread.isAlive()) {
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
                options.directory().resolve(LogFiles.IMAGE), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            while (awaitClosed()) {
                Closed closed;
                synchronized (this) {
                    closed = queue.element();
                }
                current = closed.path;
                fold(image, closed);
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

    private void fold(FileChannel image, Closed closed) throws IOException {
        if (closed.lastLsn > control.folded) {
            // [fold.1] Before the image holds any of it: the log must reach this far, or the image is ahead of it.
            control.folding = closed.lastLsn;
            control.write();
            count = 0;
            LogReader.End end = reader.read(List.of(closed.path), control.folded, closed.lastLsn, this::collect);
            if (end.lsn() != closed.lastLsn) {
                throw new IOException("it ends with line " + end.lsn() + " instead of " + closed.lastLsn);
            }
            apply(image);
            // [fold.2] The image, then what the control file says of it, then the log file goes.
            image.force(false);
            control.folded = closed.lastLsn;
            control.write();
        }
        Files.delete(closed.path);
    }

    private void collect(long offset, ByteBuffer buffer, int at) {
        if (count == keys.length) {
            keys = Arrays.copyOf(keys, Math.max(1024, 2 * count));
            places = Arrays.copyOf(places, keys.length);
        }
        keys[count] = (offset >>> 6 << INDEX_BITS) | count;
        places[count++] = at;
        lines = buffer;
    }

    private ByteBuffer lines = run;

    private void apply(FileChannel image) throws IOException {
        Arrays.sort(keys, 0, count);
        keepLastCopies();
        for (int first = 0, end; first < count; first = end) {
            end = first + 1;
            while (end < count && line(end) - line(end - 1) <= GAP_MAX && line(end) + 64 - line(first) <= RUN_MAX) {
                end++;
            }
            write(image, first, end);
        }
    }

    private void keepLastCopies() {
        int kept = 0;
        for (int i = 0; i < count; i++) {
            if (i + 1 == count || line(i + 1) != line(i)) {
                keys[kept++] = keys[i];
            }
        }
        count = kept;
    }

    private long line(int i) {
        return keys[i] >>> INDEX_BITS << 6;
    }

    /** Writes lines that are near each other at once, with what the image has between them. */
    private void write(FileChannel image, int first, int end) throws IOException {
        long from = line(first);
        int length = (int) (line(end - 1) + 64 - from);
        run.clear().limit(length);
        if (length > (end - first) * 64) {
            LogFiles.read(image, run, from);
        }
        for (int i = first; i < end; i++) {
            int place = places[(int) keys[i] & ((1 << INDEX_BITS) - 1)];
            run.put((int) (line(i) - from), lines, place, 64);
        }
        LogFiles.write(image, run.position(0), from);
    }
}
