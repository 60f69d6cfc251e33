package io.hmfs.bench.hdfs;

import io.hmfs.bench.process.Commands;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.apache.hadoop.fs.FileSystem;

/** Commits to tables of Iceberg and of Delta, and DistCp of small files, all in one JVM that has both filesystems' clients. */
public final class ToolsPart implements Part {
    private static final int THREADS = 16;
    private static final int SYNC_SECONDS = 120;
    private static final int FILES_OF_DIRECTORY = 100;
    private static final byte[] CONTENT = new byte[1000];
    private static final Pattern RESULT = Pattern.compile("RESULT files=(?<files>\\d+) all=(?<all>[0-9.]+)");

    private final Commands commands;
    private final Path scratch;
    private final int commits;
    private final int files;
    private final Set<HdfsOp> ops;
    private final SparkLines tools;

    /** {@code ops}: which of the three; {@code tools}: the program TimedTools. */
    ToolsPart(Commands commands, Path scratch, int commits, int files, Set<HdfsOp> ops, SparkLines tools) {
        this.commands = commands;
        this.scratch = scratch;
        this.commits = commits;
        this.files = files;
        this.ops = ops;
        this.tools = tools;
    }

    @Override
    public void round(Side side, int round, Figures figures) throws Exception {
        if (ops.contains(HdfsOp.ICEBERG)) {
            figures.add("icebergCommit", "ms", ask(side, "iceberg", commits, round) / commits);
        }
        if (ops.contains(HdfsOp.DELTA)) {
            figures.add("deltaCommit", "ms", ask(side, "delta", commits, round) / commits);
        }
        if (ops.contains(HdfsOp.DISTCP)) {
            write(side, path(side, "distcp", files, round));
            commands.run("sync", new ProcessBuilder("sync", "-f", scratch.toString()), SYNC_SECONDS);
            figures.add("distcp", "ms", ask(side, "distcp", files, round));
            side.files().delete(path(side, "distcp", files, round).suffix("-copy"), true);
        }
    }

    /** The milliseconds of all. */
    private double ask(Side side, String kind, int number, int round) throws Exception {
        org.apache.hadoop.fs.Path directory = path(side, kind, number, round);
        MatchResult result = tools.ask(side, kind + " " + directory + " " + number, RESULT, number);
        side.files().delete(directory, true);
        return Double.parseDouble(result.group("all"));
    }

    private static org.apache.hadoop.fs.Path path(Side side, String kind, int number, int round) {
        return side.path("/" + kind + "-" + number + "-" + round);
    }

    private void write(Side side, org.apache.hadoop.fs.Path directory) throws IOException, InterruptedException {
        FileSystem there = side.files();
        Side.each(THREADS, thread -> {
            for (int i = thread; i < files; i += THREADS) {
                org.apache.hadoop.fs.Path file =
                        new org.apache.hadoop.fs.Path(directory, "d" + i / FILES_OF_DIRECTORY + "/f" + i);
                try (OutputStream out = there.create(file, false)) {
                    out.write(CONTENT);
                }
            }
        });
    }
}
