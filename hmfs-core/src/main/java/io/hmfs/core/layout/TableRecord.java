package io.hmfs.core.layout;

import static io.hmfs.core.layout.Layouts.u64;
import static java.lang.foreign.MemoryLayout.paddingLayout;
import static java.lang.foreign.MemoryLayout.structLayout;

import io.hmfs.core.pmem.Pmem;
import java.lang.foreign.StructLayout;

/**
 * One record of the record table: one cache line, little-endian (docs/format.md#records).
 * <pre>
 *   0        8        16       24       32       40       48                64
 *   | state  | key    | first  | second | third  | order  | reserved        |
 * </pre>
 * state = kind in the lowest eight bits, above it a hash of the five words behind it; stored last, and 0 before any other word
 * changes. Stores to one line become durable in their order, so a crash leaves a whole record or none, and a state that does not
 * fit is damage. Of two with one key, unless they are cuts, the one with the higher order holds.
 */
public final class TableRecord {
    public static final long SIZE = 64;
    public static final long STATE_OFFSET = 0;
    public static final long KEY_OFFSET = 8;
    public static final long FIRST_OFFSET = 16;
    public static final long SECOND_OFFSET = 24;
    public static final long THIRD_OFFSET = 32;
    public static final long ORDER_OFFSET = 40;

    /** A client writes a file. Key: inode. Words: client id, mark of the client, number of the lease. */
    public static final int LEASE = 1;

    /** Limits of a directory. Key: directory id. Words: names, bytes (-1: no limit), 0. */
    public static final int QUOTA = 2;

    /** A file is being cut. Key: inode. Words: parent id, hash of the name, size before. */
    public static final int CUT = 3;

    /** Grants that have ended. Key: a stripe of inodes, from 1 on. Words: changes of modes, of owners, recoveries. */
    public static final int GRANT_EPOCH = 4;

    private static final int KIND_BITS = 8;
    private static final long KIND_MASK = (1 << KIND_BITS) - 1;
    private static final long MIX = 0x9E3779B97F4A7C15L;

    static final StructLayout LAYOUT = structLayout(
                    u64("state"),
                    u64("key"),
                    u64("first"),
                    u64("second"),
                    u64("third"),
                    u64("order"),
                    paddingLayout(16))
            .withByteAlignment(64)
            .withName("TableRecord");

    static {
        Layouts.pin(LAYOUT, SIZE, 64);
        Layouts.pin(LAYOUT, "state", STATE_OFFSET);
        Layouts.pin(LAYOUT, "key", KEY_OFFSET);
        Layouts.pin(LAYOUT, "first", FIRST_OFFSET);
        Layouts.pin(LAYOUT, "second", SECOND_OFFSET);
        Layouts.pin(LAYOUT, "third", THIRD_OFFSET);
        Layouts.pin(LAYOUT, "order", ORDER_OFFSET);
    }

    private TableRecord() {}

    /** Fills a free line; the words in this order, see above. */
    public static void fill(Pmem pmem, long at, int kind, long key, long first, long second, long third, long order) {
        pmem.setRelease(at + KEY_OFFSET, key);
        pmem.setRelease(at + FIRST_OFFSET, first);
        pmem.setRelease(at + SECOND_OFFSET, second);
        pmem.setRelease(at + THIRD_OFFSET, third);
        pmem.setRelease(at + ORDER_OFFSET, order);
        pmem.setRelease(at + STATE_OFFSET, check(pmem, at, kind) << KIND_BITS | kind);
    }

    /** The record is none from this store on. */
    public static void clear(Pmem pmem, long at) {
        pmem.setRelease(at + STATE_OFFSET, 0);
    }

    /** 0: a free line. */
    public static long state(Pmem pmem, long at) {
        return pmem.getAcquire(at + STATE_OFFSET);
    }

    public static int kind(long state) {
        return (int) (state & KIND_MASK);
    }

    /** Whether one record of a kind holds for a key, not all of them. */
    public static boolean isOnePerKey(int kind) {
        return kind != CUT;
    }

    /** The hash in a state word. */
    public static long check(long state) {
        return state >>> KIND_BITS;
    }

    /** Whether a state word that is not 0 is one of the record behind it. */
    public static boolean isWhole(Pmem pmem, long at, long state) {
        int kind = kind(state);
        return kind >= LEASE && kind <= GRANT_EPOCH && check(state) == check(pmem, at, kind);
    }

    private static long check(Pmem pmem, long at, int kind) {
        long hash = kind;
        for (long offset = KEY_OFFSET; offset <= ORDER_OFFSET; offset += Long.BYTES) {
            hash = (hash ^ pmem.get(at + offset)) * MIX;
            hash ^= hash >>> 29;
        }
        return hash >>> KIND_BITS;
    }

    public static long key(Pmem pmem, long at) {
        return pmem.get(at + KEY_OFFSET);
    }

    public static long first(Pmem pmem, long at) {
        return pmem.get(at + FIRST_OFFSET);
    }

    public static long second(Pmem pmem, long at) {
        return pmem.get(at + SECOND_OFFSET);
    }

    public static long third(Pmem pmem, long at) {
        return pmem.get(at + THIRD_OFFSET);
    }

    /** A time of the pool's clock; 0: the line was never used. */
    public static long order(Pmem pmem, long at) {
        return pmem.get(at + ORDER_OFFSET);
    }
}
