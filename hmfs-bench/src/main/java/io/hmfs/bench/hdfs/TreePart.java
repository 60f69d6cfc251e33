package io.hmfs.bench.hdfs;

import io.hmfs.bench.process.StepException;

/** {@code -du -s} of a tree of empty files, and {@code -rm -r} of it. */
public final class TreePart implements Part {
    private static final int WARMING = 300;

    private final int files;
    private final boolean isUsage;
    private final boolean isRemoval;

    /** Which of the two count; the tree is removed in any case. */
    public TreePart(int files, boolean isUsage, boolean isRemoval) {
        this.files = files;
        this.isUsage = isUsage;
        this.isRemoval = isRemoval;
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
        if (isUsage) {
            Shell.Ran usage = Shell.run(side, "-du", "-s", tree);
            if (!usage.printed().startsWith("0 ")) {
                throw new StepException("-du printed " + usage.printed());
            }
            figures.add("du", "ms", usage.millis());
        }
        Shell.Ran removal = Shell.run(side, "-rm", "-r", "-skipTrash", tree);
        if (side.files().exists(side.path(tree))) {
            throw new StepException(tree + " is there after -rm on " + side.name());
        }
        if (isRemoval) {
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
