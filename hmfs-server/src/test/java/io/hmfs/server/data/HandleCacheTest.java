package io.hmfs.server.data;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.server.Await;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: objects that are read in passing close no other object, and one that is being removed is not opened. Method: a cache of three, and which
 * objects it opens; a thread that comes while a file is being deleted.
 */
class HandleCacheTest implements HandleCache.Files {
    private static final Set<Thread.State> HELD_OR_DONE =
            Set.of(Thread.State.BLOCKED, Thread.State.WAITING, Thread.State.TERMINATED);

    @TempDir
    private Path directory;

    private final HandleCache cache = new HandleCache(3, this);
    private int opened;
    private Deed beforeDelete = () -> {};

    private interface Deed {
        void run() throws Exception;
    }

    @AfterEach
    void close() throws IOException {
        cache.close();
    }

    @Override
    public Path path(HandleCache.Key key) {
        return directory.resolve(key.inode() + "-" + key.block());
    }

    @Override
    public CheckedObject object(HandleCache.Key key, FileChannel channel) {
        opened++;
        return new CheckedObject(
                new ObjectFile.OfChannel(channel), key.inode(), key.block(), ObjectFormat.packed(4096), false, 1);
    }

    @Override
    public boolean hasOlder(HandleCache.Key key) {
        return false;
    }

    @Override
    public void created(Path path) {
        // the disk may lose it
    }

    @Override
    public void creating(HandleCache.Key key, Path path) throws IOException {
        Files.createDirectories(directory);
    }

    @Override
    public boolean delete(Path path) throws IOException {
        try {
            beforeDelete.run();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
        return Files.deleteIfExists(path);
    }

    private static HandleCache.Key key(long inode) {
        return new HandleCache.Key(inode, 0);
    }

    private void use(long inode) throws IOException {
        cache.release(cache.acquire(key(inode), true));
    }

    private void pass(long inode) throws IOException {
        cache.release(cache.acquirePassing(key(inode)));
    }

    @Test
    void whatIsReadInPassingClosesNoOther() throws IOException {
        assertThrows(NoSuchFileException.class, () -> pass(4));
        for (long inode = 4; inode > 0; inode--) { // the first is closed for the fourth
            use(inode);
        }
        assertEquals(4, opened);
        for (int i = 0; i < 3; i++) {
            pass(4);
        }
        assertEquals(7, opened, "it was closed each time");
        for (long inode = 1; inode <= 3; inode++) {
            pass(inode);
            use(inode);
        }
        assertEquals(7, opened, "the others have stayed open");
        assertEquals(3, cache.size());
    }

    @Test
    void whatIsUsedMeanwhileStays() throws IOException {
        use(1);
        assertTrue(cache.remove(key(1)));
        assertFalse(cache.remove(key(1)));
        Files.createFile(path(key(1)));
        HandleCache.Handle passing = cache.acquirePassing(key(1));
        HandleCache.Handle used = cache.acquire(key(1), false);
        assertEquals(passing, used, "an object is open once");
        cache.release(passing);
        cache.release(used);
        assertEquals(1, cache.size());
    }

    /** It would stay open under its key without a name, and what is written to it would be lost. */
    @Test
    void whatIsBeingRemovedIsNotOpened() throws Exception {
        use(1);
        AtomicReference<Throwable> refused = new AtomicReference<>();
        Thread reader = new Thread(() -> {
            try {
                cache.release(cache.acquire(key(1), false));
            } catch (Throwable e) {
                refused.set(e);
            }
        });
        beforeDelete = () -> {
            reader.start();
            Await.until("the reader", () -> HELD_OR_DONE.contains(reader.getState()));
        };
        assertTrue(cache.remove(key(1)));
        reader.join();
        assertInstanceOf(NoSuchFileException.class, refused.get());
        use(1);
        assertTrue(Files.exists(path(key(1))), "a writer has made another one");
    }

    @Test
    void aUserIsToldThatItsObjectWasRemoved() throws IOException {
        HandleCache.Handle removed = cache.acquire(key(1), true);
        assertFalse(removed.isRemoved());
        cache.remove(key(1));
        HandleCache.Handle another = cache.acquire(key(1), true);
        assertTrue(removed.isRemoved());
        assertFalse(another.isRemoved());
        assertNotEquals(removed, another);
        cache.release(removed);
        cache.release(another);
        assertEquals(1, cache.size());
    }
}
