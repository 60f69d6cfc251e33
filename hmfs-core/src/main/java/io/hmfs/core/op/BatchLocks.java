package io.hmfs.core.op;

import io.hmfs.core.lock.LockTable;
import io.hmfs.core.type.NameBatch;
import java.util.Arrays;

/** The key locks of a batch: taken together, ascending as by whoever takes several, each once. Reused. */
final class BatchLocks {
    private final int[] locks = new int[NameBatch.CAPACITY_MAX];
    private int count;

    /** Chooses the locks of all keys that join; whether there are fewer locks than keys. */
    boolean choose(LockTable table, long[] hashes, boolean[] joins, int size) {
        int keys = 0;
        for (int i = 0; i < size; i++) {
            if (joins[i]) {
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

    /** Of two requests about one key the later one comes afterwards, alone. Two keys of one hash are rare enough. */
    static void leaveOutTwins(long[] hashes, boolean[] joins, int size) {
        for (int i = 1; i < size; i++) {
            for (int j = 0; j < i && joins[i]; j++) {
                joins[i] = !(joins[j] && hashes[j] == hashes[i]);
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
