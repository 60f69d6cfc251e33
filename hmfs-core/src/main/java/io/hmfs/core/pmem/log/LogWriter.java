package io.hmfs.core.pmem.log;

import io.hmfs.core.pmem.LogFigures;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Takes what is published to the disk: one block and one sync at a time, for all that came since the last (group commit). Never two
 * blocks under one sync: a whole block proves that those before it were whole.
 *
 * <p>It begins when a thread or an action waits, not when something is published: a change publishes several times, and a sync for its beginning would
 * keep its end waiting. What no thread waits for is written when much of it has gathered, or after {@link #IDLE_NANOS}.
 */
final class LogWriter implements LogSink {
    static final long IDLE_NANOS = 20_000_000;
    private static final int SPINS = 200;

    /** A caller that is alone asks again within this time, or does something else: an answer goes to it, and its next request comes. */
    private static final long LONE_NANOS = 200_000;

    /** More lines than most changes publish. */
    private static final int LONE_LINES = 16;

    private static final int AHEAD_BYTES = 256 << 10;
    private static final int GATHERED_PART = 4; // of the ring

    private final LogRing ring;
    private final LogControl control;
    private final LogOptions options;
    private final LogFolder folder;
    private final LogGroupCommit groupCommit;
    private final ByteBuffer buffer;
    private final ByteBuffer zeros = ByteBuffer.allocateDirect(AHEAD_BYTES);
    private final int recordsMax;
    private final long gathered;
    private final long quietNanos; // Long.MAX_VALUE: LogOptions.NEVER
    private final CRC32C crc = new CRC32C();
    private final boolean hasAnotherProcessor = Runtime.getRuntime().availableProcessors() > 1;
    private final Thread thread;
    private @Nullable FileChannel file;
    private @Nullable Path path;
    private long position;

    /** The file has space up to here: zeros from {@link #position} on. */
    private long filled;

    private boolean isCramped;

    private volatile boolean stopping;
    private volatile boolean idle;

    /** All up to here is being written, asked for or not. The writer's own. */
    private long goal;

    /** The last block is an empty record. The writer's own, as the two below. */
    private boolean lastIsEmpty;

    /** The LSN of the last empty record. */
    private long emptyLsn;

    private long writtenNanos = System.nanoTime();
    private boolean wasOfOne; // the last block, as far as its lines and those who waited can tell

    /** A thread or an action waits for all up to here. Stored under the monitor of {@link LogGroupCommit}. */
    private volatile long asked;

    private volatile LogFigures figures;

    LogWriter(LogRing ring, LogControl control, LogOptions options, LogFolder folder, LogGroupCommit groupCommit) {
        this.ring = ring;
        this.control = control;
        this.options = options;
        this.folder = folder;
        this.groupCommit = groupCommit;
        long fits = (options.segmentSize() - LogSegmentHeader.SIZE - LogBlock.HEADER_SIZE - LogBlock.ALIGNMENT)
                / LogRecord.SIZE;
        this.recordsMax = (int) Math.min(Math.min(LogBlock.RECORDS_MAX, fits), ring.capacity());
        this.gathered = Math.min(recordsMax, ring.capacity() / GATHERED_PART);
        this.quietNanos = options.quiet().toNanos();
        this.buffer = ByteBuffer.allocateDirect(LogBlock.length(recordsMax)).order(ByteOrder.LITTLE_ENDIAN);
        this.figures = new LogFigures(ring.durable(), ring.durable(), 0, 0, 0);
        this.thread = Thread.ofPlatform().daemon().name("hmfs-log").unstarted(this::run);
    }

    void start() {
        thread.start();
    }

    @Override
    public LogFigures figures() {
        LogFigures known = figures;
        return new LogFigures(
                Math.max(ring.published(), known.durableLines()),
                known.durableLines(),
                known.writtenBytes(),
                known.syncs(),
                known.syncNanos());
    }

    @Override
    public void ask(long position) {
        if (position > asked) {
            asked = position;
        }
        if (idle) {
            LockSupport.unpark(thread);
        }
    }

    /** Writes what is published, unless the log has failed, and ends. */
    void stop() {
        stopping = true;
        LockSupport.unpark(thread);
        LogGroupCommit.join(thread);
        try {
            if (!ring.hasFailed()) {
                trim();
            }
        } catch (IOException e) {
            debug("trimming", e); // the next start does it
        }
        closeFile();
    }

    private void run() {
        try {
            while (step()) {
                // on
            }
        } catch (IOException | RuntimeException | Error e) {
            groupCommit.fail(path == null ? options.directory() : path, e);
        }
    }

    private boolean step() throws IOException {
        ring.check(); // whatever made it fail: the threads that wait are told
        boolean last = stopping;
        for (int i = 0; !isDue() && (i < SPINS || awaitsLoneCaller()); i++) {
            Thread.onSpinWait();
        }
        idle = true;
        if (!isDue() && !last) {
            LockSupport.parkNanos(IDLE_NANOS);
        }
        idle = false;
        long durable = ring.durable();
        long end = ring.advance();
        goal = Math.max(goal, end); // what has gathered goes on without a pause, in several blocks perhaps
        if (end > durable) {
            write(durable + 1, (int) Math.min(end - durable, recordsMax));
            return true;
        }
        return addEmpty(durable, last) || !last;
    }

    /**
     * [log.14] When nothing has come for a while, and at the end, an empty record comes behind the last block: the last is the only one whose damage
     * cannot be told from a write that was cut off. None in a file for which the disk had no space to spare: nobody asks for it, and it would end the server.
     */
    private boolean addEmpty(long durable, boolean last) {
        if (lastIsEmpty || isCramped || !isQuiet(last) || !ring.publishEmptyBehind(durable)) {
            return false;
        }
        emptyLsn = durable + 1;
        goal = emptyLsn;
        return true;
    }

    private boolean isQuiet(boolean last) {
        return last ? quietNanos != Long.MAX_VALUE : System.nanoTime() - writtenNanos >= quietNanos;
    }

    /** Whether the last block was of a caller that was alone, which may ask again soon: to be woken takes half as long as a sync. */
    private boolean awaitsLoneCaller() {
        return wasOfOne && System.nanoTime() - writtenNanos < LONE_NANOS;
    }

    private boolean isDue() {
        long durable = ring.durable();
        return Math.max(asked, goal) > durable || ring.advance() - durable >= gathered || stopping;
    }

    private void write(long first, int count) throws IOException {
        for (int i = 0; i < count; i++) {
            int at = LogBlock.record(0, i);
            buffer.putLong(at + LogRecord.OFFSET_OFFSET, ring.line(first + i));
            for (int word = 0; word < 8; word++) {
                buffer.putLong(at + LogRecord.LINE_OFFSET + word * 8, ring.word(first + i, word));
            }
        }
        buffer.clear();
        LogBlock.seal(buffer, first, count, control.salt, crc);
        int length = LogBlock.length(count);
        FileChannel current = file;
        if (current == null || position + length > options.segmentSize()) {
            current = rotate(first);
        }
        buffer.position(0).limit(length);
        LogFiles.write(current, buffer, position);
        buffer.clear();
        fill(current, position + length);
        long begun = System.nanoTime();
        // [log.8] On the disk before any thread is told.
        current.force(false);
        position += length;
        lastIsEmpty = first == emptyLsn && count == 1;
        writtenNanos = System.nanoTime();
        ring.setDurable(first + count - 1);
        LogFigures before = figures;
        figures = new LogFigures(
                first + count - 1,
                first + count - 1,
                before.writtenBytes() + length,
                before.syncs() + 1,
                before.syncNanos() + System.nanoTime() - begun);
        wasOfOne = groupCommit.advanced() == 1 && count <= LONE_LINES && hasAnotherProcessor;
    }

    /**
     * Sees to it that the file has space behind {@code end}: a sync of blocks that the file has already takes half of the time of one that
     * makes the file longer. The space comes with the block's own sync. Where the disk has none to spare this file does without.
     */
    private void fill(FileChannel current, long end) throws IOException {
        if (end <= filled || isCramped) {
            return;
        }
        filled = Math.min(end + AHEAD_BYTES, Math.max(end, options.segmentSize()));
        zeros.clear().limit((int) (filled - end));
        try {
            LogFiles.write(current, zeros, end);
        } catch (IOException e) {
            debug("no space ahead in", e);
            isCramped = true;
            current.truncate(end);
        }
    }

    private FileChannel rotate(long first) throws IOException {
        // [log.11] Before the next file is there: what stands behind the last block of any but the last file was lost.
        trim();
        closeFile();
        Path closed = path;
        if (closed != null) {
            folder.add(closed, first - 1, position);
        }
        folder.awaitRoom(options.segmentSize());
        Path next = LogFiles.segment(options.directory(), first);
        path = next;
        FileChannel made = LogFiles.openToWrite(next, true);
        file = made;
        ByteBuffer header = ByteBuffer.allocate(LogSegmentHeader.SIZE).order(ByteOrder.LITTLE_ENDIAN);
        LogSegmentHeader.put(header, control.log, first, control.generation, control.salt);
        LogFiles.write(made, header, 0);
        made.force(true);
        LogFiles.sync(options.directory());
        // [log.13] Before a line in there is acknowledged: without the mark nobody would miss the file.
        control.mark.reach(first);
        position = LogSegmentHeader.SIZE;
        filled = position;
        isCramped = false;
        return made;
    }

    /** Gives the space back that was not used. */
    private void trim() throws IOException {
        FileChannel open = file;
        if (open != null && filled > position) {
            open.truncate(position);
            open.force(true);
        }
    }

    private void closeFile() {
        FileChannel open = file;
        file = null;
        if (open != null) {
            try {
                open.close();
            } catch (IOException e) {
                debug("closing", e); // what it holds was synced
            }
        }
    }

    private void debug(String what, IOException e) {
        System.getLogger(LogWriter.class.getName()).log(System.Logger.Level.DEBUG, what + " " + path, e);
    }

    /** For tests: the file being written. */
    @Nullable
    FileChannel file() {
        return file;
    }
}
