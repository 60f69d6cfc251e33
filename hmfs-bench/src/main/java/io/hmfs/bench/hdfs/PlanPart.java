package io.hmfs.bench.hdfs;

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

    /** {@code spark}: the program Plans. */
    PlanPart(int partitions, SparkLines spark) {
        files = partitions * FILES_OF_PARTITION;
        this.spark = spark;
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
}
