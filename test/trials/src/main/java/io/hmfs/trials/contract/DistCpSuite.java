package io.hmfs.trials.contract;

import io.hmfs.bench.process.StepException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** DistCp between HMFS and a real HDFS, both ways, which compares the file checksums of the two after each copy. */
final class DistCpSuite {
    private static final String SUITE = "distcp";
    private static final String MAIN = "org.apache.hadoop.tools.DistCp";
    private static final String BLOCK = "1048576"; // the smallest that HDFS takes: a large file has several
    /** HDFS's client sleeps so long, 400 ms unless set otherwise, where its DataNode has not yet told of a file's last block. */
    private static final String HDFS_CLOSE = "dfs.client.block.write.locateFollowingBlock.initial.delay.ms";

    private static final int LARGE = 3_500_000;
    private static final Pattern COPIED = Pattern.compile("Files Copied=(\\d+)");
    private static final Pattern SKIPPED = Pattern.compile("Files Skipped=(\\d+)");

    private final Cases cases;
    private final Hadoop hadoop;
    private final FileSystem hmfs;
    private final FileSystem hdfs;

    DistCpSuite(Cases cases, Hadoop hadoop, FileSystem hmfs, FileSystem hdfs) {
        this.cases = cases;
        this.hadoop = hadoop;
        this.hmfs = hmfs;
        this.hdfs = hdfs;
    }

    /** Both filesystems must be opened with them: blocks of the size of the copies'. */
    static String[] settings() {
        return new String[] {"dfs.blocksize", BLOCK, "dfs.replication", "1", HDFS_CLOSE, "5"};
    }

    void quick() throws InterruptedException {
        both(20);
    }

    void all() throws InterruptedException {
        both(300);
        cases.run(SUITE, "block sizes differ, hdfs to hmfs", () -> sizesDiffer("from-hdfs", hdfs, hmfs));
        cases.run(SUITE, "block sizes differ, hmfs to hdfs", () -> sizesDiffer("from-hmfs", hmfs, hdfs));
    }

    private void both(int many) throws InterruptedException {
        cases.run(SUITE, many + " files, hdfs to hmfs", () -> copy("from-hdfs", hdfs, hmfs, many));
        cases.run(SUITE, many + " files, hmfs to hdfs", () -> copy("from-hmfs", hmfs, hdfs, many));
    }

    /** All of a tree; then nothing, for nothing has changed; then the one file whose bytes have, at the same length. */
    private String copy(String name, FileSystem from, FileSystem to, int many) throws Exception {
        Path source = from.makeQualified(new Path("/" + name + many));
        Path target = to.makeQualified(new Path("/copy-" + name + many));
        CopiedTree.write(from, source, many, LARGE);
        int all = many + 1;
        run(name + many, all, 0, source, target, "-update");
        requireSame(from, source, to, target);
        run(name + many + "-again", 0, all, source, target, "-update");
        CopiedTree.put(to, new Path(target, "large"), -1, LARGE);
        CopiedTree.put(to, new Path(target, "not in the source"), 1, 10);
        run(name + many + "-mended", 1, many, source, target, "-update", "-delete");
        requireSame(from, source, to, target);
        return all + " files, their checksums equal; 1 of " + all + " copied again after it changed";
    }

    /** As between two HDFS: refused by the checksums of blocks, fine by those of whole files. */
    private String sizesDiffer(String name, FileSystem from, FileSystem to) throws Exception {
        Path source = from.makeQualified(new Path("/sizes-" + name));
        Path target = to.makeQualified(new Path("/copy-sizes-" + name));
        CopiedTree.write(from, source, 10, LARGE);
        run(
                name + "-sizes",
                11,
                0,
                source,
                target,
                "-Ddfs.checksum.combine.mode=COMPOSITE_CRC",
                "-Ddfs.blocksize=4194304",
                "-update");
        Cases.requireEqual(CopiedTree.digests(from, source), CopiedTree.digests(to, target), "contents");
        return "copied with COMPOSITE_CRC";
    }

    private void run(String name, int copied, int skipped, Path source, Path target, String... options)
            throws IOException, InterruptedException, StepException {
        List<String> arguments = new ArrayList<>();
        String[] settings = settings();
        for (int i = 0; i < settings.length; i += 2) {
            arguments.add("-D" + settings[i] + "=" + settings[i + 1]);
        }
        arguments.addAll(Arrays.asList(options));
        arguments.add(source.toString());
        arguments.add(target.toString());
        String printed = hadoop.run("distcp-" + name, MAIN, arguments.toArray(new String[0]));
        Cases.requireEqual(copied, figure(COPIED, printed), name + ": files copied");
        Cases.requireEqual(skipped, figure(SKIPPED, printed), name + ": files skipped");
    }

    private static int figure(Pattern counter, String printed) {
        Matcher found = counter.matcher(printed);
        return found.find() ? Integer.parseInt(found.group(1)) : 0;
    }

    private static void requireSame(FileSystem from, Path source, FileSystem to, Path target)
            throws IOException, StepException {
        Map<String, String> expected = CopiedTree.digests(from, source);
        Cases.requireEqual(expected, CopiedTree.digests(to, target), "contents");
        for (String file : expected.keySet()) {
            Cases.requireEqual(
                    from.getFileChecksum(new Path(source, file)),
                    to.getFileChecksum(new Path(target, file)),
                    "checksum of " + file);
        }
    }
}
