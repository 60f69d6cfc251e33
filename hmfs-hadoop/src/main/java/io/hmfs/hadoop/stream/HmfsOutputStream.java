package io.hmfs.hadoop.stream;

import io.hmfs.client.HmfsException;
import io.hmfs.client.ResultCode;
import io.hmfs.client.Written;
import io.hmfs.hadoop.link.HadoopErrors;
import io.hmfs.hadoop.statistics.Op;
import io.hmfs.hadoop.statistics.OpCounts;
import io.hmfs.hadoop.store.DataStore;
import io.hmfs.hadoop.store.DataWriter;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hadoop.fs.Abortable;
import org.apache.hadoop.fs.StreamCapabilities;
import org.apache.hadoop.fs.Syncable;
import org.apache.hadoop.fs.statistics.IOStatistics;
import org.apache.hadoop.fs.statistics.IOStatisticsSource;
import org.apache.hadoop.fs.statistics.StreamStatisticNames;
import org.apache.hadoop.fs.statistics.impl.IOStatisticsBinding;
import org.jspecify.annotations.Nullable;

/**
 * Writes a file: bytes gather in a chunk, a few chunks are on their way at once, and a size is committed only after
 * the data below it is in the store, so a reader never sees bytes that are not there. A chunk that failed is reported
 * by the next call, and from then on nothing is committed. All methods may be called by several threads, one at a
 * time.
 */
public final class HmfsOutputStream extends OutputStream
        implements Syncable, StreamCapabilities, Abortable, IOStatisticsSource {
    private static final int FIRST_BUFFER = 8 * 1024;

    private final OpenFile file;
    private final DataWriter writer;
    private final OpenFiles openFiles;
    private final OpCounts counts;
    private final long blockSize;
    private final int chunkSize;
    private final int inFlightMax;
    private final boolean syncOnClose;
    private final boolean appends;
    private final long start;
    private final Semaphore inFlight;
    private final Deque<byte[]> spare = new ArrayDeque<>(); // guarded by itself: replies arrive on other threads
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

    private byte @Nullable [] chunk; // guarded by this, as all fields below
    private int filled;
    private int limit;
    private long chunkStart;
    private long committed;
    private boolean closed;
    private boolean judged; // whether the file was asked what the failure means
    private boolean ended; // whether the lease has ended and the server knows it
    private volatile long written;

    /** {@code appends}: the file was there. A new one has the time of its creation, unless something is written. */
    HmfsOutputStream(
            OpenFile file,
            long size,
            boolean appends,
            DataStore store,
            OpenFiles openFiles,
            StreamSettings settings,
            OpCounts counts) {
        this.counts = counts;
        this.appends = appends;
        this.file = file;
        this.writer = store.writer(file.inode(), size, file.isDense(), file.grants());
        this.openFiles = openFiles;
        this.blockSize = settings.blockSize();
        this.chunkSize = (int) Math.min(settings.chunkSize(), settings.blockSize());
        this.inFlightMax = settings.writeChunksInFlight();
        this.syncOnClose = settings.syncOnClose();
        this.inFlight = new Semaphore(inFlightMax);
        this.start = size;
        this.chunkStart = size;
        this.committed = size;
        this.limit = chunkLimit();
    }

    /** Where the stream began to write: bytes from the start of the file. */
    public long start() {
        return start;
    }

    @Override
    public synchronized void write(int value) throws IOException {
        check();
        byte[] into = room();
        into[filled++] = (byte) value;
        written++;
        if (filled == limit) {
            send();
        }
    }

    @Override
    public synchronized void write(byte[] source, int offset, int length) throws IOException {
        check();
        int done = 0;
        while (done < length) {
            byte[] into = room();
            int count = Math.min(length - done, Math.min(into.length, limit) - filled);
            System.arraycopy(source, offset + done, into, filled, count);
            filled += count;
            done += count;
            written += count;
            if (filled == limit) {
                send();
            }
        }
    }

    /** Bytes that the chunk at {@link #chunkStart} may have: it does not cross the end of a block. */
    private int chunkLimit() {
        return (int) Math.min(chunkSize, blockSize - chunkStart % blockSize);
    }

    /** A buffer with room for one byte at least; small at first, for most files are small. */
    private byte[] room() {
        byte[] current = chunk;
        if (current == null) {
            synchronized (spare) {
                current = spare.poll();
            }
            if (current == null) {
                current = new byte[Math.min(limit, FIRST_BUFFER)];
            }
        }
        if (filled == current.length) {
            current = Arrays.copyOf(current, Math.min(current.length * 4, chunkSize));
        }
        chunk = current;
        return current;
    }

    private void send() throws IOException {
        byte[] sent = chunk;
        if (sent == null || filled == 0) {
            return;
        }
        acquire(1);
        int length = filled;
        chunk = null;
        filled = 0;
        chunkStart += length;
        limit = chunkLimit();
        CompletableFuture<Void> written;
        try {
            written = writer.write(sent, 0, length);
        } catch (RuntimeException | Error e) {
            failure.compareAndSet(null, e);
            inFlight.release(); // no reply does: a close would wait for one
            throw e;
        }
        var unused = written.whenComplete((nothing, failed) -> {
            if (failed == null) {
                synchronized (spare) {
                    spare.push(sent);
                }
            } else {
                failure.compareAndSet(null, failed);
            }
            inFlight.release();
        });
        check();
    }

    private void acquire(int permits) throws IOException {
        try {
            inFlight.acquire(permits);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("Interrupted while writing " + file.path());
        }
    }

    private void check() throws IOException {
        if (closed) {
            throw new IOException("Stream is closed: " + file.path());
        }
        throwFailure();
    }

    private void throwFailure() throws IOException {
        Throwable failed = failure.get();
        if (failed instanceof CompletionException && failed.getCause() != null) {
            failed = failed.getCause();
        }
        if (failed instanceof HmfsException refused
                && (refused.code() == ResultCode.STALE
                        || refused.code() == ResultCode.LEASE_LOST
                        || refused.code() == ResultCode.ACCESS_DENIED)) {
            if (!judged) { // once: a program closes a stream that has failed, maybe when the server is gone
                judged = true;
                refused = file.judged(refused);
                failure.set(refused);
            }
            throw HadoopErrors.translate(file.path(), refused);
        }
        if (failed != null) {
            throw new IOException(
                    "Writing " + file.path() + " failed; committed are " + committed + " bytes: " + failed.getMessage(),
                    failed);
        }
    }

    /** Sends the bytes down; as in HDFS this promises nothing to readers. */
    @Override
    public synchronized void flush() throws IOException {
        if (!closed) {
            check();
        }
    }

    @Override
    public synchronized void hflush() throws IOException {
        publish(false, false);
    }

    @Override
    public synchronized void hsync() throws IOException {
        publish(true, false);
    }

    private void publish(boolean durable, boolean last) throws IOException {
        check();
        send();
        acquire(inFlightMax); // all replies are here
        inFlight.release(inFlightMax);
        throwFailure();
        try {
            writer.publish(durable);
            // As in HDFS an append that adds nothing moves the time of the modification. A close behind an hflush sends
            // nothing: it succeeds while the server is away.
            if (chunkStart > committed || (last && appends && written == 0)) {
                file.commit(chunkStart, last, new Written(start, writer.takeVerifier()));
                committed = chunkStart;
                ended = last;
            }
        } catch (IOException | RuntimeException | Error e) {
            failure.compareAndSet(null, e); // what the store has is unknown: no later call may claim success
            throw e;
        }
    }

    /** Commits what was written. After a failure it reports it once, and commits nothing. */
    @Override
    public synchronized void close() throws IOException {
        if (closed) {
            return;
        }
        boolean whole = false;
        try {
            publish(syncOnClose, true);
            whole = true;
        } catch (IOException | RuntimeException | Error e) {
            writer.abort();
            throw e;
        } finally {
            release(whole && written > 0); // an empty file need not wait
        }
    }

    private void release(boolean awaited) {
        closed = true;
        chunk = null;
        counts.add(Op.WRITE_BYTES, written);
        synchronized (spare) {
            spare.clear();
        }
        openFiles.remove(this);
        file.release(ended, awaited);
    }

    /** Ends the stream without committing what came after the last hflush or hsync. */
    @Override
    public synchronized AbortableResult abort() {
        boolean already = closed;
        if (!closed) {
            inFlight.acquireUninterruptibly(inFlightMax); // the buffers are the store's until then
            writer.abort();
            release(false);
        }
        return new AbortableResult() {
            @Override
            public boolean alreadyClosed() {
                return already;
            }

            @Override
            public @Nullable IOException anyCleanupException() {
                return null;
            }
        };
    }

    /** A view of the bytes written so far. */
    @Override
    public IOStatistics getIOStatistics() {
        return IOStatisticsBinding.dynamicIOStatistics()
                .withLongFunctionCounter(StreamStatisticNames.STREAM_WRITE_BYTES, key -> written)
                .build();
    }

    @Override
    @SuppressWarnings("deprecation") // of HFLUSH, which callers still ask for
    public boolean hasCapability(String capability) {
        return switch (capability.toLowerCase(Locale.ROOT)) {
            case StreamCapabilities.HFLUSH,
                    StreamCapabilities.HSYNC,
                    StreamCapabilities.ABORTABLE_STREAM,
                    StreamCapabilities.IOSTATISTICS -> true;
            default -> false;
        };
    }
}
