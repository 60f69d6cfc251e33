package io.hmfs.core.op;

import io.hmfs.core.lock.LockTable;
import java.util.Arrays;

/** The key locks of a batch: taken together, each once, in ascending order as by every thread that takes several. Reused. */
final class BatchLocks {
    private int[] locks = {};
    private int count;

    /** Chooses the locks of all keys that are batched; whether there are fewer locks than keys. */
    boolean choose(LockTable table, long[] hashes, boolean[] batched, int size) {
        if (locks.length < size) {
            locks = new int[size];
        }
        if (size == 1) {
            locks[0] = table.of(hashes[0]);
            count = batched[0] ? 1 : 0;
            return false;
        }
        int keys = 0;
        for (int i = 0; i < size; i++) {
            if (batched[i]) {
                locks[keys++] = table.of(hashes[i]);
            }
        }
        Arrays.sort(locks, 0, keys);
        count = 0;
        for (int i = 0; i < keys; i++) {
            if (i == 0 || locks[i] != locks[count - 1]) {
                locks[count++] = locks[i];
            }
        }
        return count < keys;
    }

    /** Of two entries with one key the later one is left to the next pass. Two keys of one hash are rare enough. */
    static void leaveOutTwins(long[] hashes, boolean[] batched, int size) {
        for (int i = 1; i < size; i++) {
            for (int j = 0; j < i && batched[i]; j++) {
                batched[i] = !(batched[j] && hashes[j] == hashes[i]);
            }
        }
    }

    void lockWrite(LockTable table) {
        for (int i = 0; i < count; i++) {
            table.lockWrite(locks[i]);
        }
    }

    void unlockWrite(LockTable table) {
        for (int i = 0; i < count; i++) {
            table.unlockWrite(locks[i]);
        }
    }

    void lockRead(LockTable table) {
        for (int i = 0; i < count; i++) {
            table.lockRead(locks[i]);
        }
    }

    void unlockRead(LockTable table) {
        for (int i = 0; i < count; i++) {
            table.unlockRead(locks[i]);
        }
    }
}
