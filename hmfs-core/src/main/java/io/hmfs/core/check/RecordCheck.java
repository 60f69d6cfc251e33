package io.hmfs.core.check;

import io.hmfs.core.layout.DirContentRecord;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.RegionKind;
import io.hmfs.core.layout.SlotState;
import io.hmfs.core.layout.TableRecord;
import io.hmfs.core.pmem.Pmem;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * The record table. A line whose state does not fit its words tells nothing: it is cleared. Two records with one key, unless they are cuts,
 * are what a crash leaves between the new and the old one; one whose file or directory is gone waits for its owner to drop it.
 */
final class RecordCheck {
    private static final String TABLE = "record table";

    /** A state that fits by chance is one of 2^56, so one record outweighs some flipped bits. */
    private static final long WEIGHT = 64;

    private final PoolView view;
    private final Pmem pmem;
    private final Map<String, Long> subjects = new HashMap<>();
    private final Map<Long, Long> files = new HashMap<>();
    private final Map<Long, Long> directories = new HashMap<>();

    private RecordCheck(PoolView view) {
        this.view = view;
        this.pmem = view.pmem;
    }

    static void run(PoolView view) {
        RecordCheck check = new RecordCheck(view);
        view.eachSlot(TABLE, RegionKind.RECORDS, check::line);
        check.gone();
    }

    /** How much the bytes of a region look like records. */
    static long score(Pmem pmem, long region, long size) {
        long score = 0;
        for (long at = region; at + TableRecord.SIZE <= region + size; at += TableRecord.SIZE) {
            long state = TableRecord.state(pmem, at);
            if (state != 0) {
                score += TableRecord.isWhole(pmem, at, state) ? WEIGHT : -1;
            }
        }
        return score;
    }

    private void line(long at) {
        long state = TableRecord.state(pmem, at);
        if (state == 0) {
            return;
        }
        if (!TableRecord.isWhole(pmem, at, state) || TableRecord.order(pmem, at) >= view.future) {
            view.findings.damage(
                    at,
                    TABLE,
                    "a record, or none",
                    "0x" + Long.toHexString(state),
                    "clear the line: what it said is lost",
                    () -> view.store(at + TableRecord.STATE_OFFSET, 0));
            return;
        }
        int kind = TableRecord.kind(state);
        long key = TableRecord.key(pmem, at);
        view.findings.count("records", 1);
        Long other = TableRecord.isOnePerKey(kind) ? subjects.putIfAbsent(kind + " " + key, at) : null;
        if (other != null) {
            view.findings.pending(
                    at,
                    TABLE,
                    "one record of kind " + kind + " for id " + key,
                    "another one at 0x" + Long.toHexString(other),
                    "the next start keeps the one that was put last");
        }
        switch (kind) {
            case TableRecord.GRANT_EPOCH -> {} // of a stripe, which is always there
            case TableRecord.QUOTA -> directories.put(key, at);
            default -> files.put(key, at);
        }
    }

    /** What is left of the subjects after a look at everything that has an id. */
    private void gone() {
        if (!directories.isEmpty()) {
            view.eachSlot(TABLE, RegionKind.CONTENT_SLOTS, slot -> {
                if (view.isLiveContent(slot)) {
                    directories.remove(DirContentRecord.id(pmem, slot));
                }
            });
        }
        if (!files.isEmpty()) {
            Set<Long> there = new HashSet<>();
            view.eachEntry(TABLE, slot -> {
                long status = EntryRecord.status(pmem, slot);
                int state = EntryRecord.state(status);
                boolean lives = (view.isEntryStatus(slot) || view.isInode(slot)) && state != SlotState.DELETED;
                if (lives && files.containsKey(EntryRecord.id(pmem, slot))) {
                    there.add(EntryRecord.id(pmem, slot));
                }
            });
            files.keySet().removeAll(there);
        }
        directories.forEach((id, at) -> ofNobody(at, "directory " + id));
        files.forEach((id, at) -> ofNobody(at, "file " + id));
    }

    private void ofNobody(long at, String subject) {
        view.findings.pending(
                at, TABLE, "a record of something that is there", subject + ", which is gone", "its owner drops it");
    }
}
