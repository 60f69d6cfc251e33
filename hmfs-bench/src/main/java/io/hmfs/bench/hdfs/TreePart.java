package io.hmfs.bench.hdfs;

import io.hmfs.bench.process.StepException;
import java.util.Set;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.RemoteIterator;

/** {@code -du -s}, {@code -find}, {@code -chmod -R} and {@code -chown -R} of a tree of empty files, and {@code -rm -r} of it. */
public final class TreePart implements Part {
    private static final int WARMING = 300;

    private final int files;
    private final Set<HdfsOp> ops;

    /** {@code ops}: those that count; the tree is removed in any case. */
    TreePart(int files, Set<HdfsOp> ops) {
        this.files = files;
        this.ops = ops;
    }

    @Override
    public void round(Side side, int round, Figures figures) throws Exception {
        warm(side);
        String tree = "/tree-" + files + "-" + round;
        side.tree(tree + "/d", files, 100);
        long there = side.files().getContentSummary(side.path(tree)).getFileCount();
        if (there != files) {
            throw new StepException("the tree has " + there + " files, not " + files + " on " + side.name());
        }
        if (ops.contains(HdfsOp.DU)) {
            Shell.Ran usage = Shell.run(side, "-du", "-s", tree);
            if (!usage.printed().startsWith("0 ")) {
                throw new StepException("-du printed " + usage.printed());
            }
            figures.add("du", "ms", usage.millis());
        }
        if (ops.contains(HdfsOp.FIND)) {
            Shell.Ran find = Shell.run(side, "-find", tree, "-name", "*7");
            if (find.printed().lines().filter(line -> line.endsWith("7")).count() < files / 10) {
                throw new StepException("-find found too little on " + side.name());
            }
            figures.add("find", "ms", find.millis());
        }
        if (ops.contains(HdfsOp.CHMOD)) {
            figures.add(
                    "chmod",
                    "ms",
                    Shell.run(side, "-chmod", "-R", "u=rwX,go-rwx", tree).millis());
            figures.add(
                    "chown",
                    "ms",
                    Shell.run(side, "-chown", "-R", "alice:staff", tree).millis());
            RemoteIterator<LocatedFileStatus> all = side.files().listFiles(side.path(tree), true);
            while (all.hasNext()) {
                FileStatus each = all.next();
                if (each.getPermission().toShort() != 0600 || !each.getOwner().equals("alice")) {
                    throw new StepException("-chmod and -chown left " + each + " on " + side.name());
                }
            }
        }
        Shell.Ran removal = Shell.run(side, "-rm", "-r", "-skipTrash", tree);
        if (side.files().exists(side.path(tree))) {
            throw new StepException(tree + " is there after -rm on " + side.name());
        }
        if (ops.contains(HdfsOp.RM)) {
            figures.add("rm", "ms", removal.millis());
        }
    }

    /** The same of small trees, so that a shell and a server that have done it before are measured, and not their compilers. */
    private static void warm(Side side) throws Exception {
        for (int i = 0; i < WARMING; i++) {
            String tree = "/warm-" + i;
            side.files().create(side.path(tree + "/directory/file")).close();
            Shell.run(side, "-du", "-s", tree);
            Shell.run(side, "-rm", "-r", "-skipTrash", tree);
        }
    }
}
