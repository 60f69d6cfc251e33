package io.hmfs.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.SlotState;
import io.hmfs.core.pmem.Pmem;
import io.hmfs.core.pmem.PoolException;
import io.hmfs.core.recovery.Superblock;
import io.hmfs.core.sim.SimPoolFile;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.core.type.XattrMode;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
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
    private static final int IMAGES_OF_ALL = 200;
    private static final int CREATES_MAX = 400;
    private static final int LOADS_MAX = 1000;

    private final Attributes out = new Attributes();
    private SimPoolFile file = new SimPoolFile(32 << 10, 14);
    private long d;
    private int images;

    @BeforeEach
    void prepare() throws PoolException {
        Superblock.format(Path.of("sim"), file, new UUID(1, 2), 42);
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

    /** Its successor, that forgets it, goes for good, and nobody has met the origin. */
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
            ok(after.delete(ROOT, a, out));
            ok(after.stat(ROOT, b, out));
            assertEquals(1, out.nlink);
            after.scanInBackground();
            assertEquals(List.of(), after.problems());
            ok(after.stat(ROOT, b, out));
        });
        assertTrue(made[0] > 3, "links: " + made[0]);
    }

    /** A name that was added in this start moves, and its slot tells nobody any more that it is there. */
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

    /**
     * Of an object that reuses a slot the first line may be durable and the second, which leads to its chain, not: what stands there is
     * the chain of the one before.
     */
    @Test
    void aChainIsNotTakenForThatOfWhatWasNeverMade() {
        PoolNamespace namespace = open(file);
        Name x = Name.of("x");
        ok(namespace.create(ROOT, x, 0644, 0, 0, out));
        ok(namespace.setXattr(ROOT, x, Name.of("user.a"), new byte[500], XattrMode.CREATE));
        long slot = slotOf(x);
        ok(namespace.delete(ROOT, x, out));
        namespace.sweep(ROOT);
        int[] found = new int[1];
        file.pmem().beforeEachEvent(() -> {
            if (EntryRecord.state(file.pmem(), slot) == SlotState.CREATING) {
                file.pmem().images(IMAGES_OF_ALL, 1, image -> {
                    PoolNamespace after = open(file.crashed(image));
                    after.scanInBackground();
                    assertEquals(List.of(), after.problems(), image::toString);
                    found[0]++;
                });
            }
        });
        for (int i = 0; i < CREATES_MAX && found[0] == 0; i++) {
            ok(namespace.create(ROOT, Name.of("y" + i), 0644, 0, 0, out));
        }
        file.pmem().beforeEachEvent(null);
        assertTrue(found[0] > 0);
    }

    private long slotOf(Name name) {
        Pmem pmem = file.pmem();
        for (long at = 0; at < pmem.size(); at += Pmem.LINE) {
            long status = EntryRecord.status(pmem, at);
            boolean named = EntryRecord.isEntry(status) && EntryRecord.nameLength(status) == 1;
            if (named && EntryRecord.hasKey(pmem, at, status, ROOT, name)) {
                return at;
            }
        }
        throw new AssertionError("no " + name);
    }
}
