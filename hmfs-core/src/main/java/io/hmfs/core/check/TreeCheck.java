package io.hmfs.core.check;

import io.hmfs.core.layout.DirContentRecord;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.RegionKind;
import io.hmfs.core.layout.SlotState;
import io.hmfs.core.pmem.Pmem;

/** Every directory hangs below the root: parents are climbed, and a directory that was climbed over need not be again. */
final class TreeCheck {
    private final PoolView view;
    private final Pmem pmem;
    private final Marks marks;
    private final Contents contents;
    private final long stepsMax;

    private TreeCheck(PoolView view, Marks marks, Contents contents) {
        this.view = view;
        this.pmem = view.pmem;
        this.marks = marks;
        this.contents = contents;
        long slots = 0;
        for (int region = 0; region < view.regions(); region++) {
            slots += view.kind(region) == RegionKind.CONTENT_SLOTS ? view.slotsOf(region) : 0;
        }
        this.stepsMax = slots;
    }

    static void run(PoolView view, Marks marks, Contents contents, long root) {
        TreeCheck check = new TreeCheck(view, marks, contents);
        marks.set(Marks.ROOTED, root);
        view.eachEntry("tree", at -> {
            if (view.isEntryStatus(at)
                    && EntryRecord.state(view.pmem, at) == SlotState.NORMAL
                    && view.isDirectory(at)) {
                check.climb(at);
            }
        });
    }

    private void climb(long from) {
        long at = from;
        for (long steps = 0; at != Pmem.NULL && !marks.has(Marks.ROOTED, at); steps++) {
            if (steps > stepsMax) {
                loop(at);
                break;
            }
            at = above(at);
        }
        if (at == Pmem.NULL) {
            return; // a parent that is missing or in flight: told elsewhere
        }
        // Also those of a loop, which was told once. One that was moved ends in /lost+found, which may be newer than
        // what this check knows.
        for (at = from; at != Pmem.NULL && !marks.has(Marks.ROOTED, at); at = above(at)) {
            marks.set(Marks.ROOTED, at);
        }
    }

    private void loop(long at) {
        view.findings.damage(
                at + EntryRecord.PARENT_OFFSET,
                view.describe(at),
                "a directory below the root",
                "one that is below itself",
                "move it to /lost+found",
                () -> {
                    view.repairs().unlink(contents.of(EntryRecord.parent(pmem, at)), at);
                    view.repairs().toLostAndFound(at);
                });
    }

    private long above(long at) {
        long content = contents.of(EntryRecord.parent(pmem, at));
        long access = content == Pmem.NULL ? Pmem.NULL : DirContentRecord.access(pmem, content);
        return view.isEntry(access) ? access : Pmem.NULL;
    }
}
