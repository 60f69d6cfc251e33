package io.hmfs.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.alloc.Summary;
import io.hmfs.core.alloc.Summary.Found;
import io.hmfs.core.check.CheckReport;
import io.hmfs.core.check.PoolCheck;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.PoolHeader;
import io.hmfs.core.layout.RegionKind;
import io.hmfs.core.layout.SummaryRecord;
import io.hmfs.core.pmem.PoolException;
import io.hmfs.core.sim.SimPoolFile;
import io.hmfs.core.type.AppendBatch;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.DeleteBatch;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Progress;
import io.hmfs.core.type.RemovedFile;
import io.hmfs.core.type.Status;
import io.hmfs.core.type.XattrMode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Goal: each file that is removed is handed out with its data until that is gone, also after a close or a crash, and its slot is free after
 * that and not before; nothing else is handed out. Method: each way to remove a file, on simulated memory, with sweeps, starts and checks between.
 */
final class RemovedFilesTest {
    private static final long REPLACED = 4; // size of the one that a rename replaces
    private static final long ROOT = Namespace.ROOT_ID;
    private static final Path SIM = Path.of("sim");

    private final Attributes out = new Attributes();
    private SimPoolFile file = new SimPoolFile(16 << 10, 14);
    private PoolNamespace namespace;

    RemovedFilesTest() {
        FreshPool.open(file).close();
        namespace = open(file);
        namespace.scanInBackground();
    }

    static PoolNamespace open(SimPoolFile file) {
        return new PoolNamespace("sim", file, false, true, true);
    }

    private static Name name(int number) {
        return Name.of("file-" + number);
    }

    private void ok(Status status) {
        assertEquals(Status.OK, status);
    }

    /** The new file's id; its size is its number. Every other one is dense. */
    private long create(long directory, int number) {
        ok(namespace.create(directory, name(number), 0644, 0, 0, out));
        long id = out.id;
        AppendBatch batch = new AppendBatch(1);
        batch.add(directory, name(number), id, number, number % 2 == 0 ? 0 : AppendBatch.UNKNOWN);
        namespace.appendAll(batch);
        ok(batch.status(0));
        return id;
    }

    /** Takes all there are now: size by id. */
    static Map<Long, Long> take(ServerNamespace from, List<Long> tokens) {
        Map<Long, Long> taken = new TreeMap<>();
        RemovedFile next = new RemovedFile();
        while (from.removedFiles().next(next)) {
            assertEquals(null, taken.put(next.id, next.size), "handed out twice");
            tokens.add(next.token);
        }
        return taken;
    }

    private void handsOut(Map<Long, Long> expected) {
        List<Long> tokens = new ArrayList<>();
        assertEquals(new TreeMap<>(expected), take(namespace, tokens));
        tokens.forEach(namespace.removedFiles()::done);
        assertEquals(0, namespace.removedFiles().count());
    }

    private CheckReport check() {
        try {
            return PoolCheck.check(SIM, file, Progress.NONE);
        } catch (PoolException e) {
            throw new AssertionError(e);
        }
    }

    /** Also those that a clean close has left: B's file behind all of A's. */
    @Test
    void ownersTakeTurns() {
        RemovedFile next = new RemovedFile();
        for (int uid = 1; uid <= 3; uid++) {
            for (int i = 0; i < 20; i++) {
                Name name = name(100 * uid + i);
                ok(namespace.create(ROOT, name, 0644, uid, 0, out));
                ok(namespace.delete(ROOT, name, out));
            }
            assertTrue(namespace.removedFiles().next(next)); // of those that are there by now, whose turn it is
            assertEquals(uid, next.uid);
            namespace.removedFiles().done(next.token);
        }
        takeTurns(3, 27);
        restart(Found.VALID);
        takeTurns(3, 30);
        assertFalse(namespace.removedFiles().next(next));
    }

    private void takeTurns(int owners, int files) {
        RemovedFile next = new RemovedFile();
        for (int i = 0; i < files; i++) {
            assertTrue(namespace.removedFiles().next(next));
            assertEquals(1 + i % owners, next.uid, "file " + i);
            namespace.removedFiles().done(next.token);
        }
    }

    private void restart(Found found) {
        namespace.close();
        assertEquals(found, Summary.read(file.pmem(), 0).found());
        CheckReport report = check();
        assertEquals(0, report.damage(), () -> report.findings().toString());
        assertTrue(
                found != Found.VALID || report.pending() == 0,
                () -> report.findings().toString());
        file = file.killed();
        namespace = open(file);
    }

    private void kill() {
        file = file.killed();
        namespace = open(file);
        namespace.scanInBackground();
        assertEquals(List.of(), namespace.problems());
    }

    /** What each way to remove files leaves: id and size of what is gone. */
    private Map<Long, Long> removeInEachWay() {
        Map<Long, Long> gone = new HashMap<>();
        ok(namespace.mkdir(ROOT, Name.of("d"), 0755, 0, 0, out));
        long directory = out.id;
        gone.put(create(ROOT, 1), 1L);
        ok(namespace.delete(ROOT, name(1), out));
        // A rename leaves the data to the file's new name; what it replaces is gone.
        create(ROOT, 2);
        ok(namespace.rename(ROOT, name(2), directory, name(3), true, out));
        gone.put(create(ROOT, 4), REPLACED);
        create(ROOT, 5);
        ok(namespace.rename(ROOT, name(5), ROOT, name(4), true, out));
        // A file of several names goes with the last of them.
        long linked = create(ROOT, 6);
        ok(namespace.link(ROOT, name(6), directory, name(7), out));
        ok(namespace.delete(ROOT, name(6), out));
        create(ROOT, 8);
        ok(namespace.rename(ROOT, name(8), directory, name(7), true, out));
        gone.put(linked, 6L);
        create(ROOT, 9);
        ok(namespace.link(ROOT, name(9), ROOT, name(10), out));
        ok(namespace.delete(ROOT, name(9), out));
        // Symbolic links and directories have no data.
        ok(namespace.symlink(ROOT, name(11), new byte[] {'x'}, 0, 0, out));
        ok(namespace.delete(ROOT, name(11), out));
        ok(namespace.mkdir(ROOT, name(12), 0755, 0, 0, out));
        long inside = out.id;
        gone.put(create(inside, 13), 13L);
        DeleteBatch batch = new DeleteBatch(2);
        batch.add(inside, name(13));
        gone.put(create(ROOT, 14), 14L);
        batch.add(ROOT, name(14));
        namespace.deleteAll(batch);
        ok(batch.status(0));
        ok(batch.status(1));
        ok(namespace.rmdir(ROOT, name(12)));
        assertEquals(gone.size(), namespace.removedFiles().count());
        return gone;
    }

    /** Removes a file in each way there is, of numbers from this one on; their ids. */
    private List<Long> removeInEachWay(int from) {
        List<Long> removed = new ArrayList<>();
        for (int number = from; number < from + 4; number++) {
            removed.add(create(ROOT, number));
        }
        ok(namespace.delete(ROOT, name(from), out));
        DeleteBatch batch = new DeleteBatch(1);
        batch.add(ROOT, name(from + 1));
        namespace.deleteAll(batch);
        ok(batch.status(0));
        create(ROOT, from + 4);
        ok(namespace.rename(ROOT, name(from + 4), ROOT, name(from + 2), true, out));
        ok(namespace.link(ROOT, name(from + 3), ROOT, name(from + 5), out));
        ok(namespace.delete(ROOT, name(from + 3), out));
        ok(namespace.delete(ROOT, name(from + 5), out));
        return removed;
    }

    @Test
    void theTimeIsAboveThatOfWhatIsRemovedAndBelowThatOfWhatWillBe() {
        List<Long> before = removeInEachWay(1);
        long time = namespace.removedFiles().time();
        List<Long> after = removeInEachWay(11);
        RemovedFile next = new RemovedFile();
        List<Long> taken = new ArrayList<>();
        while (namespace.removedFiles().next(next)) {
            taken.add(next.id);
            assertEquals(before.contains(next.id), next.removedNanos < time, "file " + next.id);
            assertEquals(after.contains(next.id), next.removedNanos > time, "file " + next.id);
            namespace.removedFiles().done(next.token);
        }
        assertEquals(8, taken.size());
    }

    @Test
    void whatIsGoneIsHandedOutOnceWithItsIdAndSize() {
        Map<Long, Long> gone = removeInEachWay();
        handsOut(gone);
        assertEquals(Map.of(), take(namespace, new ArrayList<>()));
        namespace.sweep(ROOT);
        assertEquals(List.of(), namespace.problems());
    }

    @Test
    void aCleanCloseKeepsThemAndTheNextStartNeedsNoScan() {
        Map<Long, Long> gone = removeInEachWay();
        namespace.sweep(ROOT);
        restart(Found.VALID);
        assertEquals(Found.VALID.text(), namespace.poolStatus().freeSlots());
        handsOut(gone);
        namespace.sweep(ROOT);
        restart(Found.VALID);
        handsOut(Map.of());
    }

    @Test
    void aScanFindsThemAfterTheDeathOfTheProcess() {
        Map<Long, Long> gone = removeInEachWay();
        kill();
        handsOut(gone);
        kill();
        handsOut(Map.of());
    }

    @Test
    void aScanFindsThemOnNoListAndThoseThatWereHandedOut() {
        Map<Long, Long> gone = removeInEachWay();
        namespace.sweep(ROOT);
        assertEquals(gone, new HashMap<>(take(namespace, new ArrayList<>())));
        kill();
        handsOut(gone);
    }

    /** The summary would not have what a consumer has in its hands. */
    @Test
    void aCloseWhileSomeAreHandedOutLeavesThemToAScan() {
        Map<Long, Long> gone = removeInEachWay();
        List<Long> tokens = new ArrayList<>();
        take(namespace, tokens);
        namespace.removedFiles().giveBack(tokens.getFirst());
        restart(Found.NONE);
        namespace.scanInBackground();
        handsOut(gone);
    }

    @Test
    void whatIsGivenBackIsHandedOutAgainAndToldByAClose() {
        Map<Long, Long> gone = removeInEachWay();
        List<Long> tokens = new ArrayList<>();
        take(namespace, tokens);
        tokens.forEach(namespace.removedFiles()::giveBack);
        restart(Found.VALID);
        handsOut(gone);
    }

    @Test
    void noSlotIsFreeBeforeTheDataIsGoneNorLostAfterwards() {
        for (int i = 0; i < 40; i++) {
            create(ROOT, i);
            ok(namespace.delete(ROOT, name(i), out));
        }
        List<Long> tokens = new ArrayList<>();
        take(namespace, tokens);
        namespace.sweep(ROOT);
        int made = 0;
        while (namespace.create(ROOT, Name.of("more-" + made), 0644, 0, 0, out) == Status.OK) {
            made++;
        }
        assertEquals(List.of(), namespace.problems());
        assertEquals(Status.NO_SPACE, namespace.create(ROOT, Name.of("none"), 0644, 0, 0, out));
        namespace.removedFiles().done(tokens.removeFirst());
        ok(namespace.create(ROOT, Name.of("one"), 0644, 0, 0, out));
        assertEquals(Status.NO_SPACE, namespace.create(ROOT, Name.of("two"), 0644, 0, 0, out));
        tokens.forEach(namespace.removedFiles()::done);
        for (int i = 0; i < tokens.size(); i++) {
            ok(namespace.create(ROOT, Name.of("again-" + i), 0644, 0, 0, out));
        }
        assertEquals(Status.NO_SPACE, namespace.create(ROOT, Name.of("none"), 0644, 0, 0, out));
        assertEquals(List.of(), namespace.problems());
    }

    /** The attributes of a file of several names have room for those of others when its last name has gone, and do not wait for its data. */
    @Test
    void theAttributesOfAnInodeDoNotWaitForItsData() {
        Name attribute = Name.of("user.a");
        create(ROOT, 0);
        ok(namespace.setXattr(ROOT, name(0), attribute, new byte[500], XattrMode.CREATE));
        ok(namespace.link(ROOT, name(0), ROOT, Name.of("second"), out));
        ok(namespace.delete(ROOT, name(0), out));
        namespace.sweep(ROOT);
        create(ROOT, 1);
        int next = 1;
        while (namespace.setXattr(ROOT, name(next), attribute, new byte[500], XattrMode.CREATE) == Status.OK) {
            create(ROOT, ++next);
        }
        assertEquals(Status.NO_SPACE, namespace.setXattr(ROOT, name(next), attribute, new byte[500], XattrMode.CREATE));
        ok(namespace.delete(ROOT, Name.of("second"), out));
        assertEquals(1, namespace.removedFiles().count());
        ok(namespace.setXattr(ROOT, name(next), attribute, new byte[500], XattrMode.CREATE));
        assertEquals(1, namespace.removedFiles().count());
        assertEquals(List.of(), namespace.problems());
    }

    @Test
    void aDirectoryGoesWithoutWaitingForTheDataOfItsFiles() {
        ok(namespace.mkdir(ROOT, Name.of("d"), 0755, 0, 0, out));
        long directory = out.id;
        Map<Long, Long> gone = new HashMap<>();
        for (int i = 0; i < 20; i++) {
            gone.put(create(directory, i), (long) i);
            ok(namespace.delete(directory, name(i), out));
        }
        ok(namespace.rmdir(ROOT, Name.of("d")));
        kill();
        handsOut(gone);
        assertEquals(List.of(), namespace.problems());
    }

    @Test
    void aSweepOfMoreThanItsBufferHoldsLetsAllGo() {
        SimPoolFile large = new SimPoolFile(256 << 10, 14);
        FreshPool.open(large).close();
        namespace = open(large);
        namespace.scanInBackground();
        for (int i = 0; i < 1200; i++) {
            create(ROOT, i);
        }
        for (int i = 0; i < 1200; i++) {
            if (i % 7 != 0) {
                ok(namespace.delete(ROOT, name(i), out));
            }
        }
        List<Long> tokens = new ArrayList<>();
        take(namespace, tokens);
        for (int i = 0; i < tokens.size(); i += 2) {
            namespace.removedFiles().done(tokens.get(i));
        }
        namespace.sweep(ROOT);
        assertEquals(List.of(), namespace.problems());
        for (int i = 1; i < tokens.size(); i += 2) {
            namespace.removedFiles().done(tokens.get(i));
        }
        assertEquals(List.of(), namespace.problems());
        assertEquals(172, Snapshot.of(namespace).size());
    }

    @Test
    void whatWasNotHandedOutIsNoToken() {
        create(ROOT, 1);
        ok(namespace.delete(ROOT, name(1), out));
        RemovedFile next = new RemovedFile();
        RemovedFiles removed = namespace.removedFiles();
        assertTrue(removed.next(next));
        removed.done(next.token);
        assertThrows(IllegalArgumentException.class, () -> removed.done(next.token));
        assertThrows(IllegalArgumentException.class, () -> removed.giveBack(next.token));
        assertThrows(IllegalArgumentException.class, () -> removed.done(next.token + (1L << 40)));
        assertThrows(IllegalArgumentException.class, () -> removed.giveBack(-1));
        assertEquals(0, removed.count());
        create(ROOT, 2); // and nothing has stopped
    }

    @Test
    void whatWasGivenBackIsNoTokenUntilItIsHandedOutAgain() {
        long id = create(ROOT, 1);
        ok(namespace.delete(ROOT, name(1), out));
        RemovedFile next = new RemovedFile();
        RemovedFiles removed = namespace.removedFiles();
        assertTrue(removed.next(next));
        removed.giveBack(next.token);
        assertThrows(IllegalArgumentException.class, () -> removed.giveBack(next.token));
        assertThrows(IllegalArgumentException.class, () -> removed.done(next.token));
        restart(Found.VALID);
        handsOut(Map.of(id, 1L));
    }

    /** Its slot is that of another file by now, that is handed out too. */
    @Test
    void anOldTokenIsNotOneOfTheFileThatHasTheSlotNow() {
        Map<Long, Long> old = new HashMap<>();
        RemovedFile next = new RemovedFile();
        RemovedFiles removed = namespace.removedFiles();
        int met = 0;
        for (int i = 0; met < 50; i++) {
            assertTrue(i < 1000, "no slot is used again");
            create(ROOT, i);
            ok(namespace.delete(ROOT, name(i), out));
            namespace.sweep(ROOT);
            assertTrue(removed.next(next));
            Long before = old.put(next.token & 0xffff_ffff_ffc0L, next.token);
            if (before != null) {
                met++;
                assertThrows(IllegalArgumentException.class, () -> removed.done(before));
                assertThrows(IllegalArgumentException.class, () -> removed.giveBack(before));
            }
            removed.done(next.token);
        }
        assertEquals(0, removed.count());
    }

    /** An error half way leaves what only a start puts right. */
    @Test
    void anErrorWithinStopsTheNamespace() {
        for (int i = 0; i < 2; i++) {
            create(ROOT, i);
            ok(namespace.delete(ROOT, name(i), out));
            RemovedFile next = new RemovedFile();
            assertTrue(namespace.removedFiles().next(next));
            file.pmem().beforeEachEvent(() -> {
                throw new UnsupportedOperationException("as an error of the machine");
            });
            RemovedFiles removed = namespace.removedFiles();
            Consumer<Long> call = i == 0 ? removed::done : removed::giveBack;
            assertThrows(UnsupportedOperationException.class, () -> call.accept(next.token));
            file.pmem().beforeEachEvent(null);
            assertThrows(IllegalStateException.class, () -> namespace.stat(ROOT, name(0), out));
            kill();
        }
    }

    /** An embedder without data frees them at once; what it removes itself may be handed out later: it has no data. */
    @Test
    void aStartWithoutDataFreesThemAndOneWithDataLooksForWhatThatLeft() {
        Map<Long, Long> gone = removeInEachWay();
        namespace.sweep(ROOT);
        namespace.close();
        file = file.killed();
        PoolNamespace other = new PoolNamespace("sim", file, false);
        assertEquals(Found.OTHER_DATA.text(), other.poolStatus().freeSlots());
        assertEquals(0, other.removedFiles().count());
        other.scanInBackground();
        assertEquals(List.of(), other.problems());
        ok(other.create(ROOT, name(40), 0644, 0, 0, out));
        long id = out.id;
        ok(other.delete(ROOT, name(40), out));
        other.close();
        file = file.killed();
        namespace = open(file);
        assertEquals(Found.OTHER_DATA.text(), namespace.poolStatus().freeSlots());
        namespace.scanInBackground();
        // What a rename has replaced stays on its list for a while, for listings: its slot was not free yet.
        Map<Long, Long> left = new HashMap<>(Map.of(id, 0L));
        gone.forEach((each, size) -> {
            if (size == REPLACED) {
                left.put(each, size);
            }
        });
        handsOut(left);
        restart(Found.VALID);
    }

    /** Each damages the pool that was closed with files to hand out; a repair forgets the summary, and the next start finds them. */
    @Test
    void aSummaryThatDoesNotHaveThemAllIsFoundAndForgotten() throws PoolException {
        Map<Long, Long> gone = removeInEachWay();
        namespace.close();
        List<Consumer<SimPoolFile>> damages = List.of(
                pool -> set(pool, SummaryRecord.REMOVED_OFFSET, 1),
                pool -> set(pool, SummaryRecord.REMOVED_COUNT_OFFSET, gone.size() + 1),
                pool -> set(
                        pool,
                        SummaryRecord.REMOVED_OFFSET,
                        SummaryRecord.free(pool.pmem(), PoolHeader.SUMMARY_OFFSET, RegionKind.ENTRY_SLOTS) | 1));
        for (Consumer<SimPoolFile> damage : damages) {
            SimPoolFile damaged = file.killed();
            damage.accept(damaged);
            CheckReport report = PoolCheck.check(SIM, damaged, Progress.NONE);
            assertEquals(1, report.damage(), () -> report.findings().toString());
            PoolCheck.repair(SIM, damaged, Progress.NONE);
            assertEquals(0, PoolCheck.check(SIM, damaged, Progress.NONE).damage());
            namespace = open(damaged.killed());
            namespace.scanInBackground();
            handsOut(gone);
        }
    }

    /** As a repair leaves it that has lowered the lease of the clock: no start would hand the file out, nor free its slot. */
    @Test
    void anInodeThatDiesInTheFutureIsPutRight() throws PoolException {
        long id = create(ROOT, 1);
        ok(namespace.link(ROOT, name(1), ROOT, name(2), out));
        ok(namespace.delete(ROOT, name(1), out));
        ok(namespace.delete(ROOT, name(2), out));
        SimPoolFile damaged = file.killed();
        long inode = Unwritten.slots(damaged, RegionKind.ENTRY_SLOTS)
                .filter(at -> EntryRecord.kind(damaged.pmem().get(at)) == EntryRecord.KIND_INODE)
                .findFirst()
                .orElseThrow();
        damaged.pmem().set(inode + EntryRecord.DEATH_OFFSET, Long.MAX_VALUE / 2);
        assertEquals(1, PoolCheck.check(SIM, damaged, Progress.NONE).damage());
        CheckReport repaired = PoolCheck.repair(SIM, damaged, Progress.NONE);
        assertEquals(0, repaired.damage(), () -> repaired.findings().toString());
        file = damaged.killed();
        namespace = open(file);
        namespace.scanInBackground();
        handsOut(Map.of(id, 1L));
        assertEquals(List.of(), namespace.problems());
    }

    private static final String LONG = "n".repeat(80);

    /** What is changed in the record of a removed file: its id, to that of a file that lives, its parent, its name, its length, its check. */
    static Stream<Arguments> damages() {
        return Stream.of(
                Arguments.of("id", EntryRecord.ID_OFFSET, -1L),
                Arguments.of("parent", EntryRecord.PARENT_OFFSET, 1L << 20),
                Arguments.of("name", EntryRecord.NAME_OFFSET, 1L << 40),
                Arguments.of("length of the name", EntryRecord.STATUS_OFFSET, 1L << 17),
                Arguments.of("check", EntryRecord.STATUS_OFFSET, 1L << 50));
    }

    /** Of a plain file, of one with a long name, and of the inode of one that had two names: none is handed out, and their slots are free. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("damages")
    void aRecordThatDoesNotFitIsNoFileToRemove(String what, long field, long bits) {
        long lives = create(ROOT, 1);
        ok(namespace.create(ROOT, Name.of(LONG), 0644, 0, 0, out));
        ok(namespace.delete(ROOT, Name.of(LONG), out));
        create(ROOT, 2);
        ok(namespace.delete(ROOT, name(2), out));
        boolean ofInode = field == EntryRecord.ID_OFFSET || what.equals("check"); // an inode has no name
        if (ofInode) {
            create(ROOT, 3);
            ok(namespace.link(ROOT, name(3), ROOT, name(4), out));
            ok(namespace.delete(ROOT, name(3), out));
            ok(namespace.delete(ROOT, name(4), out));
        }
        for (RegionKind kind : List.of(RegionKind.ENTRY_SLOTS, RegionKind.LONG_ENTRY_SLOTS)) {
            Unwritten.slots(file, kind)
                    .filter(at -> EntryRecord.holdsData(file.pmem().get(at)))
                    .forEach(at -> file.pmem()
                            .set(at + field, bits < 0 ? lives : file.pmem().get(at + field) ^ bits));
        }
        assertEquals(ofInode ? 3 : 2, namespace.removedFiles().count());
        long whole = create(ROOT, 5);
        ok(namespace.delete(ROOT, name(5), out));
        handsOut(Map.of(whole, 5L));
        namespace.sweep(ROOT);
        assertEquals(List.of(), namespace.problems());
        restart(Found.VALID);
        handsOut(Map.of());
        assertEquals(lives, stat(1));
    }

    private long stat(int number) {
        ok(namespace.stat(ROOT, name(number), out));
        return out.id;
    }

    private static void set(SimPoolFile pool, long field, long value) {
        long at = PoolHeader.SUMMARY_OFFSET;
        pool.pmem().set(at + field, value);
        pool.pmem().set(at + SummaryRecord.CHECKSUM_OFFSET, SummaryRecord.checksum(pool.pmem(), at));
    }

    /** A sweep and the end of the data race for each slot: it is freed once, by the one that comes second. */
    @Test
    void aSweepAndTheEndOfTheDataFreeEachSlotOnce() throws InterruptedException {
        AtomicBoolean over = new AtomicBoolean();
        AtomicReference<Throwable> failure = new AtomicReference<>();
        RemovedFiles removed = namespace.removedFiles();
        Thread consumer = Thread.ofPlatform().start(() -> {
            RemovedFile next = new RemovedFile();
            try {
                while (!over.get() || removed.count() > 0) {
                    if (removed.next(next)) {
                        removed.done(next.token);
                    } else {
                        removed.await(1_000_000);
                    }
                }
            } catch (RuntimeException | Error e) {
                failure.set(e);
            }
        });
        Thread sweeper = Thread.ofPlatform().start(() -> {
            while (!over.get()) {
                namespace.sweep(ROOT);
            }
        });
        for (int i = 0; i < 3000; i++) {
            Status created;
            do { // the pool is small, and full when the two others have not run for a while
                created = namespace.create(ROOT, name(i), 0644, 0, 0, out);
            } while (created == Status.NO_SPACE && failure.get() == null);
            ok(created);
            ok(namespace.delete(ROOT, name(i), out));
        }
        over.set(true);
        consumer.join();
        sweeper.join();
        assertEquals(null, failure.get());
        namespace.sweep(ROOT);
        assertEquals(List.of(), namespace.problems());
        assertFalse(removed.next(new RemovedFile()));
    }

    /** The thread that removes data asks again as soon as the wait ends. */
    @Test
    void whereThereNeverIsOneAWaitLastsToo() throws InterruptedException {
        Thread waits = Thread.ofPlatform().start(() -> RemovedFiles.NONE.await(Long.MAX_VALUE));
        while (waits.isAlive() && waits.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
        assertTrue(waits.isAlive());
        LockSupport.unpark(waits);
        waits.join();
    }
}
