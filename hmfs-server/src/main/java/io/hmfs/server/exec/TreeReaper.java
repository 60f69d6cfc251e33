package io.hmfs.server.exec;

import io.hmfs.core.Namespace;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.DeleteBatch;
import io.hmfs.core.type.ListCursor;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.server.data.IntentJournal;
import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * Removes what is in {@link Limbo}, on a thread of its own: children before their directory, files in batches that share a fence and,
 * where the server keeps the data, one force of the journal. Holds a page of a directory for each level of the depth and nothing else.
 * What it does not come to stays in limbo for the next start. Requests that had found their directory before it went to limbo may still
 * make and remove things there: so each file has the lock of its key while it is removed, and a directory is looked at again until it is
 * empty.
 */
final class TreeReaper {
    private static final System.Logger LOG = System.getLogger(TreeReaper.class.getName());
    private static final int PAGE = 512;
    private static final int BATCH = 64;
    private static final int NO_SLOT = -1;
    private static final int INTENTS_LEFT = 4_096; // slots of the journal that are left to requests
    private static final long PAUSE_NANOS = 1_000_000;
    private static final long CLOSE_MILLIS = 10_000;

    /** A directory on the way down, and those on its last page that have not been looked at. */
    private record Directory(long id, long parent, Name name, ArrayDeque<Directory> inner, ListCursor cursor) {
        Directory(long id, long parent, Name name) {
            this(id, parent, name, new ArrayDeque<>(), new ListCursor());
        }
    }

    private final Service service;
    private final Namespace namespace;
    private final Limbo limbo;
    private final Thread thread =
            Thread.ofPlatform().name("hmfs-trees").daemon().unstarted(this::run);
    private final DeleteBatch batch = new DeleteBatch(BATCH);
    private final Attributes seen = new Attributes();
    private final List<Name> files = new ArrayList<>();

    TreeReaper(Service service, Limbo limbo) {
        this.service = service;
        this.namespace = service.namespace;
        this.limbo = limbo;
    }

    void start() {
        thread.start();
    }

    /** Ends after the batch that it is at. */
    void stop() {
        limbo.close();
        try {
            thread.join(CLOSE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        try {
            for (long until = limbo.await(); until >= 0; until = limbo.await()) {
                reap();
                if (!isStopped()) {
                    limbo.reaped(until);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Throwable unexpected) {
            service.fail(unexpected);
        }
    }

    private boolean isStopped() {
        return limbo.isClosed() || service.hasFailed();
    }

    /** Removes all that there is now, unless it is stopped. */
    void reap() {
        Attributes top = new Attributes();
        if (namespace.limbo(false, top) != Status.OK) {
            return;
        }
        ArrayDeque<Directory> way = new ArrayDeque<>();
        way.add(new Directory(top.id, Namespace.ROOT_ID, Name.limbo()));
        while (!isStopped()) {
            Directory directory = way.getLast();
            Directory inner = directory.inner.poll();
            if (inner != null) {
                way.add(inner);
            } else if (!readPage(directory)) {
                way.removeLast();
                if (way.isEmpty()) {
                    return;
                }
                removeDirectory(directory);
            } else {
                removeFiles(directory);
            }
        }
    }

    /** Goes on where it was, and at the end from the start: something may have come in. False: nothing is there any more. */
    private boolean readPage(Directory directory) {
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
            if (met || (whole && ended)) {
                return met;
            }
        }
    }

    private boolean keep(Directory directory, Name name, Attributes found) {
        if (directory.parent == Namespace.ROOT_ID && (Limbo.isHolder(name) || !found.isDirectory())) {
            return true; // what is held may go back, and a draft come into the tree
        }
        if (files.size() + directory.inner.size() == PAGE) {
            return false;
        }
        Name copy = new Name();
        copy.set(name.buffer(), 0, name.length());
        if (found.isDirectory()) {
            directory.inner.add(new Directory(found.id, directory.id, copy));
        } else {
            files.add(copy);
        }
        return true;
    }

    private void removeDirectory(Directory directory) {
        Status status = service.changes.rmdir(directory.parent, directory.name);
        switch (status) {
            case OK -> limbo.removed(1);
            case NOT_EMPTY, NOT_FOUND, NO_SUCH_DIRECTORY, NOT_DIRECTORY -> {} // its parent's next page tells
            default -> throw unexpected(directory, directory.name, status);
        }
    }

    private void removeFiles(Directory directory) {
        for (int from = 0; from < files.size() && !isStopped(); from += BATCH) {
            batch.clear();
            int[] stripes = new int[Math.min(BATCH, files.size() - from)];
            for (int i = 0; i < stripes.length; i++) {
                Name name = files.get(from + i);
                batch.add(directory.id, name);
                stripes[i] = KeyLocks.stripe(directory.id, name);
            }
            awaitJournal();
            removeLocked(directory, stripes);
        }
    }

    /** Not with a lock in hand: what frees the journal may be slow. */
    private void awaitJournal() {
        Service.Data data = service.data;
        while (data != null && data.journal().freeSlots() < INTENTS_LEFT && !isStopped()) {
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    private void removeLocked(Directory directory, int[] stripes) {
        Arrays.sort(stripes); // as everybody who waits for two takes them
        int held = 0;
        try {
            for (; held < stripes.length; held++) {
                service.locks.lock(stripes[held], true);
            }
            removeBatch(directory);
        } finally {
            while (held > 0) {
                service.locks.unlock(stripes[--held]);
            }
        }
    }

    private void removeBatch(Directory directory) {
        Service.Data data = service.data;
        int[] slots = new int[batch.size()];
        Arrays.fill(slots, NO_SLOT);
        if (data != null) {
            service.awaitSafe(); // as in RemoveRequests, like the rest
            for (int i = 0; i < slots.length; i++) {
                // None for one of several names, or a link.
                if (namespace.stat(directory.id, batch.name(i), seen) == Status.OK && seen.nlink == 1 && isFile(seen)) {
                    slots[i] = data.journal().prepare(seen.id, directory.id, batch.name(i), seen.size);
                }
            }
            data.journal().force();
        }
        namespace.deleteAll(batch);
        int gone = 0;
        List<Runnable> reaps = new ArrayList<>();
        for (int i = 0; i < slots.length; i++) {
            Status status = batch.status(i);
            switch (status) {
                case OK -> gone++;
                case NOT_FOUND, NO_SUCH_DIRECTORY, IS_DIRECTORY -> {} // another request was faster; the next page tells
                default -> throw unexpected(directory, batch.name(i), status);
            }
            Attributes removed = batch.attributes(i);
            boolean isGone = status == Status.OK && removed.nlink == 0 && isFile(removed);
            if (isGone) {
                service.leases.removed(removed.id);
            }
            if (data != null) {
                settle(data, directory, i, isGone, slots[i], reaps);
            }
        }
        namespace.whenDurable(namespace.logPosition(), () -> reaps.forEach(Runnable::run), service::fail);
        limbo.removed(gone);
    }

    private static boolean isFile(Attributes object) {
        return !object.isDirectory() && !object.isSymlink();
    }

    private void settle(
            Service.Data data, Directory directory, int number, boolean isGone, int slot, List<Runnable> reaps) {
        if (isGone) {
            Attributes removed = batch.attributes(number);
            long inode = removed.id;
            long size = removed.size;
            IntentJournal journal = data.journal();
            int taken = slot == NO_SLOT ? journal.begin(inode, directory.id, batch.name(number), size) : slot;
            reaps.add(() -> data.reaper().add(inode, size, taken));
        } else if (slot != NO_SLOT) {
            data.journal().cancel(slot);
        }
    }

    private static IllegalStateException unexpected(Directory directory, Name name, Status status) {
        LOG.log(
                Level.ERROR,
                "{0} in directory {1}, which was removed, cannot be removed: {2}",
                name,
                directory.id,
                status);
        return new IllegalStateException("removing " + name + " in directory " + directory.id + ": " + status);
    }
}
