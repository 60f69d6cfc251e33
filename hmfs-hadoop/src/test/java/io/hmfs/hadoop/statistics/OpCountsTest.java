package io.hmfs.hadoop.statistics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.hadoop.OwnDirectory;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.GlobalStorageStatistics;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.StorageStatistics;
import org.apache.hadoop.fs.statistics.IOStatisticsSource;
import org.apache.hadoop.fs.statistics.IOStatisticsSupport;
import org.apache.hadoop.metrics2.AbstractMetric;
import org.apache.hadoop.metrics2.MetricsSource;
import org.apache.hadoop.metrics2.impl.MetricsCollectorImpl;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.junit.jupiter.api.Test;

/**
 * Goal: each of Hadoop's three ways to ask for figures gives those of what was done, and of nothing else.
 * Method: a filesystem that only the test uses, and figures before and after.
 */
class OpCountsTest extends OwnDirectory {
    private static Map<String, Long> counters(FileSystem files) {
        return new HashMap<>(Objects.requireNonNull(((IOStatisticsSource) files).getIOStatistics())
                .counters());
    }

    private static long metric(String name) {
        MetricsSource source =
                Objects.requireNonNull(DefaultMetricsSystem.instance().getSource(OpCounts.NAME));
        MetricsCollectorImpl collector = new MetricsCollectorImpl();
        source.getMetrics(collector, true);
        for (AbstractMetric metric : collector.getRecords().get(0).metrics()) {
            if (metric.name().equals(name)) {
                return metric.value().longValue();
            }
        }
        throw new AssertionError("no metric " + name);
    }

    private static long ofProcess(String name) {
        StorageStatistics all = GlobalStorageStatistics.INSTANCE.get(OpCounts.NAME);
        return Objects.requireNonNull(all.getLong(name), name);
    }

    @Test
    void operations_and_bytes_are_counted_once_each_for_the_filesystem_and_for_the_process() throws Exception {
        long createsBefore = ofProcess("op_create");
        long metricBefore = metric("op_create");
        Path path = new Path(directory, "file");
        try (FileSystem files = FileSystem.newInstance(fs.getUri(), new Configuration())) {
            try (FSDataOutputStream out = files.create(path)) {
                out.write(bytes(1, 100));
                out.write(1);
            }
            try (FSDataInputStream in = files.open(path)) {
                assertEquals(1, in.read(new byte[1]));
                assertEquals(10, in.read(50, new byte[10], 0, 10));
            }
            files.getFileStatus(path);
            files.listStatus(directory);
            files.mkdirs(new Path(directory, "sub"));
            files.setTimes(path, 1, 1);
            assertTrue(files.rename(path, new Path(directory, "moved")));
            assertTrue(files.delete(new Path(directory, "moved"), false));
            Map<String, Long> counters = counters(files);
            Map<String, Long> expected = new HashMap<>(counters);
            expected.replaceAll((name, count) -> 0L);
            for (String once : List.of(
                    "op_create",
                    "op_open",
                    "op_get_file_status",
                    "op_list_status",
                    "op_mkdirs",
                    "op_set_times",
                    "op_rename",
                    "op_delete")) {
                expected.put(once, 1L);
            }
            expected.put("stream_write_bytes", 101L);
            expected.put("stream_read_bytes", 11L);
            assertEquals(expected, counters);
        }
        assertEquals(createsBefore + 1, ofProcess("op_create"));
        assertEquals(metricBefore + 1, metric("op_create"));
    }

    @Test
    void a_streams_figures_stay_after_its_end() throws IOException {
        Path path = write("file", bytes(2, 1000));
        FSDataInputStream in = fs.open(path);
        in.seek(500);
        in.seek(500);
        in.readFully(new byte[100]);
        in.close();
        Map<String, Long> counters = Objects.requireNonNull(IOStatisticsSupport.retrieveIOStatistics(in))
                .counters();
        assertEquals(100, counters.get("stream_read_bytes"));
        assertEquals(1, counters.get("stream_read_operations"));
        assertEquals(1, counters.get("stream_read_seek_operations"), "to where it is already is no seek");
    }
}
