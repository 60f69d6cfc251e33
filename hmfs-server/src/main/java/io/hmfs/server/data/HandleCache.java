package io.hmfs.server.data;

import io.hmfs.core.pmem.OwnFiles;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

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

    /** Where an object lies, and what to do once it was made. */
    interface Files {
        Path path(Key key);

        /** What is to be done with an open file. */
        CheckedObject object(Key key, FileChannel channel);

        /** Whether there is an older form of an object, so that it must not be made. */
        boolean hasOlder(Key key);

        void created(Path path) throws IOException;

        /** Before an object is made at a path. */
        void creating(Key key, Path path) throws IOException;

        /** Removes an object's file; false: there is none. */
        boolean delete(Path path) throws IOException;
    }

    // The store makes no links: one in an object's place is not followed.
    private static final Set<OpenOption> EXISTING =
            Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
    private static final Set<OpenOption> MADE = Set.of(
            StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE, LinkOption.NOFOLLOW_LINKS);

    private final Map<Key, Handle> open = new LinkedHashMap<>(64, 0.75f, true);
    private final Set<Key> removing = new HashSet<>();
    private final int handlesMax;
    private final Files files;

    HandleCache(int handlesMax, Files files) {
        this.handlesMax = handlesMax;
        this.files = files;
    }

    /** Opens an object; {@code NoSuchFileException} if it is not there and is not to be made, or is there in an older form. */
    synchronized Handle acquire(Key key, boolean create) throws IOException {
        awaitRemoval(key);
        Handle handle = open.get(key);
        if (handle == null) {
            handle = new Handle(key, files.object(key, openFile(key, create)));
            open.put(key, handle);
            handle.users++;
            evict();
        } else {
            handle.isPassing = false;
            handle.users++;
        }
        return handle;
    }

    /** Opens an object that is not soon needed again: no other one is closed for it, and it is closed by its last user. */
    synchronized Handle acquirePassing(Key key) throws IOException {
        awaitRemoval(key);
        Handle handle = open.get(key);
        if (handle == null) {
            handle = new Handle(key, files.object(key, openFile(key, false)));
            handle.isPassing = true;
            open.put(key, handle);
        }
        handle.users++;
        return handle;
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
        files.creating(key, path);
        FileChannel channel = FileChannel.open(path, MADE, OwnFiles.file());
        try {
            files.created(path);
            return channel;
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    private void evict() throws IOException {
        Iterator<Handle> eldestFirst = open.values().iterator();
        while (open.size() > handlesMax && eldestFirst.hasNext()) {
            Handle handle = eldestFirst.next();
            if (handle.users == 0) {
                eldestFirst.remove();
                retire(handle);
            }
        }
    }

    private static void retire(Handle handle) throws IOException {
        handle.retired = true;
        if (handle.users == 0) {
            handle.object.close();
        }
    }

    synchronized void release(Handle handle) throws IOException {
        handle.users--;
        if (handle.users > 0) {
            return;
        }
        if (handle.retired) {
            handle.object.close();
        } else if (handle.isPassing) {
            open.remove(handle.key);
            retire(handle);
        }
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
            endRemoval(key, isDeleted);
        }
    }

    private synchronized void beginRemoval(Key key) {
        awaitRemoval(key);
        removing.add(key);
    }

    private synchronized void endRemoval(Key key, boolean isDeleted) throws IOException {
        removing.remove(key);
        notifyAll();
        Handle handle = open.remove(key);
        if (handle != null) {
            handle.isRemoved = isDeleted;
            retire(handle);
        }
    }

    private void awaitRemoval(Key key) {
        boolean isInterrupted = false;
        while (removing.contains(key)) {
            try {
                wait();
            } catch (InterruptedException e) {
                isInterrupted = true; // reported after the wait, which is as short as an unlink
            }
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    synchronized void close() throws IOException {
        for (Handle handle : open.values()) {
            retire(handle);
        }
        open.clear();
    }

    synchronized int size() {
        return open.size();
    }
}
