package io.hmfs.server.data;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** Goal: data counts as durable only if it is. Method: writes before, in and after syncs; files that share a slot. */
class SyncedSizesTest {
    private static final long FILE = 7;

    private final SyncedSizes synced = new SyncedSizes();

    private void sync(long inode, long from, long to, boolean isDurableBelow) {
        synced.synced(inode, from, to, synced.beginSync(inode), isDurableBelow);
    }

    @Test
    void ofAFileThatIsNotThereNothingIsKnown() {
        assertFalse(synced.covers(FILE, 1));
        synced.written(FILE, 0);
        assertFalse(synced.covers(FILE, 1));
    }

    @Test
    void aWriteMakesWhatFollowsItNotDurable() {
        sync(FILE, 0, 100, true);
        assertTrue(synced.covers(FILE, 100));
        assertFalse(synced.covers(FILE, 101));
        synced.written(FILE, 50);
        assertTrue(synced.covers(FILE, 50));
        assertFalse(synced.covers(FILE, 51));
        synced.written(FILE, 80);
        assertTrue(synced.covers(FILE, 50));
        assertFalse(synced.covers(FILE, 51));
    }

    @Test
    void aSyncThatAWriteHasComeIntoDoesNotCount() {
        long stamp = synced.beginSync(FILE);
        synced.written(FILE, 50);
        synced.synced(FILE, 0, 100, stamp, true);
        assertFalse(synced.covers(FILE, 1));
    }

    @Test
    void aSyncFromAPositionOnCountsIfAllBelowIsDurable() {
        sync(FILE, 50, 100, false);
        assertFalse(synced.covers(FILE, 100));
        sync(FILE, 0, 40, false);
        sync(FILE, 50, 100, false);
        assertFalse(synced.covers(FILE, 100));
        assertTrue(synced.covers(FILE, 40));
        sync(FILE, 40, 100, false);
        assertTrue(synced.covers(FILE, 100));
        sync(FILE, 20, 60, false);
        assertTrue(synced.covers(FILE, 100));
    }

    @Test
    void aFileThatTakesAnothersSlotIsNotTakenForIt() {
        for (long inode = 1; inode < 100_000; inode++) {
            sync(inode, 0, inode, true);
        }
        int known = 0;
        for (long inode = 1; inode < 100_000; inode++) {
            known += synced.covers(inode, inode) ? 1 : 0;
            assertFalse(synced.covers(inode, inode + 1));
        }
        assertTrue(known > 1_000 && known < 20_000, known + " files are known");
    }

    @Test
    void aFileThatIsTakingAnothersSlotDoesNotHaveItsSize() throws InterruptedException {
        long other = FILE + 1;
        while (SyncedSizes.slot(other) != SyncedSizes.slot(FILE)) {
            other++;
        }
        long large = other;
        Thread syncing = Thread.ofPlatform().start(() -> {
            for (int i = 0; i < 1_000_000; i++) {
                sync(FILE, 0, 10, true);
                sync(large, 0, 1_000, true);
            }
        });
        int wrong = 0;
        while (syncing.isAlive()) {
            wrong += synced.covers(FILE, 11) ? 1 : 0;
        }
        syncing.join();
        assertEquals(0, wrong);
    }
}
