package io.hmfs.bench.hdfs;

import io.hmfs.bench.process.StepException;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** Spark jobs of so many files, all in one Spark, with the time that its committer takes. */
public final class SparkPart implements Part {
    private static final Pattern RESULT =
            Pattern.compile("RESULT files=(?<files>\\d+) committer=(?<committer>\\w+) task=(?<task>[0-9.]+) "
                    + "job=(?<job>[0-9.]+) all=(?<all>[0-9.]+)");

    private final int files;
    private final Set<HdfsOp> ops;
    private final SparkLines spark;

    /** {@code ops}: which kinds of jobs; {@code spark}: the program Commits. */
    SparkPart(int files, Set<HdfsOp> ops, SparkLines spark) {
        this.files = files;
        this.ops = ops;
        this.spark = spark;
    }

    @Override
    public void round(Side side, int round, Figures figures) throws Exception {
        if (ops.contains(HdfsOp.SPARK)) {
            MatchResult job = job(side, "csv", round);
            figures.add("sparkTask", "ms", Double.parseDouble(job.group("task")));
            figures.add("sparkCommit", "ms", Double.parseDouble(job.group("job")));
            figures.add("sparkJob", "ms", Double.parseDouble(job.group("all")));
        }
        if (ops.contains(HdfsOp.PARQUET)) {
            figures.add(
                    "parquetCommit",
                    "ms",
                    Double.parseDouble(job(side, "parquet", round).group("job")));
        }
        if (ops.contains(HdfsOp.OVERWRITE)) {
            figures.add(
                    "overwriteCommit",
                    "ms",
                    Double.parseDouble(job(side, "overwrite", round).group("job")));
        }
    }

    private MatchResult job(Side side, String kind, int round) throws Exception {
        org.apache.hadoop.fs.Path directory = side.path("/spark-" + kind + "-" + files + "-" + round);
        MatchResult result = spark.ask(side, kind + " " + directory + " " + files, RESULT, files);
        boolean isOurs = side instanceof HmfsSide;
        if (isOurs && !result.group("committer").equals("HmfsCommitter")) {
            throw new StepException(kind + " was committed by " + result.group("committer"));
        }
        side.files().delete(directory, true);
        return result;
    }
}
