package io.hmfs.core.check;

import io.hmfs.core.engine.IdSource;
import io.hmfs.core.layout.DirContentRecord;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.PoolHeader;
import io.hmfs.core.layout.SlotState;
import io.hmfs.core.pmem.Pmem;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Entries whose check does not fit their id and key: the bytes of another file may stand under that id. One bit that makes it fit, in the id or in the
 * check, is believed if no other does, and if no other object has that id. Else nothing tells whose data this was, and the entry gets an id without data.
 * Keeps on the heap what it needs of these entries alone.
 */
final class IdCheck {
    private final PoolView view;
    private final Pmem pmem;
    private final IndexView index;
    private final Marks marks;
    private final Contents contents;
    private final InodeCheck inodes;

    /** Files whose check does not fit, with the ids that they may have. */
    private final Map<Long, List<Long>> suspects = new HashMap<>();

    /** Of those ids the ones that another object has. */
    private final Set<Long> taken = new HashSet<>();

    IdCheck(PoolView view, IndexView index, Marks marks, Contents contents, InodeCheck inodes) {
        this.view = view;
        this.pmem = view.pmem;
        this.index = index;
        this.marks = marks;
        this.contents = contents;
        this.inodes = inodes;
    }

    private boolean fits(long at) {
        return EntryRecord.fits(pmem, at, EntryRecord.status(pmem, at), view.hashOf(at));
    }

    /** A look at a live entry before any is judged. Whether its check fits. */
    boolean look(long at) {
        boolean fits = fits(at);
        if (!fits && !view.isDirectory(at)) {
            suspects.put(at, candidates(at));
        }
        return fits;
    }

    /** Behind all looks: finds out which ids are another's. */
    void others() {
        if (suspects.isEmpty()) {
            return;
        }
        Set<Long> wanted = new HashSet<>();
        suspects.values().forEach(wanted::addAll);
        view.eachEntry("ids", at -> {
            if (view.isChain(at)) {
                return; // what stands in the place of an id is none
            }
            long status = EntryRecord.status(pmem, at);
            boolean other = view.isInode(at)
                    || EntryRecord.holdsData(status)
                    || (view.isEntryStatus(at)
                            && EntryRecord.state(status) != SlotState.DELETED
                            && !suspects.containsKey(at));
            long id = EntryRecord.id(pmem, at);
            if (other && wanted.contains(id)) {
                taken.add(id);
            }
        });
    }

    /** The ids that an entry may have, the one that stands there first. */
    private List<Long> candidates(long at) {
        long id = EntryRecord.id(pmem, at);
        List<Long> found = new ArrayList<>(List.of(id));
        long number = id & ((1L << IdSource.PARTITION_SHIFT) - 1);
        if (number != id && number > RootCheck.ROOT_ID && fits(at, number)) {
            found.add(number);
        }
        long lease = pmem.get(view.header + PoolHeader.ID_LEASE_OFFSET);
        for (int bit = 0; bit < IdSource.PARTITION_SHIFT; bit++) {
            long other = id ^ 1L << bit;
            if (other > RootCheck.ROOT_ID && other < lease && fits(at, other)) {
                found.add(other);
            }
        }
        return found;
    }

    private boolean fits(long at, long id) {
        return EntryRecord.check(EntryRecord.status(pmem, at)) == EntryRecord.check(view.hashOf(at), id);
    }

    /** Judges a live entry. False: there is nothing to tell of its id, or nothing yet. */
    boolean judge(long at) {
        if (fits(at)) {
            return false;
        }
        if (view.isDirectory(at)) {
            return directory(at);
        }
        boolean underItsKey = !index.isUsable() || index.names(view.hashOf(at), at);
        if (!underItsKey && marks.has(Marks.INDEXED, at)) {
            return false; // the name is told elsewhere, and comes first
        }
        List<Long> ids = suspects.getOrDefault(at, List.of());
        if (ids.isEmpty() || ids.getFirst() != EntryRecord.id(pmem, at)) {
            return false; // another repair has changed it: the next round judges it
        }
        if (!underItsKey) {
            otherName(at);
            return true;
        }
        List<Long> right = new ArrayList<>();
        for (long id : ids) {
            boolean own = id == EntryRecord.id(pmem, at);
            if (isFree(at, id) && (!own || isOneBitOff(at))) {
                right.add(id);
            }
        }
        if (right.size() == 1 && right.getFirst() == EntryRecord.id(pmem, at)) {
            check(at, "store the check: all but one bit of it fits");
        } else if (right.size() == 1) {
            long id = right.getFirst();
            damage(
                    at,
                    EntryRecord.ID_OFFSET,
                    "store the id " + id + ", one bit away, which the check proves",
                    () -> view.store(at + EntryRecord.ID_OFFSET, id));
        } else {
            newId(at);
        }
        return true;
    }

    private boolean isOneBitOff(long at) {
        int found = EntryRecord.check(EntryRecord.status(pmem, at));
        return Integer.bitCount(found ^ EntryRecord.check(view.hashOf(at), EntryRecord.id(pmem, at))) == 1;
    }

    /** Whether this may be the id of an entry. A name of several has that of its file, which counts one more than say so. */
    private boolean isFree(long at, long id) {
        boolean indirect = EntryRecord.isIndirect(EntryRecord.status(pmem, at));
        return PoolView.isIdNumber(id) && (indirect ? inodes.lacks(id) : !taken.contains(id));
    }

    /** Content and directory know each other, so that the id of a directory is known. */
    private boolean directory(long at) {
        long content = contents.of(EntryRecord.id(pmem, at));
        boolean proven = content != Pmem.NULL && DirContentRecord.access(pmem, content) == at;
        if (proven) {
            check(at, "store the check: its content proves the id");
        }
        return proven;
    }

    /** The index does not know the key: the name or the directory is damaged beyond one bit, and what is there now is kept. */
    private void otherName(long at) {
        if (isFree(at, EntryRecord.id(pmem, at))) {
            check(at, "store the check: it may have had another name, or stood in another directory");
        } else {
            newId(at);
        }
    }

    private void check(long at, String action) {
        damage(at, EntryRecord.STATUS_OFFSET, action, () -> view.recheck(at));
    }

    private void newId(long at) {
        damage(
                at,
                EntryRecord.ID_OFFSET,
                "give it a new id: its data, if it is a file, is not found under that, and reads of it fail",
                () -> view.repairs().withoutData(at));
    }

    private void damage(long at, long field, String action, Runnable repair) {
        long status = EntryRecord.status(pmem, at);
        view.findings.damage(
                at + field,
                view.describe(at),
                "id and name that fit its check 0x" + Integer.toHexString(EntryRecord.check(status)),
                "id " + EntryRecord.id(pmem, at) + ", whose check is 0x"
                        + Integer.toHexString(EntryRecord.check(view.hashOf(at), EntryRecord.id(pmem, at))),
                action,
                repair);
    }
}
