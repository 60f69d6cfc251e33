package io.hmfs.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.layout.ChainRecord;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.RegionKind;
import io.hmfs.core.pmem.Pmem;
import io.hmfs.core.pmem.PoolException;
import io.hmfs.core.recovery.Superblock;
import io.hmfs.core.sim.SimPmem;
import io.hmfs.core.sim.SimPoolFile;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Bytes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.core.type.XattrMode;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Goal: what a request settles after a crash, before any scan, is as good as if nothing had been cut off: the next operation on it
 * may be cut off too. Method: every image of one operation is reopened, the object is asked for, and then another operation runs,
 * of which every image is looked at.
 */
final class NamespaceSettleTest {
    private static final long ROOT = Namespace.ROOT_ID;
    private static final int IMAGES = 24;
    private static final int CHAINS = 100; // more than a region has, so that slots are used again
    private static final int LOADS_MAX = 1000;

    private static final Logger ENGINE = Logger.getLogger(PoolNamespace.class.getName());

    /** Ends an operation where the process dies. */
    private final Attributes out = new Attributes();

    private SimPoolFile file = new SimPoolFile(32 << 10, 14);
    private long d;
    private int images;

    @BeforeAll
    static void hush() {
        ENGINE.setLevel(Level.OFF); // the death is an error within an operation
    }

    @AfterAll
    static void speak() {
        ENGINE.setLevel(null);
    }

    @BeforeEach
    void prepare() throws PoolException {
        Superblock.format(Path.of("sim"), file, new UUID(1, 2), 42, 2);
        PoolNamespace namespace = open(file);
        ok(namespace.mkdir(ROOT, Name.of("d"), 0755, 0, 0, out));
        d = out.id;
        ok(namespace.create(ROOT, Name.of("a"), 0644, 0, 0, out));
        file = file.killed();
    }

    private static PoolNamespace open(SimPoolFile file) {
        return new PoolNamespace("sim", file, false);
    }

    private static void ok(Status status) {
        assertEquals(Status.OK, status);
    }

    private boolean isThere(PoolNamespace namespace, long parent, String name) {
        return namespace.stat(parent, Name.of(name), out) == Status.OK;
    }

    /** Opens a pool, runs an operation, and looks at every image before each of its events and at its end. */
    private void explore(SimPoolFile pool, int limit, Consumer<PoolNamespace> operation, Consumer<SimPoolFile> look) {
        PoolNamespace namespace = open(pool);
        Runnable hook = () -> pool.pmem().images(limit, images++, image -> look.accept(pool.crashed(image)));
        pool.pmem().beforeEachEvent(hook);
        operation.accept(namespace);
        pool.pmem().beforeEachEvent(null);
        hook.run();
    }

    private Consumer<PoolNamespace> move(String name, String newName) {
        return n -> ok(n.rename(ROOT, Name.of(name), ROOT, Name.of(newName), true, new Attributes()));
    }

    /** The content follows the first move, durably, or the second one could leave it two moves behind. */
    @Test
    void aDirectoryWhoseMoveWasSettledMovesAgain() {
        int[] settled = new int[1];
        explore(file, 2, move("d", "e"), image -> {
            PoolNamespace second = open(image);
            if (!isThere(second, ROOT, "d") && second.chmod(ROOT, Name.of("e"), 0711) == Status.OK) {
                settled[0]++;
                explore(image, IMAGES, _ -> move("e", "f").accept(second), again -> {
                    PoolNamespace last = open(again);
                    ok(last.statDirectory(d, out));
                    assertEquals(d, out.id);
                });
            }
        });
        assertTrue(settled[0] > 3, "moves: " + settled[0]);
    }

    /** Its successor, that forgets it, goes for good, and no thread has met the origin. */
    @Test
    void aNameWhoseNewOneIsDeletedDoesNotComeBack() {
        Name b = Name.of("b");
        int[] moved = new int[1];
        explore(file, IMAGES, n -> ok(n.rename(ROOT, Name.of("a"), d, b, true, new Attributes())), image -> {
            PoolNamespace after = open(image);
            if (after.delete(d, b, out) == Status.OK) {
                moved[0]++;
                ok(after.rmdir(ROOT, Name.of("d"))); // which sweeps all
                assertFalse(isThere(after, ROOT, "a"));
            }
        });
        assertTrue(moved[0] > 3, "renames: " + moved[0]);
    }

    /** The inode of the first attempt has attributes that are old by the time of the second. */
    @Test
    void aLinkAfterOneThatDiedMakesAnInodeOfItsOwn() {
        Name a = Name.of("a");
        Name b = Name.of("b");
        int[] made = new int[1];
        explore(file, IMAGES, n -> ok(n.link(ROOT, a, ROOT, b, new Attributes())), image -> {
            PoolNamespace after = open(image);
            ok(after.chmod(ROOT, a, 0600));
            if (after.link(ROOT, a, ROOT, b, out) == Status.OK) {
                made[0]++;
            }
            for (Name each : List.of(a, b)) {
                ok(after.stat(ROOT, each, out));
                assertEquals(0600, out.mode);
                assertEquals(2, out.nlink);
            }
            image.pmem().images(IMAGES, 1, again -> {
                PoolNamespace last = open(image.crashed(again));
                ok(last.stat(ROOT, a, out));
                assertEquals(0600, out.mode, again::toString);
                ok(last.chmod(ROOT, b, 0640));
                ok(last.stat(ROOT, a, out));
                assertEquals(0640, out.mode, again::toString);
                last.scanInBackground();
                assertEquals(List.of(), last.problems(), again::toString);
            });
            ok(after.delete(ROOT, a, out));
            ok(after.stat(ROOT, b, out));
            assertEquals(1, out.nlink);
            after.scanInBackground();
            assertEquals(List.of(), after.problems());
            ok(after.stat(ROOT, b, out));
        });
        assertTrue(made[0] > 3, "links: " + made[0]);
    }

    /** What the link has left in flight is counted before the name that goes is in flight. */
    @Test
    void aNameIsReplacedAfterALinkThatDied() {
        Name a = Name.of("a");
        Name b = Name.of("b");
        Name c = Name.of("c");
        PoolNamespace namespace = open(file);
        ok(namespace.link(ROOT, a, ROOT, b, out));
        ok(namespace.create(ROOT, c, 0644, 0, 0, out));
        file = file.killed();
        explore(file, IMAGES, n -> ok(n.link(ROOT, a, d, Name.of("x"), new Attributes())), image -> {
            PoolNamespace after = open(image);
            ok(after.rename(ROOT, c, ROOT, b, true, out));
            int names = isThere(after, d, "x") ? 2 : 1;
            ok(after.stat(ROOT, a, out));
            assertEquals(names, out.nlink);
        });
    }

    /** A name that was added in this start moves, and its slot tells no thread any more that it is there. */
    @Test
    void aNameThatMovesIsCountedDurably() {
        Name a = Name.of("a");
        explore(
                file,
                IMAGES,
                n -> {
                    ok(n.link(ROOT, a, d, Name.of("b"), new Attributes()));
                    ok(n.rename(d, Name.of("b"), d, Name.of("c"), true, new Attributes()));
                },
                image -> {
                    PoolNamespace after = open(image);
                    int names = 1;
                    for (String name : List.of("b", "c")) {
                        names += isThere(after, d, name) ? 1 : 0;
                    }
                    ok(after.stat(ROOT, a, out));
                    assertEquals(names, out.nlink);
                });
    }

    /** Its attributes are those of the file, which changes by its other name after this one has gone. */
    @Test
    void aStatOfANameThatGoesShowsNothingThatCameLater() {
        Name a = Name.of("a");
        Name b = Name.of("b");
        ok(open(file).link(ROOT, a, ROOT, b, out));
        file = file.killed();
        int gone = 0;
        boolean overtaken = true;
        for (int load = 0; overtaken && load < LOADS_MAX; load++) {
            SimPoolFile pool = file.killed();
            PoolNamespace namespace = open(pool);
            AtomicInteger left = new AtomicInteger(load);
            pool.pmem().beforeEachLoad(() -> {
                if (left.getAndDecrement() == 0) {
                    NamespaceMomentTest.inAnotherThread(() -> {
                        ok(namespace.delete(ROOT, a, new Attributes()));
                        ok(namespace.chmod(ROOT, b, 0600));
                    });
                }
            });
            Status status = namespace.stat(ROOT, a, out);
            pool.pmem().beforeEachLoad(null);
            overtaken = left.get() < 0;
            assertTrue(status == Status.NOT_FOUND || out.mode == 0644, "load " + load + " " + status);
            gone += status == Status.NOT_FOUND ? 1 : 0;
        }
        assertFalse(overtaken);
        assertTrue(gone > 3, "stats of a name that has gone: " + gone);
    }

    /** [scan.1] A process dies while it changes an attribute, the next one frees the old chain and uses its slot again. */
    @Test
    void aChainThatTheScanFreesWasLeftDurably() {
        Name a = Name.of("a");
        Name attribute = Name.of("user.a");
        ok(open(file).setXattr(ROOT, a, attribute, new byte[] {1}, XattrMode.CREATE));
        file = file.killed();
        int deaths = 0;
        for (boolean died = true; died; deaths++) {
            SimPoolFile pool = file.killed();
            died = ProcessDeath.before(
                    deaths, pool, n -> ok(n.setXattr(ROOT, a, attribute, new byte[] {2}, XattrMode.REPLACE)));
            PoolNamespace next = open(pool);
            next.scanInBackground();
            for (int i = 0; i < CHAINS; i++) {
                Name other = Name.of("other" + i);
                ok(next.create(d, other, 0644, 0, 0, out));
                ok(next.setXattr(d, other, attribute, new byte[] {3}, XattrMode.CREATE));
            }
            pool.pmem().images(6, deaths, image -> {
                Bytes value = new Bytes();
                ok(open(pool.crashed(image)).getXattr(ROOT, a, attribute, value));
                assertTrue(value.value.length == 1 && value.value[0] < 3, image::toString);
            });
        }
        assertTrue(deaths > 5, "deaths: " + deaths);
    }

    /** Whether the chain of a long entry stands on both sides of it, the head behind it. */
    private static boolean isAstride(SimPoolFile pool, long id) {
        SimPmem pmem = pool.pmem();
        return Unwritten.slots(pool, RegionKind.LONG_ENTRY_SLOTS)
                .filter(at -> EntryRecord.kind(EntryRecord.status(pmem, at)) == EntryRecord.KIND_FILE)
                .filter(at -> EntryRecord.id(pmem, at) == id)
                .anyMatch(at -> {
                    long head = EntryRecord.chain(EntryRecord.links(pmem, at));
                    long rest = head == Pmem.NULL ? Pmem.NULL : ChainRecord.rest(pmem, head);
                    return head > at && rest != Pmem.NULL && rest < at;
                });
    }

    /** The scan meets a part of a chain, then its owner, which a crash has left half gone, in a directory that is swept, then the head. */
    @Test
    void aChainAroundAnOwnerThatIsHalfGoneIsFreedWhole() {
        Name a = Name.of("a");
        Name before = Name.of("before");
        Name owner = Name.of("o".repeat(100));
        Name attribute = Name.of("user.a");
        PoolNamespace namespace = open(file);
        ok(namespace.setXattr(ROOT, a, attribute, new byte[900], XattrMode.CREATE)); // what stands before the owner
        ok(namespace.create(d, before, 0644, 0, 0, out));
        ok(namespace.create(d, owner, 0644, 0, 0, out));
        ok(namespace.removeXattr(ROOT, a, attribute));
        long id = out.id;
        int tries = 0;
        for (; !isAstride(file, id) && tries < LOADS_MAX; tries++) {
            ok(namespace.setXattr(d, owner, attribute, new byte[400], XattrMode.CREATE_OR_REPLACE));
        }
        assertTrue(isAstride(file, id), "none stands so");
        explore(
                file.killed(),
                IMAGES,
                n -> {
                    ok(n.delete(d, before, new Attributes()));
                    ok(n.delete(d, owner, new Attributes()));
                },
                image -> {
                    PoolNamespace after = open(image);
                    after.scanInBackground();
                    assertEquals(List.of(), after.problems());
                });
    }
}
