package io.hmfs.server.lease;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.FormatOptions;
import io.hmfs.core.Hmfs;
import io.hmfs.core.OpenOptions;
import io.hmfs.core.Records;
import io.hmfs.core.ServerNamespace;
import io.hmfs.core.layout.CorruptPoolException;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a change ends the grants that it may take the right from, and no start brings one back or ends one. Method: epochs on the records of
 * a real pool, which are read again as by a start; the calls to the records are watched.
 */
class GrantEpochsTest {
    private static final long FILE = 77;
    private static final long OTHER_FILE = 78;

    @TempDir
    private Path directory;

    private ServerNamespace namespace;
    private Records records;
    private final List<String> calls = new ArrayList<>();
    private GrantEpochs epochs;

    @BeforeEach
    void open() throws IOException {
        Path pool = directory.resolve("pool");
        Hmfs.format(pool, FormatOptions.ofSize(FormatOptions.SIZE_MIN));
        namespace = Hmfs.openForServer(pool, OpenOptions.process());
        records = (Records) Proxy.newProxyInstance(
                Records.class.getClassLoader(), new Class<?>[] {Records.class}, (_, method, arguments) -> {
                    calls.add(method.getName());
                    try {
                        return method.invoke(namespace.records(), arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
        epochs = new GrantEpochs(records);
        calls.clear();
    }

    @AfterEach
    void close() {
        namespace.close();
    }

    /** Those of an owner who reads, an owner who writes, another user who reads, and another user who writes. */
    private static long[] all(GrantEpochs of, long inode) {
        return new long[] {
            of.of(inode, true, false), of.of(inode, true, true), of.of(inode, false, false), of.of(inode, false, true)
        };
    }

    private void end(GrantEpochs.Cause cause) {
        assertTrue(epochs.prepare(FILE, cause));
        epochs.end(FILE, cause);
    }

    /** Which of {@link #all} a cause ends. */
    private void assertEnds(GrantEpochs.Cause cause, boolean... ended) {
        long[] before = all(epochs, FILE);
        long[] others = all(epochs, OTHER_FILE);
        long changes = epochs.changes();
        assertTrue(epochs.prepare(FILE, cause));
        assertEquals(changes, epochs.changes());
        assertEquals(Arrays.toString(before), Arrays.toString(all(epochs, FILE)), "not yet");
        epochs.end(FILE, cause);
        assertNotEquals(changes, epochs.changes());
        long[] after = all(epochs, FILE);
        for (int i = 0; i < ended.length; i++) {
            assertEquals(ended[i], before[i] != after[i], cause + ", " + i);
        }
        assertEquals(Arrays.toString(others), Arrays.toString(all(epochs, OTHER_FILE)));
        GrantEpochs next = new GrantEpochs(records);
        assertEquals(Arrays.toString(after), Arrays.toString(all(next, FILE)), "the next start");
    }

    @Test
    void eachCauseEndsTheGrantsThatItTakesTheRightFrom() {
        for (int round = 0; round < 3; round++) {
            assertEnds(GrantEpochs.Cause.MODE, false, false, true, true);
            assertEnds(GrantEpochs.Cause.OWNER, true, true, true, true);
            assertEnds(GrantEpochs.Cause.RECOVERY, false, true, false, true);
        }
        assertNotEquals(GrantEpochs.stripe(FILE), GrantEpochs.stripe(OTHER_FILE));
    }

    /** A client that asks again after a crash is told that its change was made; so the change must not come to be without its record. */
    @Test
    void theRecordIsDurableBeforeTheChangeAndTheOldOneStaysUntilThen() {
        end(GrantEpochs.Cause.MODE);
        calls.clear();
        assertTrue(epochs.prepare(FILE, GrantEpochs.Cause.MODE));
        assertEquals(List.of("put", "fence", "clear"), calls);
        long[] next = all(new GrantEpochs(records), FILE);
        assertEquals(all(epochs, FILE)[2] + 1, next[2], "a crash here");
    }

    @Test
    void aStripeHasOneRecordHoweverManyChangesThereWere() {
        for (int i = 0; i < 100; i++) {
            end(GrantEpochs.Cause.MODE);
        }
        int[] count = new int[1];
        records.each(Records.Kind.GRANT_EPOCH, (_, _, _, _, _) -> count[0]++);
        assertEquals(1, count[0]);
    }

    @Test
    void withoutRoomForTheRecordNothingEnds() {
        end(GrantEpochs.Cause.MODE);
        long key = 0;
        while (records.put(Records.Kind.LEASE, ++key, 1, 1, 1) != Records.NONE) {
            assertTrue(key < 10_000_000);
        }
        long[] before = all(epochs, FILE);
        assertFalse(epochs.prepare(FILE, GrantEpochs.Cause.MODE));
        assertEquals(Arrays.toString(before), Arrays.toString(all(epochs, FILE)));
        assertEquals(Arrays.toString(before), Arrays.toString(all(new GrantEpochs(records), FILE)));
    }

    @Test
    void aRecordOfNoStripeIsRefused() {
        for (long key : new long[] {0, 4_097, -1, 1L << 32 | 1}) {
            long record = records.put(Records.Kind.GRANT_EPOCH, key, 1, 1, 1);
            CorruptPoolException refused =
                    assertThrows(CorruptPoolException.class, () -> new GrantEpochs(records), "key " + key);
            assertTrue(String.valueOf(refused.getMessage()).contains("a stripe of grants' epochs"));
            records.clear(record);
        }
        for (long key : new long[] {1, 4_096}) {
            records.put(Records.Kind.GRANT_EPOCH, key, 1, 1, 1);
        }
        assertEquals(0, new GrantEpochs(records).changes());
    }

    /** So a request that has a file alone is the only one that changes its epoch. */
    @Test
    void filesOfOneEpochAreOfOneStripeOfLeases() {
        for (long inode = 1; inode < 100_000; inode += 7) {
            assertEquals(LeaseRows.stripe(inode), GrantEpochs.stripe(inode) >>> 2);
        }
    }
}
