package io.hmfs.client.gc;

import java.util.Arrays;
import java.util.BitSet;

/** The inodes that have objects, and what a census says of them: 12 bytes and a bit for each. */
final class Candidates {
    private static final int NOT_THERE = -1;

    private long[] inodes = new long[1 << 12];
    private int count;
    private boolean sealed;
    private final BitSet live = new BitSet();
    private int[] blocks = {};

    /** Before {@link #seal}. */
    void add(long inode) {
        assert !sealed;
        if (count > 0 && inodes[count - 1] == inode) { // a store tells a file's blocks one after the other, mostly
            return;
        }
        if (count == inodes.length) {
            sort();
            if (count > inodes.length / 2) {
                inodes = Arrays.copyOf(inodes, inodes.length + (inodes.length >> 1));
            }
        }
        inodes[count++] = inode;
    }

    private void sort() {
        Arrays.sort(inodes, 0, count);
        int kept = 0;
        for (int i = 0; i < count; i++) {
            if (kept == 0 || inodes[kept - 1] != inodes[i]) {
                inodes[kept++] = inodes[i];
            }
        }
        count = kept;
    }

    void seal() {
        sort();
        sealed = true;
        blocks = new int[count];
    }

    /** A file lives, and its size covers so many blocks. The largest that was told counts. */
    void lives(long inode, long covered) {
        int at = find(inode);
        if (at != NOT_THERE) {
            live.set(at);
            blocks[at] = (int) Math.max(blocks[at], Math.min(covered, Integer.MAX_VALUE));
        }
    }

    private int find(long inode) {
        int at = Arrays.binarySearch(inodes, 0, count, inode);
        return at < 0 ? NOT_THERE : at;
    }

    /** Whether it had an object when they were listed; what came later does not matter here. */
    boolean has(long inode) {
        return find(inode) != NOT_THERE;
    }

    /** Of one that {@link #has} tells of. */
    boolean isLive(long inode) {
        return live.get(find(inode));
    }

    /** Whether the size of a live file covers this block. */
    boolean covers(long inode, long block) {
        int covered = blocks[find(inode)];
        return block < covered || covered == Integer.MAX_VALUE;
    }

    int count() {
        return count;
    }

    int countLive() {
        return live.cardinality();
    }
}
