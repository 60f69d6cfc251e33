package io.hmfs.server.data;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: objects that are read in passing close no other object. Method: a cache of three, and which objects it opens. */
class HandleCacheTest implements HandleCache.Files {
    @TempDir
    private Path directory;

    private final HandleCache cache = new HandleCache(3, this);
    private int opened;

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
        return new CheckedObject(new ObjectFile.OfChannel(channel), key.inode(), key.block(), 4096, false, 1);
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
    public void makeParents(Path path) throws IOException {
        Files.createDirectories(directory);
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
        cache.forget(key(1));
        HandleCache.Handle passing = cache.acquirePassing(key(1));
        HandleCache.Handle used = cache.acquire(key(1), false);
        assertEquals(passing, used, "an object is open once");
        cache.release(passing);
        cache.release(used);
        assertEquals(1, cache.size());
    }
}
