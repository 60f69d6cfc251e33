package io.hmfs.core.check;

import io.hmfs.core.layout.DirContentRecord;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.PoolHeader;
import io.hmfs.core.layout.RegionKind;
import io.hmfs.core.layout.SlotState;
import io.hmfs.core.pmem.Pmem;
import io.hmfs.core.type.Name;

/** The root directory: format puts it into the first slots that there are, and it never moves. */
final class RootCheck {
    static final long ROOT_ID = 1;
    private static final long STATUS = EntryRecord.status(SlotState.NORMAL, EntryRecord.KIND_DIRECTORY, 0);

    private RootCheck() {}

    /** Where the root's entry stands, or NULL if there is no region for it. */
    static long entry(PoolView view) {
        int region = view.firstOf(RegionKind.ENTRY_SLOTS);
        return region < 0 ? Pmem.NULL : view.regionAt(region);
    }

    /** Where its content stands. */
    static long content(PoolView view) {
        int region = view.firstOf(RegionKind.CONTENT_SLOTS);
        return region < 0 ? Pmem.NULL : view.regionAt(region);
    }

    /** Whether there are regions for both; format makes them. */
    static boolean hasPlace(PoolView view) {
        boolean has = entry(view) != Pmem.NULL && content(view) != Pmem.NULL;
        if (!has) {
            view.findings.lost(
                    view.header + PoolHeader.REGION_TABLE_OFFSET,
                    "region table",
                    "regions for entries and contents",
                    "none",
                    "restore the pool from a copy");
        }
        return has;
    }

    /** Before anything is looked up. */
    static void words(PoolView view) {
        long entry = entry(view);
        long content = content(view);
        word(view, entry + EntryRecord.PARENT_OFFSET, EntryCheck.ROOT_PARENT);
        word(view, entry + EntryRecord.ID_OFFSET, ROOT_ID);
        word(view, entry + EntryRecord.LINK_OFFSET, 0);
        int check = EntryRecord.check(view.keys.ofEntry(EntryCheck.ROOT_PARENT, new Name()), ROOT_ID);
        boolean older =
                view.pmem.get(entry + EntryRecord.STATUS_OFFSET) == STATUS; // an HMFS made it that knew no checks
        word(view, entry + EntryRecord.STATUS_OFFSET, older ? STATUS : EntryRecord.withCheck(STATUS, check));
        word(view, content + DirContentRecord.ID_OFFSET, ROOT_ID);
        word(view, content + DirContentRecord.ACCESS_OFFSET, entry);
        word(view, content + DirContentRecord.STATUS_OFFSET, PoolView.LIVE_CONTENT);
        if (DirContentRecord.childHead(view.pmem, content) == DirContentRecord.CLOSED) {
            word(view, content + DirContentRecord.CHILD_HEAD_OFFSET, 0);
        }
    }

    private static void word(PoolView view, long at, long right) {
        long found = view.pmem.get(at);
        if (found != right) {
            view.findings.damage(
                    at,
                    "root directory",
                    "0x" + Long.toHexString(right),
                    "0x" + Long.toHexString(found),
                    "store it",
                    () -> view.store(at, right));
        }
    }

    /** After the index was walked. */
    static void inIndex(PoolView view, IndexView index, Marks marks) {
        long entry = entry(view);
        long content = content(view);
        marks.set(Marks.REACHED, content);
        view.findings.count("directories", 1);
        if (index.isUsable()) {
            if (!index.names(view.keys.ofEntry(EntryCheck.ROOT_PARENT, new Name()), entry)) {
                missing(view, entry);
            }
            if (!index.names(view.keys.ofContent(ROOT_ID), content)) {
                missing(view, content);
            }
        }
    }

    private static void missing(PoolView view, long at) {
        view.findings.damage(
                at,
                "root directory",
                "a word in the index",
                "none",
                "add one",
                () -> view.repairs().addWord(at));
    }
}
