package io.hmfs.hadoop.stream;

import io.hmfs.client.FileVersion;
import io.hmfs.hadoop.link.HadoopHas;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.IntFunction;
import org.apache.hadoop.fs.CanUnbuffer;
import org.apache.hadoop.fs.FSInputStream;
import org.apache.hadoop.fs.FileRange;
import org.apache.hadoop.fs.StreamCapabilities;
import org.apache.hadoop.fs.statistics.IOStatistics;
import org.apache.hadoop.fs.statistics.IOStatisticsSource;
import org.jspecify.annotations.Nullable;

/**
 * Reads a file up to the size it had when it was opened. A sequential reader finds the next chunks already under way;
 * the first read after a seek fetches little, and each further one in sequence more. Positioned reads neither use nor
 * change that, and any number of threads may make them; the other methods are for one thread at a time. Where Hadoop
 * has vectored reads, the stream has them too.
 */
public class HmfsInputStream extends FSInputStream implements CanUnbuffer, StreamCapabilities, IOStatisticsSource {
    private static final int FIRST_FETCH = 128 * 1024;

    private final FileBlocks blocks;
    private final FileVersion version;
    private final long size;
    private final int chunkSize;
    private final ReadAhead readAhead;
    private final ReadCounts counts;
    private final ArrayDeque<FileBlocks.Fetch> ahead =
            new ArrayDeque<>(); // ascending, no gaps; all from here on guarded by this
    private FileBlocks.@Nullable Fetch current;
    private long position;
    private int nextLength;
    private boolean streak;
    private volatile boolean closed;

    static HmfsInputStream of(
            FileBlocks blocks, FileVersion version, int chunkSize, ReadAhead readAhead, ReadCounts counts) {
        return HadoopHas.RANGES
                ? WithRanges.make(blocks, version, chunkSize, readAhead, counts)
                : new HmfsInputStream(blocks, version, chunkSize, readAhead, counts);
    }

    private HmfsInputStream(
            FileBlocks blocks, FileVersion version, int chunkSize, ReadAhead readAhead, ReadCounts counts) {
        this.blocks = blocks;
        this.version = version;
        this.size = version.size();
        this.chunkSize = chunkSize;
        this.readAhead = readAhead;
        this.counts = counts;
        this.nextLength = Math.min(FIRST_FETCH, chunkSize);
    }

    /** The version of the file when it was opened. */
    public FileVersion version() {
        return version;
    }

    @Override
    public IOStatistics getIOStatistics() {
        return counts.view();
    }

    @Override
    public synchronized int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public synchronized int read(byte[] target, int offset, int length) throws IOException {
        checkOpen();
        Objects.checkFromIndexSize(offset, length, target.length);
        if (length == 0) {
            return 0;
        }
        if (position >= size) {
            return -1;
        }
        FileBlocks.Fetch fetch = fetchAt(length);
        int from = (int) (position - fetch.start());
        int count = Math.min(length, fetch.length() - from);
        System.arraycopy(fetch.bytes(), from, target, offset, count);
        position += count;
        if (position == fetch.start() + fetch.length()) {
            topUp(fetch);
        }
        counts.read(count);
        return count;
    }

    /** The fetch that holds the position, waited for. */
    private FileBlocks.Fetch fetchAt(int wanted) throws IOException {
        FileBlocks.Fetch fetch = current;
        if (fetch != null && fetch.holds(position)) {
            return fetch;
        }
        while (!ahead.isEmpty() && !ahead.getFirst().holds(position)) {
            ahead.removeFirst();
        }
        fetch = ahead.poll();
        if (fetch == null) {
            streak = current == null ? readAhead.fromStart() : position == current.end();
            nextLength = streak ? grown() : Math.min(FIRST_FETCH, chunkSize);
            fetch = start(position, Math.max(wanted, nextLength));
        } else {
            streak = true;
        }
        current = fetch;
        topUp(fetch);
        try {
            fetch.await();
        } catch (IOException e) {
            unbuffer(); // the next read asks again
            throw e;
        }
        return fetch;
    }

    private int grown() {
        return Math.min(nextLength * 4, chunkSize);
    }

    private FileBlocks.Fetch start(long from, int length) {
        int bounded = (int) Math.min(Math.min(length, chunkSize), size - from);
        return blocks.fetch(from, new byte[bounded], 0, bounded);
    }

    /** Keeps the next chunks under way while the reader reads on in sequence. */
    private void topUp(FileBlocks.Fetch last) {
        if (!streak) {
            return;
        }
        long end = ahead.isEmpty() ? last.end() : ahead.getLast().end();
        while (ahead.size() < readAhead.chunks() && end < Math.min(size, readAhead.end())) {
            nextLength = grown();
            FileBlocks.Fetch next = start(end, nextLength);
            counts.fetchAhead();
            ahead.addLast(next);
            end = next.end();
        }
    }

    @Override
    public int read(long at, byte[] target, int offset, int length) throws IOException {
        checkOpen();
        validatePositionedReadArgs(at, target, offset, length);
        if (length == 0) {
            return 0;
        }
        if (at >= size) {
            return -1;
        }
        int count = (int) Math.min(length, size - at);
        blocks.fetch(at, target, offset, count).await();
        counts.read(count);
        return count;
    }

    private CompletableFuture<ByteBuffer> readRange(long at, int length, IntFunction<ByteBuffer> allocate) {
        ByteBuffer buffer = allocate.apply(length);
        byte[] bytes = buffer.hasArray() ? buffer.array() : new byte[length];
        int offset = buffer.hasArray() ? buffer.arrayOffset() + buffer.position() : 0;
        FileBlocks.Fetch fetch = blocks.fetch(at, bytes, offset, length);
        // Not on the thread that replies arrive on: for a hole or a lost connection the fetch asks again and waits.
        return fetch.arrived().handleAsync((all, failed) -> {
            try {
                fetch.await();
            } catch (IOException e) {
                throw new CompletionException(e);
            }
            if (!buffer.hasArray()) {
                buffer.duplicate().put(bytes);
            }
            buffer.limit(buffer.position() + length);
            counts.range(length);
            return buffer;
        });
    }

    @Override
    public synchronized void seek(long to) throws IOException {
        checkOpen();
        if (to < 0) {
            throw new EOFException("Cannot seek to a negative position: " + to);
        }
        if (to > size) {
            throw new EOFException("Cannot seek to " + to + ", beyond the end of the file at " + size);
        }
        if (to != position) {
            counts.seek();
        }
        position = to;
    }

    @Override
    public synchronized long skip(long count) throws IOException {
        checkOpen();
        long skipped = Math.max(0, Math.min(count, size - position));
        position += skipped;
        return skipped;
    }

    @Override
    public synchronized long getPos() {
        return position;
    }

    @Override
    public synchronized int available() throws IOException {
        checkOpen();
        return (int) Math.min(Integer.MAX_VALUE, size - position);
    }

    /** False: HMFS knows one copy; a data store may keep more, and chooses itself. */
    @Override
    public boolean seekToNewSource(long target) {
        return false;
    }

    @Override
    public synchronized void unbuffer() {
        current = null;
        ahead.clear();
    }

    @Override
    public synchronized void close() throws IOException {
        if (!closed) {
            closed = true;
            unbuffer();
            blocks.close();
        }
    }

    private void checkOpen() throws IOException {
        if (closed) {
            throw new IOException("Stream is closed: " + blocks.path());
        }
    }

    @Override
    public boolean hasCapability(String capability) {
        return switch (capability.toLowerCase(Locale.ROOT)) {
            case StreamCapabilities.UNBUFFER, StreamCapabilities.READAHEAD, StreamCapabilities.IOSTATISTICS -> true;
            case StreamCapabilities.VECTOREDIO -> HadoopHas.RANGES;
            default -> false;
        };
    }

    /** From Hadoop 3.3.5 on. */
    private static final class WithRanges extends HmfsInputStream {
        private WithRanges(
                FileBlocks blocks, FileVersion version, int chunkSize, ReadAhead readAhead, ReadCounts counts) {
            super(blocks, version, chunkSize, readAhead, counts);
        }

        /** Typed so that the caller can be loaded where this class cannot. */
        static HmfsInputStream make(
                FileBlocks blocks, FileVersion version, int chunkSize, ReadAhead readAhead, ReadCounts counts) {
            return new WithRanges(blocks, version, chunkSize, readAhead, counts);
        }

        /** Asks for all ranges at once, each by requests of its own: Parquet and ORC read row groups so. */
        @Override
        public void readVectored(List<? extends FileRange> ranges, IntFunction<ByteBuffer> allocate)
                throws IOException {
            super.checkOpen();
            List<FileRange> checked = checked(ranges, super.size);
            super.counts.readVectored(checked.size());
            for (FileRange range : checked) {
                range.setData(
                        within(range, super.size)
                                ? super.readRange(range.getOffset(), range.getLength(), allocate)
                                : CompletableFuture.failedFuture(outside(range, super.size)));
            }
        }

        private static boolean within(FileRange range, long size) {
            return range.getOffset() < size && range.getLength() <= size - range.getOffset();
        }

        private static EOFException outside(FileRange range, long size) {
            return new EOFException("Range " + range + " is not within the " + size + " bytes of the file");
        }

        /** The ranges by offset; fails where Hadoop's own check of this version does. That of 3.4.1 is not in 3.3.5. */
        private static List<FileRange> checked(List<? extends FileRange> ranges, long size) throws EOFException {
            List<FileRange> sorted = new ArrayList<>(ranges);
            sorted.sort(Comparator.comparingLong(FileRange::getOffset));
            long end = 0;
            for (FileRange range : sorted) {
                if (range.getLength() < 0) {
                    throw new IllegalArgumentException("length is negative in " + range);
                }
                if (range.getOffset() < 0) {
                    throw new EOFException("position is negative in range " + range);
                }
                if (!HadoopHas.STRICT_RANGES) {
                    continue;
                }
                if (range.getOffset() < end) {
                    throw new IllegalArgumentException("Overlapping ranges: " + range + " begins before " + end);
                }
                if (!within(range, size)) {
                    throw outside(range, size);
                }
                end = range.getOffset() + range.getLength();
            }
            return sorted;
        }
    }
}
