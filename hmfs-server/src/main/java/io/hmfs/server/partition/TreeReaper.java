package io.hmfs.server.partition;

import io.hmfs.core.ServerNamespace;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Change;
import io.hmfs.core.type.DeleteBatch;
import io.hmfs.core.type.ListCursor;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.server.lease.Leases;
import io.hmfs.server.lock.KeyLocks;
import io.hmfs.server.path.NameVersions;
import io.hmfs.server.share.BackgroundThreads;
import io.hmfs.server.tree.OrphanDirectory;
import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Removes what is in {@link OrphanDirectory}, on a thread of its own: children before their directory, files in batches that share a fence. Holds the
 * directories on the way down and a page of each, up to {@link #HELD_MAX} in all, whatever tree it is: of deeper ones it forgets the pages at the top, and then the way, and
 * lists them again. The owners of trees take turns ({@link TreeTurns}).
 * What it does not come to stays in the orphan directory for the next start. Requests that had found their directory before it went to the orphan directory may still
 * make and remove things there: so each file has the lock of its key while it is removed, and a directory is looked at again until it is
 * empty. A tree of which something cannot be removed is left alone until the next start, and the others go on.
 */
final class TreeReaper {
    private static final System.Logger LOG = System.getLogger(TreeReaper.class.getName());
    private static final int PAGE = 512;
    private static final int BATCH = 64;
    private static final int HELD_MAX = 1 << 15; // directories, some 16 MiB with the longest names
    private static final int TURN = 1 << 15; // entries of one tree, which take longer than to find the way down again
    private static final long CLOSE_MILLIS = 10_000;

    /** Something could not be removed, and was told. */
    private static final class UnremovableException extends Exception {
        private static final long serialVersionUID = 1;
    }

    /** A directory on the way down, those on its last page that have not been looked at, and where its parent's listing was before it. */
    private record Directory(
            long id, long parent, Name name, long birth, long at, ArrayDeque<Directory> inner, ListCursor cursor) {
        Directory(long id, long parent, Name name, ListCursor before) {
            this(id, parent, name, before.birth, before.at, new ArrayDeque<>(0), new ListCursor());
        }
    }

    private final ServerNamespace namespace;
    private final NameVersions versions;
    private final OrphanDirectory orphans;
    private final KeyLocks locks;
    private final Leases leases;
    private final DeleteBatch batch = new DeleteBatch(BATCH);
    private final List<Name> files = new ArrayList<>();
    private final int heldMax;
    private final Set<Long> leftAlone = new HashSet<>();
    private final int turnMax;
    private int held;
    private int gone; // entries in this turn
    private boolean isCutShort; // told once
    private volatile @Nullable Thread thread;

    TreeReaper(
            ServerNamespace namespace, NameVersions versions, OrphanDirectory orphans, KeyLocks locks, Leases leases) {
        this(namespace, versions, orphans, locks, leases, HELD_MAX, TURN);
    }

    /** For tests: holds at most so many directories, and removes about so many entries in a turn. */
    TreeReaper(
            ServerNamespace namespace,
            NameVersions versions,
            OrphanDirectory orphans,
            KeyLocks locks,
            Leases leases,
            int heldMax,
            int turnMax) {
        this.turnMax = turnMax;
        this.heldMax = heldMax;
        this.namespace = namespace;
        this.versions = versions;
        this.orphans = orphans;
        this.locks = locks;
        this.leases = leases;
    }

    /** {@code failed}: told of an error that ends it. */
    void start(Consumer<Throwable> failed) {
        thread = BackgroundThreads.start("hmfs-trees", () -> run(failed));
    }

    /** Ends after the batch that it is at. */
    void stop() {
        orphans.close();
        Thread started = thread;
        if (started == null) {
            return;
        }
        try {
            started.join(CLOSE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void run(Consumer<Throwable> failed) {
        try {
            for (long until = orphans.await(); until >= 0; until = orphans.await()) {
                reap();
                if (!orphans.isClosed()) {
                    orphans.reaped(until);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Throwable unexpected) {
            failed.accept(unexpected);
        }
    }

    /** Removes all that there is now, unless it is stopped. */
    void reap() {
        Attributes top = new Attributes();
        if (namespace.orphans(false, top) != Status.OK) {
            return;
        }
        TreeTurns turns = new TreeTurns(namespace, top.id, leftAlone);
        for (TreeTurns.Tree tree = turns.next(); tree != null && !orphans.isClosed(); tree = turns.next()) {
            try {
                reap(new Directory(tree.id(), top.id, tree.name(), new ListCursor()), turns);
            } catch (UnremovableException e) {
                leftAlone.add(tree.id());
                orphans.keepBusy(); // what is in there stays out of reach
            }
        }
        if (turns.isCutShort() && !isCutShort) {
            isCutShort = true;
            LOG.log(
                    Level.ERROR,
                    "an entry of the directory of removed trees is damaged, and those behind it stay until the pool is mended: stop the server, and run"
                            + " hmfs fsck");
            orphans.keepBusy();
        }
    }

    /**
     * Until the tree is gone, or its turn is over and another owner's tree waits. The way down is forgotten then, and found again: the
     * memory for one way is enough.
     */
    private void reap(Directory tree, TreeTurns turns) throws UnremovableException {
        ArrayDeque<Directory> way = new ArrayDeque<>();
        way.add(tree);
        held = 1;
        gone = 0;
        while (!way.isEmpty() && !orphans.isClosed()) {
            if (gone >= turnMax) {
                if (turns.othersWait()) {
                    return;
                }
                gone = 0;
            }
            Directory directory = way.getLast();
            Directory inner = directory.inner.poll();
            if (inner != null) {
                way.add(inner);
            } else if (readPage(directory)) {
                removeFiles(directory);
                held += directory.inner.size();
                forget(way);
            } else {
                way.removeLast();
                held--;
                removeDirectory(directory);
            }
        }
    }

    /** What is held of the directories at the top goes first: most of them are come back to last. */
    private void forget(ArrayDeque<Directory> way) {
        long deepest = way.getLast().id;
        for (Directory each : way) {
            Directory next = each.inner.peek();
            if (held > heldMax && next != null && each.id != deepest) {
                each.cursor.birth = next.birth;
                each.cursor.at = next.at;
                held -= each.inner.size();
                each.inner.clear();
            }
        }
        while (held > heldMax && way.size() > 1) {
            held -= 1 + way.removeFirst().inner.size();
        }
    }

    /** For tests: how many directories are held. */
    int held() {
        return held;
    }

    /** Goes on where it was, and at the end from the start: something may have come in. False: nothing is there any more. */
    private boolean readPage(Directory directory) throws UnremovableException {
        files.clear();
        ListCursor cursor = directory.cursor;
        for (; ; ) {
            boolean whole = cursor.birth == 0;
            Status status = namespace.list(directory.id, cursor, (name, found) -> keep(directory, name, found));
            boolean ended = status != Status.OK || cursor.atEnd();
            if (ended) {
                cursor.birth = 0;
                cursor.at = 0;
                cursor.start = 0;
            }
            boolean met = !files.isEmpty() || !directory.inner.isEmpty();
            if (!met && status == Status.DAMAGED) {
                throw unexpected(directory, "an entry", status);
            }
            if (met || (whole && ended)) {
                return met;
            }
        }
    }

    private boolean keep(Directory directory, Name name, Attributes found) {
        if (files.size() + directory.inner.size() == PAGE) {
            return false;
        }
        Name copy = new Name();
        copy.set(name.buffer(), 0, name.length());
        if (found.isDirectory()) {
            directory.inner.add(new Directory(found.id, directory.id, copy, directory.cursor));
        } else {
            files.add(copy);
        }
        return true;
    }

    private void removeDirectory(Directory directory) throws UnremovableException {
        Status status = versions.rmdir(directory.parent, directory.name, Change.NONE);
        switch (status) {
            case OK -> removed(1);
            case NOT_EMPTY, NOT_FOUND, NO_SUCH_DIRECTORY, NOT_DIRECTORY -> {} // its parent's next page tells
            default -> throw unexpected(directory, directory.name.toString(), status);
        }
    }

    private void removeFiles(Directory directory) throws UnremovableException {
        for (int from = 0; from < files.size() && !orphans.isClosed(); from += BATCH) {
            batch.clear();
            int[] stripes = new int[Math.min(BATCH, files.size() - from)];
            for (int i = 0; i < stripes.length; i++) {
                Name name = files.get(from + i);
                batch.add(directory.id, name);
                stripes[i] = KeyLocks.stripe(directory.id, name);
            }
            removeLocked(directory, stripes);
        }
    }

    private void removeLocked(Directory directory, int[] stripes) throws UnremovableException {
        Arrays.sort(stripes); // in the order in which every thread that waits for two takes them
        int held = 0;
        try {
            for (; held < stripes.length; held++) {
                locks.lock(stripes[held], true);
            }
            removeBatch(directory);
        } finally {
            while (held > 0) {
                locks.unlock(stripes[--held]);
            }
        }
    }

    private void removeBatch(Directory directory) throws UnremovableException {
        namespace.deleteAll(batch);
        int removed = 0;
        for (int i = 0; i < batch.size(); i++) {
            Status status = batch.status(i);
            switch (status) {
                case OK -> removed++;
                case NOT_FOUND, NO_SUCH_DIRECTORY, IS_DIRECTORY -> {} // another request was faster; the next page tells
                default -> throw unexpected(directory, batch.name(i).toString(), status);
            }
            Attributes file = batch.attributes(i);
            if (status == Status.OK && file.nlink == 0 && isFile(file)) {
                leases.removed(file.id);
            }
        }
        removed(removed);
    }

    private void removed(int entries) {
        gone += entries;
        orphans.removed(entries);
    }

    private static boolean isFile(Attributes object) {
        return !object.isDirectory() && !object.isSymlink();
    }

    private static UnremovableException unexpected(Directory directory, String what, Status status) {
        LOG.log(
                Level.ERROR,
                "{0} in directory {1}, which was removed, cannot be removed: {2}. The tree that was removed with it stays until the next start; stop the"
                        + " server and look at the pool with hmfs fsck",
                what,
                Long.toHexString(directory.id),
                status);
        return new UnremovableException();
    }
}
