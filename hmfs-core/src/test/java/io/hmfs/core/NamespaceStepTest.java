package io.hmfs.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.InodeRecord;
import io.hmfs.core.layout.PoolHeader;
import io.hmfs.core.layout.RegionKind;
import io.hmfs.core.layout.SlotState;
import io.hmfs.core.pmem.Pmem;
import io.hmfs.core.sim.SimPmem;
import io.hmfs.core.sim.SimPoolFile;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Bytes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.core.type.XattrMode;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/**
 * Goal: an operation itself leaves nothing behind that only a later start would clear away. Method: a fresh pool, of which all
 * that is free is known without a scan, is checked right after each operation.
 */
final class NamespaceStepTest {
    private static final long ROOT = Namespace.ROOT_ID;

    private final Attributes out = new Attributes();
    private final SimPoolFile file = new SimPoolFile(16 << 10, 14);
    private final PoolNamespace namespace = FreshPool.open(file);

    private void ok(Status status) {
        assertEquals(Status.OK, status);
        assertEquals(List.of(), namespace.problems());
    }

    /** In mode logged, what stores is synced before it is answered. */
    @Test
    void whatIsRefusedForADirectoryThatIsNotEmptyStoresNothing() {
        ok(namespace.mkdir(ROOT, Name.of("d"), 0755, 0, 0, out));
        ok(namespace.create(out.id, Name.of("f"), 0644, 0, 0, new Attributes()));
        ok(namespace.create(out.id, Name.of("dead"), 0644, 0, 0, new Attributes()));
        ok(namespace.delete(out.id, Name.of("dead"), new Attributes()));
        ok(namespace.mkdir(ROOT, Name.of("e"), 0755, 0, 0, out));
        long before = file.pmem().stores();
        assertEquals(Status.NOT_EMPTY, namespace.rmdir(ROOT, Name.of("d")));
        assertEquals(Status.NOT_EMPTY, namespace.rename(ROOT, Name.of("e"), ROOT, Name.of("d"), true, out));
        assertEquals(before, file.pmem().stores());
    }

    @Test
    void nothingIsLeftBehind() {
        ok(namespace.create(ROOT, Name.of("a"), 0644, 0, 0, out));
        ok(namespace.create(ROOT, Name.of("b"), 0644, 0, 0, out));
        assertEquals(Status.EXISTS, namespace.create(ROOT, Name.of("b"), 0644, 0, 0, out));
        assertEquals(Status.NO_SUCH_DIRECTORY, namespace.create(12345, Name.of("b"), 0644, 0, 0, out));
        ok(namespace.mkdir(ROOT, Name.of("d"), 0755, 0, 0, out));
        long d = out.id;
        assertEquals(Status.EXISTS, namespace.mkdir(ROOT, Name.of("d"), 0755, 0, 0, new Attributes()));
        ok(namespace.mkdir(ROOT, Name.of("e"), 0755, 0, 0, out));
        ok(namespace.rename(ROOT, Name.of("a"), ROOT, Name.of("c"), true, out));
        ok(namespace.rename(ROOT, Name.of("c"), ROOT, Name.of("b"), true, out));
        ok(namespace.rename(ROOT, Name.of("b"), d, Name.of("f"), true, out));
        ok(namespace.rename(ROOT, Name.of("e"), d, Name.of("g"), true, out));
        ok(namespace.delete(d, Name.of("f"), out));
        ok(namespace.rmdir(d, Name.of("g")));
        ok(namespace.rmdir(ROOT, Name.of("d")));
        for (String last : List.of("x", "y", "z")) {
            ok(namespace.create(ROOT, Name.of("x"), 0644, 0, 0, out));
            ok(namespace.setXattr(ROOT, Name.of("x"), Name.of("user.a"), new byte[500], XattrMode.CREATE));
            ok(namespace.link(ROOT, Name.of("x"), ROOT, Name.of("y"), out));
            ok(namespace.link(ROOT, Name.of("y"), ROOT, Name.of("z"), out));
            for (String name : List.of("x", "y", "z")) {
                if (!name.equals(last)) {
                    ok(namespace.delete(ROOT, Name.of(name), out));
                }
            }
            ok(namespace.create(ROOT, Name.of("other"), 0644, 0, 0, out));
            ok(namespace.rename(ROOT, Name.of("other"), ROOT, Name.of(last), true, out));
            ok(namespace.delete(ROOT, Name.of(last), out));
        }
    }

    @Test
    void theLastNameTakesTheInodeWithIt() {
        ok(namespace.create(ROOT, Name.of("x"), 0644, 0, 0, out));
        ok(namespace.link(ROOT, Name.of("x"), ROOT, Name.of("y"), out));
        ok(namespace.delete(ROOT, Name.of("x"), out));
        ok(namespace.delete(ROOT, Name.of("y"), out));
    }

    /** Deaths that no thread has cleared away hold no other names up. */
    @Test
    void aSlotIsUsedAgain() {
        int regions = namespace.poolStatus().regionsUsed();
        for (int i = 0; i < 2000; i++) {
            assertEquals(Status.OK, namespace.mkdir(ROOT, Name.of("d" + i), 0755, 0, 0, out));
            assertEquals(Status.OK, namespace.rmdir(ROOT, Name.of("d" + i)));
            namespace.sweep(ROOT);
        }
        assertTrue(
                namespace.poolStatus().regionsUsed() <= regions + 4,
                namespace.poolStatus().toString());
        assertEquals(List.of(), namespace.problems());
    }

    /** A thread that finds a state finds the object that it is about. */
    @Test
    void aSlotIsFreeUntilItIsFilled() {
        SimPmem pmem = new SimPmem(1024);
        pmem.beforeEachEvent(() -> assertEquals(SlotState.FREE, EntryRecord.state(pmem, 64)));
        EntryRecord.init(pmem, 64, EntryRecord.KIND_FILE, 5, EntryRecord.NO_CHECK, 1, Name.of("x"), 10, 0644, 0);
        pmem.beforeEachEvent(null);
        assertEquals(SlotState.CREATING, EntryRecord.state(pmem, 64));
    }

    /** The slot of its successor is another's by then, and says nothing of it any more. */
    @Test
    void whatWasReplacedOrMovedStaysGone() {
        ok(namespace.create(ROOT, Name.of("a"), 0644, 0, 0, out));
        ok(namespace.create(ROOT, Name.of("b"), 0644, 0, 0, out));
        ok(namespace.rename(ROOT, Name.of("a"), ROOT, Name.of("b"), true, out));
        ok(namespace.delete(ROOT, Name.of("b"), out));
        namespace.sweep(ROOT); // leaves what the rename has left for listings
        ok(namespace.mkdir(ROOT, Name.of("d"), 0755, 0, 0, out));
        for (int i = 0; i < 200; i++) {
            ok(namespace.create(out.id, Name.of("f" + i), 0644, 0, 0, new Attributes()));
        }
        file.pmem().images(200, 1, image -> {
            PoolNamespace after = new PoolNamespace("sim", file.crashed(image), false);
            after.scanInBackground();
            assertEquals(Status.NOT_FOUND, after.stat(ROOT, Name.of("b"), new Attributes()), image::toString);
            assertEquals(Status.NOT_FOUND, after.stat(ROOT, Name.of("a"), new Attributes()), image::toString);
            assertEquals(List.of(), after.problems(), image::toString);
        });
    }

    /** Its content has to follow each time: the first entry leads to the second, which is gone as well. */
    @Test
    void aDirectoryThatMovedTwiceIsThereByItsId() {
        ok(namespace.mkdir(ROOT, Name.of("d"), 0755, 0, 0, out));
        long d = out.id;
        ok(namespace.rename(ROOT, Name.of("d"), ROOT, Name.of("d1"), true, out));
        ok(namespace.rename(ROOT, Name.of("d1"), ROOT, Name.of("d2"), true, out));
        ok(namespace.statDirectory(d, out));
        ok(namespace.create(d, Name.of("within"), 0644, 0, 0, out));
    }

    /** T was closed, and must be open again. */
    @Test
    void aRenameThatFindsNoRoomLeavesWhatItWouldHaveReplaced() {
        ok(namespace.mkdir(ROOT, Name.of("d"), 0755, 0, 0, out));
        ok(namespace.mkdir(ROOT, Name.of("e"), 0755, 0, 0, out));
        long e = out.id;
        int made = 0;
        while (namespace.create(ROOT, Name.of("f" + made), 0644, 0, 0, out) == Status.OK) {
            made++;
        }
        assertEquals(Status.NO_SPACE, namespace.rename(ROOT, Name.of("d"), ROOT, Name.of("e"), true, out));
        ok(namespace.delete(ROOT, Name.of("f0"), out));
        ok(namespace.create(e, Name.of("within"), 0644, 0, 0, out));
    }

    /** A mark that stays would make every reader write the line back. */
    @Test
    void whatWasAnsweredCarriesNoMark() {
        ok(namespace.create(ROOT, Name.of("a"), 0644, 0, 0, out));
        long id = out.id;
        Name a = Name.of("a");
        Name attribute = Name.of("user.a");
        List<Supplier<Status>> changes = List.of(
                () -> namespace.chmod(ROOT, a, 0600),
                () -> namespace.chown(ROOT, a, 7, 8),
                () -> namespace.append(ROOT, a, id, 100),
                () -> namespace.truncate(ROOT, a, 10),
                () -> namespace.setTimes(ROOT, a, 12345, Namespace.KEEP),
                () -> namespace.setTimes(ROOT, a, Namespace.KEEP, 12345),
                () -> namespace.setXattr(ROOT, a, attribute, new byte[] {1}, XattrMode.CREATE),
                () -> namespace.link(ROOT, a, ROOT, Name.of("b"), out),
                () -> namespace.link(ROOT, a, ROOT, Name.of("c"), out),
                () -> namespace.delete(ROOT, Name.of("b"), out),
                () -> namespace.create(ROOT, Name.of("other"), 0644, 0, 0, out),
                () -> namespace.rename(ROOT, Name.of("other"), ROOT, Name.of("c"), true, out));
        for (int i = 0; i < changes.size(); i++) {
            ok(changes.get(i).get());
            long before = file.pmem().writeBacks();
            assertEquals(Status.OK, namespace.stat(ROOT, a, out));
            namespace.getXattr(ROOT, a, attribute, new Bytes());
            assertEquals(before, file.pmem().writeBacks(), "lines written back by a reader after change " + i);
            assertEquals(0, namesInFlight(), "names in flight after change " + i);
        }
    }

    private long namesInFlight() {
        SimPmem pmem = file.pmem();
        return Unwritten.slots(file, RegionKind.ENTRY_SLOTS)
                .filter(at -> EntryRecord.state(pmem, at) != SlotState.FREE
                        && EntryRecord.kind(EntryRecord.status(pmem, at)) == EntryRecord.KIND_INODE
                        && InodeRecord.entry(InodeRecord.names(pmem, at)) != Pmem.NULL)
                .count();
    }

    /** What was stored and not fenced, lost. */
    private SimPoolFile afterPowerLoss() {
        SimPoolFile[] after = new SimPoolFile[1];
        file.pmem().images(2, 1, image -> after[0] = after[0] == null ? file.crashed(image) : after[0]);
        return after[0];
    }

    @Test
    void aPoolSaysDurablyWhetherItWasClosed() {
        namespace.close();
        assertEquals(PoolHeader.CLEAN, afterPowerLoss().pmem().get(PoolHeader.STATE_OFFSET));
        long starts = file.pmem().get(PoolHeader.STARTS_OFFSET);
        SimPoolFile again = file.killed();
        new PoolNamespace("sim", again, false);
        assertEquals(0, again.pmem().get(PoolHeader.STATE_OFFSET));
        again.pmem().images(1000, 1, image -> {
            SimPmem pmem = again.crashed(image).pmem();
            assertEquals(0, pmem.get(PoolHeader.STATE_OFFSET), image.toString());
            assertEquals(starts + 1, pmem.get(PoolHeader.STARTS_OFFSET), image.toString());
        });
    }

    @Test
    void aSymlinkOfTwoNamesHasNoLengthToChange() {
        ok(namespace.symlink(ROOT, Name.of("s"), new byte[] {'t'}, 0, 0, out));
        ok(namespace.link(ROOT, Name.of("s"), ROOT, Name.of("t"), out));
        assertEquals(Status.INVALID_ARGUMENT, namespace.truncate(ROOT, Name.of("s"), 5));
        assertEquals(Status.INVALID_ARGUMENT, namespace.append(ROOT, Name.of("t"), out.id, 5));
    }
}
