package io.hmfs.core;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hmfs.core.layout.PoolHeader;
import io.hmfs.core.layout.SlotState;
import io.hmfs.core.sim.SimAcls;
import io.hmfs.core.sim.SimPmem;
import io.hmfs.core.sim.SimPoolFile;
import io.hmfs.core.type.Acl;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.core.type.XattrMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/**
 * Goal: what an operation, a sweep, a recovery or a scan shows is durable one fence later, but for the few stores that the next
 * start tells from what is durable: so no thread's proof rests on what another thread happens to write back. Method: the list of what
 * a power failure would take back, {@link Unwritten}, word for word.
 */
final class NamespaceRestTest {
    private static final long ROOT = Namespace.ROOT_ID;
    private static final int IMAGES = 64;
    private static final Name A = Name.of("a");
    private static final Name B = Name.of("b");

    private static final String INDEX_WORD = "INDEX_SEGMENTS: word cleared";

    private final Attributes out = new Attributes();
    private final SimPoolFile file = new SimPoolFile(16 << 10, 14);
    private final PoolNamespace namespace = FreshPool.open(file);

    /** Where the names that a recovery is about may stand. */
    private final List<Long> directories = new ArrayList<>(List.of(ROOT));

    private static void ok(Status status) {
        assertEquals(Status.OK, status);
    }

    /** The operation's answer, and all that it leaves unwritten. */
    private void leaves(Supplier<Status> operation, String... unwritten) {
        ok(operation.get());
        assertEquals(List.of(unwritten), Unwritten.of(file));
        SimPmem pmem = file.pmem();
        pmem.persist(0, pmem.size());
    }

    private long create(long parent, Name name) {
        leaves(() -> namespace.create(parent, name, 0644, 0, 0, out), "file: CREATING to NORMAL");
        return out.id;
    }

    private long mkdir(long parent, Name name) {
        leaves(() -> namespace.mkdir(parent, name, 0755, 0, 0, out), "directory: CREATING to NORMAL");
        return out.id;
    }

    private Status sweep(long directory) {
        namespace.sweep(directory);
        return Status.OK;
    }

    @Test
    void aCreateAndADeleteLeaveTheirLastState() {
        create(ROOT, A);
        leaves(() -> namespace.stat(ROOT, A, out));
        leaves(() -> namespace.delete(ROOT, A, out), INDEX_WORD, "file: DELETING to DELETED");
        leaves(() -> sweep(ROOT), "file: DELETED to FREE");
        mkdir(ROOT, A);
        leaves(
                () -> namespace.rmdir(ROOT, A),
                INDEX_WORD,
                INDEX_WORD,
                "content: NORMAL to FREE",
                "directory: DELETING to DELETED");
        leaves(() -> sweep(ROOT), "directory: DELETED to FREE");
    }

    @Test
    void aRenameLeavesTheOldNamesWordsAndTheNewOnesLink() {
        long d = mkdir(ROOT, Name.of("d"));
        create(ROOT, A);
        create(ROOT, B);
        leaves(() -> namespace.rename(ROOT, A, d, A, true, out), INDEX_WORD, "file: link");
        leaves(() -> namespace.rename(ROOT, B, d, A, true, out), INDEX_WORD, INDEX_WORD, "file: link");
        mkdir(ROOT, Name.of("e"));
        mkdir(ROOT, Name.of("f"));
        leaves(() -> namespace.rename(ROOT, Name.of("e"), d, Name.of("e"), true, out), INDEX_WORD, "directory: link");
        leaves(
                () -> namespace.rename(ROOT, Name.of("f"), d, Name.of("e"), true, out),
                INDEX_WORD,
                INDEX_WORD,
                INDEX_WORD,
                "content: NORMAL to FREE",
                "directory: link");
    }

    /** The target goes before the rename's own link. */
    @Test
    void aRenameIntoADirectoryThatGoesLeavesNothingOfTheOldName() {
        create(ROOT, A);
        long target = mkdir(ROOT, B);
        SimPmem pmem = file.pmem();
        pmem.beforeEachEvent(() -> {
            if (Unwritten.holds(file, SlotState.MOVING)) {
                pmem.beforeEachEvent(null);
                ok(namespace.rmdir(ROOT, B));
            }
        });
        assertEquals(Status.NO_SUCH_DIRECTORY, namespace.rename(ROOT, A, target, B, true, out));
        assertEquals(
                List.of(
                        INDEX_WORD,
                        INDEX_WORD,
                        INDEX_WORD,
                        "content: NORMAL to FREE",
                        "directory: DELETING to DELETED",
                        "file: CREATING to FREE"),
                Unwritten.of(file));
    }

    @Test
    void aChangeOfAttributesLeavesItsMark() {
        long a = create(ROOT, A);
        leaves(() -> namespace.chmod(ROOT, A, 0600), "file: attributes");
        leaves(() -> namespace.chown(ROOT, A, 7, 80_000), "file: attributes");
        leaves(
                () -> namespace.changeAcl(ROOT, A, SimAcls.set(0640, SimAcls.of(2, false, 1))),
                "file: attributes",
                "file: chain");
        leaves(
                () -> namespace.changeAcl(ROOT, A, SimAcls.set(0600, Acl.NONE)),
                "chain: NORMAL to FREE",
                "file: attributes",
                "file: chain");
        leaves(() -> namespace.append(ROOT, A, a, 100), "file: length");
        leaves(() -> namespace.truncate(ROOT, A, 10), "file: length");
        leaves(() -> namespace.setTimes(ROOT, A, 12345, Namespace.KEEP), "file: attributes", "file: mark");
        leaves(() -> namespace.setXattr(ROOT, A, Name.of("user.a"), new byte[300], XattrMode.CREATE), "file: chain");
        leaves(() -> namespace.removeXattr(ROOT, A, Name.of("user.a")), "chain: NORMAL to FREE", "file: chain");
    }

    /** Of the inode itself nothing is left: the file's next one could stand beside it. */
    @Test
    void theLastOfSeveralNamesTakesTheInodeDurably() {
        create(ROOT, A);
        leaves(() -> namespace.link(ROOT, A, ROOT, B, out), "indirect: CREATING to NORMAL", "inode: attributes");
        leaves(() -> namespace.delete(ROOT, B, out), INDEX_WORD, "indirect: DELETING to DELETED", "inode: attributes");
        leaves(() -> namespace.delete(ROOT, A, out), INDEX_WORD, INDEX_WORD, "indirect: DELETING to DELETED");
        leaves(() -> sweep(ROOT), "indirect: DELETED to FREE", "indirect: DELETED to FREE");
    }

    /** What recoveries leave unwritten, of all images of one operation: asked for by name, and then scanned. */
    private void recoveryLeaves(Consumer<PoolNamespace> operation, Set<String> asked, Set<String> scanned) {
        Set<String> afterAsking = new TreeSet<>();
        Set<String> afterScan = new TreeSet<>();
        SimPoolFile pool = file.killed();
        PoolNamespace cutOff = new PoolNamespace("sim", pool, false);
        Runnable look = () -> pool.pmem().images(IMAGES, 1, image -> {
            SimPoolFile after = pool.crashed(image);
            PoolNamespace next = new PoolNamespace("sim", after, false);
            for (long directory : directories) {
                next.stat(directory, A, new Attributes());
                next.stat(directory, B, new Attributes());
            }
            afterAsking.addAll(Unwritten.of(after));
            next.scanInBackground();
            afterScan.addAll(Unwritten.of(after));
        });
        pool.pmem().beforeEachEvent(look);
        operation.accept(cutOff);
        pool.pmem().beforeEachEvent(null);
        look.run();
        assertEquals(asked, afterAsking, "asked for");
        assertEquals(scanned, afterScan, "scanned");
    }

    @Test
    void theRecoveryOfACreateLeavesItsState() {
        Set<String> left = Set.of(INDEX_WORD, "file: CREATING to FREE", "file: CREATING to NORMAL");
        recoveryLeaves(n -> ok(n.create(ROOT, A, 0644, 0, 0, out)), left, left);
    }

    @Test
    void theRecoveryOfADeleteAndASweepLeavesItsState() {
        create(ROOT, A);
        recoveryLeaves(
                n -> {
                    ok(n.delete(ROOT, A, out));
                    n.sweep(ROOT);
                },
                Set.of("file: DELETING to DELETED", "file: DELETING to NORMAL"),
                Set.of(INDEX_WORD, "file: DELETED to FREE", "file: DELETING to NORMAL"));
    }

    @Test
    void theRecoveryOfARenameLeavesNothingOfTheOldNames() {
        long d = mkdir(ROOT, Name.of("d"));
        directories.add(d);
        create(ROOT, A);
        create(d, B);
        Set<String> asked = Set.of(INDEX_WORD, "file: CREATING to FREE", "file: link");
        // What the rename left stays on its list, for listings that go on: no second passes, for the times are ahead of
        // the clock by an hour.
        Set<String> scanned = Set.of(INDEX_WORD, "file: CREATING to FREE", "content: length", "file: link");
        file.pmem().set(PoolHeader.CLOCK_LEASE_OFFSET, (System.currentTimeMillis() + 3_600_000L) * 1_000_000L);
        recoveryLeaves(n -> ok(n.rename(ROOT, A, ROOT, B, true, out)), asked, scanned);
        recoveryLeaves(n -> ok(n.rename(ROOT, A, d, B, true, out)), asked, scanned);
    }

    @Test
    void theRecoveryOfALinkLeavesItsState() {
        create(ROOT, A);
        Set<String> left = Set.of(INDEX_WORD, "indirect: CREATING to FREE", "indirect: CREATING to NORMAL");
        recoveryLeaves(n -> ok(n.link(ROOT, A, ROOT, B, out)), left, left);
    }
}
