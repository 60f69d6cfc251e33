package io.hmfs.hadoop.statistics;

import io.hmfs.hadoop.link.ServerLink;
import java.util.EnumMap;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.GlobalStorageStatistics;
import org.apache.hadoop.fs.statistics.IOStatistics;
import org.apache.hadoop.fs.statistics.impl.IOStatisticsBinding;
import org.apache.hadoop.fs.statistics.impl.IOStatisticsStore;
import org.apache.hadoop.metrics2.MetricsException;
import org.apache.hadoop.metrics2.MetricsRecordBuilder;
import org.apache.hadoop.metrics2.MetricsSource;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.apache.hadoop.metrics2.lib.Interns;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts the operations of one filesystem, as IOStatistics, and of all filesystems of this process, as
 * StorageStatistics and as a source of metrics2. Counting allocates nothing. Thread-safe.
 */
public final class OpCounts {
    /** The name under which Hadoop knows the figures of the whole process. */
    static final String NAME = "HmfsFileSystem";

    private static final Logger LOG = LoggerFactory.getLogger(OpCounts.class);
    private static final OpCounts ALL = new OpCounts(null);

    private final IOStatisticsStore store = IOStatisticsBinding.iostatisticsStore()
            .withCounters(Stream.of(Op.values()).map(op -> op.key).toArray(String[]::new))
            .build();
    private final EnumMap<Op, AtomicLong> counters = new EnumMap<>(Op.class);

    private final FileSystem.@Nullable Statistics statistics;

    /** {@code statistics}: Hadoop's own, which are counted too; null before the filesystem has any. */
    public OpCounts(FileSystem.@Nullable Statistics statistics) {
        this.statistics = statistics;
        for (Op op : Op.values()) {
            counters.put(op, store.getCounterReference(op.key));
        }
    }

    static {
        GlobalStorageStatistics.INSTANCE.put(
                NAME, () -> IOStatisticsBinding.publishAsStorageStatistics(NAME, ServerLink.SCHEME, ALL.store));
        MetricsSource source = (collector, changedOrNot) -> {
            MetricsRecordBuilder record = collector.addRecord(NAME);
            for (Op op : Op.values()) {
                record.addCounter(Interns.info(op.key, op.key), ALL.counter(op).get());
            }
        };
        try {
            DefaultMetricsSystem.instance().register(NAME, "Operations of HMFS clients in this process", source);
        } catch (MetricsException e) {
            LOG.debug("This class is here twice; metrics2 has the figures of the other one", e);
        }
    }

    private AtomicLong counter(Op op) {
        return Objects.requireNonNull(counters.get(op));
    }

    /** Counts an operation that changes nothing. */
    public void read(Op op) {
        if (statistics != null) {
            statistics.incrementReadOps(1);
        }
        add(op, 1);
    }

    /** Counts a change. */
    public void write(Op op) {
        if (statistics != null) {
            statistics.incrementWriteOps(1);
        }
        add(op, 1);
    }

    /** Counts bytes that a program has read; Hadoop itself counts those that are written. */
    public void bytesRead(int count) {
        if (statistics != null) {
            statistics.incrementBytesRead(count);
        }
        add(Op.READ_BYTES, count);
    }

    public void add(Op op, long count) {
        counter(op).getAndAdd(count);
        ALL.counter(op).getAndAdd(count);
    }

    /** The figures of this filesystem. */
    public IOStatistics statistics() {
        return store;
    }
}
