package io.hmfs.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.alloc.Summary;
import io.hmfs.core.layout.ChainRecord;
import io.hmfs.core.layout.CorruptPoolException;
import io.hmfs.core.layout.DirContentRecord;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.RegionKind;
import io.hmfs.core.layout.SlotState;
import io.hmfs.core.pmem.Pmem;
import io.hmfs.core.sim.SimPmem;
import io.hmfs.core.sim.SimPoolFile;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.ListCursor;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.RemovedFile;
import io.hmfs.core.type.Status;
import io.hmfs.core.type.XattrMode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Goal: the scan after a start and the end of the data of removed files free each slot once, whichever comes between the steps of the other, and no
 * slot that is another file's by now. Method: at each event of the one the other runs whole; then all slots are taken and compared.
 */
final class RemovedFilesScanTest {
    private static final long ROOT = Namespace.ROOT_ID;
    private static final int FILES = 6;
    private static final Duration HANGS = Duration.ofSeconds(30);

    private final Attributes out = new Attributes();

    private void ok(Status status) {
        assertEquals(Status.OK, status);
    }

    private static Name name(int number) {
        return Name.of("f" + number);
    }

    private static List<Long> take(PoolNamespace from) {
        List<Long> tokens = new ArrayList<>();
        RemovedFile next = new RemovedFile();
        while (from.removedFiles().next(next)) {
            tokens.add(next.token);
        }
        return tokens;
    }

    private void create(PoolNamespace namespace, int number) {
        ok(namespace.create(ROOT, name(number), 0644, 0, 0, out));
    }

    /** Takes all the space there is, and returns for how many objects; each object has a slot of its own. A slot that was freed twice makes lists and chains without an end. */
    private int everySlotIsFreeOnce(PoolNamespace namespace, int living) {
        return assertTimeoutPreemptively(HANGS, () -> {
            int made = 0;
            while (namespace.create(ROOT, Name.of("more" + made), 0644, 0, 0, out) == Status.OK) {
                made++;
                assertTrue(made < 10_000, "slots without an end");
            }
            Set<Long> ids = new HashSet<>();
            ok(namespace.list(ROOT, new ListCursor(), (_, found) -> {
                assertTrue(ids.add(found.id), "twice: " + found.id);
                return true;
            }));
            assertEquals(living + made, ids.size());
            for (int i = 0; i < made; i++) {
                ok(namespace.stat(ROOT, Name.of("more" + i), out));
            }
            assertEquals(List.of(), namespace.problems());
            return made;
        });
    }

    /** Files that were removed and are on their list still; half of them are files with two names, and not on one. */
    private SimPoolFile withRemoved() {
        SimPoolFile file = new SimPoolFile(16 << 10, 8);
        FreshPool.open(file).close();
        PoolNamespace namespace = RemovedFilesTest.open(file);
        namespace.scanInBackground();
        for (int i = 0; i < FILES; i++) {
            create(namespace, i);
        }
        ok(namespace.link(ROOT, name(4), ROOT, Name.of("second"), out));
        ok(namespace.delete(ROOT, Name.of("second"), out));
        for (int i = 0; i < FILES; i += 2) {
            ok(namespace.delete(ROOT, name(i), out));
        }
        namespace.close();
        return file;
    }

    @ParameterizedTest
    @CsvSource({"true, true", "true, false", "false, true", "false, false"})
    void theScanAndTheEndOfTheDataAtEachEventOfTheOtherFreeEachSlotOnce(boolean closed, boolean scanStops) {
        SimPoolFile removed = withRemoved();
        Set<Integer> room = new HashSet<>();
        boolean ends = false;
        for (int event = 0; !ends; event++) {
            SimPoolFile file = removed.killed();
            if (!closed) {
                RemovedFilesTest.open(file); // and dies
                file = file.killed();
            }
            PoolNamespace namespace = RemovedFilesTest.open(file);
            if (closed) {
                assertEquals(Summary.Found.VALID.text(), namespace.poolStatus().freeSlots());
                assertTrue(namespace.poolStatus().recovering(), "nothing is swept");
            }
            ends = doneAt(event, scanStops, namespace, file.pmem());
            namespace.sweep(ROOT);
            PoolNamespace next = RemovedFilesTest.open(file.killed());
            next.scanInBackground();
            assertEquals(List.of(), take(next), "the next start knows it too");
            room.add(everySlotIsFreeOnce(namespace, FILES / 2));
            assertEquals(1, room.size(), () -> "a slot is not free: " + room);
        }
    }

    /** The one side stops before this event of its own, and the other comes to its end, or to a lock. Whether the one has fewer events. */
    private boolean doneAt(int event, boolean scanStops, PoolNamespace namespace, SimPmem pmem) {
        List<Long> before = take(namespace);
        Runnable ends = () -> {
            before.forEach(namespace.removedFiles()::done);
            take(namespace).forEach(namespace.removedFiles()::done);
        };
        boolean isDone;
        try (Stepper one = new Stepper();
                Stepper other = new Stepper()) {
            pmem.beforeEachEvent(() -> {
                one.event();
                other.event();
            });
            one.begin(scanStops ? namespace::scanInBackground : ends);
            one.runTo(event);
            isDone = one.isDone();
            other.begin(scanStops ? ends : namespace::scanInBackground);
            while (!one.isDone() || !other.isDone()) {
                other.finish();
                one.finish();
            }
        }
        pmem.beforeEachEvent(null);
        take(namespace).forEach(namespace.removedFiles()::done);
        assertEquals(0, namespace.removedFiles().count());
        return isDone;
    }

    /** A file that lives with its inode, left by a process that died. */
    private SimPoolFile withInode() {
        SimPoolFile file = new SimPoolFile(16 << 10, 8);
        FreshPool.open(file).close();
        PoolNamespace namespace = RemovedFilesTest.open(file);
        namespace.scanInBackground();
        create(namespace, 0);
        ok(namespace.link(ROOT, name(0), ROOT, name(1), out));
        ok(namespace.delete(ROOT, name(1), out));
        namespace.sweep(ROOT);
        return file.killed();
    }

    private static long inode(SimPoolFile file) {
        return Unwritten.slots(file, RegionKind.ENTRY_SLOTS)
                .filter(at -> EntryRecord.kind(file.pmem().get(at)) == EntryRecord.KIND_INODE)
                .findFirst()
                .orElseThrow();
    }

    /** The consumer stands between the two stores of a {@code done}, after the first of them. */
    private Stepper halfDone(PoolNamespace namespace, SimPmem pmem, long inode) {
        Stepper consumer = new Stepper();
        pmem.beforeEachEvent(consumer::event);
        List<Long> tokens = take(namespace);
        assertEquals(1, tokens.size());
        consumer.begin(() -> namespace.removedFiles().done(tokens.getFirst()));
        while (!EntryRecord.noData(EntryRecord.status(pmem, inode))) {
            consumer.advance(1);
        }
        return consumer;
    }

    @Test
    void anInodeThatThisStartHasBuriedIsFreedOnce() {
        SimPoolFile file = withInode();
        PoolNamespace namespace = RemovedFilesTest.open(file);
        long inode = inode(file);
        ok(namespace.delete(ROOT, name(0), out));
        try (Stepper consumer = halfDone(namespace, file.pmem(), inode)) {
            namespace.scanInBackground();
            consumer.finish();
        }
        file.pmem().beforeEachEvent(null);
        namespace.sweep(ROOT);
        everySlotIsFreeOnce(namespace, 0);
    }

    @Test
    void aSlotThatIsAnotherFilesByNowIsNotTheScans() {
        SimPoolFile file = withInode();
        SimPmem pmem = file.pmem();
        PoolNamespace namespace = RemovedFilesTest.open(file);
        long inode = inode(file);
        ok(namespace.delete(ROOT, name(0), out));
        int[] made = new int[1];
        try (Stepper consumer = halfDone(namespace, pmem, inode)) {
            boolean[] seen = new boolean[1];
            pmem.beforeEachLoadOf(word -> {
                if (!seen[0]) {
                    seen[0] = word == inode;
                } else if (made[0] == 0) {
                    made[0] = 1;
                    pmem.beforeEachLoadOf(null);
                    consumer.finish();
                    made[0] = createIn(namespace, pmem, inode);
                }
            });
            namespace.scanInBackground();
            assertTrue(made[0] > 0);
        }
        pmem.beforeEachEvent(null);
        for (int i = 0; i < made[0]; i++) {
            ok(namespace.stat(ROOT, Name.of("new" + i), out));
        }
        namespace.sweep(ROOT);
        everySlotIsFreeOnce(namespace, made[0]);
    }

    /** Creates files until one has this slot, or the pool is full. Says how many there are. */
    private int createIn(PoolNamespace namespace, Pmem pmem, long slot) {
        int made = 0;
        while (EntryRecord.state(pmem, slot) != SlotState.NORMAL
                && namespace.create(ROOT, Name.of("new" + made), 0644, 0, 0, out) == Status.OK) {
            made++;
        }
        return made;
    }

    /** Runs the scan, and this before its load number {@code load} of the status or the death of a slot. Whether it has that many. */
    private static boolean scan(PoolNamespace namespace, SimPmem pmem, long slot, int load, Runnable meanwhile) {
        int[] loads = new int[1];
        pmem.beforeEachLoadOf(word -> {
            if ((word == slot || word == slot + EntryRecord.DEATH_OFFSET) && loads[0]++ == load) {
                pmem.beforeEachLoadOf(null);
                meanwhile.run();
            }
        });
        namespace.scanInBackground();
        pmem.beforeEachLoadOf(null);
        return loads[0] > load;
    }

    /** Else a file may be made and die in the slot meanwhile, which the scan would take for the one that it has seen, and free while it is on its list. */
    @Test
    void aSlotThatTheScanLooksAtIsNotUsedAgain() {
        boolean met = true;
        for (int load = 0; met; load++) {
            SimPoolFile file = withInode();
            SimPmem pmem = file.pmem();
            PoolNamespace namespace = RemovedFilesTest.open(file);
            long inode = inode(file);
            ok(namespace.delete(ROOT, name(0), out));
            int[] living = new int[1];
            try (Stepper consumer = halfDone(namespace, pmem, inode)) {
                met = scan(namespace, pmem, inode, load, () -> {
                    consumer.finish();
                    living[0] = createIn(namespace, pmem, inode);
                    assertEquals(SlotState.FREE, EntryRecord.state(pmem, inode), "used again");
                });
            }
            pmem.beforeEachEvent(null);
            take(namespace).forEach(namespace.removedFiles()::done);
            namespace.sweep(ROOT);
            everySlotIsFreeOnce(namespace, living[0]);
        }
    }

    /** The slot of a content that this start has dropped and has in hand. A content that lives has its id where a free slot has its time. */
    @Test
    void aSlotThatIsFilledWhileTheScanLooksAtItIsNotFree() {
        SimPoolFile first = new SimPoolFile(16 << 10, 8);
        PoolNamespace before = FreshPool.open(first);
        mkdir(before, "d0");
        mkdir(before, "d1");
        boolean met = true;
        for (int load = 0; met; load++) {
            SimPoolFile file = first.killed();
            SimPmem pmem = file.pmem();
            PoolNamespace namespace = new PoolNamespace("sim", file, false);
            List<Long> slots = new ArrayList<>();
            for (String name : List.of("d0", "d1")) {
                ok(namespace.stat(ROOT, Name.of(name), out));
                slots.add(content(file, out.id));
                ok(namespace.rmdir(ROOT, Name.of(name)));
            }
            int[] living = {mkdirIn(namespace, pmem, "new", slots)};
            slots.removeIf(at -> EntryRecord.state(pmem, at) != SlotState.FREE);
            assertEquals(1, slots.size(), "both have waited as long, and one is used again");
            met = scan(namespace, pmem, slots.getFirst(), load, () -> {
                living[0] += mkdirIn(namespace, pmem, "newer", slots);
                assertTrue(EntryRecord.state(pmem, slots.getFirst()) != SlotState.FREE, "it is not in hand");
            });
            everySlotIsFreeOnce(namespace, living[0]);
        }
    }

    private void mkdir(PoolNamespace namespace, String name) {
        ok(namespace.mkdir(ROOT, Name.of(name), 0755, 0, 0, out));
    }

    private static long content(SimPoolFile file, long directory) {
        return Unwritten.slots(file, RegionKind.CONTENT_SLOTS)
                .filter(at -> EntryRecord.state(file.pmem(), at) != SlotState.FREE
                        && DirContentRecord.id(file.pmem(), at) == directory)
                .findFirst()
                .orElseThrow();
    }

    /** Makes directories until one has one of these slots for its content, or the pool is full. Says how many there are. */
    private int mkdirIn(PoolNamespace namespace, Pmem pmem, String name, List<Long> slots) {
        int made = 0;
        while (slots.stream().allMatch(slot -> EntryRecord.state(pmem, slot) == SlotState.FREE)
                && namespace.mkdir(ROOT, Name.of(name + made), 0755, 0, 0, out) == Status.OK) {
            made++;
        }
        return made;
    }

    @Test
    void aChainWhoseOwnerIsNoSlotIsDamageAndNotFollowed() {
        SimPoolFile file = new SimPoolFile(16 << 10, 12);
        PoolNamespace first = FreshPool.open(file);
        create(first, 0);
        ok(first.setXattr(ROOT, name(0), Name.of("user.a"), new byte[] {1}, XattrMode.CREATE_OR_REPLACE));
        SimPoolFile damaged = file.killed();
        Unwritten.slots(damaged, RegionKind.LONG_ENTRY_SLOTS)
                .filter(at -> EntryRecord.kind(damaged.pmem().get(at)) == EntryRecord.KIND_CHAIN)
                .forEach(at -> damaged.pmem().set(at + ChainRecord.OWNER_OFFSET, 1L << 50));
        PoolNamespace next = new PoolNamespace("sim", damaged, false);
        assertThrows(CorruptPoolException.class, next::scanInBackground);
    }
}
