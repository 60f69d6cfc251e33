package io.hmfs.server.data;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Open objects of the store, the least recently used ones closed first. One in use stays, so that an object is open once at a time, and
 * is closed by its last user if it is forgotten. Thread-safe.
 */
final class HandleCache {
    /** Names an object. */
    record Key(long inode, long block) {}

    /** An open object; to be given back with {@link #release}. */
    static final class Handle {
        final CheckedObject object;
        private final Key key;
        private int users;
        private boolean retired;
        private volatile boolean isRemoved;
        private boolean isPassing; // it is closed by its last user, so that it takes no other object's place

        Handle(Key key, CheckedObject object) {
            this.key = key;
            this.object = object;
        }

        /** Whether the object's file has been removed since it was opened: what is written to it is for nobody. */
        boolean isRemoved() {
            return isRemoved;
        }
    }

    /** The files of the objects. Called without the cache's lock, for one object at a time. */
    interface Files {
        Path path(Key key);

        /** What is to be done with an open file. */
        CheckedObject object(Key key, FileChannel channel);

        /** Whether there is an older form of an object, so that it must not be made. */
        boolean hasOlder(Key key);

        /** Makes an object's file, or opens it if there is one. */
        FileChannel create(Key key, Path path) throws IOException;

        /** Removes an object's file; false: there is none. */
        boolean delete(Path path) throws IOException;
    }

    // The store makes no links: one in an object's place is not followed.
    private static final Set<OpenOption> EXISTING =
            Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);

    private final Map<Key, Handle> open = new LinkedHashMap<>(64, 0.75f, true);
    private final Set<Key> busy = new HashSet<>(); // that are being opened, or removed
    private final int handlesMax;
    private final Files files;

    HandleCache(int handlesMax, Files files) {
        this.handlesMax = handlesMax;
        this.files = files;
    }

    /** Opens an object; {@code NoSuchFileException} if it is not there and is not to be made, or is there in an older form. */
    Handle acquire(Key key, boolean create) throws IOException {
        Handle handle = use(key, false);
        return handle == null ? open(key, create, false) : handle;
    }

    /** Opens an object that is not soon needed again: no other one is closed for it, and it is closed by its last user. */
    Handle acquirePassing(Key key) throws IOException {
        Handle handle = use(key, true);
        return handle == null ? open(key, false, true) : handle;
    }

    /** Null: it is not open, and this thread has to {@link #open} it. */
    private synchronized @Nullable Handle use(Key key, boolean isPassing) {
        await(key);
        Handle handle = open.get(key);
        if (handle == null) {
            busy.add(key);
            return null;
        }
        handle.isPassing &= isPassing;
        handle.users++;
        return handle;
    }

    /** The lock is not held while the disk is waited for: who needs another object does not wait. */
    private Handle open(Key key, boolean create, boolean isPassing) throws IOException {
        Handle handle = null;
        try {
            handle = new Handle(key, files.object(key, openFile(key, create)));
            handle.isPassing = isPassing;
            handle.users++;
            return handle;
        } finally {
            for (Handle evicted : opened(key, handle)) {
                evicted.object.close();
            }
        }
    }

    /** Returns those to be closed, without the lock: the last close of a file without a name frees its space, which takes as long as it is large. */
    private synchronized List<Handle> opened(Key key, @Nullable Handle handle) {
        end(key);
        if (handle == null) {
            return List.of();
        }
        open.put(key, handle);
        return handle.isPassing ? List.of() : evict();
    }

    private void end(Key key) {
        busy.remove(key);
        notifyAll();
    }

    private FileChannel openFile(Key key, boolean create) throws IOException {
        Path path = files.path(key);
        try {
            return FileChannel.open(path, EXISTING);
        } catch (NoSuchFileException e) {
            if (!create || files.hasOlder(key)) {
                throw e;
            }
        }
        return files.create(key, path);
    }

    private List<Handle> evict() {
        if (open.size() <= handlesMax) {
            return List.of();
        }
        List<Handle> evicted = new ArrayList<>();
        Iterator<Handle> eldestFirst = open.values().iterator();
        while (open.size() > handlesMax && eldestFirst.hasNext()) {
            Handle handle = eldestFirst.next();
            if (handle.users == 0) {
                eldestFirst.remove();
                evicted.add(handle);
            }
        }
        return evicted;
    }

    void release(Handle handle) throws IOException {
        if (isLeft(handle)) {
            handle.object.close();
        }
    }

    /** One of its users is through with it; true: it has to be closed. */
    private synchronized boolean isLeft(Handle handle) {
        handle.users--;
        if (handle.users > 0) {
            return false;
        }
        if (handle.isPassing && !handle.retired) {
            open.remove(handle.key);
            return true;
        }
        return handle.retired;
    }

    /**
     * Removes an object's file, and closes it when its users are through. Until it is gone nobody opens it: it would stay open without a
     * name, and be written to. The lock is not held meanwhile, for a disk may take long over a large file. False: there was none.
     */
    boolean remove(Key key) throws IOException {
        beginRemoval(key);
        boolean isDeleted = false;
        try {
            isDeleted = files.delete(files.path(key));
            return isDeleted;
        } finally {
            Handle unused = endRemoval(key, isDeleted);
            if (unused != null) {
                unused.object.close();
            }
        }
    }

    private synchronized void beginRemoval(Key key) {
        await(key);
        busy.add(key);
    }

    /** Returns its handle if that has to be closed. */
    private synchronized @Nullable Handle endRemoval(Key key, boolean isDeleted) {
        end(key);
        Handle handle = open.remove(key);
        if (handle == null) {
            return null;
        }
        handle.isRemoved = isDeleted;
        handle.retired = true;
        return handle.users == 0 ? handle : null;
    }

    private void await(Key key) {
        boolean isInterrupted = false;
        while (busy.contains(key)) {
            try {
                wait();
            } catch (InterruptedException e) {
                isInterrupted = true; // reported after the wait, which is as short as making or unlinking a file
            }
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    synchronized void close() throws IOException {
        for (Handle handle : open.values()) {
            handle.retired = true;
            if (handle.users == 0) {
                handle.object.close();
            }
        }
        open.clear();
    }

    synchronized int size() {
        return open.size();
    }
}
