package io.hmfs.core.check;

import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.IndexHeader;
import io.hmfs.core.layout.OutcomeRing;
import io.hmfs.core.layout.PoolHeader;
import io.hmfs.core.layout.RegionKind;
import io.hmfs.core.layout.SegmentRecord;
import io.hmfs.core.pmem.Pmem;
import io.hmfs.core.pmem.PoolException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The region table. Where a region stands is known without it; of which kind it is, is told by its bytes when the table's code
 * cannot be right. Behind the table: what no region has taken yet is zero, because it is not cleared before use.
 */
final class RegionCheck {
    private static final String TABLE = "region table";

    private final PoolView view;
    private final Pmem pmem;
    private final long table;
    private final int max;

    private RegionCheck(PoolView view) {
        this.view = view;
        this.pmem = view.pmem;
        this.table = view.header + PoolHeader.REGION_TABLE_OFFSET;
        this.max = Math.min(view.file.regionsMax(), PoolHeader.REGIONS_MAX);
    }

    /** Checks the table and tells the view its regions. */
    static void run(PoolView view) {
        new RegionCheck(view).table();
    }

    private void table() {
        int count = count();
        long[] at = new long[count];
        RegionKind[] kinds = new RegionKind[count];
        for (int i = 0; i < count; i++) {
            view.progress.at("regions", i, count);
            at[i] = expectedAt(i);
            long word = pmem.get(table + 8L * i);
            if (at[i] == Pmem.NULL) {
                // The file itself does not say where the region stands: only a damaged PMDK pool.
                view.findings.lost(
                        table + 8L * i,
                        TABLE + ", region " + i,
                        "a region that the file knows of",
                        "0x" + Long.toHexString(word),
                        "restore the pool from a copy");
                at = Arrays.copyOf(at, i);
                kinds = Arrays.copyOf(kinds, i);
                break;
            }
            RegionKind named = kindOf(word);
            kinds[i] = named != null && isPossible(named, at[i]) ? named : likeliest(at[i]);
            long right = at[i] | kinds[i].code();
            if (word != right) {
                view.findings.damage(
                        table + 8L * i,
                        TABLE + ", region " + i,
                        kinds[i] + " at 0x" + Long.toHexString(at[i]),
                        "0x" + Long.toHexString(word),
                        "store the word that the region's bytes show to be right",
                        put(table + 8L * i, right));
            }
        }
        view.regions(at, kinds);
        view.findings.count("regions", at.length);
    }

    private Runnable put(long at, long value) {
        return () -> view.store(at, value);
    }

    /** Regions in use: words up to the first zero, and beyond it if what stands there has been used. */
    private int count() {
        int count = 0;
        while (count < max && pmem.get(table + 8L * count) != 0) {
            count++;
        }
        // A region that has its word is zero until its first use, like one that has none: a wrong word tells them
        // apart.
        while (count > 0 && isStray(count - 1)) {
            count--;
        }
        int last = count - 1;
        for (int i = count; i < max; i++) {
            view.progress.at("unused space", i, max);
            long at = expectedAt(i);
            if (at == Pmem.NULL) {
                break;
            }
            long used = firstUsed(at);
            if (used >= 0 && hasUse(at)) {
                last = i;
            } else {
                clearStray(i, used);
            }
        }
        if (max < PoolHeader.REGIONS_MAX) {
            clearStray(max, -1); // a start would take it for a sign that the pool is larger
        }
        return last + 1;
    }

    private boolean isStray(int i) {
        long at = expectedAt(i);
        long word = pmem.get(table + 8L * i);
        boolean right = kindOf(word) != null && (word & ~RegionKind.MASK) == at;
        return !right && (at == Pmem.NULL || firstUsed(at) < 0);
    }

    private void clearStray(int i, long used) {
        long at = table + 8L * i;
        if (pmem.get(at) != 0) {
            view.findings.damage(
                    at,
                    TABLE + ", behind its end",
                    "0",
                    "0x" + Long.toHexString(pmem.get(at)),
                    "clear the word: the region was never used",
                    put(at, 0));
        }
        if (used >= 0) {
            long region = expectedAt(i);
            view.findings.damage(
                    used,
                    "space that no region has taken",
                    "zeros",
                    "0x" + Long.toHexString(pmem.get(used)),
                    "fill it with zeros",
                    () -> {
                        pmem.zero(region, view.regionSize);
                        pmem.persist(region, view.regionSize);
                    });
        }
    }

    /** Bytes that were stored on purpose, not some flipped bits: a region lost its word in the table. */
    private boolean hasUse(long at) {
        return Arrays.stream(RegionKind.values()).anyMatch(kind -> score(kind, at) > 1)
                || isPrincipals(at)
                || isIndexDirectory(at);
    }

    private long firstUsed(long at) {
        for (long word = at; word < at + view.regionSize; word += 8) {
            if (pmem.get(word) != 0) {
                return word;
            }
        }
        return -1;
    }

    private long expectedAt(int i) {
        try {
            long at = view.file.regionTaken(i);
            return at > 0 && at + view.regionSize <= pmem.size() ? at : Pmem.NULL;
        } catch (PoolException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static @Nullable RegionKind kindOf(long word) {
        int code = (int) (word & RegionKind.MASK);
        RegionKind[] kinds = RegionKind.values();
        return code >= 1 && code <= kinds.length ? kinds[code - 1] : null;
    }

    /** Whether the bytes of a region do not speak against a kind. */
    private boolean isPossible(RegionKind kind, long at) {
        return switch (kind) {
            case INDEX_DIRECTORY ->
                isIndexDirectory(at) || (isNondescript(at) && !isPrincipals(at) && !headerLeadsOn());
            case OUTCOMES -> score(kind, at) > 0 || (isNondescript(at) && !isIndexDirectory(at) && !isPrincipals(at));
            case PRINCIPALS -> isPrincipals(at) || (isNondescript(at) && !isIndexDirectory(at));
            default -> score(kind, at) >= 0 && !isIndexDirectory(at) && !isPrincipals(at);
        };
    }

    private RegionKind likeliest(long at) {
        if (isIndexDirectory(at)) {
            return RegionKind.INDEX_DIRECTORY;
        }
        return isPrincipals(at) ? RegionKind.PRINCIPALS : bestSlots(at);
    }

    /** Which of slots and segments a region looks like most; an empty one may as well serve entries. */
    private RegionKind bestSlots(long at) {
        RegionKind best = RegionKind.ENTRY_SLOTS;
        for (RegionKind kind : RegionKind.values()) {
            best = score(kind, at) > score(best, at) ? kind : best;
        }
        return best;
    }

    private boolean isNondescript(long at) {
        return score(bestSlots(at), at) <= 0;
    }

    private boolean isIndexDirectory(long at) {
        return directoryAt() == at && isNondescript(at) && !isPrincipals(at);
    }

    private long directoryAt() {
        return IndexHeader.directoryAt(pmem, view.header + PoolHeader.INDEX_ROOT_OFFSET);
    }

    /** Whether the index's header names a region that can be its directory. */
    private boolean headerLeadsOn() {
        for (int i = 0; i < max && pmem.get(table + 8L * i) != 0; i++) {
            long at = expectedAt(i);
            if (at != Pmem.NULL && isIndexDirectory(at)) {
                return true;
            }
        }
        return false;
    }

    private boolean isPrincipals(long at) {
        return pmem.get(at) == PrincipalCheck.ROOT_WORD && pmem.get(at + 8) == PrincipalCheck.ROOT_NAME;
    }

    /** How much the bytes of a region look like this kind: things that fit, less things that do not. */
    private long score(RegionKind kind, long at) {
        long score = 0;
        if (kind == RegionKind.INDEX_SEGMENTS) {
            for (long segment = at; segment < at + view.regionSize; segment += SegmentRecord.SIZE) {
                long magic = SegmentRecord.magic(pmem, segment);
                score += magic == SegmentRecord.MAGIC ? SegmentRecord.SLOTS : 0;
            }
            return score > 0 ? score : firstUsed(at) < 0 ? 0 : -1;
        }
        if (kind == RegionKind.OUTCOMES) {
            for (long ring = at; ring + OutcomeRing.SIZE <= at + view.regionSize; ring += OutcomeRing.SIZE) {
                score += OutcomeRing.magic(pmem, ring) == OutcomeRing.MAGIC ? OutcomeRing.RECORDS : 0;
            }
            return score;
        }
        if (kind == RegionKind.RECORDS) {
            return RecordCheck.score(pmem, at, view.regionSize);
        }
        if (kind.slotSize() == 0) {
            return 0;
        }
        for (long slot = at; slot + kind.slotSize() <= at + view.regionSize; slot += kind.slotSize()) {
            long status = EntryRecord.status(pmem, slot);
            if (status != 0) {
                boolean fits = kind == RegionKind.CONTENT_SLOTS
                        ? status == PoolView.LIVE_CONTENT
                        : PoolView.isSlotStatus(status, kind);
                score += fits ? 1 : -1;
            }
        }
        return score;
    }
}
