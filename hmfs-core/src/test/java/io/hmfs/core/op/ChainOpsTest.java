package io.hmfs.core.op;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.FreshPool;
import io.hmfs.core.Namespace;
import io.hmfs.core.ServerNamespace;
import io.hmfs.core.TestPool;
import io.hmfs.core.layout.ChainRecord;
import io.hmfs.core.layout.CorruptPoolException;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.SlotState;
import io.hmfs.core.pmem.Persistence;
import io.hmfs.core.sim.SimAcls;
import io.hmfs.core.sim.SimPoolFile;
import io.hmfs.core.sim.Values;
import io.hmfs.core.type.Acl;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Bytes;
import io.hmfs.core.type.FileType;
import io.hmfs.core.type.ListCursor;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.core.type.XattrMode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Goal: symbolic links, extended attributes and ACLs do what Namespace says, within their bounds, and leave no slot behind.
 * Method: each with its success and its refusals on one pool, which is checked whole after each test.
 */
final class ChainOpsTest {
    private static final long ROOT = Namespace.ROOT_ID;
    private static final long REGION = 1 << 20;
    private static final int REGIONS = 12;
    private static final Name F = Name.of("f");
    private static final Name A = Name.of("user.a");
    private static final XattrMode ANY = XattrMode.CREATE_OR_REPLACE;

    private final Attributes out = new Attributes();
    private final Bytes value = new Bytes();
    private SimPoolFile file = new SimPoolFile(REGION, REGIONS, Persistence.PROCESS);
    private ServerNamespace namespace = FreshPool.open(file);
    private boolean damaged;

    @BeforeEach
    void prepare() {
        assertEquals(Status.OK, namespace.create(ROOT, F, 0644, 0, 0, out));
    }

    @AfterEach
    void nothingIsLeftBehind() {
        if (!damaged) {
            TestPool.scan(namespace);
            assertEquals(List.of(), TestPool.problems(namespace));
            reopen();
            TestPool.scan(namespace);
            assertEquals(List.of(), TestPool.problems(namespace));
        }
    }

    private void reopen() {
        namespace.close();
        file = file.killed();
        namespace = TestPool.open(file);
    }

    private Status set(Name name, String attribute, byte[] bytes, XattrMode mode) {
        return namespace.setXattr(ROOT, name, Name.of(attribute), bytes, mode);
    }

    private void assertValue(byte[] expected, Name name, String attribute) {
        assertEquals(Status.OK, namespace.getXattr(ROOT, name, Name.of(attribute), value));
        assertArrayEquals(expected, value.value);
    }

    private List<String> names(Name name) {
        List<Name> names = new ArrayList<>();
        assertEquals(Status.OK, namespace.listXattrs(ROOT, name, names));
        return names.stream().map(Name::toString).toList();
    }

    @Test
    void valuesOfAllSizesAreThereAfterReopening() {
        int[] sizes = {0, 1, 7, 8, 230, 264, 265, 266, 280, 560, 4000, 65536};
        for (int size : sizes) {
            assertEquals(Status.OK, set(F, "size" + size, Values.of(size, size), XattrMode.CREATE));
        }
        reopen();
        for (int size : sizes) {
            assertValue(Values.of(size, size), F, "size" + size);
        }
        assertEquals(Arrays.stream(sizes).mapToObj(size -> "size" + size).toList(), names(F));
        List<String> shown = new ArrayList<>();
        assertEquals(Status.OK, namespace.readXattrs(ROOT, F, (attribute, bytes) -> {
            assertArrayEquals(Values.of(bytes.length, bytes.length), bytes);
            shown.add(attribute + " " + bytes.length);
        }));
        assertEquals(
                Arrays.stream(sizes)
                        .mapToObj(size -> "size" + size + " " + size)
                        .toList(),
                shown);
        assertEquals(Status.OK, namespace.stat(ROOT, F, out));
        assertEquals(1, out.nlink);
    }

    @Test
    void modesSayWhatMayBeThere() {
        assertEquals(Status.NO_ATTRIBUTE, set(F, "a", Values.of(3, 1), XattrMode.REPLACE));
        assertEquals(Status.OK, set(F, "a", Values.of(3, 1), XattrMode.CREATE));
        assertEquals(Status.EXISTS, set(F, "a", Values.of(3, 2), XattrMode.CREATE));
        assertValue(Values.of(3, 1), F, "a");
        assertEquals(Status.OK, set(F, "a", Values.of(4, 3), XattrMode.REPLACE));
        assertValue(Values.of(4, 3), F, "a");
        assertEquals(Status.OK, set(F, "b", Values.of(4, 4), ANY));
        assertEquals(Status.OK, set(F, "a", Values.of(5, 5), ANY));
        assertEquals(List.of("b", "a"), names(F));
        assertEquals(Status.OK, namespace.removeXattr(ROOT, F, Name.of("b")));
        assertEquals(Status.NO_ATTRIBUTE, namespace.removeXattr(ROOT, F, Name.of("b")));
        assertEquals(Status.NO_ATTRIBUTE, namespace.getXattr(ROOT, F, Name.of("b"), value));
        assertEquals(List.of("a"), names(F));
    }

    @Test
    void boundsAreStatuses() {
        assertEquals(Status.VALUE_TOO_LARGE, set(F, "a", new byte[65537], ANY));
        for (int i = 0; i < 3; i++) {
            assertEquals(Status.OK, set(F, "a" + i, Values.of(65536, i), ANY));
        }
        assertEquals(Status.VALUE_TOO_LARGE, set(F, "a3", Values.of(65536, 3), ANY), "the heads do not fit");
        assertEquals(Status.OK, set(F, "a3", Values.of(65536 - 4 * 8 - 4 * 2, 3), ANY), "to the last byte");
        assertEquals(Status.VALUE_TOO_LARGE, namespace.changeAcl(ROOT, F, SimAcls.set(0644, SimAcls.of(1, false, 1))));
        assertEquals(Status.OK, set(F, "a1", Values.of(65536, 9), ANY), "in its own place");
        for (int i = 0; i < 3; i++) {
            assertValue(Values.of(65536, i == 1 ? 9 : i), F, "a" + i);
        }
    }

    @Test
    void namesAreBytes() {
        assertEquals(Status.INVALID_NAME, set(F, "", new byte[1], ANY));
        assertEquals(Status.NAME_TOO_LONG, set(F, "n".repeat(256), new byte[1], ANY));
        assertEquals(Status.INVALID_NAME, set(F, "a\0b", new byte[1], ANY));
        assertEquals(Status.INVALID_NAME, namespace.getXattr(ROOT, F, new Name(), value));
        assertEquals(Status.NAME_TOO_LONG, namespace.removeXattr(ROOT, F, Name.of("n".repeat(256))));
        for (String odd : List.of("n".repeat(255), "a/b", "..", ".", "ä")) {
            assertEquals(Status.OK, set(F, odd, Values.of(9, odd.length()), XattrMode.CREATE));
            assertValue(Values.of(9, odd.length()), F, odd);
        }
        assertEquals(Status.NO_ATTRIBUTE, namespace.getXattr(ROOT, F, Name.of("n".repeat(254)), value));
    }

    @Test
    void anAclIsApart() {
        assertEquals(Status.OK, namespace.changeAcl(ROOT, F, SimAcls.set(0600, SimAcls.of(2, false, 1))));
        assertEquals(Status.OK, set(F, "a", Values.of(3, 1), ANY));
        assertEquals(Status.OK, namespace.changeAcl(ROOT, F, SimAcls.set(0640, SimAcls.of(5, false, 2))));
        assertEquals(List.of("a"), names(F));
        assertEquals(Status.OK, namespace.changeAcl(ROOT, F, SimAcls.set(0644, Acl.NONE)));
        assertValue(Values.of(3, 1), F, "a");
    }

    @Test
    void directoriesAndTheRootHaveThemToo() {
        Name d = Name.of("d");
        assertEquals(Status.OK, namespace.mkdir(ROOT, d, 0755, 0, 0, out));
        assertEquals(Status.OK, set(d, "a", Values.of(900, 1), ANY));
        assertEquals(Status.OK, namespace.setXattr(Namespace.ROOT_PARENT_ID, new Name(), A, Values.of(8, 2), ANY));
        assertEquals(Status.OK, namespace.rename(ROOT, d, ROOT, Name.of("e"), false, out));
        reopen();
        assertValue(Values.of(900, 1), Name.of("e"), "a");
        assertEquals(Status.OK, namespace.getXattr(Namespace.ROOT_PARENT_ID, new Name(), A, value));
        assertArrayEquals(Values.of(8, 2), value.value);
        assertEquals(Status.OK, namespace.rmdir(ROOT, Name.of("e")));
        assertEquals(Status.OK, namespace.mkdir(ROOT, Name.of("e"), 0755, 0, 0, out));
        assertEquals(List.of(), names(Name.of("e")), "another object");
    }

    @Test
    void whatIsNotThereIsNotFound() {
        long[] forged = {0, -1, 7, 1L << 40, Long.MAX_VALUE, Long.MIN_VALUE};
        for (long id : forged) {
            Name x = Name.of("x");
            assertEquals(Status.NOT_FOUND, namespace.setXattr(id, x, A, new byte[1], ANY));
            assertEquals(Status.NOT_FOUND, namespace.getXattr(id, x, A, value));
            assertEquals(Status.NOT_FOUND, namespace.listXattrs(id, x, new ArrayList<>()));
            assertEquals(Status.NOT_FOUND, namespace.removeXattr(id, x, A));
            assertEquals(Status.NOT_FOUND, namespace.changeAcl(id, x, SimAcls.set(0644, Acl.NONE)));
            assertEquals(Status.NOT_FOUND, namespace.readlink(id, x, value));
            assertEquals(Status.NO_SUCH_DIRECTORY, namespace.symlink(id, x, new byte[] {'t'}, 0, 0, out));
        }
    }

    @Test
    void aSymbolicLinkIsAnObjectOfItsOwn() {
        Name s = Name.of("s");
        byte[] target = "../d/täget".getBytes(StandardCharsets.UTF_8);
        assertEquals(Status.OK, namespace.symlink(ROOT, s, target, 3, 4, out));
        long id = out.id;
        assertEquals(FileType.SYMLINK, out.type);
        assertEquals(Status.EXISTS, namespace.symlink(ROOT, s, target, 3, 4, out));
        assertEquals(Status.EXISTS, namespace.create(ROOT, s, 0644, 3, 4, out));
        reopen();
        assertEquals(Status.OK, namespace.stat(ROOT, s, out));
        assertTrue(out.isSymlink() && !out.isDirectory() && out.id == id && out.mode == 0777);
        assertTrue(out.size == target.length && out.uid == 3 && out.gid == 4 && out.nlink == 1);
        assertEquals(Status.OK, namespace.readlink(ROOT, s, value));
        assertArrayEquals(target, value.value);
        assertEquals(Status.INVALID_ARGUMENT, namespace.append(ROOT, s, id, 9));
        assertEquals(Status.INVALID_ARGUMENT, namespace.truncate(ROOT, s, 0));
        assertEquals(Status.INVALID_ARGUMENT, namespace.readlink(ROOT, F, value));
        assertEquals(Status.NOT_DIRECTORY, namespace.rmdir(ROOT, s));
        assertEquals(Status.OK, namespace.setXattr(ROOT, s, A, Values.of(500, 1), ANY));
        assertEquals(Status.OK, namespace.rename(ROOT, s, ROOT, F, true, out));
        assertEquals(Status.OK, namespace.readlink(ROOT, F, value));
        assertArrayEquals(target, value.value);
        assertEquals(Status.OK, namespace.removeXattr(ROOT, F, A));
        assertEquals(Status.OK, namespace.readlink(ROOT, F, value));
        List<FileType> types = new ArrayList<>();
        assertEquals(Status.OK, namespace.list(ROOT, new ListCursor(), (_, each) -> types.add(each.type)));
        assertEquals(List.of(FileType.SYMLINK), types);
    }

    @Test
    void targetsHaveBounds() {
        Name s = Name.of("s");
        assertEquals(Status.INVALID_ARGUMENT, namespace.symlink(ROOT, s, new byte[0], 0, 0, out));
        assertEquals(Status.INVALID_ARGUMENT, namespace.symlink(ROOT, s, new byte[3], 0, 0, out), "NUL");
        assertEquals(Status.NAME_TOO_LONG, namespace.symlink(ROOT, s, Values.target(4096, 1), 0, 0, out));
        assertEquals(Status.INVALID_NAME, namespace.symlink(ROOT, Name.of("a/b"), new byte[] {'t'}, 0, 0, out));
        assertEquals(Status.INVALID_ARGUMENT, namespace.symlink(ROOT, s, new byte[] {'t'}, -1, 0, out));
        assertEquals(Status.NOT_FOUND, namespace.stat(ROOT, s, out));
        assertEquals(Status.OK, namespace.symlink(ROOT, s, Values.target(4095, 1), 0, 0, out));
        assertEquals(Status.OK, namespace.readlink(ROOT, s, value));
        assertArrayEquals(Values.target(4095, 1), value.value);
    }

    @Test
    void allNamesOfAFileShareThem() {
        assertEquals(Status.OK, set(F, "a", Values.of(700, 1), ANY));
        Name g = Name.of("g");
        assertEquals(Status.OK, namespace.link(ROOT, F, ROOT, g, out));
        assertValue(Values.of(700, 1), g, "a");
        assertEquals(Status.OK, set(g, "a", Values.of(900, 2), XattrMode.REPLACE));
        assertEquals(Status.OK, namespace.changeAcl(ROOT, F, SimAcls.set(0640, SimAcls.of(1, false, 9))));
        assertValue(Values.of(900, 2), F, "a");
        reopen();
        assertEquals(Status.OK, namespace.rename(ROOT, F, ROOT, Name.of("h"), false, out));
        assertEquals(Status.OK, namespace.delete(ROOT, g, out));
        assertValue(Values.of(900, 2), Name.of("h"), "a");
        Attributes h = Attributes.withAcl();
        assertEquals(Status.OK, namespace.stat(ROOT, Name.of("h"), h));
        assertArrayEquals(SimAcls.of(1, false, 9), h.acl);
        Name s = Name.of("s");
        assertEquals(Status.OK, namespace.symlink(ROOT, s, Values.target(500, 1), 0, 0, out));
        assertEquals(Status.OK, namespace.link(ROOT, s, ROOT, g, out));
        assertTrue(out.isSymlink() && out.nlink == 2);
        assertEquals(Status.INVALID_ARGUMENT, namespace.truncate(ROOT, g, 0));
        assertEquals(Status.OK, namespace.delete(ROOT, s, out));
        assertEquals(Status.OK, namespace.readlink(ROOT, g, value));
        assertArrayEquals(Values.target(500, 1), value.value);
        assertEquals(Status.OK, namespace.delete(ROOT, Name.of("h"), out));
        assertEquals(0, out.nlink);
    }

    @Test
    void theTimeOfChangeMoves() {
        assertEquals(Status.OK, namespace.stat(ROOT, F, out));
        long before = out.ctimeNanos;
        long mtime = out.mtimeNanos;
        assertEquals(Status.OK, set(F, "a", new byte[1], ANY));
        assertEquals(Status.OK, namespace.stat(ROOT, F, out));
        assertTrue(out.ctimeNanos > before && out.mtimeNanos == mtime);
    }

    @Test
    void aFullPoolSaysSoAndWhatIsRemovedMakesRoom() {
        assertEquals(Status.OK, set(F, "a", Values.of(50000, 1), ANY));
        Name d = Name.of("d");
        assertEquals(Status.OK, namespace.mkdir(ROOT, d, 0755, 0, 0, out));
        assertEquals(Status.OK, set(d, "a", Values.of(40000, 1), ANY));
        Name empty = Name.of("empty");
        assertEquals(Status.OK, namespace.mkdir(ROOT, empty, 0755, 0, 0, out));
        long emptyId = out.id;
        int made = 0;
        for (Status status = Status.OK; status == Status.OK; made++) {
            status = namespace.symlink(ROOT, Name.of("s" + made), Values.target(4000, made), 0, 0, out);
            assertTrue(status == Status.OK || status == Status.NO_SPACE, "status " + status);
        }
        assertTrue(made > 100, "symbolic links: " + made);
        assertEquals(Status.NO_SPACE, set(F, "a", Values.of(60000, 2), ANY));
        assertEquals(
                Status.NO_SPACE, namespace.rename(ROOT, F, ROOT, Name.of("g"), false, out), "no room for the copy");
        assertValue(Values.of(50000, 1), F, "a");
        assertEquals(Status.NO_SPACE, namespace.rename(ROOT, d, ROOT, empty, true, out));
        assertEquals(Status.OK, namespace.list(emptyId, new ListCursor(), (_, _) -> true), "open again");
        for (int i = 0; i < 40; i++) {
            assertEquals(Status.OK, namespace.delete(ROOT, Name.of("s" + i), out));
        }
        assertEquals(Status.OK, set(F, "a", Values.of(60000, 2), ANY));
        assertEquals(Status.OK, namespace.rename(ROOT, F, ROOT, Name.of("g"), false, out));
        assertValue(Values.of(60000, 2), Name.of("g"), "a");
        assertEquals(Status.OK, namespace.rename(ROOT, d, ROOT, empty, true, out));
    }

    /** What a reader is on is freed, and slots are taken, under its eyes; more of them than the allocator moves at once. */
    @Test
    void aReaderSeesOneValueWhateverIsSetMeanwhile() {
        assertEquals(Status.OK, set(F, "a", Values.of(700, 1), ANY));
        Thread reader = Thread.currentThread();
        int loads = 0;
        for (int[] left = {0}; left[0] < 0 || loads == 0; loads++) {
            left[0] = loads;
            file.pmem().beforeEachLoad(() -> {
                if (Thread.currentThread().equals(reader) && left[0]-- == 0) {
                    churn();
                }
            });
            assertEquals(Status.OK, namespace.getXattr(ROOT, F, Name.of("a"), value));
            file.pmem().beforeEachLoad(null);
            byte[] seen = value.value;
            assertTrue(
                    Arrays.equals(seen, Values.of(700, 1)) || Arrays.equals(seen, Values.of(650, 2)), "load " + loads);
            assertEquals(Status.OK, set(F, "a", Values.of(700, 1), ANY));
        }
        assertTrue(loads > 10, "loads: " + loads);
    }

    private void churn() {
        Thread writer = Thread.ofPlatform().start(() -> {
            for (int i = 0; i < 50; i++) {
                set(F, "a", Values.of(650, 2), ANY);
                set(F, "b", Values.of(600, i), ANY);
            }
        });
        try {
            writer.join();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** What a cursor from outside names may be a slot of a chain, filled as the caller likes. */
    @Test
    void aForgedCursorFollowsNoChain() {
        assertEquals(Status.OK, namespace.create(ROOT, Name.of("g"), 0644, 0, 0, out));
        assertEquals(Status.OK, set(F, "a", Values.of(5000, 1), ANY));
        long chain = chainSlot();
        ListCursor cursor = new ListCursor();
        cursor.birth = ChainRecord.head(file.pmem(), chain);
        cursor.start = cursor.birth;
        cursor.at = chain;
        assertEquals(
                Status.NO_SUCH_DIRECTORY,
                namespace.list(ChainRecord.owner(file.pmem(), chain), cursor, (_, _) -> true));
        assertEquals(Status.OK, namespace.list(ROOT, cursor, (_, _) -> true));
    }

    @Test
    void aDamagedChainIsTold() {
        assertEquals(Status.OK, set(F, "a", Values.of(5000, 1), ANY));
        long at = chainSlot() + ChainRecord.DATA_OFFSET + 16;
        file.pmem().set(at, file.pmem().get(at) ^ 1);
        List<String> problems = TestPool.problems(namespace);
        assertTrue(problems.size() == 1 && problems.getFirst().contains("a whole chain"), () -> "" + problems);
        damaged = true;
        assertThrows(CorruptPoolException.class, () -> namespace.getXattr(ROOT, F, Name.of("a"), value));
    }

    @Test
    void aChainThatNoObjectHasIsTold() {
        assertEquals(Status.OK, set(F, "a", Values.of(100, 1), ANY));
        long owner = ChainRecord.owner(file.pmem(), chainSlot());
        file.pmem().set(owner + EntryRecord.LINKS_OFFSET, 1);
        damaged = true;
        assertTrue(
                TestPool.problems(namespace).getFirst().startsWith("part of a chain"),
                () -> "" + TestPool.problems(namespace));
    }

    private long chainSlot() {
        long live = EntryRecord.status(SlotState.NORMAL, EntryRecord.KIND_CHAIN, 0);
        for (long at = 0; at < file.pmem().size(); at += 64) {
            if (file.pmem().get(at) == live) {
                return at;
            }
        }
        throw new AssertionError("no chain in the pool");
    }
}
