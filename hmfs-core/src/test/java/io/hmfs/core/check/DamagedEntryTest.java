package io.hmfs.core.check;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.Count;
import io.hmfs.core.Namespace;
import io.hmfs.core.ServerNamespace;
import io.hmfs.core.Snapshot;
import io.hmfs.core.TestPool;
import io.hmfs.core.engine.Keys;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.PoolHeader;
import io.hmfs.core.layout.RegionKind;
import io.hmfs.core.layout.SlotState;
import io.hmfs.core.pmem.Pmem;
import io.hmfs.core.pmem.PoolException;
import io.hmfs.core.type.AppendBatch;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Bytes;
import io.hmfs.core.type.ListCursor;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Progress;
import io.hmfs.core.type.StatBatch;
import io.hmfs.core.type.Status;
import io.hmfs.core.type.TreeCount;
import io.hmfs.core.type.XattrMode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: an entry whose id, parent, name or check is another than was written is refused to every operation, which changes nothing, and a check of the pool
 * names it by its path. Method: a small pool with an entry of each kind; words changed by hand, bit by bit, with the pool open and closed.
 */
@Timeout(600)
final class DamagedEntryTest {
    private static final Path PATH = Path.of("damaged");
    private static final Name FILE = Name.of("file");
    private static final Name OTHER = Name.of("other");
    private static final Name LINKED = Name.of("linked");

    private final DamagedPool pool = new DamagedPool(24, DamagedEntryTest::fill);
    private final Pmem pmem = pool.pmem();
    private ServerNamespace namespace = pool.open();
    private final long a = id(Namespace.ROOT_ID, Name.of("a"));
    private final Attributes out = new Attributes();

    private static void fill(Namespace namespace) {
        Attributes out = new Attributes();
        require(namespace.mkdir(Namespace.ROOT_ID, Name.of("a"), 0755, 0, 0, out));
        long a = out.id;
        for (Name name : List.of(FILE, OTHER, Name.of("n".repeat(80)), LINKED)) {
            require(namespace.create(a, name, 0644, 0, 0, out));
            require(namespace.append(a, name, out.id, 1000));
        }
        require(namespace.mkdir(a, Name.of("directory"), 0755, 0, 0, out));
        require(namespace.symlink(a, Name.of("symlink"), new byte[] {'t'}, 0, 0, out));
        require(namespace.link(a, LINKED, a, Name.of("second"), out));
        require(namespace.create(a, Name.of("before"), 0644, 0, 0, out));
        require(namespace.rename(a, Name.of("before"), a, Name.of("moved"), false, out));
    }

    private static void require(Status status) {
        assertEquals(Status.OK, status);
    }

    @AfterEach
    void close() {
        namespace.close();
    }

    private long id(long parent, Name name) {
        Attributes found = new Attributes();
        require(namespace.stat(parent, name, found));
        return found.id;
    }

    private List<Long> live() {
        List<Long> live = new ArrayList<>();
        for (int i = 0; i < pool.regionsMax(); i++) {
            long word = pmem.get(PoolHeader.REGION_TABLE_OFFSET + 8L * i);
            for (RegionKind kind : List.of(RegionKind.ENTRY_SLOTS, RegionKind.LONG_ENTRY_SLOTS)) {
                long start = word & ~RegionKind.MASK;
                boolean right = (word & RegionKind.MASK) == kind.code();
                for (long at = start;
                        right && at + kind.slotSize() <= start + pool.regionSize();
                        at += kind.slotSize()) {
                    if (EntryRecord.state(pmem, at) == SlotState.NORMAL
                            && EntryRecord.isEntry(EntryRecord.status(pmem, at))) {
                        live.add(at);
                    }
                }
            }
        }
        return live;
    }

    private Name nameAt(long at) {
        Name name = new Name();
        EntryRecord.name(pmem, at, EntryRecord.status(pmem, at), name);
        return Name.of(name.toString());
    }

    private long entry(Name name) {
        return live().stream()
                .filter(at -> nameAt(at).toString().equals(name.toString()))
                .findFirst()
                .orElseThrow();
    }

    private CheckReport check() {
        try {
            return PoolCheck.check(PATH, pool, Progress.NONE);
        } catch (PoolException e) {
            throw new AssertionError(e);
        }
    }

    private CheckReport repair() {
        try {
            return PoolCheck.repair(PATH, pool, Progress.NONE);
        } catch (PoolException e) {
            throw new AssertionError(e);
        }
    }

    /** The bytes of all that is not free. */
    private Map<Long, Long> objects() {
        Map<Long, Long> words = new LinkedHashMap<>();
        for (long at : live()) {
            for (long word = at; word < at + EntryRecord.SIZE; word += 8) {
                words.put(word, pmem.get(word));
            }
        }
        return words;
    }

    private Status batched(long parent, Name name) {
        StatBatch batch = new StatBatch(2);
        batch.add(parent, OTHER);
        batch.add(parent, name);
        namespace.statAll(batch);
        assertEquals(Status.OK, batch.status(0));
        return batch.status(1);
    }

    /** Every operation that looks this name of directory a up; none must change it. */
    private Map<String, Supplier<Status>> operations(Name name) {
        Map<String, Supplier<Status>> all = new LinkedHashMap<>();
        Name free = Name.of("a free name");
        long id = EntryRecord.id(pmem, entry(OTHER));
        all.put("stat", () -> namespace.stat(a, name, out));
        all.put("stat in a batch", () -> batched(a, name));
        all.put("create", () -> namespace.create(a, name, 0644, 0, 0, out));
        all.put("mkdir", () -> namespace.mkdir(a, name, 0755, 0, 0, out));
        all.put("symlink", () -> namespace.symlink(a, name, new byte[] {'x'}, 0, 0, out));
        all.put("delete", () -> namespace.delete(a, name, out));
        all.put("rmdir", () -> namespace.rmdir(a, name));
        all.put("rename", () -> namespace.rename(a, name, a, free, false, out));
        all.put("rename over it", () -> namespace.rename(a, OTHER, a, name, true, out));
        all.put("link", () -> namespace.link(a, name, a, free, out));
        all.put("link over it", () -> namespace.link(a, OTHER, a, name, out));
        all.put("append", () -> namespace.append(a, name, id, 2000));
        all.put("append in a batch", () -> {
            AppendBatch batch = new AppendBatch(1);
            batch.add(a, name, id, 2000, 0);
            namespace.appendAll(batch);
            return batch.status(0);
        });
        all.put("truncate", () -> namespace.truncate(a, name, 1));
        all.put("chmod", () -> namespace.chmod(a, name, 0600));
        all.put("chown", () -> namespace.chown(a, name, 1, 1));
        all.put("setTimes", () -> namespace.setTimes(a, name, 1, 1));
        all.put("setXattr", () -> namespace.setXattr(a, name, Name.of("x"), new byte[1], XattrMode.CREATE_OR_REPLACE));
        all.put("getXattr", () -> namespace.getXattr(a, name, Name.of("x"), new Bytes()));
        all.put("listXattrs", () -> namespace.listXattrs(a, name, new ArrayList<>()));
        all.put("readlink", () -> namespace.readlink(a, name, new Bytes()));
        all.put(
                "changeAcl",
                () -> namespace.changeAcl(a, name, object -> {
                    throw new AssertionError("the ACL of " + object.id);
                }));
        return all;
    }

    /** The attack: of two files, the id of the one stands in the record of the other. */
    @Test
    void noOperationBelievesTheIdOfAnotherFile() {
        long at = entry(FILE);
        long own = EntryRecord.id(pmem, at);
        pmem.set(at + EntryRecord.ID_OFFSET, EntryRecord.id(pmem, entry(OTHER)));
        Map<Long, Long> before = objects();
        out.id = -1;
        operations(FILE).forEach((what, operation) -> assertEquals(Status.DAMAGED, operation.get(), what));
        assertTrue(out.id <= 0, "nothing of it was told");
        assertEquals(before, objects());
        assertEquals(Status.DAMAGED, list(new ListCursor(), new ArrayList<>()));
        // Right again: no lock was kept, and what goes is swept and used again, so no epoch is pinned.
        pmem.set(at + EntryRecord.ID_OFFSET, own);
        require(namespace.append(a, FILE, own, 3000));
        require(namespace.delete(a, FILE, out));
        TestPool.scan(namespace);
        assertEquals(List.of(), TestPool.problems(namespace));
    }

    @Test
    void otherNamesAreServed() {
        long at = entry(FILE);
        pmem.set(at + EntryRecord.ID_OFFSET, EntryRecord.id(pmem, entry(OTHER)));
        for (long other : live()) {
            if (other != at && EntryRecord.parent(pmem, other) == a) {
                require(namespace.stat(a, nameAt(other), out));
                assertEquals(EntryRecord.id(pmem, other), out.id);
            }
        }
        require(namespace.create(a, Name.of("new"), 0644, 0, 0, out));
        require(namespace.rename(a, Name.of("new"), a, OTHER, true, out));
    }

    /** Each bit of each field that never changes, of an entry of each kind. */
    @Test
    void anyBitOfIdParentNameAndCheckIsNoticed() {
        int turned = 0;
        for (long at : live()) {
            if (EntryRecord.parent(pmem, at) != a) {
                continue;
            }
            Name name = nameAt(at);
            for (long field = EntryRecord.PARENT_OFFSET; field <= EntryRecord.ID_OFFSET; field += 8) {
                turned += turn(name, at + field, 0, 64);
            }
            for (int i = 0; i < name.words(); i++) {
                turned +=
                        turn(name, at + EntryRecord.NAME_OFFSET + 8L * i, 0, Math.min(64, 8 * name.length() - 64 * i));
            }
            turned += turn(name, at, 16, 25); // length of the name
            turned += turn(name, at, 48, 64); // check
        }
        assertTrue(turned > 1500, turned + " bits");
    }

    private int turn(Name name, long word, int from, int to) {
        long right = pmem.get(word);
        int turned = 0;
        for (int bit = from; bit < to; bit++) {
            int of = bit;
            pmem.set(word, right ^ 1L << bit);
            if (EntryRecord.check(EntryRecord.status(pmem, word)) != EntryRecord.NO_CHECK || from != 48) {
                assertEquals(Status.DAMAGED, namespace.stat(a, name, out), name + " bit " + bit + " at " + word);
                assertEquals(Status.DAMAGED, namespace.chmod(a, name, 0700), name + " bit " + bit + " at " + word);
                assertEquals(
                        Status.DAMAGED,
                        list(new ListCursor(), new ArrayList<>()),
                        () -> "listing with " + name + " bit " + of + " at " + word);
                turned++;
            }
            pmem.set(word, right);
        }
        require(namespace.stat(a, name, out));
        return turned;
    }

    /** A name that nothing has is not found, whatever the index leads to on the way. */
    @Test
    void whatIsNotThereIsNotFound() {
        for (int i = 0; i < 20_000; i++) {
            assertEquals(Status.NOT_FOUND, namespace.stat(a, Name.of("none-" + i), out));
        }
    }

    /** The index leads to the inode of a file by its id: where that is another, the file is not there. */
    @Test
    void aNameOfAFileThatIsNotFoundIsRefused() {
        long inode = inode();
        pmem.set(inode + EntryRecord.ID_OFFSET, EntryRecord.id(pmem, inode) ^ 1L << 7);
        operations(LINKED).forEach((what, operation) -> assertEquals(Status.DAMAGED, operation.get(), what));
        require(namespace.stat(a, OTHER, out));
    }

    private long inode() {
        for (int i = 0; i < pool.regionsMax(); i++) {
            long word = pmem.get(PoolHeader.REGION_TABLE_OFFSET + 8L * i);
            long start = word & ~RegionKind.MASK;
            boolean right = (word & RegionKind.MASK) == RegionKind.ENTRY_SLOTS.code();
            for (long at = start; right && at + EntryRecord.SIZE <= start + pool.regionSize(); at += EntryRecord.SIZE) {
                if (EntryRecord.kind(EntryRecord.status(pmem, at)) == EntryRecord.KIND_INODE) {
                    return at;
                }
            }
        }
        throw new AssertionError("no inode");
    }

    /** Who concludes from what is not listed hears that not all of it is known; and goes on there when it is right again. */
    @Test
    void aListingEndsAtADamagedEntry() {
        List<String> all = new ArrayList<>();
        require(list(new ListCursor(), all));
        for (Name each : List.of(FILE, LINKED, Name.of("directory"), Name.of("symlink"))) {
            long at = entry(each);
            long own = EntryRecord.id(pmem, at);
            for (long other : new long[] {EntryRecord.id(pmem, entry(OTHER)), a, own ^ 1L << 40}) {
                pmem.set(at + EntryRecord.ID_OFFSET, other);
                List<String> shown = new ArrayList<>();
                ListCursor cursor = new ListCursor();
                assertEquals(Status.DAMAGED, list(cursor, shown), () -> each + " after " + shown);
                assertFalse(shown.contains(each.toString()), shown::toString);
                assertEquals(Status.DAMAGED, list(cursor, shown), () -> each + " from there on");
                pmem.set(at + EntryRecord.ID_OFFSET, own);
                require(list(cursor, shown));
                assertEquals(all, shown);
            }
        }
        long sibling = entry(FILE) + EntryRecord.SIBLING_OFFSET;
        long next = pmem.get(sibling);
        pmem.set(sibling, entry(Name.of("a"))); // of another directory
        assertEquals(Status.DAMAGED, list(new ListCursor(), new ArrayList<>()));
        pmem.set(sibling, next);
        long inode = inode();
        long own = EntryRecord.id(pmem, inode);
        pmem.set(inode + EntryRecord.ID_OFFSET, own ^ 1L << 7);
        assertEquals(Status.DAMAGED, list(new ListCursor(), new ArrayList<>()));
        pmem.set(inode + EntryRecord.ID_OFFSET, own);
        require(list(new ListCursor(), new ArrayList<>()));
    }

    private Status list(ListCursor cursor, List<String> shown) {
        return namespace.list(a, cursor, (name, _) -> shown.add(name.toString()));
    }

    private static final class Skipping extends Count {
        private int damaged;

        @Override
        public Status damaged(Level level) {
            damaged++;
            return Status.OK;
        }
    }

    /** A count goes down by ids: what another directory has is not counted for a damaged one. */
    @Test
    void aCountBelievesNoDamagedDirectory() {
        long many = mkdir(Namespace.ROOT_ID, "many");
        for (int i = 0; i < 100; i++) {
            require(namespace.create(many, Name.of("f" + i), 0644, 0, 0, out));
        }
        long at = entry(Name.of("directory"));
        long own = EntryRecord.id(pmem, at);
        Count whole = Count.in(namespace, a);
        pmem.set(at + EntryRecord.ID_OFFSET, many);
        Count refused = new Count();
        refused.push(new TreeCount.Level(null, a, new byte[0]));
        assertEquals(Status.DAMAGED, namespace.count(refused, Long.MAX_VALUE));
        Skipping rest = new Skipping();
        rest.push(new TreeCount.Level(null, Namespace.ROOT_ID, new byte[0]));
        for (int i = 0; i < 100 && !rest.isAtEnd(); i++) {
            require(namespace.count(rest, Long.MAX_VALUE));
        }
        assertEquals(1, rest.damaged);
        assertTrue(rest.files >= 100 && rest.files < 100 + whole.files, rest::toString);
        pmem.set(at + EntryRecord.ID_OFFSET, own);
        assertEquals(whole.toString(), Count.in(namespace, a).toString());
    }

    /** Directories are counted several at a time: the refusal of one is not lost in the others. */
    @Test
    void aCountEndsWhereverTheDamageIs() {
        int many = 8;
        long[] directories = new long[many];
        for (int i = 0; i < many; i++) {
            directories[i] = mkdir(Namespace.ROOT_ID, "d" + i);
            mkdir(directories[i], "s0-" + i);
            mkdir(directories[i], "s1-" + i);
        }
        for (int i = 0; i < many; i++) {
            long at = entry(Name.of("s1-" + i));
            long own = EntryRecord.id(pmem, at);
            pmem.set(at + EntryRecord.ID_OFFSET, a);
            Count count = new Count();
            for (long each : directories) {
                count.push(new TreeCount.Level(null, each, new byte[0]));
            }
            assertEquals(Status.DAMAGED, namespace.count(count, Long.MAX_VALUE), "in directory " + i);
            pmem.set(at + EntryRecord.ID_OFFSET, own);
        }
    }

    private long mkdir(long parent, String name) {
        require(namespace.mkdir(parent, Name.of(name), 0755, 0, 0, out));
        return out.id;
    }

    /** What leads from an id to a path, and up to the root. */
    @Test
    void noWayUpGoesByADamagedDirectory() {
        long inner = mkdir(a, "inner");
        long below = mkdir(inner, "below");
        long apart = mkdir(Namespace.ROOT_ID, "apart");
        require(namespace.mkdir(Namespace.ROOT_ID, Name.of("moves"), 0755, 0, 0, out));
        long moves = out.id;
        long at = entry(Name.of("inner"));
        for (long[] damage : new long[][] {
            {EntryRecord.PARENT_OFFSET, apart}, // a directory that is there
            {EntryRecord.PARENT_OFFSET, moves},
            {EntryRecord.PARENT_OFFSET, a ^ 1L << 33},
            {EntryRecord.ID_OFFSET, inner ^ 4},
            {EntryRecord.ID_OFFSET, apart},
            {EntryRecord.NAME_OFFSET, pmem.get(at + EntryRecord.NAME_OFFSET) ^ 1}
        }) {
            String what = Arrays.toString(damage);
            long right = pmem.get(at + damage[0]);
            pmem.set(at + damage[0], damage[1]);
            for (long each : new long[] {inner, below}) {
                assertEquals(Status.DAMAGED, namespace.path(each, new StringBuilder()), what);
                assertEquals(Status.DAMAGED, namespace.findPath(each, new StringBuilder()), what);
                assertEquals(0, namespace.above(each).length, what);
            }
            assertEquals(Status.DAMAGED, namespace.statDirectory(inner, out), what);
            require(namespace.statDirectory(below, out));
            assertEquals(
                    Status.DAMAGED,
                    namespace.rename(Namespace.ROOT_ID, Name.of("moves"), below, Name.of("m"), false, out),
                    what);
            pmem.set(at + damage[0], right);
            assertEquals(3, namespace.above(inner).length);
            require(namespace.path(below, new StringBuilder()));
            require(namespace.statDirectory(inner, out));
        }
        assertEquals(
                Status.LOOP,
                namespace.rename(Namespace.ROOT_ID, Name.of("a"), below, Name.of("m"), false, out),
                "what the check of a rename is for");
    }

    /** A reader goes on with the status that it has read, while the slot is swept: that is no damage. */
    @Test
    void whatIsSweptMeanwhileIsNotTakenForDamaged() {
        Keys keys = new Keys(pmem, pmem.get(PoolHeader.SEED_OFFSET));
        List<Long> all = live();
        all.add(inode());
        for (long at : all) {
            long status = EntryRecord.status(pmem, at);
            pmem.set(at, SlotState.FREE);
            assertTrue(keys.fitsObject(at, status), () -> "object at " + at);
            pmem.set(at, status);
        }
    }

    /** A path that is told for an id is never that of a file which only says that it has the id. */
    @Test
    void noPathIsThatOfAnotherFile() {
        long other = EntryRecord.id(pmem, entry(OTHER));
        for (Name each : List.of(FILE, Name.of("moved"), Name.of("n".repeat(80)))) {
            long at = entry(each);
            long own = EntryRecord.id(pmem, at);
            pmem.set(at + EntryRecord.ID_OFFSET, other);
            StringBuilder path = new StringBuilder();
            require(namespace.findPath(other, path));
            assertEquals("/a/" + OTHER, path.toString());
            path.setLength(0);
            require(namespace.path(a, other, path));
            assertEquals("/a/" + OTHER, path.toString());
            assertEquals(Status.NOT_FOUND, namespace.findPath(own, path));
            assertEquals(Status.NOT_FOUND, namespace.path(a, own, path));
            pmem.set(at + EntryRecord.ID_OFFSET, own);
        }
    }

    /** What each operation has made has a check that fits; what an older HMFS has made has none. */
    @Test
    void entriesWithoutACheckAreBelievedAndGetOneWhenTheyAreMadeAnew() {
        long seed = pmem.get(PoolHeader.SEED_OFFSET);
        Keys keys = new Keys(pmem, seed);
        for (long at : live()) {
            long status = EntryRecord.status(pmem, at);
            assertEquals(EntryRecord.check(keys.ofObject(at), EntryRecord.id(pmem, at)), EntryRecord.check(status));
            pmem.set(at, EntryRecord.withCheck(status, EntryRecord.NO_CHECK));
        }
        pmem.set(inode(), EntryRecord.withCheck(pmem.get(inode()), EntryRecord.NO_CHECK));
        assertEquals(pool.snapshot(), Snapshot.of(namespace));
        require(namespace.rename(a, FILE, a, Name.of("renamed"), false, out));
        assertNotEquals(EntryRecord.NO_CHECK, EntryRecord.check(pmem.get(entry(Name.of("renamed")))));
        require(namespace.rename(a, Name.of("renamed"), a, FILE, false, out));
        require(namespace.link(a, OTHER, a, Name.of("third"), out));
        assertEquals(EntryRecord.NO_CHECK, EntryRecord.check(pmem.get(entry(OTHER))));
        require(namespace.delete(a, Name.of("third"), out));
        require(namespace.delete(a, Name.of("symlink"), out));
        require(namespace.delete(a, Name.of("second"), out));
        require(namespace.rmdir(a, Name.of("directory")));
        namespace.close();
        assertEquals(List.of(), check().findings());
        namespace = pool.open();
    }

    private Finding found(CheckReport report, String path) {
        List<Finding> found = report.findings().stream()
                .filter(finding -> finding.object().contains("'" + path + "'"))
                .toList();
        assertEquals(1, found.size(), () -> path + " in " + report.findings());
        return found.getFirst();
    }

    private void damage(long at, long value) {
        namespace.close();
        pool.restore();
        pmem.set(at, value);
    }

    private Map<String, String> repaired() {
        CheckReport report = repair();
        assertEquals(0, report.damage(), () -> report.findings().toString());
        namespace = pool.open();
        TestPool.scan(namespace);
        assertEquals(List.of(), TestPool.problems(namespace));
        return Snapshot.of(namespace);
    }

    @Test
    void fsckNamesTheFileThatHasTheIdOfAnotherAndGivesItOneOfItsOwn() {
        long other = EntryRecord.id(pmem, entry(OTHER));
        damage(entry(FILE) + EntryRecord.ID_OFFSET, other);
        CheckReport report = check();
        assertEquals(1, report.damage(), () -> report.findings().toString());
        assertTrue(found(report, "/a/file").action().contains("new id"), report.findings()::toString);
        assertEquals(pool.snapshot().keySet(), repaired().keySet());
        require(namespace.stat(a, FILE, out));
        assertNotEquals(other, out.id);
        assertEquals(1000, out.size);
        assertTrue(out.dense, "its bytes are lost, and no zeros");
        require(namespace.stat(a, OTHER, out));
        assertEquals(other, out.id);
        require(namespace.delete(a, FILE, out));
    }

    /** One bit of an id or of a check is repaired, of whatever kind the entry is. */
    @Test
    void fsckRepairsABit() {
        int repaired = 0;
        for (long at : live()) {
            if (EntryRecord.parent(pmem, at) == a) {
                for (long[] bit :
                        new long[][] {{EntryRecord.ID_OFFSET, 3}, {EntryRecord.ID_OFFSET, 33}, {0, 50}, {0, 63}}) {
                    String path = "/a/" + nameAt(at);
                    damage(at + bit[0], pmem.get(at + bit[0]) ^ 1L << bit[1]);
                    CheckReport report = check();
                    assertTrue(report.damage() > 0, path + " " + Arrays.toString(bit));
                    assertTrue(
                            report.findings().stream()
                                    .anyMatch(finding -> finding.object().contains("'" + path + "'")),
                            () -> path + " in " + report.findings());
                    assertEquals(pool.snapshot(), repaired(), path + " " + Arrays.toString(bit));
                    repaired++;
                }
            }
        }
        assertTrue(repaired > 25, repaired + " bits");
    }

    /** A check that is one bit off proves nothing of an id that another file has. */
    @Test
    void fsckDoesNotLeaveTwoFilesUnderOneId() {
        long at = entry(FILE);
        long other = EntryRecord.id(pmem, entry(OTHER));
        int check = EntryRecord.check(new Keys(pmem, pmem.get(PoolHeader.SEED_OFFSET)).ofObject(at), other) ^ 8;
        damage(at + EntryRecord.ID_OFFSET, other);
        pmem.set(at, EntryRecord.withCheck(EntryRecord.status(pmem, at), check));
        assertTrue(found(check(), "/a/file").action().contains("new id"));
        assertEquals(pool.snapshot().keySet(), repaired().keySet());
        require(namespace.stat(a, FILE, out));
        assertNotEquals(other, out.id);
    }

    /** Nothing tells then which of id and check is wrong. */
    @Test
    void fsckDoesNotGuess() {
        long at = entry(FILE);
        long id = EntryRecord.id(pmem, at);
        damage(at, pmem.get(at) ^ 0b1011L << 50);
        assertTrue(found(check(), "/a/file").action().contains("new id"));
        assertEquals(pool.snapshot().keySet(), repaired().keySet());
        require(namespace.stat(a, FILE, out));
        assertNotEquals(id, out.id);
    }

    /** A name that cannot be told from its index word keeps its data. */
    @Test
    void aNameOfWhichMoreIsDamagedKeepsItsId() {
        long at = entry(FILE);
        long id = EntryRecord.id(pmem, at);
        damage(at + EntryRecord.NAME_OFFSET, pmem.get(at + EntryRecord.NAME_OFFSET) ^ 0x1f0f);
        assertTrue(check().findings().stream()
                .anyMatch(finding -> finding.action().contains("may have had another name")));
        repaired();
        String name = nameAt(at).toString();
        assertNotEquals("file", name);
        require(namespace.stat(a, Name.of(name), out));
        assertEquals(id, out.id);
    }

    /** A path is told from the first directory on that is known. */
    @Test
    void fsckTellsAPathAsFarAsItIsKnown() {
        long directory = entry(Name.of("a"));
        long sibling = entry(FILE) + EntryRecord.BIRTH_OFFSET;
        damage(sibling, -1);
        assertTrue(
                check().findings().stream().anyMatch(finding -> finding.object().contains("'/a/file'")));
        pmem.set(directory + EntryRecord.PARENT_OFFSET, 1L << 40);
        assertTrue(
                check().findings().stream().anyMatch(finding -> finding.object().contains("'a/file'")));
        namespace = pool.open();
    }
}
