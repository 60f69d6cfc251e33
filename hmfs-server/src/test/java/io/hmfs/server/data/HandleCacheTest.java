package io.hmfs.server.data;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.server.Await;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: objects that are read in passing close no other object, one that is being removed is not opened, and one that is being made or closed
 * keeps nobody from others. Method: a cache of three, and which objects it opens; threads that come while a file is deleted, made or closed.
 */
class HandleCacheTest implements HandleCache.Files {
    private static final Set<Thread.State> HELD_OR_DONE =
            Set.of(Thread.State.BLOCKED, Thread.State.WAITING, Thread.State.TERMINATED);

    @TempDir
    private Path directory;

    private final HandleCache cache = new HandleCache(3, this);
    private int opened;
    private Deed beforeDelete = () -> {};
    private Deed beforeCreate = () -> {};
    private Deed beforeClose = () -> {};
    private int closed;

    private interface Deed {
        void run() throws Exception;
    }

    @AfterEach
    void close() throws IOException {
        beforeClose = () -> {};
        cache.close();
    }

    @Override
    public Path path(HandleCache.Key key) {
        return directory.resolve(key.inode() + "-" + key.block());
    }

    @Override
    public CheckedObject object(HandleCache.Key key, FileChannel channel) {
        opened++;
        ObjectFile file = new ObjectFile.OfChannel(channel);
        ObjectFile watched = (ObjectFile) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {ObjectFile.class}, (_, method, arguments) -> {
                    if (method.getName().equals("close")) {
                        perform(beforeClose);
                    }
                    return method.invoke(file, arguments);
                });
        return new CheckedObject(watched, key.inode(), key.block(), ObjectFormat.packed(4096), false, 1);
    }

    @Override
    public boolean hasOlder(HandleCache.Key key) {
        return false;
    }

    @Override
    public FileChannel create(HandleCache.Key key, Path path) throws IOException {
        perform(beforeCreate);
        return FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW);
    }

    @Override
    public boolean delete(Path path) throws IOException {
        perform(beforeDelete);
        return Files.deleteIfExists(path);
    }

    private static void perform(Deed deed) {
        try {
            deed.run();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
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

    /** A disk may take long to make a file: who needs another object does not wait for it, and who needs this one has the same. */
    @Test
    @Timeout(60)
    void whileAnObjectIsMadeOthersAreOpened() throws Exception {
        use(2);
        Files.createFile(path(key(3)));
        AtomicReference<HandleCache.Handle> second = new AtomicReference<>();
        Thread same = Thread.ofPlatform().unstarted(() -> perform(() -> second.set(cache.acquire(key(1), true))));
        Thread others = Thread.ofPlatform()
                .unstarted(() -> perform(() -> {
                    use(2);
                    pass(3);
                }));
        beforeCreate = () -> {
            others.start();
            others.join();
            same.start();
            Await.until("the second user", () -> HELD_OR_DONE.contains(same.getState()));
        };
        HandleCache.Handle first = cache.acquire(key(1), true);
        same.join();
        assertSame(first, second.get());
        assertEquals(3, opened);
        cache.release(first);
        cache.release(first);
    }

    /** The last close of a file that was removed frees its space, which takes long for a large one. */
    @Test
    @Timeout(60)
    void whileAnObjectIsClosedOthersAreOpened() throws Exception {
        use(2);
        Files.createFile(path(key(3)));
        beforeClose = this::useAnother;
        HandleCache.Handle removed = cache.acquire(key(1), true);
        assertTrue(cache.remove(key(1)));
        assertEquals(0, closed);
        cache.release(removed);
        assertEquals(1, closed, "removed, and then released");
        use(1);
        assertTrue(cache.remove(key(1)));
        assertEquals(2, closed, "released, and then removed");
        pass(3);
        assertEquals(3, closed, "read in passing");
        for (long inode = 4; inode <= 6; inode++) {
            use(inode);
        }
        assertEquals(4, closed, "closed for another one");
    }

    private void useAnother() throws Exception {
        Deed again = beforeClose;
        beforeClose = () -> {};
        Thread other = Thread.ofPlatform().start(() -> perform(() -> use(2)));
        other.join();
        beforeClose = again;
        closed++;
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
