package io.hmfs.core.check;

import io.hmfs.core.layout.DirContentRecord;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.SlotState;
import io.hmfs.core.pmem.Pmem;

/** A directory and its content know each other: by id from the one to the other, by offset back. */
final class DirectoryCheck {
    private final PoolView view;
    private final Pmem pmem;
    private final Contents contents;
    private final Marks marks;

    private DirectoryCheck(PoolView view, Contents contents, Marks marks) {
        this.view = view;
        this.pmem = view.pmem;
        this.contents = contents;
        this.marks = marks;
    }

    /** Checks one live directory. */
    static void run(PoolView view, Contents contents, Marks marks, long at) {
        new DirectoryCheck(view, contents, marks).directory(at);
    }

    private void directory(long at) {
        long id = EntryRecord.id(pmem, at);
        long content = contents.of(id);
        if (content == Pmem.NULL) {
            contents.expect(id);
            // RootCheck and ContentCheck have given ids back to where one of the two was wrong.
            view.findings.damage(
                    at,
                    view.describe(at),
                    "a content of its own",
                    "none with its id",
                    "make one; its children are linked again",
                    () -> contents.add(id, view.repairs().newContent(at, id)));
            return;
        }
        long access = DirContentRecord.access(pmem, content);
        if (access == at) {
            marks.set(Marks.REACHED, content);
        } else if (view.isLiveDirectory(access, id)) {
            view.findings.damage(
                    at + EntryRecord.ID_OFFSET,
                    view.describe(at),
                    "an id of its own",
                    "that of " + view.describe(access),
                    "give it a new id and an empty content",
                    () -> view.storeId(at, view.repairs().newId()));
        } else {
            marks.set(Marks.REACHED, content);
            if (!leadsHere(access, at)) {
                view.findings.damage(
                        content + DirContentRecord.ACCESS_OFFSET,
                        view.describe(content),
                        "its directory at 0x" + Long.toHexString(at),
                        "0x" + Long.toHexString(access),
                        "store that",
                        () -> view.store(content + DirContentRecord.ACCESS_OFFSET, at));
            }
        }
    }

    /** Whether a rename has led from there to here and was cut off before it said so to the content. */
    private boolean leadsHere(long access, long at) {
        return view.isEntry(access)
                && view.isDirectory(access)
                && (EntryRecord.link(pmem, access) == at || EntryRecord.link(pmem, at) == access)
                && EntryRecord.state(pmem, access) != SlotState.NORMAL;
    }
}
