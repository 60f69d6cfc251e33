package io.hmfs.core.check;

import io.hmfs.core.alloc.Summary;
import io.hmfs.core.engine.Engine;
import io.hmfs.core.layout.PoolHeader;
import io.hmfs.core.pmem.Pmem;
import io.hmfs.core.pmem.PoolException;
import io.hmfs.core.pmem.PoolFile;
import io.hmfs.core.type.Progress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The check of a whole pool at rest (I3, I4, I5): superblock, regions, index, then each object, list and directory. Its heap is three
 * bits for each slot, and a map of those directories that the index has lost. A repair is a round of the same passes that puts right
 * what it finds, until a round finds nothing.
 */
public final class PoolCheck {
    private static final int ROUNDS_MAX = 12;

    private final Path path;
    private final PoolFile file;
    private final Progress progress;

    private PoolCheck(Path path, PoolFile file, Progress progress) {
        this.path = path;
        this.file = file;
        this.progress = progress;
    }

    /**
     * Looks and changes nothing.
     *
     * @throws PoolException if this is no pool of this version
     */
    public static CheckReport check(Path path, PoolFile file, Progress progress) throws PoolException {
        PoolCheck check = new PoolCheck(path, file, progress);
        boolean wasClosed = check.wasClosed();
        return check.round(new Findings(null), false).report(wasClosed, List.of(), 0);
    }

    /** Looks, and puts right what can be; the report is of the last look. */
    public static CheckReport repair(Path path, PoolFile file, Progress progress) throws PoolException {
        PoolCheck check = new PoolCheck(path, file, progress);
        boolean wasClosed = check.wasClosed();
        List<Finding> repaired = new ArrayList<>();
        long count = 0;
        boolean changed = check.state() == PoolHeader.REPAIRING;
        for (int i = 0; i < ROUNDS_MAX; i++) {
            Findings findings = check.round(new Findings(check::begin), false);
            if (findings.repaired() == 0) {
                break;
            }
            changed = true;
            count += findings.repaired();
            findings.kept().stream()
                    .filter(finding -> finding.severity() == Finding.Severity.REPAIRED)
                    .limit(CheckReport.FINDINGS_MAX - repaired.size())
                    .forEach(repaired::add);
        }
        if (changed) {
            OutcomeCheck.forgetAll(file);
            check.state(0);
        }
        return check.round(new Findings(null), false).report(wasClosed, repaired, count);
    }

    /**
     * What is wrong in an open pool at rest, in words: nothing in flight, the background scan done. So what a crash leaves is wrong
     * too. Empty if nothing is.
     */
    public static List<String> run(PoolFile file, Engine engine) {
        PoolCheck check = new PoolCheck(Path.of("pool"), file, Progress.NONE);
        List<String> problems = new ArrayList<>();
        try {
            Findings findings = check.round(new Findings(null), engine.removed.isKept());
            findings.kept().forEach(finding -> problems.add(finding.toString()));
            long known =
                    engine.contentSlots.countFree() + engine.entrySlots.countFree() + engine.longEntrySlots.countFree();
            long free = findings.counted("free entry slots") + findings.counted("free content slots");
            if (known != free) {
                problems.add("I5: " + free + " free slots, the allocators know of " + known);
            }
        } catch (PoolException e) {
            problems.add(String.valueOf(e.getMessage()));
        }
        return problems;
    }

    private long state() {
        return file.pmem().get(file.header() + PoolHeader.STATE_OFFSET);
    }

    private boolean wasClosed() {
        return state() == PoolHeader.CLEAN;
    }

    private void state(long state) {
        Pmem pmem = file.pmem();
        pmem.setRelease(file.header() + PoolHeader.STATE_OFFSET, state);
        pmem.persist(file.header() + PoolHeader.STATE_OFFSET, 8);
    }

    /** Before the first repair: from here on the pool does not open until one comes to its end. */
    private void begin() {
        state(PoolHeader.REPAIRING);
    }

    /** {@code knowsRemoved}: whether the pool is open, and its engine knows the removed files that hold data. */
    private Findings round(Findings findings, boolean knowsRemoved) throws PoolException {
        PoolView view = new PoolView(file, findings, progress, Fixes::new);
        Summary summary = Summary.read(file.pmem(), file.header());
        view.knowsRemoved = knowsRemoved || (summary.isValid() && summary.keepsData());
        RegionCheck.run(view);
        IndexView index = new IndexView(view);
        IndexCheck.run(view, index);
        if (!SuperblockCheck.run(path, view, index) || !RootCheck.hasPlace(view)) {
            return findings;
        }
        index.rebuild();
        view.contentOf = id -> index.isUsable() ? index.content(id) : Pmem.NULL;
        PrincipalCheck.run(view);
        Survey.run(view);
        OutcomeCheck.run(view);
        objects(view, index);
        SummaryCheck.run(view);
        RecordCheck.run(view); // last: a record that waits for its owner says nothing against the summary
        view.close();
        return findings;
    }

    private static void objects(PoolView view, IndexView index) {
        Marks marks = new Marks(view);
        RootCheck.words(view);
        if (index.isUsable()) {
            WordCheck.run(view, index, marks);
        }
        RootCheck.inIndex(view, index, marks);
        Contents contents = new Contents(view, index);
        ContentCheck ofContents = new ContentCheck(view, index, marks, contents, RootCheck.content(view));
        ofContents.words();
        ListCheck.run(view, index, marks);
        EntryCheck.run(view, index, marks, contents, RootCheck.entry(view));
        ofContents.owners();
        TreeCheck.run(view, marks, contents, RootCheck.entry(view));
    }
}
