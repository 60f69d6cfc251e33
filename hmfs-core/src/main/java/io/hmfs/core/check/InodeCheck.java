package io.hmfs.core.check;

import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.InodeRecord;
import io.hmfs.core.layout.RegionKind;
import io.hmfs.core.layout.SlotState;
import io.hmfs.core.pmem.Pmem;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Files with several names: each name leads by its id to an inode, which counts its names. Keeps a count on the heap for each such
 * file.
 */
final class InodeCheck {
    private final PoolView view;
    private final Pmem pmem;
    private final IndexView index;
    private final Map<Long, Long> unfound = new HashMap<>(); // of those that the index does not lead to

    private final Map<Long, Integer> names = new HashMap<>();
    private final Map<Long, Long> first = new HashMap<>(); // of the names of each inode
    private final Map<Long, Integer> readable = new HashMap<>(); // by id
    private final Set<Long> unsettled = new HashSet<>();

    InodeCheck(PoolView view, IndexView index) {
        this.view = view;
        this.pmem = view.pmem;
        this.index = index;
        view.eachSlot("files of several names", RegionKind.ENTRY_SLOTS, at -> {
            boolean inode = view.isInode(at);
            boolean lost = !inode
                    && !view.isDeadInode(at)
                    && EntryRecord.status(pmem, at) != SlotState.FREE
                    && !view.isEntryStatus(at)
                    && isLost(at);
            if (lost || (inode && !index.names(view.hashOf(at), at))) {
                unfound.putIfAbsent(EntryRecord.id(pmem, at), at);
            }
        });
    }

    private long find(long id) {
        long found = index.isUsable()
                ? index.find(view.keys.ofInode(id), at -> view.isInode(at) && EntryRecord.id(pmem, at) == id)
                : Pmem.NULL;
        return found != Pmem.NULL ? found : unfound.getOrDefault(id, Pmem.NULL);
    }

    /** One live name. */
    void name(long at) {
        long id = EntryRecord.id(pmem, at);
        long inode = find(id);
        if (inode != Pmem.NULL) {
            names.merge(inode, 1, Integer::sum);
            first.putIfAbsent(inode, at);
            return;
        }
        long status = EntryRecord.status(pmem, at);
        view.findings.damage(
                at,
                view.describe(at),
                "a file that it is a name of",
                "none with its id",
                "make it a file of its own, with the attributes that stand in its slot",
                () -> view.store(
                        at,
                        EntryRecord.withCheck(
                                EntryRecord.status(
                                        SlotState.NORMAL,
                                        ChainCheck.objectKind(view, at, EntryRecord.KIND_FILE),
                                        EntryRecord.nameLength(status)),
                                EntryRecord.check(status))));
    }

    /** One name that says it is one. */
    void readable(long at) {
        readable.merge(EntryRecord.id(pmem, at), 1, Integer::sum);
    }

    /**
     * Whether an id is that of a file which counts more names than say that they are: so another entry with this id is one, too. A
     * file becomes one of several names with an entry in flight, and counts the first name after that is one, durably.
     */
    boolean lacks(long id) {
        long inode = find(id);
        if (inode == Pmem.NULL) {
            return false;
        }
        long word = InodeRecord.names(pmem, inode);
        return InodeRecord.entry(word) == Pmem.NULL && InodeRecord.count(word) > readable.getOrDefault(id, 0);
    }

    /** A name that a crash has left half done: until it is settled, it is not known how many there are. */
    void halfDone(long at) {
        long inode = find(EntryRecord.id(pmem, at));
        if (inode != Pmem.NULL) {
            unsettled.add(inode);
        }
    }

    /** Whether the index or its names say that a slot with another status was an inode. */
    boolean isLost(long at) {
        long id = EntryRecord.id(pmem, at);
        return PoolView.isIdNumber(id) && index.names(view.keys.ofInode(id), at);
    }

    /** All inodes, after all names. */
    void counts() {
        view.eachSlot("files of several names", RegionKind.ENTRY_SLOTS, at -> {
            if (view.isInode(at)) {
                inode(at);
            }
        });
    }

    /** Whether a crash can have left this names word of an inode with so many names. */
    private boolean isInFlight(long word, int found, boolean half) {
        if (!view.isEntry(InodeRecord.entry(word))) {
            return false;
        }
        int more = found - InodeRecord.count(word);
        return switch (InodeRecord.flight(word)) {
            case InodeRecord.ARRIVING -> half || more == 0 || more == 1;
            case InodeRecord.LEAVING -> half || more == 0 || more == -1;
            default -> false;
        };
    }

    private String describe(long inode) {
        Long name = first.get(inode);
        return view.describe(inode) + (name == null ? "" : ", one of them '" + view.path(name) + "'");
    }

    private void inode(long at) {
        view.findings.count("files of several names", 1);
        int found = names.getOrDefault(at, 0);
        long word = InodeRecord.names(pmem, at);
        long entry = InodeRecord.entry(word);
        boolean half = unsettled.contains(at);
        boolean known = entry == Pmem.NULL ? InodeRecord.flight(word) == 0 : isInFlight(word, found, half);
        if (known && (entry != Pmem.NULL || InodeRecord.count(word) + found == 0 || half)) {
            view.findings.pending(
                    at,
                    describe(at),
                    "names, and none half made or half removed",
                    found + " names, in flight 0x" + Long.toHexString(entry),
                    "the next start settles it");
        } else if (word != InodeRecord.names(found, Pmem.NULL, 0)) {
            view.findings.damage(
                    at + InodeRecord.NAMES_OFFSET,
                    describe(at),
                    "a count of " + found + " names",
                    "0x" + Long.toHexString(word),
                    "store it",
                    () -> view.store(at + InodeRecord.NAMES_OFFSET, InodeRecord.names(found, Pmem.NULL, 0)));
        }
        if (found == 0) {
            return; // half made, or its last name went: the rest of it may never have come to be
        }
        long status = EntryRecord.status(pmem, at);
        if (!EntryRecord.fits(pmem, at, status, view.keys.ofInode(EntryRecord.id(pmem, at)))) {
            // A name led here by this id, or the index did: it is the check that is wrong.
            view.findings.damage(
                    at,
                    describe(at),
                    "the check of its id",
                    "0x" + Integer.toHexString(EntryRecord.check(status)),
                    "store it: its names prove the id",
                    () -> view.recheck(at));
        }
        int kind = EntryRecord.object(status);
        int right = ChainCheck.objectKind(view, at, kind);
        if (kind != right) {
            view.findings.damage(
                    at,
                    describe(at),
                    right == EntryRecord.KIND_SYMLINK ? "a symbolic link" : "a file",
                    "kind " + kind,
                    "store the kind that its chain proves",
                    () -> view.store(
                            at,
                            EntryRecord.withCheck(
                                    EntryRecord.inodeStatus(SlotState.NORMAL, right),
                                    EntryRecord.check(EntryRecord.status(pmem, at)))));
        }
        AttributeCheck.run(view, at);
        if (index.isUsable() && !index.names(view.hashOf(at), at)) {
            view.findings.damage(
                    at,
                    describe(at),
                    "a word in the index",
                    "none",
                    "add one",
                    () -> view.repairs().addWord(at));
        }
    }
}
