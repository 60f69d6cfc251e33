package io.hmfs.core.check;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.Namespace;
import io.hmfs.core.ServerNamespace;
import io.hmfs.core.Snapshot;
import io.hmfs.core.TestPool;
import io.hmfs.core.layout.ChainRecord;
import io.hmfs.core.layout.CorruptPoolException;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.PoolHeader;
import io.hmfs.core.layout.RegionKind;
import io.hmfs.core.pmem.Pmem;
import io.hmfs.core.pmem.PoolException;
import io.hmfs.core.sim.Sample;
import io.hmfs.core.sim.SimAcls;
import io.hmfs.core.sim.Values;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Progress;
import io.hmfs.core.type.Status;
import io.hmfs.core.type.XattrMode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: chains and inodes of a whole pool are clean, whatever their size and whatever was done to their objects; damaged ones are
 * found, and a repair changes nothing but what was damaged. Method: pools with all of them; word by word of their slots, bits are
 * turned and values replaced; each time check, repair, check again, open, and compare what the namespace shows.
 */
@Timeout(3000)
final class ChainCheckTest {
    private static final int SAMPLED = 4;

    private static final Path PATH = Path.of("chains");
    private static final long ROOT = Namespace.ROOT_ID;
    private static final int[] BITS = {0, 3, 8, 10, 17, 32, 42, 48, 62, 63};

    private static CheckReport check(DamagedPool pool) {
        try {
            return PoolCheck.check(PATH, pool, Progress.NONE);
        } catch (PoolException e) {
            throw new AssertionError(e);
        }
    }

    private static CheckReport repair(DamagedPool pool) {
        try {
            return PoolCheck.repair(PATH, pool, Progress.NONE);
        } catch (PoolException e) {
            throw new AssertionError(e);
        }
    }

    private static void ok(Status status) {
        assertEquals(Status.OK, status);
    }

    private static void set(Namespace n, long directory, String name, String attribute, int size) {
        ok(n.setXattr(
                directory, Name.of(name), Name.of(attribute), Values.of(size, size), XattrMode.CREATE_OR_REPLACE));
    }

    private static long mkdir(Namespace n, long parent, String name) {
        Attributes out = new Attributes();
        ok(n.mkdir(parent, Name.of(name), 0755, 0, 0, out));
        return out.id;
    }

    private static void create(Namespace n, long parent, String name) {
        ok(n.create(parent, Name.of(name), 0644, 0, 0, new Attributes()));
    }

    private static void symlink(Namespace n, long parent, String name, int size) {
        ok(n.symlink(parent, Name.of(name), Values.target(size, size), 1, 2, new Attributes()));
    }

    private static void link(Namespace n, long from, String name, long to, String newName) {
        ok(n.link(from, Name.of(name), to, Name.of(newName), new Attributes()));
    }

    private static void rename(Namespace n, long from, String name, long to, String newName) {
        ok(n.rename(from, Name.of(name), to, Name.of(newName), true, new Attributes()));
    }

    /** Sizes around each bound of a slot, the largest value, and as many of those as one object can have. */
    private static void sizes(Namespace n, long directory) {
        for (int size : new int[] {0, 1, 7, 8, 230, 305, 306, 307, 320, 640, 4000, 65_536}) {
            create(n, directory, "size " + size);
            set(n, directory, "size " + size, "user.a", size);
        }
        create(n, directory, "all that it can have");
        for (int i = 0; i < 3; i++) {
            set(n, directory, "all that it can have", "user." + i, 65_536);
        }
        int left = 262_144 - 3 * (65_536 + 8 + "user.0".length()) - 8 - "user.3".length();
        set(n, directory, "all that it can have", "user.3", left);
        Status more = n.setXattr(
                directory, Name.of("all that it can have"), Name.of("x"), new byte[0], XattrMode.CREATE_OR_REPLACE);
        assertEquals(Status.VALUE_TOO_LARGE, more);
        create(n, directory, "many");
        for (int i = 0; i < 40; i++) {
            set(n, directory, "many", "a".repeat(i + 1), i * 10);
        }
        for (int i = 0; i < 40; i += 3) {
            ok(n.removeXattr(directory, Name.of("many"), Name.of("a".repeat(i + 1))));
        }
        create(n, directory, "gone");
        set(n, directory, "gone", "user.a", 9000);
        ok(n.delete(directory, Name.of("gone"), new Attributes()));
    }

    private static void everything(Namespace n) {
        long d = mkdir(n, ROOT, "d");
        long e = mkdir(n, ROOT, "e");
        sizes(n, d);
        for (int size : new int[] {1, 8, 311, 312, 313, 2000, 4095}) {
            symlink(n, d, "target " + size, size);
        }
        ok(n.changeAcl(ROOT, Name.of("e"), SimAcls.set(0755, SimAcls.of(20, true, 1))));
        ok(n.changeAcl(d, Name.of("target 8"), SimAcls.set(0777, SimAcls.of(1, false, 2))));
        ok(n.changeAcl(d, Name.of("many"), SimAcls.set(0644, SimAcls.of(28, true, 3))));
        // Moved, in the directory and out of it, over others, and with a directory.
        rename(n, d, "size 640", d, "moved");
        rename(n, d, "size 4000", e, "moved");
        rename(n, d, "size 8", d, "size 7");
        rename(n, d, "target 2000", e, "t".repeat(200));
        rename(n, d, "target 311", d, "size 1");
        rename(n, ROOT, "e", d, "e");
        // Several names: of files, of links, with chains before and after, of which some have gone.
        link(n, d, "size 320", e, "second");
        link(n, d, "target 4095", d, "second link");
        link(n, d, "size 0", d, "third".repeat(40));
        set(n, d, "third".repeat(40), "user.b", 3000);
        link(n, e, "second", ROOT, "third");
        link(n, d, "moved", ROOT, "moved too");
        rename(n, e, "second", ROOT, "second");
        rename(n, d, "second link", ROOT, "only link");
        ok(n.delete(d, Name.of("target 4095"), new Attributes()));
        ok(n.delete(d, Name.of("moved"), new Attributes()));
        rename(n, ROOT, "third", d, "target 1");
    }

    @Test
    void aWholePoolIsCleanAndARepairChangesNothing() {
        DamagedPool pool = new DamagedPool(80, ChainCheckTest::everything);
        long[] before = pool.bytes();
        CheckReport report = check(pool);
        assertEquals(List.of(), report.findings());
        assertTrue(report.wasClosed());
        assertEquals(4L, report.counted().get("files of several names"));
        assertEquals(report, repair(pool));
        assertArrayEquals(before, pool.bytes());
        assertEquals(pool.snapshot(), reopened(pool));
        assertEquals(0, check(pool).damage());
    }

    private static Map<String, String> reopened(DamagedPool pool) {
        ServerNamespace namespace = pool.open();
        TestPool.scan(namespace);
        assertEquals(List.of(), TestPool.problems(namespace));
        Map<String, String> shown = Snapshot.of(namespace);
        namespace.close();
        return shown;
    }

    /** Something of each kind, each once, as small as it can be. */
    private static void few(Namespace n) {
        long d = mkdir(n, ROOT, "d");
        create(n, d, "plain");
        create(n, d, "with attributes");
        set(n, d, "with attributes", "user.a", 700);
        symlink(n, d, "symlink", 30);
        create(n, d, "one");
        set(n, d, "one", "user.a", 20);
        link(n, d, "one", ROOT, "two");
        symlink(n, d, "symlink of two names", 20);
        link(n, d, "symlink of two names", ROOT, "its second");
        create(n, d, "listed");
        ok(n.changeAcl(d, Name.of("listed"), SimAcls.set(0640, SimAcls.of(2, false, 1))));
    }

    private static List<Long> slots(DamagedPool pool, RegionKind kind, int ofKind) {
        List<Long> slots = new ArrayList<>();
        for (int i = 0; i < pool.regionsMax(); i++) {
            long word = pool.pmem().get(PoolHeader.REGION_TABLE_OFFSET + 8L * i);
            long start = word & ~RegionKind.MASK;
            boolean right = (word & RegionKind.MASK) == kind.code();
            for (long at = start; right && at + kind.slotSize() <= start + pool.regionSize(); at += kind.slotSize()) {
                if (EntryRecord.kind(EntryRecord.status(pool.pmem(), at)) == ofKind) {
                    slots.add(at);
                }
            }
        }
        return slots;
    }

    private interface Judge {
        void of(String where, CheckReport found, CheckReport repaired, Map<String, String> shown);
    }

    private static void words(DamagedPool pool, long slot, long size, Judge judge) {
        Sample sample = new Sample(SAMPLED, "words of 0x" + Long.toHexString(slot));
        for (long at = slot; at < slot + size; at += 8) {
            pool.restore();
            long right = pool.pmem().get(at);
            TreeSet<Long> values = new TreeSet<>(List.of(0L, 1L, -1L, slot, right + 64));
            for (int bit : BITS) {
                values.add(right ^ 1L << bit);
            }
            values.remove(right);
            for (long value : values) {
                if (!sample.takes()) {
                    continue;
                }
                String where = "slot 0x" + Long.toHexString(slot) + " +" + (at - slot) + ": 0x"
                        + Long.toHexString(right) + " is 0x" + Long.toHexString(value);
                pool.restore();
                pool.pmem().set(at, value);
                one(pool, where, judge);
            }
        }
        pool.restore();
    }

    private static void one(DamagedPool pool, String where, Judge judge) {
        try {
            CheckReport found = check(pool);
            CheckReport repaired = repair(pool);
            assertEquals(repaired.lost(), repaired.damage(), () -> "found " + found.findings() + ", left " + repaired);
            CheckReport again = check(pool);
            assertEquals(repaired.damage(), again.damage());
            Map<String, String> shown = repaired.lost() == 0 ? reopened(pool) : Map.of();
            judge.of(where, found, repaired, shown);
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError(where + ": " + e.getMessage(), e);
        }
    }

    /** Paths whose text is another. */
    private static Map<String, String> changed(DamagedPool pool, Map<String, String> shown) {
        Map<String, String> changed = new TreeMap<>(pool.snapshot());
        changed.entrySet().removeAll(shown.entrySet());
        return changed;
    }

    /** A list may have granted less than the mode, and less to some than others have. */
    @Test
    void aListThatIsLostLeavesTheOwnerAlone() {
        Name listed = Name.of("listed");
        DamagedPool pool = new DamagedPool(24, n -> {
            create(n, ROOT, "listed");
            set(n, ROOT, "listed", "user.a", 20);
        });
        Pmem pmem = pool.pmem();
        long at = slots(pool, RegionKind.ENTRY_SLOTS, EntryRecord.KIND_FILE).getFirst();
        pmem.set(at + EntryRecord.LINKS_OFFSET, EntryRecord.markAcl(EntryRecord.links(pmem, at), true));
        ServerNamespace damaged = pool.open();
        assertThrows(CorruptPoolException.class, () -> damaged.stat(ROOT, listed, Attributes.withAcl()));
        damaged.close();
        assertTrue(check(pool).damage() > 0);
        assertEquals(0, repair(pool).lost());
        assertEquals(0, check(pool).damage());
        ServerNamespace repaired = pool.open();
        Attributes out = Attributes.withAcl();
        ok(repaired.stat(ROOT, listed, out));
        repaired.close();
        assertEquals(0600, out.mode);
        assertFalse(out.hasAcl);
    }

    /** Words that lead; what they lead to is as it was, or what the damaged object had in its chain is said to be lost. */
    @Test
    void everyWordOfChains() {
        DamagedPool pool = new DamagedPool(24, ChainCheckTest::few);
        Pmem pmem = pool.pmem();
        List<Long> slots = slots(pool, RegionKind.LONG_ENTRY_SLOTS, EntryRecord.KIND_CHAIN);
        assertEquals(9, slots.size());
        for (long slot : slots) {
            long owner = ChainRecord.owner(pmem, slot);
            long length = Math.min(ChainRecord.DATA_SIZE, ChainRecord.length(ChainRecord.blob(pmem, slot)));
            words(pool, slot, ChainRecord.DATA_OFFSET + (length & ~7), (where, found, repaired, shown) -> {
                if (repaired.lost() > 0) {
                    assertEquals(
                            owner + EntryRecord.LINKS_OFFSET,
                            repaired.findings().getLast().at());
                    return;
                }
                assertEquals(pool.snapshot().keySet(), shown.keySet());
                Map<String, String> changed = changed(pool, shown);
                assertTrue(changed.isEmpty() || found.damage() > 0, "nothing changes unseen: " + changed);
                assertTrue(changed.size() <= 2, "more than the names of one object changed: " + changed);
            });
        }
    }

    @Test
    void everyWordOfInodesAndTheirNames() {
        DamagedPool pool = new DamagedPool(24, ChainCheckTest::few);
        Pmem pmem = pool.pmem();
        List<Long> slots = slots(pool, RegionKind.ENTRY_SLOTS, EntryRecord.KIND_INODE);
        assertEquals(2, slots.size());
        slots.addAll(slots(pool, RegionKind.ENTRY_SLOTS, EntryRecord.KIND_INDIRECT));
        slots.addAll(slots(pool, RegionKind.ENTRY_SLOTS, EntryRecord.KIND_SYMLINK));
        assertEquals(7, slots.size());
        for (long slot : slots) {
            words(pool, slot, EntryRecord.NAME_OFFSET, (where, found, repaired, shown) -> {
                // What has another name is nowhere missing.
                long count = shown.keySet().stream()
                        .filter(path -> !path.equals("/lost+found"))
                        .count();
                assertTrue(
                        repaired.lost() > 0 || count >= pool.snapshot().size(),
                        () -> "shown " + shown.keySet() + ", found " + found.findings());
            });
        }
        assertTrue(pmem.get(slots.getFirst()) != 0);
    }

    /** One bit of the kind: the rest says what stood there, and nothing is lost. */
    @Test
    void everyBitOfAKind() {
        DamagedPool pool = new DamagedPool(24, ChainCheckTest::few);
        for (int kind : new int[] {
            EntryRecord.KIND_FILE,
            EntryRecord.KIND_DIRECTORY,
            EntryRecord.KIND_INDIRECT,
            EntryRecord.KIND_SYMLINK,
            EntryRecord.KIND_INODE
        }) {
            for (long slot : slots(pool, RegionKind.ENTRY_SLOTS, kind)) {
                for (int bit = 8; bit < 48; bit += bit == 15 ? 25 : 1) {
                    pool.restore();
                    pool.pmem().set(slot, pool.pmem().get(slot) ^ 1L << bit);
                    one(
                            pool,
                            "kind " + kind + " of slot 0x" + Long.toHexString(slot) + ", bit " + bit,
                            (where, found, repaired, shown) -> assertEquals(pool.snapshot(), shown));
                }
            }
        }
    }
}
