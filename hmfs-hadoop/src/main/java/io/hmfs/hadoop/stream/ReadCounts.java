package io.hmfs.hadoop.stream;

import io.hmfs.hadoop.statistics.OpCounts;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.fs.statistics.IOStatistics;
import org.apache.hadoop.fs.statistics.StreamStatisticNames;
import org.apache.hadoop.fs.statistics.impl.IOStatisticsBinding;

/** Counts what one input stream does, and the bytes for its filesystem too. Thread-safe. */
final class ReadCounts {
    private final OpCounts files;
    private final AtomicLong bytes = new AtomicLong();
    private final AtomicLong reads = new AtomicLong();
    private final AtomicLong seeks = new AtomicLong();
    private final AtomicLong ahead = new AtomicLong();
    private final AtomicLong vectored = new AtomicLong();
    private final AtomicLong ranges = new AtomicLong();

    ReadCounts(OpCounts files) {
        this.files = files;
    }

    void read(int count) {
        reads.getAndIncrement();
        bytes(count);
    }

    private void bytes(int count) {
        bytes.getAndAdd(count);
        files.bytesRead(count);
    }

    void seek() {
        seeks.getAndIncrement();
    }

    void fetchAhead() {
        ahead.getAndIncrement();
    }

    void readVectored(int count) {
        vectored.getAndIncrement();
        ranges.getAndAdd(count);
    }

    void range(int count) {
        bytes(count);
    }

    /** A view of the counts as they grow. */
    IOStatistics view() {
        return IOStatisticsBinding.dynamicIOStatistics()
                .withAtomicLongCounter(StreamStatisticNames.STREAM_READ_BYTES, bytes)
                .withAtomicLongCounter(StreamStatisticNames.STREAM_READ_OPERATIONS, reads)
                .withAtomicLongCounter(StreamStatisticNames.STREAM_READ_SEEK_OPERATIONS, seeks)
                .withAtomicLongCounter(StreamStatisticNames.STREAM_READ_PREFETCH_OPERATIONS, ahead)
                .withAtomicLongCounter(StreamStatisticNames.STREAM_READ_VECTORED_OPERATIONS, vectored)
                .withAtomicLongCounter(StreamStatisticNames.STREAM_READ_VECTORED_INCOMING_RANGES, ranges)
                .build();
    }
}
