package io.hmfs.core.check;

import io.hmfs.core.layout.RegionKind;
import io.hmfs.core.pmem.Pmem;

/** The table of users and groups: a chain of records, each of which says where the next one stands. */
final class PrincipalCheck {
    static final long PRESENT = 1L << 32;

    /** The first record: the number 0 is root. */
    static final long ROOT_WORD = PRESENT | 4;

    static final long ROOT_NAME = 0x746f6f72L; // "root", little-endian

    private static final int NAME_MAX = 255;
    private static final int REPAIRS_MAX = 64;
    private static final String TABLE = "principals";

    private final PoolView view;
    private final Pmem pmem;
    private final long start;
    private final long end;

    private PrincipalCheck(PoolView view, long start) {
        this.view = view;
        this.pmem = view.pmem;
        this.start = start;
        this.end = start + view.regionSize;
    }

    static void run(PoolView view) {
        int region = view.firstOf(RegionKind.PRINCIPALS);
        if (region >= 0) {
            new PrincipalCheck(view, view.regionAt(region)).table();
        }
    }

    private void table() {
        if (pmem.get(start) != ROOT_WORD || pmem.get(start + 8) != ROOT_NAME) {
            view.findings.damage(start, TABLE, "root as number 0", "another record", "store root there", () -> {
                view.store(start + 8, ROOT_NAME);
                view.store(start, ROOT_WORD);
            });
        }
        long previous = start;
        long at = start + 16;
        long count = 1;
        int damaged = 0;
        while (at + 8 <= end && pmem.get(at) != 0) {
            long word = pmem.get(at);
            if (!isRecord(at, word) || hasZero(at, (int) word)) {
                // A length that is too small shows where the next record should stand.
                long before = damaged++ < REPAIRS_MAX ? oneBitAway(previous) : 0;
                if (before > 0) {
                    store(previous, before, count - 1);
                    at = previous + size((int) before);
                    continue;
                }
                long right = damaged <= REPAIRS_MAX ? oneBitAway(at) : 0;
                if (right > 0) {
                    store(at, right, count);
                    word = right;
                } else {
                    lost(at, count);
                    if (!isRecord(at, word)) {
                        break;
                    }
                }
            }
            previous = at;
            at += size((int) word);
            count++;
        }
        view.findings.count("principals", count);
    }

    private static long size(int length) {
        return 8 + ((length + 7L) & ~7L);
    }

    private boolean isRecord(long at, long word) {
        int length = (int) word;
        return (word & -PRESENT) == PRESENT && length >= 1 && length <= NAME_MAX && at + 8 + length <= end;
    }

    /** The one word, a bit away from what is there, with which a name is a name and the rest of the table a table; else 0 or -1. */
    private long oneBitAway(long at) {
        long right = 0;
        for (int bit = 0; bit < Long.SIZE; bit++) {
            long other = pmem.get(at) ^ 1L << bit;
            if (isRecord(at, other) && isName(at, (int) other) && leadsOn(at + size((int) other))) {
                right = right == 0 ? other : -1;
            }
        }
        return right;
    }

    private void store(long at, long right, long number) {
        view.findings.damage(
                at,
                TABLE + ", number " + number,
                "0x" + Long.toHexString(right),
                "0x" + Long.toHexString(pmem.get(at)),
                "store the one length with which the table reads to its end",
                () -> view.store(at, right));
    }

    private void lost(long at, long number) {
        view.findings.lost(
                at,
                TABLE + ", number " + number,
                "a record or 0",
                "0x" + Long.toHexString(pmem.get(at)),
                "this name cannot be told; if it is no record, all behind it neither: restore the pool from a copy");
    }

    private boolean isName(long at, int length) {
        for (long byteAt = at + 8; byteAt < at + size(length) && byteAt < end; byteAt++) {
            long letter = pmem.get(byteAt & -8) >>> (byteAt % 8 * 8) & 0xff;
            if ((letter == 0) != (byteAt >= at + 8 + length)) {
                return false;
            }
        }
        return true;
    }

    private boolean leadsOn(long from) {
        long at = from;
        while (at + 8 <= end && pmem.get(at) != 0) {
            if (!isRecord(at, pmem.get(at))) {
                return false;
            }
            at += size((int) pmem.get(at));
        }
        return true;
    }

    /** A length that is a record's, and yet wrong, shows in zeros within the name. */
    private boolean hasZero(long at, int length) {
        byte[] bytes = new byte[length];
        pmem.copyOut(at + 8, bytes, 0, length);
        for (byte letter : bytes) {
            if (letter == 0) {
                return true;
            }
        }
        return false;
    }
}
