package io.hmfs.hadoop;

import java.util.EnumMap;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.apache.hadoop.fs.GlobalStorageStatistics;
import org.apache.hadoop.fs.statistics.IOStatistics;
import org.apache.hadoop.fs.statistics.impl.IOStatisticsBinding;
import org.apache.hadoop.fs.statistics.impl.IOStatisticsStore;
import org.apache.hadoop.metrics2.MetricsException;
import org.apache.hadoop.metrics2.MetricsRecordBuilder;
import org.apache.hadoop.metrics2.MetricsSource;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.apache.hadoop.metrics2.lib.Interns;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts what one filesystem does, as IOStatistics, and what all of this process do, as StorageStatistics and as a source of metrics2.
 * Counting allocates nothing. Thread-safe.
 */
final class OpCounts {
    /** Under this name Hadoop has the figures of the whole process. */
    static final String NAME = "HmfsFileSystem";

    private static final Logger LOG = LoggerFactory.getLogger(OpCounts.class);
    private static final OpCounts ALL = new OpCounts();

    private final IOStatisticsStore store = IOStatisticsBinding.iostatisticsStore()
            .withCounters(Stream.of(Op.values()).map(op -> op.key).toArray(String[]::new))
            .build();
    private final EnumMap<Op, AtomicLong> counters = new EnumMap<>(Op.class);

    OpCounts() {
        for (Op op : Op.values()) {
            counters.put(op, store.getCounterReference(op.key));
        }
    }

    static {
        GlobalStorageStatistics.INSTANCE.put(
                NAME, () -> IOStatisticsBinding.publishAsStorageStatistics(NAME, HmfsFileSystem.SCHEME, ALL.store));
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

    void add(Op op) {
        add(op, 1);
    }

    void add(Op op, long count) {
        counter(op).getAndAdd(count);
        ALL.counter(op).getAndAdd(count);
    }

    IOStatistics statistics() {
        return store;
    }
}
