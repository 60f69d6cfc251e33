package io.hmfs.server.partition;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.FormatOptions;
import io.hmfs.core.Hmfs;
import io.hmfs.core.Namespace;
import io.hmfs.core.OpenOptions;
import io.hmfs.core.ServerNamespace;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Change;
import io.hmfs.core.type.ListCursor;
import io.hmfs.core.type.ListVisitor;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.server.PoolEntries;
import io.hmfs.server.ServerConfig;
import io.hmfs.server.lease.Leases;
import io.hmfs.server.lock.KeyLocks;
import io.hmfs.server.path.NameVersions;
import io.hmfs.server.share.UserShares;
import io.hmfs.server.tree.OrphanDirectory;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: trees of any shape go, in the same memory; one that cannot go stops no other, and nobody's waits behind all those of another owner.
 * Method: reapers that may hold few directories, and whose turns are short; an rmdir that fails.
 */
@Timeout(300)
final class TreeReaperTest {
    private static final int FEW = 8;
    private static final int TURN = 4;
    private static final int ONE_USER = 1;
    private static final int ANOTHER = 2;

    @TempDir
    private Path directory;

    private ServerNamespace pool;

    /** Refuses to remove the directory with this name. */
    private String refused = "";

    private int mostHeld;

    /** Runs once, just before the reaper removes its first directory: another user's request at that moment. */
    private Runnable meanwhile = () -> {};

    /** Names of directories, in the order in which they were removed. */
    private final List<String> removed = new ArrayList<>();

    private ServerNamespace namespace;
    private OrphanDirectory orphans;
    private TreeReaper reaper;

    @BeforeEach
    void open() throws IOException {
        Path file = directory.resolve("p.pool");
        Hmfs.format(file, FormatOptions.ofSize(FormatOptions.SIZE_MIN));
        start();
    }

    private void start() throws IOException {
        pool = Hmfs.openForServer(
                directory.resolve("p.pool"), OpenOptions.process().keepingDataElsewhere());
        namespace = (ServerNamespace) Proxy.newProxyInstance(
                ServerNamespace.class.getClassLoader(),
                new Class<?>[] {ServerNamespace.class},
                (_, method, arguments) -> {
                    if (method.getName().equals("rmdir")) {
                        mostHeld = Math.max(mostHeld, reaper.held());
                        if (arguments[1].toString().equals(refused)) {
                            return Status.NO_SPACE;
                        }
                        removed.add(arguments[1].toString());
                        if (removed.size() == 1) {
                            meanwhile.run();
                        }
                    }
                    try {
                        return method.invoke(pool, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
        NameVersions versions = new NameVersions(namespace);
        orphans = new OrphanDirectory(namespace, versions);
        Leases leases = new Leases(pool.records(), ServerConfig.of(Path.of("p")).leases(), new UserShares(Map.of()));
        reaper = new TreeReaper(namespace, versions, orphans, new KeyLocks(), leases, FEW, TURN);
    }

    @AfterEach
    void close() {
        pool.close();
    }

    private long mkdir(long parent, String name) {
        return mkdir(parent, name, 0);
    }

    private long mkdir(long parent, String name, int uid) {
        Attributes made = new Attributes();
        assertEquals(Status.OK, pool.mkdir(parent, Name.of(name), 0755, uid, 0, made));
        return made.id;
    }

    private void create(long parent, String name) {
        assertEquals(Status.OK, pool.create(parent, Name.of(name), 0644, 0, 0, new Attributes()));
    }

    private void remove(String name) {
        Attributes found = new Attributes();
        assertEquals(Status.OK, pool.stat(Namespace.ROOT_ID, Name.of(name), found));
        Attributes top = new Attributes();
        assertEquals(Status.OK, orphans.open(top));
        assertEquals(Status.OK, orphans.take(top, Namespace.ROOT_ID, Name.of(name), found.id, Change.NONE));
    }

    private List<String> left() {
        Attributes top = new Attributes();
        assertEquals(Status.OK, pool.orphans(false, top));
        List<String> names = new ArrayList<>();
        pool.list(top.id, new ListCursor(), (name, _) -> names.add(name.toString()));
        return names;
    }

    /** A tree with so many subdirectories on each level, the first of which goes on; files before and behind them. */
    private long tree(String name, int depth, int width) {
        return tree(name, 0, depth, width);
    }

    private long tree(String name, int uid, int depth, int width) {
        long top = mkdir(Namespace.ROOT_ID, name, uid);
        long at = top;
        for (int level = 0; level < depth; level++) {
            create(at, "first");
            long next = 0;
            for (int i = 0; i < width; i++) {
                long made = mkdir(at, "d" + i);
                create(made, "f");
                next = i == width / 2 ? made : next;
            }
            create(at, "last");
            at = next;
        }
        return top;
    }

    @Test
    void aDeepTreeGoesInTheMemoryOfAFlatOne() {
        tree("chain", 100, 1);
        tree("wide", 30, 5);
        remove("chain");
        remove("wide");
        reaper.reap();
        assertEquals(List.of(), left());
        assertTrue(mostHeld <= FEW, "held " + mostHeld);
        assertTrue(mostHeld >= FEW - 1, "held " + mostHeld);
    }

    @Test
    void aTreeOfWhichSomethingCannotGoStopsNoOther() throws InterruptedException {
        tree("good", 3, 3);
        tree("bad", 3, 3);
        long inner = mkdir(Namespace.ROOT_ID, "inner");
        mkdir(inner, "stays");
        tree("other", 3, 3);
        for (String each : List.of("good", "bad", "inner", "other")) {
            remove(each);
        }
        refused = "stays";
        reaper.reap();
        assertEquals(List.of(Long.toHexString(inner)), left());
        idle();
        assertTrue(orphans.holds(inner), "no request gets into what is left");
        reaper.reap();
        assertEquals(List.of(Long.toHexString(inner)), left());
    }

    /** Stops, has the record of a directory say that it is another one, and starts. */
    private void damage(long id, long other) throws IOException {
        pool.close();
        PoolEntries.store(directory.resolve("p.pool"), id, EntryRecord.ID_OFFSET, other);
        start();
    }

    private void idle() throws InterruptedException {
        orphans.reaped(orphans.await());
    }

    private List<String> children(long directory) {
        List<String> all = new ArrayList<>();
        ListVisitor visitor = (name, found) -> all.add(name + " " + found.id);
        assertEquals(Status.OK, pool.list(directory, new ListCursor(), visitor));
        return all;
    }

    /** Else the files of that one would be removed. */
    @Test
    void aDirectoryThatSaysItIsAnotherOneIsNotRemovedForIt() throws Exception {
        long keep = tree("keep", 2, 3);
        long top = tree("t", 2, 3);
        long damaged = mkdir(top, "damaged");
        tree("other", 3, 3);
        List<String> before = children(keep);
        remove("t");
        remove("other");
        damage(damaged, keep);
        orphans.recover();
        reaper.reap();
        assertEquals(before, children(keep));
        assertEquals(List.of(Long.toHexString(top)), left(), "one that cannot go stops no other");
        idle();
        assertTrue(orphans.isBusy(), "no request gets into what is left");
    }

    /** Those behind it cannot be found. */
    @Test
    void aDamagedTreeHoldsBackThoseBehindItAlone() throws Exception {
        long behind = tree("behind", 1, 1);
        remove("behind");
        long damaged = tree("damaged", 1, 1);
        remove("damaged");
        String before = Long.toHexString(tree("before", 1, 1));
        remove("before");
        long none = damaged ^ 1L << 40;
        damage(damaged, none);
        assertEquals(Status.OK, orphans.open(new Attributes()));
        assertFalse(orphans.isBusy());
        reaper.reap();
        assertTrue(removed.contains(before), removed::toString);
        assertTrue(orphans.isBusy() && orphans.holds(behind), "no request gets into what is left");
        String late = Long.toHexString(tree("late", 1, 1));
        remove("late");
        reaper.reap();
        assertTrue(removed.contains(late), removed::toString);
        damage(none, damaged);
        reaper.reap();
        assertEquals(List.of(), left());
    }

    /** Of what a client was removing, and what has not been put back. */
    @Test
    void whatIsHeldBehindADamagedEntryStaysOutOfReach() throws Exception {
        long first = tree("first", 1, 1);
        Attributes top = new Attributes();
        assertEquals(Status.OK, orphans.open(top));
        assertEquals(Status.OK, orphans.hold(top, Namespace.ROOT_ID, Name.of("first"), first, new Attributes()));
        long damaged = mkdir(top.id, "damaged");
        for (long each : new long[] {damaged, first}) { // one before the holder, and what it holds
            long none = each ^ 1L << 40;
            damage(each, none);
            orphans.recover();
            idle();
            assertTrue(orphans.isBusy());
            assertTrue(each == first || orphans.holds(first));
            damage(none, each);
        }
        orphans.recover();
        reaper.reap();
        idle();
        assertFalse(orphans.isBusy());
        assertEquals(Status.OK, pool.stat(Namespace.ROOT_ID, Name.of("first"), top));
        assertEquals(first, top.id);
    }

    @Test
    void ownersTakeTurns() {
        String small = Long.toHexString(tree("small", ANOTHER, 1, 2));
        String large = Long.toHexString(tree("large", ONE_USER, 30, 5));
        remove("small");
        remove("large"); // its owner's turn is the first
        reaper.reap();
        assertEquals(List.of(), left());
        assertTrue(removed.indexOf(small) < 3 * TURN, removed.indexOf(small) + " directories were removed before");
        assertTrue(removed.indexOf(large) >= 30 * 5, "all of the large tree was removed");
    }

    @Test
    void aTreeDoesNotWaitBehindAllThoseOfAnotherOwner() {
        String last = Long.toHexString(mkdir(Namespace.ROOT_ID, "last", ANOTHER));
        remove("last");
        int many = 2_000;
        for (int i = 0; i < many; i++) {
            mkdir(Namespace.ROOT_ID, "t" + i, ONE_USER);
            remove("t" + i);
        }
        assertEquals(last, left().getLast(), "it is listed behind all others");
        reaper.reap();
        assertEquals(List.of(), left());
        assertEquals(many + 1, removed.size());
        assertTrue(removed.indexOf(last) < many / 4, removed.indexOf(last) + " trees were removed before");
    }

    @Test
    void aTreeThatComesInMeanwhileIsFoundAtOnce() {
        String late = Long.toHexString(mkdir(Namespace.ROOT_ID, "late", ANOTHER));
        for (int i = 0; i < 2_000; i++) {
            mkdir(Namespace.ROOT_ID, "t" + i, ONE_USER);
            remove("t" + i);
        }
        meanwhile = () -> remove("late");
        reaper.reap();
        assertEquals(List.of(), left());
        assertTrue(removed.indexOf(late) < 100, removed.indexOf(late) + " trees were removed before");
    }

    @Test
    void aTreeIsFoundBehindAnyNumberOfThoseThatMayGoBack() {
        mkdir(Namespace.ROOT_ID, "last");
        remove("last");
        Attributes top = new Attributes();
        assertEquals(Status.OK, pool.orphans(false, top));
        int held = 1_200;
        for (int i = 0; i < held; i++) {
            mkdir(top.id, "1." + i); // as OrphanDirectory names what it holds
        }
        reaper.reap();
        assertEquals(held, left().size());
        assertEquals(1, removed.size());
    }
}
