package io.hmfs.bench.hdfs;

import io.hmfs.bench.process.Commands;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** Spark jobs of so many files, all in one Spark, with the time that its committer takes. */
public final class SparkPart implements Part {
    private static final Pattern RESULT = Pattern.compile(
            "RESULT files=(?<files>\\d+) task=(?<task>[0-9.]+) job=(?<job>[0-9.]+) all=(?<all>[0-9.]+)");

    private final int files;
    private final SparkLines spark;

    /** Starts Spark, fetching it the first time. */
    public SparkPart(Commands commands, Path scratch, int files, List<Side> sides) throws Exception {
        this.files = files;
        spark = new SparkLines(commands, scratch, "Commits", sides);
    }

    @Override
    public void round(Side side, int round, Figures figures) throws Exception {
        org.apache.hadoop.fs.Path directory = side.path("/spark-" + files + "-" + round);
        MatchResult result = spark.ask(side, directory + " " + files, RESULT, files);
        figures.add("sparkTask", "ms", Double.parseDouble(result.group("task")));
        figures.add("sparkCommit", "ms", Double.parseDouble(result.group("job")));
        figures.add("sparkJob", "ms", Double.parseDouble(result.group("all")));
        side.files().delete(directory, true);
    }

    @Override
    public void close() throws IOException {
        spark.close();
    }
}
