package io.hmfs.core.op;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.FreshPool;
import io.hmfs.core.Namespace;
import io.hmfs.core.NamespaceMomentTest;
import io.hmfs.core.NumberedCases;
import io.hmfs.core.ServerNamespace;
import io.hmfs.core.Stepper;
import io.hmfs.core.TestPool;
import io.hmfs.core.Unwritten;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.RegionKind;
import io.hmfs.core.pmem.Persistence;
import io.hmfs.core.sim.SimAcls;
import io.hmfs.core.sim.SimPoolFile;
import io.hmfs.core.sim.Values;
import io.hmfs.core.type.Acl;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Bytes;
import io.hmfs.core.type.ListCursor;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.StatBatch;
import io.hmfs.core.type.Status;
import io.hmfs.core.type.XattrMode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/**
 * Goal: an ACL and the mode beside it are one to all threads, at any moment and after any crash. Method: each change and refusal on one pool;
 * a second thread that looks before each event of a change; and power failures before each event, after which the object is
 * changed otherwise.
 */
final class AclOpTest {
    private static final long ROOT = Namespace.ROOT_ID;
    private static final int IMAGES = 64;
    private static final int AS_IT_IS = -1;
    private static final Name F = Name.of("f");
    private static final Name G = Name.of("g");
    private static final Name A = Name.of("user.a");
    private static final long[] FIRST = SimAcls.of(2, false, 1);
    private static final long[] SECOND = SimAcls.of(7, false, 20);

    private SimPoolFile file = new SimPoolFile(32 << 10, 14);
    private ServerNamespace namespace = FreshPool.open(file);
    private final Attributes out = Attributes.withAcl();

    private static void ok(Status status) {
        assertEquals(Status.OK, status);
    }

    private static void set(Namespace n, int mode, long[] acl) {
        ok(n.changeAcl(ROOT, F, SimAcls.set(mode, acl)));
    }

    private static String look(Namespace n, Name name) {
        Attributes found = Attributes.withAcl();
        ok(n.stat(ROOT, name, found));
        assertEquals(found.hasAcl, found.acl.length > 0);
        return Integer.toOctalString(found.mode) + " " + SimAcls.text(found.acl);
    }

    private static String text(int mode, long[] acl) {
        return Integer.toOctalString(mode) + " " + SimAcls.text(acl);
    }

    private void makeFile() {
        ok(namespace.create(ROOT, F, 0644, 3, 4, out));
    }

    @Test
    void everyLookTellsWhetherThereIsOne() {
        makeFile();
        ok(namespace.mkdir(ROOT, G, 0750, 3, 4, SimAcls.of(3, true, 5), out));
        assertArrayEquals(SimAcls.of(3, true, 5), out.acl);
        long directory = out.id;
        ok(namespace.create(directory, F, 0640, 3, 4, FIRST, out));
        assertTrue(out.hasAcl && out.mode == 0640);
        ok(namespace.statDirectory(directory, out));
        assertArrayEquals(SimAcls.of(3, true, 5), out.acl);
        StatBatch stats = new StatBatch(2);
        stats.add(ROOT, F);
        stats.add(ROOT, G);
        namespace.statAll(stats);
        assertFalse(stats.attributes(0).hasAcl);
        assertTrue(stats.attributes(1).hasAcl && stats.attributes(1).acl.length == 0);
        List<String> listed = new ArrayList<>();
        ok(namespace.list(ROOT, new ListCursor(), (name, each) -> listed.add(name + " " + each.hasAcl)));
        assertEquals(List.of("g true", "f false"), listed);
        ok(namespace.stat(ROOT, F, out));
        assertTrue(!out.hasAcl && out.acl.length == 0, "nothing is left of what was read before");
        assertEquals(Status.EXISTS, namespace.create(ROOT, G, 0644, 0, 0, out));
        assertTrue(out.hasAcl && out.acl.length > 0);
    }

    @Test
    void anEditSeesWhatIsAndMayRefuse() {
        makeFile();
        ok(namespace.setXattr(ROOT, F, A, Values.of(9, 1), XattrMode.CREATE));
        set(namespace, 0604, FIRST);
        ok(namespace.changeAcl(ROOT, F, object -> {
            assertEquals(0604, object.mode);
            assertEquals(3, object.uid);
            assertArrayEquals(FIRST, object.acl);
            object.mode = 01640;
            object.acl = SECOND;
            return Status.OK;
        }));
        assertEquals(text(01640, SECOND), look(namespace, F));
        assertEquals(Status.ACCESS_DENIED, namespace.changeAcl(ROOT, F, object -> {
            object.mode = 0;
            object.acl = Acl.NONE;
            return Status.ACCESS_DENIED;
        }));
        assertEquals(Status.INVALID_ARGUMENT, namespace.changeAcl(ROOT, F, SimAcls.set(010000, FIRST)));
        assertEquals(Status.INVALID_ARGUMENT, namespace.changeAcl(ROOT, F, SimAcls.set(-1, FIRST)));
        long[] none = {Acl.entry(false, Acl.USER, 7, 5)};
        assertEquals(Status.INVALID_ARGUMENT, namespace.changeAcl(ROOT, F, SimAcls.set(0644, none)));
        assertEquals(Status.INVALID_ARGUMENT, namespace.create(ROOT, G, 0644, 0, 0, none, out));
        assertEquals(Status.NOT_FOUND, namespace.stat(ROOT, G, out));
        assertEquals(Status.NOT_FOUND, namespace.changeAcl(ROOT, G, SimAcls.set(0644, FIRST)));
        assertEquals(text(01640, SECOND), look(namespace, F));
        ok(namespace.chmod(ROOT, F, 0620));
        ok(namespace.chown(ROOT, F, 8, 9));
        assertEquals(text(0620, SECOND), look(namespace, F));
        set(namespace, 0604, Acl.NONE);
        assertEquals(text(0604, Acl.NONE), look(namespace, F));
        Bytes value = new Bytes();
        ok(namespace.getXattr(ROOT, F, A, value));
        assertArrayEquals(Values.of(9, 1), value.value);
        TestPool.scan(namespace);
        assertEquals(List.of(), TestPool.problems(namespace));
    }

    @Test
    void theTimeOfChangeMoves() {
        makeFile();
        ok(namespace.stat(ROOT, F, out));
        long before = out.ctimeNanos;
        set(namespace, 0644, FIRST);
        ok(namespace.stat(ROOT, F, out));
        assertTrue(out.ctimeNanos > before);
    }

    /** No thread sees the mode of one and the ACL of the other, and no thread sees more than two. */
    @Test
    void aChangeIsSeenAtOnce() {
        makeFile();
        Map<String, Consumer<ServerNamespace>> changes = new LinkedHashMap<>();
        changes.put(text(0604, FIRST), n -> set(n, 0604, FIRST));
        changes.put(text(0670, SECOND), n -> set(n, 0670, SECOND));
        changes.put(text(0644, Acl.NONE), n -> set(n, 0644, Acl.NONE));
        for (Map.Entry<String, Consumer<ServerNamespace>> each : changes.entrySet()) {
            List<String> seen = new ArrayList<>(List.of(look(namespace, F)));
            Thread thread = Thread.currentThread();
            file.pmem().beforeEachEvent(() -> {
                if (Thread.currentThread().equals(thread)) {
                    NamespaceMomentTest.inAnotherThread(() -> {
                        String now = look(namespace, F);
                        if (!seen.getLast().equals(now)) {
                            seen.add(now);
                        }
                    });
                }
            });
            each.getValue().accept(namespace);
            file.pmem().beforeEachEvent(null);
            assertEquals(2, seen.size(), seen.toString());
            assertEquals(each.getKey(), seen.getLast());
        }
    }

    /** A reader that is held up within its look: before each of its loads the change goes on by one step more. */
    @Test
    void aThreadThatLooksMeanwhileSeesOneOfBoth() throws Exception {
        makeFile();
        set(namespace, 0604, FIRST);
        SimPoolFile prepared = file;
        namespace.close();
        int before = 0;
        int after = 0;
        int all = events(prepared.killed());
        for (int steps = all - 14; steps <= all; steps++) { // before, the new chain is filled
            for (int load = 0; load < 50; load++) {
                SimPoolFile pool = prepared.killed();
                ServerNamespace n = TestPool.open(pool);
                String[] seen = new String[1];
                try (Stepper change = new Stepper()) {
                    int[] left = {load};
                    int to = steps;
                    pool.pmem().beforeEachEvent(change::event);
                    pool.pmem().beforeEachLoad(() -> {
                        if (Thread.currentThread().getName().equals("reader") && left[0]-- == 0) {
                            change.begin(() -> set(n, 0670, SECOND));
                            change.runTo(to);
                        }
                    });
                    Thread reader = new Thread(() -> seen[0] = look(n, F), "reader");
                    reader.start();
                    reader.join();
                    pool.pmem().beforeEachLoad(null);
                    if (left[0] < 0) {
                        change.finish();
                    }
                    pool.pmem().beforeEachEvent(null);
                }
                boolean old = text(0604, FIRST).equals(seen[0]);
                assertTrue(old || text(0670, SECOND).equals(seen[0]), steps + " steps, load " + load + ": " + seen[0]);
                before += old ? 1 : 0;
                after += old ? 0 : 1;
            }
        }
        assertTrue(before > 0 && after > 0, before + " before, " + after + " after");
    }

    private static int events(SimPoolFile pool) {
        ServerNamespace n = TestPool.open(pool);
        int[] events = new int[1];
        pool.pmem().beforeEachEvent(() -> events[0]++);
        set(n, 0670, SECOND);
        pool.pmem().beforeEachEvent(null);
        return events[0];
    }

    /** What a crash leaves of the mode in the links word does not win over what comes later. */
    @Test
    void whatWasCutOffGivesWayToTheNextChange() {
        makeFile();
        Map<Consumer<ServerNamespace>, Integer> later = new LinkedHashMap<>();
        later.put(n -> ok(n.chmod(ROOT, F, 0411)), 0411);
        later.put(n -> ok(n.chown(ROOT, F, 8, 9)), AS_IT_IS);
        later.put(n -> ok(n.setXattr(ROOT, F, A, Values.of(9, 1), XattrMode.CREATE)), AS_IT_IS);
        later.put(n -> ok(n.rename(ROOT, F, ROOT, F, true, new Attributes())), AS_IT_IS);
        int[] executed = new int[1];
        SimPoolFile pool = file.killed();
        ServerNamespace cutOff = TestPool.open(pool);
        pool.pmem()
                .beforeEachEvent(() -> pool.pmem().images(IMAGES, 1, image -> {
                    for (Map.Entry<Consumer<ServerNamespace>, Integer> each : later.entrySet()) {
                        ServerNamespace next = TestPool.open(pool.crashed(image));
                        String found = look(next, F);
                        boolean done = found.equals(text(0670, FIRST));
                        assertTrue(done || found.equals(text(0644, Acl.NONE)), found);
                        each.getKey().accept(next);
                        String mode = each.getValue() == AS_IT_IS
                                ? found.substring(0, 3)
                                : Integer.toOctalString(each.getValue());
                        assertEquals(mode + found.substring(3), look(next, F), () -> "image " + image);
                        executed[0] += done ? 1 : 0;
                        TestPool.scan(next);
                        assertEquals(List.of(), TestPool.problems(next));
                    }
                }));
        set(cutOff, 0670, FIRST);
        pool.pmem().beforeEachEvent(null);
        assertTrue(executed[0] > 0, "none was executed");
    }

    @Test
    void whatWasAnsweredCarriesNoMode() {
        makeFile();
        set(namespace, 0670, FIRST);
        set(namespace, 0611, Acl.NONE);
        long carried = Unwritten.slots(file, RegionKind.ENTRY_SLOTS)
                .map(at -> EntryRecord.links(file.pmem(), at))
                .filter(links -> links < 0 || EntryRecord.form(links) == EntryRecord.LINKS_WITH_MODE)
                .count();
        assertEquals(0, carried);
    }

    /** A pool in which a change of the ACL of {@link #F} was cut off between its commit and its end. */
    private static SimPoolFile cutOff(SimPoolFile pool) {
        SimPoolFile[] found = new SimPoolFile[1];
        ServerNamespace n = TestPool.open(pool);
        pool.pmem()
                .beforeEachEvent(() -> pool.pmem().images(IMAGES, 1, image -> {
                    SimPoolFile crashed = pool.crashed(image);
                    boolean carries = Unwritten.slots(crashed, RegionKind.ENTRY_SLOTS)
                            .anyMatch(at -> EntryRecord.form(EntryRecord.links(crashed.pmem(), at))
                                    == EntryRecord.LINKS_WITH_MODE);
                    found[0] = carries ? crashed : found[0];
                }));
        set(n, 0604, FIRST);
        pool.pmem().beforeEachEvent(null);
        return Objects.requireNonNull(found[0]);
    }

    /** The mode of the first stands in the links word when the second is recorded, and shows nothing of that one. */
    @Test
    void aNumberedChangeIsNotTakenForTheOneThatWasCutOff() {
        file = new SimPoolFile(128 << 10, 10, Persistence.LOGGED); // without marks, for which a reader writes back
        namespace = FreshPool.open(file);
        makeFile();
        namespace.close();
        SimPoolFile pool = cutOff(file.killed());
        int[] told = new int[2];
        ServerNamespace n = TestPool.open(pool);
        pool.pmem()
                .beforeEachEvent(() -> pool.pmem().images(IMAGES, 1, image -> {
                    ServerNamespace next = TestPool.open(pool.crashed(image));
                    boolean executed = !NumberedCases.read(next).isEmpty();
                    assertEquals(
                            executed ? text(0670, SECOND) : text(0604, FIRST), look(next, F), () -> "image " + image);
                    told[executed ? 1 : 0]++;
                }));
        NumberedCases.numbered(n, each -> each.changeAcl(ROOT, F, SimAcls.set(0670, SECOND)));
        pool.pmem().beforeEachEvent(null);
        assertTrue(told[0] > 0 && told[1] > 0, Arrays.toString(told));
    }

    @Test
    void allNamesOfAFileHaveIt() {
        makeFile();
        ok(namespace.link(ROOT, F, ROOT, G, out));
        ok(namespace.setXattr(ROOT, G, A, Values.of(9, 1), XattrMode.CREATE));
        set(namespace, 0670, FIRST);
        assertEquals(text(0670, FIRST), look(namespace, G));
        ok(namespace.getXattr(ROOT, F, A, new Bytes()));
        ok(namespace.chmod(ROOT, G, 0611));
        assertEquals(text(0611, FIRST), look(namespace, F));
        TestPool.scan(namespace);
        assertEquals(List.of(), TestPool.problems(namespace));
    }

    @Test
    void aListIsOneIfNothingIsMissingAndNothingTwice() {
        long user = Acl.entry(false, Acl.USER, 7, 5);
        long group = Acl.entry(false, Acl.GROUP, 5);
        long named = Acl.entry(false, Acl.GROUP, 4, 5);
        long owner = Acl.entry(true, Acl.USER, 7);
        long owning = Acl.entry(true, Acl.GROUP, 7);
        long mask = Acl.entry(true, Acl.MASK, 7);
        long other = Acl.entry(true, Acl.OTHER, 7);
        long[][] lists = {
            {},
            {group},
            {user, group},
            {group, named},
            {owner, owning, other},
            {user, group, named, owner, owning, mask, other}
        };
        for (long[] each : lists) {
            assertTrue(Acl.isValid(each), SimAcls.text(each));
            assertEquals(each.length > 0 && each[0] != owner, Acl.hasAccess(each));
            assertEquals(each.length > 2 && each[each.length - 1] == other, Acl.hasDefault(each));
        }
        long[][] others = {
            {user},
            {group, user},
            {group, group},
            {user, user, group},
            {user, Acl.entry(false, Acl.USER, 1, 5), group},
            {group, Acl.entry(false, Acl.MASK, 7)},
            {Acl.entry(false, Acl.USER, 7), group},
            {group, Acl.entry(false, Acl.OTHER, 7)},
            {owner, owning},
            {owning, other},
            {owner, other},
            {owner, owning, mask, mask, other},
            {owner, owning, mask, other, other},
            {owner, owning, Acl.entry(true, Acl.MASK, 7, 5), other},
            {owner, owning, other, group},
            {group | 1L << 7},
            {group | 1L << 63},
            {group | 1L << 40},
            new long[Acl.ENTRIES_MAX + 1]
        };
        for (long[] each : others) {
            assertFalse(Acl.isValid(each), SimAcls.text(each));
        }
        long[] most = new long[Acl.ENTRIES_MAX];
        Arrays.setAll(most, i -> Acl.entry(false, Acl.USER, 1, i));
        most[Acl.ENTRIES_MAX - 1] = group;
        assertTrue(Acl.isValid(most));
        assertNotEquals(0, SimAcls.of(28, true, 1).length);
    }
}
