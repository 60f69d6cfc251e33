package io.hmfs.server.data;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hmfs.core.type.Name;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: after a crash at any moment the journal shows exactly the removals that were begun and not settled.
 * Method: open the same file a second time, as the next start does; damage slots as a torn sector would.
 */
class IntentJournalTest {
    @TempDir
    private Path directory;

    private Path file;

    @BeforeEach
    void name() {
        file = directory.resolve("removals");
    }

    private record Intent(long inode, long parent, String name, long size) {}

    private IntentJournal open(List<Intent> found) throws IOException {
        IntentJournal journal = new IntentJournal(file, true);
        journal.replay(
                (slot, inode, parent, name, size) -> found.add(new Intent(inode, parent, name.toString(), size)));
        return journal;
    }

    @Test
    void onlyUnsettledIntentsAreShownAgain() throws IOException {
        IntentJournal journal = open(new ArrayList<>());
        assertEquals(IntentJournal.SLOTS, journal.freeSlots());
        int done = journal.begin(1, 10, Name.of("done"), 100);
        int kept = journal.begin(2, 20, Name.of("k"), 200);
        journal.begin(3, 30, Name.of("ä".repeat(127) + "x"), Long.MAX_VALUE);
        journal.begin(-1, 1L << 48, Name.of("short"), 0);
        journal.done(done);
        journal.cancel(kept);
        journal.begin(4, 40, Name.of("q"), 400); // into a slot that a longer name had
        List<Intent> found = new ArrayList<>();
        IntentJournal next = open(found); // without a close: the process died
        assertEquals(
                List.of(
                        new Intent(-1, 1L << 48, "short", 0),
                        new Intent(3, 30, "ä".repeat(127) + "x", Long.MAX_VALUE),
                        new Intent(4, 40, "q", 400)),
                found.stream()
                        .sorted(java.util.Comparator.comparingLong(Intent::inode))
                        .toList());
        assertEquals(IntentJournal.SLOTS - 3, next.freeSlots());
    }

    @Test
    void tornSlotsAreFree() throws IOException {
        IntentJournal journal = open(new ArrayList<>());
        TreeSet<Integer> slots = new TreeSet<>();
        for (int i = 0; i < 40; i++) {
            slots.add(journal.begin(100 + i, 1, Name.of("a-name-" + i), i));
        }
        journal.close();
        try (RandomAccessFile raw = new RandomAccessFile(file.toFile(), "rw")) {
            int at = 0;
            for (int slot : slots) { // one byte of each, at places from the state word to the end of the name
                raw.seek((long) slot * IntentJournal.SLOT_SIZE + at);
                int old = raw.read();
                raw.seek((long) slot * IntentJournal.SLOT_SIZE + at);
                raw.write(old ^ 0x40);
                at++;
            }
        }
        List<Intent> found = new ArrayList<>();
        assertEquals(IntentJournal.SLOTS, open(found).freeSlots());
        assertEquals(List.of(), found);
    }

    @Test
    @Timeout(300)
    void fullJournalWaitsForASlot() throws IOException {
        IntentJournal journal = new IntentJournal(file, false);
        journal.replay((slot, inode, parent, name, size) -> {});
        int last = -1;
        for (int i = 0; i < IntentJournal.SLOTS; i++) {
            last = journal.begin(1 + i, 1, Name.of("n"), 0);
        }
        assertEquals(0, journal.freeSlots());
        int given = last;
        Thread.ofPlatform().start(() -> journal.done(given));
        int slot = journal.begin(9, 1, Name.of("n"), 0);
        assertEquals(given, slot);
        assertEquals(0, journal.freeSlots());
    }
}
