package io.hmfs.bench.hdfs;

import io.hmfs.bench.process.Commands;
import io.hmfs.bench.process.SparkJob;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** Spark's planning of a read of a partitioned table, with the time that its threads spend in the filesystem. */
public final class PlanPart implements Part {
    private static final int FILES_OF_PARTITION = 5;
    private static final Pattern RESULT =
            Pattern.compile("RESULT files=(?<files>\\d+) filesystem=(?<filesystem>[0-9.]+)"
                    + " processor=(?<processor>[0-9.]+) all=(?<all>[0-9.]+)");

    private final int files;
    private final SparkLines spark;

    /** Starts Spark, fetching it the first time. */
    public PlanPart(Commands commands, Path scratch, int partitions, List<Side> sides) throws Exception {
        files = partitions * FILES_OF_PARTITION;
        SparkJob job = SparkJob.prepare(commands, scratch, Path.of(System.getProperty("java.home")));
        spark = new SparkLines(commands, job, "Plans", sides);
    }

    @Override
    public void round(Side side, int round, Figures figures) throws Exception {
        String table = "/plan-" + files + "-" + round;
        side.tree(table + "/p=", files, FILES_OF_PARTITION);
        MatchResult result = spark.ask(side, side.path(table).toString(), RESULT, files);
        figures.add("planFilesystem", "ms", Double.parseDouble(result.group("filesystem")));
        figures.add("planProcessor", "ms", Double.parseDouble(result.group("processor")));
        figures.add("plan", "ms", Double.parseDouble(result.group("all")));
        side.files().delete(side.path(table), true);
    }

    @Override
    public void close() throws IOException {
        spark.close();
    }
}
