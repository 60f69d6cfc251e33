package io.hmfs.core.check;

import io.hmfs.core.layout.DirContentRecord;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.RegionKind;
import io.hmfs.core.layout.SlotState;
import io.hmfs.core.pmem.Pmem;

/** Every slot for contents of directories: before the lists are walked, its own words; behind the entries, whether it has a directory. */
final class ContentCheck {
    private final PoolView view;
    private final Pmem pmem;
    private final IndexView index;
    private final Marks marks;
    private final Contents contents;
    private final long root;

    ContentCheck(PoolView view, IndexView index, Marks marks, Contents contents, long root) {
        this.view = view;
        this.pmem = view.pmem;
        this.index = index;
        this.marks = marks;
        this.contents = contents;
        this.root = root;
    }

    void words() {
        view.eachSlot("contents", RegionKind.CONTENT_SLOTS, at -> {
            if (at != root) {
                slot(at);
            }
        });
    }

    private void slot(long at) {
        long status = EntryRecord.status(pmem, at);
        if (status == SlotState.FREE) {
            view.findings.count("free content slots", 1);
            if (DirContentRecord.id(pmem, at) >= view.future) {
                view.findings.damage(
                        at + DirContentRecord.ID_OFFSET,
                        "free content slot",
                        "a time that was issued",
                        "freed at " + DirContentRecord.id(pmem, at),
                        "store 0, so that the slot is used again",
                        () -> view.store(at + DirContentRecord.ID_OFFSET, 0));
            } else if (isLost(at)) {
                status(at, PoolView.LIVE_CONTENT);
            }
        } else if (status != PoolView.LIVE_CONTENT) {
            boolean proven = isLost(at);
            status(at, proven ? PoolView.LIVE_CONTENT : SlotState.FREE);
        } else {
            id(at);
        }
    }

    /** Whether a live directory has its content here and nowhere else, though the status says otherwise. */
    private boolean isLost(long at) {
        long id = DirContentRecord.id(pmem, at);
        return PoolView.isIdNumber(id)
                && view.isLiveDirectory(DirContentRecord.access(pmem, at), id)
                && contents.of(id) == Pmem.NULL;
    }

    private void status(long at, long right) {
        view.findings.damage(
                at,
                view.describe(at),
                "status 0x" + Long.toHexString(right),
                "0x" + Long.toHexString(EntryRecord.status(pmem, at)),
                right == SlotState.FREE ? "free it: no directory has its content here" : "store it",
                () -> {
                    if (right == SlotState.FREE) {
                        view.store(at + DirContentRecord.ID_OFFSET, 0);
                    } else {
                        contents.add(DirContentRecord.id(pmem, at), at);
                    }
                    view.store(at, right);
                });
    }

    /** Of a content and the directory that it points at, one has the wrong id: the index knows which. */
    private void id(long at) {
        long id = DirContentRecord.id(pmem, at);
        long access = DirContentRecord.access(pmem, at);
        if (!view.isEntry(access)
                || !view.isDirectory(access)
                || EntryRecord.state(pmem, access) != SlotState.NORMAL
                || EntryRecord.id(pmem, access) == id) {
            return;
        }
        long named = EntryRecord.id(pmem, access);
        long other = contents.of(named);
        if (other != Pmem.NULL && DirContentRecord.access(pmem, other) == access) {
            return; // it points at another's directory; its own, if there is one, corrects that
        }
        boolean isAnId = PoolView.isIdNumber(id) && id != RootCheck.ROOT_ID;
        if (isAnId && (!index.isUsable() || marks.has(Marks.INDEXED, at))) {
            view.findings.damage(
                    access + EntryRecord.ID_OFFSET,
                    view.describe(access),
                    "the id of its content, " + id,
                    "" + named,
                    "store that id",
                    () -> view.store(access + EntryRecord.ID_OFFSET, id));
        } else if (PoolView.isIdNumber(named) && other == Pmem.NULL) {
            view.findings.damage(
                    at + DirContentRecord.ID_OFFSET,
                    view.describe(at),
                    "the id of its directory, " + named,
                    "" + id,
                    "store that id",
                    () -> {
                        view.store(at + DirContentRecord.ID_OFFSET, named);
                        contents.add(named, at);
                    });
        }
    }

    /** Contents that no directory has claimed. */
    void owners() {
        view.eachSlot("contents", RegionKind.CONTENT_SLOTS, at -> {
            if (at != root && view.isLiveContent(at)) {
                if (!marks.has(Marks.REACHED, at)) {
                    unowned(at);
                } else if (index.isUsable()
                        && !marks.has(Marks.INDEXED, at)
                        && !index.names(view.keys.ofContent(DirContentRecord.id(pmem, at)), at)) {
                    view.findings.damage(
                            at,
                            view.describe(at),
                            "a word in the index",
                            "none",
                            "add one",
                            () -> view.repairs().addWord(at));
                }
            }
        });
    }

    private void unowned(long at) {
        long access = DirContentRecord.access(pmem, at);
        if (view.isLiveDirectory(access, DirContentRecord.id(pmem, at))) {
            return; // made in this very round, or told with its entry
        }
        boolean inFlight = view.isEntry(access)
                && view.isDirectory(access)
                && EntryRecord.id(pmem, access) == DirContentRecord.id(pmem, at)
                && EntryRecord.state(pmem, access) != SlotState.NORMAL;
        if (inFlight || !hasLiveChild(at)) {
            view.findings.pending(
                    at,
                    view.describe(at),
                    "a directory that it belongs to",
                    inFlight ? "one half made, half moved or half removed" : "none, and no child",
                    "the next start settles it");
        } else {
            view.findings.damage(
                    at + DirContentRecord.ACCESS_OFFSET,
                    view.describe(at),
                    "a directory that it belongs to",
                    "none, and children",
                    "make a directory for it in /lost+found",
                    () -> view.repairs().newDirectoryFor(at));
        }
    }

    private boolean hasLiveChild(long content) {
        long bound = Long.MAX_VALUE;
        long at = DirContentRecord.childHead(pmem, content);
        while (view.isEntry(at) && EntryRecord.birth(pmem, at) < bound) {
            bound = EntryRecord.birth(pmem, at);
            if (view.isEntryStatus(at) && EntryRecord.state(pmem, at) != SlotState.DELETED) {
                return true;
            }
            at = EntryRecord.sibling(pmem, at);
        }
        return false;
    }
}
