package io.hmfs.core;

import io.hmfs.core.layout.DirContentRecord;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.PoolHeader;
import io.hmfs.core.layout.RegionKind;
import io.hmfs.core.layout.SlotState;
import io.hmfs.core.sim.CrashImage;
import io.hmfs.core.sim.SimPmem;
import io.hmfs.core.sim.SimPoolFile;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;

/**
 * What a pool shows that a power failure would take back, one fence after the last store: stores whose line no thread has written
 * back. Told as "what: durable to seen", sorted.
 */
public final class Unwritten {
    private static final String[] STATES = {"FREE", "CREATING", "NORMAL", "DELETING", "DELETED", "MOVING", "REPLACED"};
    private static final String[] KINDS = {
        "none", "file", "directory", "content", "indirect", "symlink", "chain", "inode"
    };

    private final SimPmem seen;
    private final SimPmem durable;
    private final List<String> changes = new ArrayList<>();

    private Unwritten(SimPoolFile file) {
        this.seen = file.pmem();
        seen.fence();
        CrashImage[] nothingKept = new CrashImage[1];
        seen.images(2, 1, image -> nothingKept[0] = nothingKept[0] == null ? image : nothingKept[0]);
        this.durable = seen.crashed(nothingKept[0]);
    }

    static List<String> of(SimPoolFile file) {
        Unwritten unwritten = new Unwritten(file);
        long header = file.header();
        unwritten.words("header", header, PoolHeader.INDEX_ROOT_OFFSET);
        unwritten.words("index root", header + PoolHeader.INDEX_ROOT_OFFSET, PoolHeader.INDEX_ROOT_SIZE);
        long table = header + PoolHeader.REGION_TABLE_OFFSET;
        unwritten.words("region table", table, 8L * file.regionsMax());
        for (int i = 0; i < file.regionsMax(); i++) {
            long word = unwritten.seen.get(table + 8L * i);
            if (word != 0) {
                unwritten.region(word & ~RegionKind.MASK, file.regionSize(), RegionKind.of(table, word));
            }
        }
        unwritten.changes.sort(null);
        return unwritten.changes;
    }

    /** Whether an entry with a short name is in this state. */
    static boolean holds(SimPoolFile file, int state) {
        return slots(file, RegionKind.ENTRY_SLOTS).anyMatch(at -> EntryRecord.state(file.pmem(), at) == state);
    }

    /** Where slots of a kind stand. */
    public static LongStream slots(SimPoolFile file, RegionKind kind) {
        long perRegion = file.regionSize() / kind.slotSize();
        return regions(file, kind)
                .flatMap(start -> LongStream.range(0, perRegion).map(i -> start + i * kind.slotSize()));
    }

    /** Where regions of a kind begin. */
    static LongStream regions(SimPoolFile file, RegionKind kind) {
        long table = file.header() + PoolHeader.REGION_TABLE_OFFSET;
        return LongStream.range(0, file.regionsMax())
                .map(i -> file.pmem().get(table + 8 * i))
                .filter(word -> word != 0 && RegionKind.of(table, word) == kind)
                .map(word -> word & ~RegionKind.MASK);
    }

    private void region(long start, long size, RegionKind kind) {
        if (kind.slotSize() == 0) {
            words(kind.toString(), start, size);
            return;
        }
        for (long at = start; at + kind.slotSize() <= start + size; at += kind.slotSize()) {
            slot(at, kind.slotSize());
        }
    }

    private void words(String what, long start, long size) {
        for (long at = start; at < start + size; at += Long.BYTES) {
            if (seen.get(at) != durable.get(at)) {
                changes.add(what + (seen.get(at) == 0 ? ": word cleared" : ": word stored"));
            }
        }
    }

    private void slot(long at, long size) {
        long before = durable.get(at);
        long now = seen.get(at);
        if (before != now) {
            String kind = KINDS[EntryRecord.kind(before == 0 ? now : before)];
            changes.add(kind + ": " + STATES[EntryRecord.state(before)] + " to " + STATES[EntryRecord.state(now)]);
        }
        if (EntryRecord.state(now) == SlotState.FREE) {
            return; // what a free slot holds counts for nothing
        }
        for (long word = at + Long.BYTES; word < at + size; word += Long.BYTES) {
            if (seen.get(word) != durable.get(word)) {
                String kind = KINDS[EntryRecord.kind(now)];
                changes.add(kind + ": " + (kind.equals("content") ? contentField(word - at) : entryField(word - at)));
            }
        }
    }

    private static String entryField(long offset) {
        return switch ((int) offset) {
            case (int) EntryRecord.DEATH_OFFSET -> "death";
            case (int) EntryRecord.LINK_OFFSET -> "link";
            case (int) EntryRecord.CTIME_OFFSET, (int) EntryRecord.OWNER_OFFSET -> "attributes";
            case (int) EntryRecord.MTIME_OFFSET, (int) EntryRecord.LENGTH_OFFSET -> "length";
            case (int) EntryRecord.SET_AT_OFFSET -> "mark";
            case (int) EntryRecord.LINKS_OFFSET -> "chain";
            default -> "word at " + offset;
        };
    }

    private static String contentField(long offset) {
        return offset == DirContentRecord.LENGTH_OFFSET ? "length" : "word at " + offset;
    }
}
