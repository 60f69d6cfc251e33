package io.hmfs.server.op;

import io.hmfs.core.type.Attributes;
import java.util.Arrays;

/**
 * The dictionary of one page: what its entries have of type, mode, owner and group, each combination once. A hash table
 * with open addressing, at most half full. Not thread-safe.
 */
final class EntryKinds {
    /** An entry names its row in one byte. */
    static final int MAX = 256;

    private static final int SLOTS = 2 * MAX;
    private static final long MIX = 0x9E3779B97F4A7C15L;

    private static final int DIRECTORY = 1 << 12; // above the bits of a mode
    private static final int SYMLINK = 1 << 13;
    private static final int ACL = 1 << 14;
    private static final int APART = 1 << 15;
    private static final int MODE = DIRECTORY - 1;

    private final long[] principals = new long[MAX];
    private final int[] bits = new int[MAX];
    private final short[] slots = new short[SLOTS]; // a row's number + 1, or 0
    private int size;
    private int last; // the row of the entry before, which most entries have too

    void clear() {
        if (size > 0) {
            Arrays.fill(slots, (short) 0);
        }
        size = 0;
        last = 0;
    }

    int size() {
        return size;
    }

    /** Whether the next entry may find no row. */
    boolean isFull() {
        return size == MAX;
    }

    /** The row of an entry, made if there is none. */
    int of(Attributes entry, int uid, int gid, int mode, boolean apart) {
        long both = ((long) uid << Integer.SIZE) | (gid & 0xFFFFFFFFL);
        int other = mode
                | (entry.isDirectory() ? DIRECTORY : 0)
                | (entry.isSymlink() ? SYMLINK : 0)
                | (entry.hasAcl ? ACL : 0)
                | (apart ? APART : 0);
        if (last < size && principals[last] == both && bits[last] == other) {
            return last;
        }
        int slot = (int) ((((both * MIX) ^ other) * MIX) >>> (Long.SIZE - 9)); // 512 slots
        while (slots[slot] != 0) {
            int row = slots[slot] - 1;
            if (principals[row] == both && bits[row] == other) {
                last = row;
                return row;
            }
            slot = (slot + 1) & (SLOTS - 1);
        }
        principals[size] = both;
        bits[size] = other;
        last = size++;
        slots[slot] = (short) size;
        return last;
    }

    int uid(int row) {
        return (int) (principals[row] >>> Integer.SIZE);
    }

    int gid(int row) {
        return (int) principals[row];
    }

    int mode(int row) {
        return bits[row] & MODE;
    }

    boolean isDirectory(int row) {
        return (bits[row] & DIRECTORY) != 0;
    }

    boolean isSymlink(int row) {
        return (bits[row] & SYMLINK) != 0;
    }

    boolean hasAcl(int row) {
        return (bits[row] & ACL) != 0;
    }

    boolean isApart(int row) {
        return (bits[row] & APART) != 0;
    }
}
