package io.hmfs.core.check;

import io.hmfs.core.layout.DirContentRecord;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.RegionKind;
import io.hmfs.core.layout.SlotState;
import io.hmfs.core.pmem.Pmem;

/**
 * The lists of children (I3, I4). A list ends where it leads to something that cannot be its next child; what stood behind is found by
 * the parent's id in its own slot and linked again. Births only order a list, so one that is out of order is given a place.
 */
final class ListCheck {
    private static final int PROGRESS_EVERY = 1 << 16;

    private final PoolView view;
    private final Pmem pmem;
    private final IndexView index;
    private final Marks marks;
    private long steps;

    private ListCheck(PoolView view, IndexView index, Marks marks) {
        this.view = view;
        this.pmem = view.pmem;
        this.index = index;
        this.marks = marks;
    }

    static void run(PoolView view, IndexView index, Marks marks) {
        ListCheck check = new ListCheck(view, index, marks);
        view.eachSlot("lists", RegionKind.CONTENT_SLOTS, at -> {
            if (view.isLiveContent(at)) {
                check.walk(at);
            }
        });
    }

    private void walk(long content) {
        checkMtime(content);
        long head = DirContentRecord.childHead(pmem, content);
        if (head == DirContentRecord.CLOSED) {
            view.findings.pending(
                    content,
                    view.describe(content),
                    "an open directory",
                    "a closed one",
                    "the next start opens or drops it");
            return;
        }
        long previous = Pmem.NULL;
        long beforePrevious = Pmem.NULL;
        long at = head;
        while (at != Pmem.NULL && accept(content, previous, at)) {
            if (!order(content, beforePrevious, previous, at)) {
                cut(content, previous, "a child with a birth that leaves room for the next", view.describe(at));
                return;
            }
            marks.set(Marks.REACHED, at);
            dead(content, at);
            beforePrevious = previous;
            previous = at;
            at = EntryRecord.sibling(pmem, at);
            if (++steps % PROGRESS_EVERY == 0) {
                view.progress.at("lists", steps, 0);
            }
        }
    }

    /** Whether the list leads on to this; else it ends before. */
    private boolean accept(long content, long previous, long at) {
        long id = DirContentRecord.id(pmem, content);
        if (!view.isEntry(at)) {
            cut(content, previous, "an entry or 0", "0x" + Long.toHexString(at));
            return false;
        }
        if (marks.has(Marks.REACHED, at)) {
            cut(content, previous, "a child that is on no list yet", view.describe(at));
            return false;
        }
        long parent = EntryRecord.parent(pmem, at);
        if (EntryRecord.status(pmem, at) == SlotState.FREE && parent != id) {
            cut(content, previous, "an entry", "a free slot");
            return false;
        }
        if (parent == id) {
            return true;
        }
        if (!view.isEntryStatus(at) || !index.names(view.keys.ofEntry(id, view.name(at)), at)) {
            cut(content, previous, "a child of this directory", view.describe(at));
            return false;
        }
        view.findings.damage(
                at + EntryRecord.PARENT_OFFSET,
                view.describe(at),
                "the parent " + id + ", on whose list it is and under whose id the index has it",
                "" + parent,
                "store that parent",
                () -> view.store(at + EntryRecord.PARENT_OFFSET, id));
        marks.set(Marks.INDEXED, at);
        return true;
    }

    /** Whether the rename that ended it was cut off: then recovery raises the mtime. */
    private boolean isHalfMoved(long at) {
        long successor = EntryRecord.link(pmem, at);
        return view.isEntry(successor) && EntryRecord.link(pmem, successor) == at;
    }

    private void cut(long content, long previous, String expected, String found) {
        long at = previous == Pmem.NULL
                ? content + DirContentRecord.CHILD_HEAD_OFFSET
                : previous + EntryRecord.SIBLING_OFFSET;
        view.findings.damage(
                at,
                "list of " + view.describeDirectory(DirContentRecord.id(pmem, content)),
                expected,
                found,
                "end the list here and link again what stood behind",
                () -> view.store(at, Pmem.NULL));
    }

    private void checkMtime(long content) {
        long mtime = DirContentRecord.mtime(pmem, content);
        if (mtime >= view.future || mtime <= 0) {
            view.findings.damage(
                    content + DirContentRecord.MTIME_OFFSET,
                    view.describe(content),
                    "a time that was issued",
                    "mtime " + mtime,
                    "store the time of its newest child",
                    () -> view.store(content + DirContentRecord.MTIME_OFFSET, newest(content)));
        }
    }

    private long newest(long content) {
        long head = DirContentRecord.childHead(pmem, content);
        long birth = view.isEntry(head) ? EntryRecord.birth(pmem, head) : 1;
        return birth > 0 && birth < view.future ? birth : 1;
    }

    /** I4: births descend, and the mtime is at least the first. False if one is out of order and there is no room to correct it. */
    private boolean order(long content, long beforePrevious, long previous, long at) {
        long birth = EntryRecord.birth(pmem, at);
        if (previous == Pmem.NULL) {
            long mtime = DirContentRecord.mtime(pmem, content);
            if (birth > mtime && birth < view.future) {
                raise(content, birth, "birth of its newest child");
                return true;
            }
        }
        long above =
                previous == Pmem.NULL ? DirContentRecord.mtime(pmem, content) + 1 : EntryRecord.birth(pmem, previous);
        if (birth < above && birth > 0) {
            return true;
        }
        long next = EntryRecord.sibling(pmem, at);
        long below = view.isEntry(next) ? Math.max(EntryRecord.birth(pmem, next), 0) : 0;
        if (below < above - 1) {
            birth(at, above - 1, above);
            return true;
        }
        long highest = beforePrevious == Pmem.NULL
                ? DirContentRecord.mtime(pmem, content) + 1
                : EntryRecord.birth(pmem, beforePrevious);
        if (previous != Pmem.NULL && birth > 0 && birth < highest - 1) {
            birth(previous, birth + 1, highest);
            return true;
        }
        return false;
    }

    private void birth(long at, long right, long above) {
        view.findings.damage(
                at + EntryRecord.BIRTH_OFFSET,
                view.describe(at),
                "a birth above 0 and below " + above,
                "" + EntryRecord.birth(pmem, at),
                "store " + right,
                () -> view.store(at + EntryRecord.BIRTH_OFFSET, right));
    }

    private void raise(long content, long time, String what) {
        view.findings.damage(
                content + DirContentRecord.MTIME_OFFSET,
                view.describe(content),
                "an mtime of at least " + time + ", " + what,
                "" + DirContentRecord.mtime(pmem, content),
                "raise it",
                () -> view.store(content + DirContentRecord.MTIME_OFFSET, time));
    }

    /** I4: the mtime is at least the death of each entry that is dead for good. */
    private void dead(long content, long at) {
        long death = EntryRecord.death(pmem, at);
        boolean dead = view.isEntryStatus(at) && EntryRecord.state(pmem, at) == SlotState.DELETED;
        if (dead && death > DirContentRecord.mtime(pmem, content) && death < view.future && !isHalfMoved(at)) {
            raise(content, death, "death of a child");
        }
    }
}
