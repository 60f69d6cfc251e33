package io.hmfs.flink;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hmfs.hadoop.TestServerProcess;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.serialization.SimpleStringEncoder;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.source.util.ratelimit.RateLimiterStrategy;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.connector.datagen.source.DataGeneratorSource;
import org.apache.flink.connector.file.sink.FileSink;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.core.fs.FileStatus;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.Path;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.filesystem.bucketassigners.BasePathBucketAssigner;
import org.apache.flink.streaming.api.functions.sink.filesystem.rollingpolicies.DefaultRollingPolicy;
import org.junit.jupiter.api.Test;

/**
 * Goal: each record of a job of Flink is in its files once, though the job fails and goes on from checkpoints, with files that are open over all of
 * them. Method: a whole Flink in this JVM, with its FileSink; a source that gives so many records for each checkpoint, a step that fails at two of
 * them; records larger than what a stream keeps back, so that bytes behind the checkpoint have reached HMFS.
 */
class ExactlyOnceSinkTest {
    private static final int RECORDS = 240;
    private static final int OF_CHECKPOINT = 40;
    private static final Set<Integer> FAILING = Set.of(100, 190);
    private static final int WRITERS = 2;
    private static final String PADDING = "x".repeat(TestServerProcess.CHUNK_SIZE / 4);

    /** Where it has failed; static, since Flink makes the steps anew. */
    private static final Set<Integer> FAILED = ConcurrentHashMap.newKeySet();

    /** Fails once at each of some records. */
    private static final class Failing implements MapFunction<String, String> {
        private static final long serialVersionUID = 1;

        @Override
        public String map(String record) {
            int number = number(record);
            if (FAILING.contains(number) && FAILED.add(number)) {
                throw new IllegalStateException("planted: record " + number);
            }
            return record;
        }
    }

    private static int number(String record) {
        return Integer.parseInt(record.substring(0, record.indexOf(' ')));
    }

    @Test
    void each_record_is_written_once_by_a_job_that_fails() throws Exception {
        Path directory = new Path(TestServerProcess.shared().uri() + "/sink");
        Configuration settings = new Configuration();
        settings.set(RestartStrategyOptions.RESTART_STRATEGY, "fixed-delay");
        settings.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS, FAILING.size());
        settings.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_DELAY, Duration.ZERO);
        StreamExecutionEnvironment flink = StreamExecutionEnvironment.createLocalEnvironment(WRITERS, settings);
        flink.enableCheckpointing(100);
        DataGeneratorSource<String> numbers = new DataGeneratorSource<>(
                i -> i + " " + PADDING, RECORDS, RateLimiterStrategy.perCheckpoint(OF_CHECKPOINT), Types.STRING);
        flink.fromSource(numbers, WatermarkStrategy.noWatermarks(), "numbers")
                .map(new Failing())
                .sinkTo(FileSink.forRowFormat(directory, new SimpleStringEncoder<String>())
                        .withBucketAssigner(new BasePathBucketAssigner<>())
                        .withRollingPolicy(DefaultRollingPolicy.builder()
                                .withMaxPartSize(MemorySize.ofMebiBytes(1024))
                                .withRolloverInterval(Duration.ofDays(1))
                                .withInactivityInterval(Duration.ofDays(1))
                                .build())
                        .build());
        flink.execute();

        assertEquals(FAILING, FAILED);
        List<Integer> written = new ArrayList<>();
        FileSystem files = directory.getFileSystem();
        int parts = 0;
        for (FileStatus each : files.listStatus(directory)) {
            if (each.getPath().getName().startsWith("part-")) {
                parts++;
                read(files, each.getPath()).forEach(record -> written.add(number(record)));
            }
        }
        assertEquals(
                IntStream.range(0, RECORDS).boxed().toList(),
                written.stream().sorted().toList());
        assertEquals(WRITERS, parts, "files: each writer must have gone on with its first one");
    }

    private static List<String> read(FileSystem files, Path part) throws IOException {
        try (FSDataInputStream in = files.open(part)) {
            return new String(in.readAllBytes(), StandardCharsets.US_ASCII)
                    .lines()
                    .toList();
        }
    }
}
