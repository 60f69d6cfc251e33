package io.hmfs.server.data;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.server.Await;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.buffer.UnpooledHeapByteBuf;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: objects hold what was written also when there are far more of them than open files, and removed ones stay away.
 * Method: a store with three handles, used by one thread and by several.
 */
class BlockStoreTest {
    private static final int HANDLES = 3;

    @TempDir
    private Path directory;

    private BlockStore store;

    @BeforeEach
    void open() throws IOException {
        store = new BlockStore(directory, 100, HANDLES, true);
    }

    @AfterEach
    void close() throws IOException {
        store.close();
    }

    private boolean write(long inode, long block, int value) throws IOException {
        return store.write(inode, block, 0, 0, Unpooled.buffer().writeInt(value), 0, 4);
    }

    private int read(long inode, long block) throws IOException {
        ByteBuf target = Unpooled.buffer(10);
        return store.read(inode, block, 0, target, 3, 4) == 4 ? target.getInt(3) : -1;
    }

    /** A forged number neither counts as damage nor keeps the log from telling of some. */
    @Test
    void whatAWriterSaysWasLostIsRefusedAndNoDamageThatWasFound() throws IOException {
        assertTrue(write(9, 1, 5));
        CorruptObjectException refused = assertThrows(
                CorruptObjectException.class,
                () -> store.write(9, 1, 4, 5, Unpooled.buffer().writeInt(7), 0, 4));
        assertEquals(104, refused.position());
        assertEquals(0, store.corrupt());
    }

    @Test
    void manyObjectsShareFewHandles() throws IOException {
        for (int i = 1; i <= 50; i++) {
            assertTrue(write(i, i % 3, i));
        }
        for (int i = 1; i <= 50; i++) {
            assertEquals(i, read(i, i % 3));
            store.sync(i, i % 3);
        }
    }

    @Test
    void objectsAreClosedToOtherUsers() throws IOException {
        Path at = Files.createDirectory(directory.resolve("data"));
        Files.setPosixFilePermissions(at, PosixFilePermissions.fromString("rwxr-xr-x"));
        Path object;
        try (BlockStore opened = new BlockStore(at, 100, HANDLES, true)) {
            assertTrue(opened.write(7, 1, 0, 0, Unpooled.buffer().writeInt(7), 0, 4));
            object = opened.path(7, 1);
        }
        List<String> seen = new ArrayList<>(List.of(permissions(at)));
        for (Path part : at.relativize(object)) {
            at = at.resolve(part);
            seen.add(permissions(at));
        }
        assertEquals(List.of("rwx------", "rwx------", "rwx------", "rw-------"), seen);
    }

    /** What an HMFS without checksums has written. */
    private Path plant(long inode, long block, byte[] bytes) throws IOException {
        Path older = store.olderPath(inode, block);
        Files.createDirectories(older.getParent());
        return Files.write(older, bytes);
    }

    @Test
    void anObjectWithoutChecksumsGetsThem() throws IOException {
        byte[] bytes = "sixteen bytes it has".getBytes(java.nio.charset.StandardCharsets.US_ASCII);
        Path older = plant(7, 1, bytes);
        Files.write(store.path(7, 1).resolveSibling("7-1.v1.new"), new byte[9]); // of a start that was cut off
        ByteBuf target = Unpooled.buffer(100);
        assertEquals(bytes.length - 3, store.read(7, 1, 3, target, 0, 50));
        assertArrayEquals(Arrays.copyOfRange(bytes, 3, bytes.length), Arrays.copyOf(target.array(), bytes.length - 3));
        assertTrue(Files.notExists(older));
        assertEquals(bytes.length, store.bytes(Files.size(store.path(7, 1))));
        plant(8, 0, bytes);
        assertTrue(store.write(8, 0, 4, 0, Unpooled.buffer().writeInt(7), 0, 4));
        assertEquals(bytes.length, store.read(8, 0, 0, target, 0, 50));
        assertEquals(7, target.getInt(4));
        assertEquals(bytes[8], target.getByte(8));
        plant(9, 0, bytes);
        store.truncate(9, 5, 20);
        assertEquals(5, store.read(9, 0, 0, target, 0, 50));
    }

    /** An object's data begins elsewhere in directories of before; one that was put into another directory is not read there. */
    @Test
    void aDirectoryKeepsTheFormThatItsObjectsHave() throws IOException {
        UUID cluster = new UUID(1, 2);
        Path packed = Files.createDirectory(directory.resolve("packed"));
        Files.writeString(packed.resolve(DirectoryMark.NAME), "HMFS data directory 2\ncluster " + cluster + "\n");
        Path fresh = directory.resolve("fresh");
        long[] sizes = new long[2];
        for (int start = 0; start < 2; start++) {
            try (BlockStore older = new BlockStore(packed, 100, HANDLES, true);
                    BlockStore newer = new BlockStore(fresh, 100, HANDLES, true)) {
                int i = 0;
                for (BlockStore each : List.of(older, newer)) {
                    each.claim(cluster, false);
                    ByteBuf target = Unpooled.buffer(10);
                    assertEquals(start == 0 ? -1 : 4, each.read(7, 1, 0, target, 0, 4));
                    assertEquals(start * 41, target.getInt(0));
                    assertTrue(each.write(7, 1, 0, 0, Unpooled.buffer().writeInt(41), 0, 4));
                    sizes[i] = Files.size(each.path(7, 1));
                    assertEquals(4, each.bytes(sizes[i++]));
                }
                if (start == 1) {
                    Files.createDirectories(newer.path(8, 0).getParent());
                    Files.createDirectories(older.path(8, 0).getParent());
                    assertTrue(older.write(8, 0, 0, 0, Unpooled.buffer().writeInt(41), 0, 4));
                    Files.move(older.path(8, 0), newer.path(8, 0));
                    CorruptObjectException refused = assertThrows(
                            CorruptObjectException.class, () -> newer.read(8, 0, 0, Unpooled.buffer(4), 0, 4));
                    assertTrue(String.valueOf(refused.getMessage()).contains("of another version"), refused::toString);
                }
            }
        }
        assertEquals(4096 + 4, sizes[0]);
        assertEquals((1 << 20) + 4, sizes[1]);
    }

    /** Of an object of a HMFS without checksums, and of one that is not there. */
    @Test
    void anObjectWithoutChecksumsGetsThemWhenTheyAreAskedFor() throws IOException {
        byte[] bytes = new byte[50];
        Arrays.fill(bytes, (byte) 9);
        plant(7, 1, bytes);
        ByteBuf target = Unpooled.buffer(100);
        assertTrue(store.readChecksums(7, 1, 0, 40, target, 8));
        assertEquals(crc(Arrays.copyOf(bytes, 40)), target.getIntLE(8));
        assertFalse(store.readChecksums(7, 1, 0, 60, target, 8));
        assertEquals(crc(Arrays.copyOf(bytes, 60)), target.getIntLE(8));
        try (BlockStore large = new BlockStore(directory.resolve("large"), 4096, HANDLES, true)) {
            assertFalse(large.readChecksums(7, 0, 512, 1_000, target, 4));
            assertEquals(crc(new byte[512]), target.getIntLE(4));
            assertEquals(crc(new byte[488]), target.getIntLE(8));
            assertTrue(large.readChecksums(7, 0, 512, 0, target, 4));
        }
    }

    private static int crc(byte[] bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes);
        return (int) crc.getValue();
    }

    @Test
    void anObjectOfBothFormsIsTheNewerAndGoesAsOne() throws IOException {
        write(7, 0, 1);
        plant(7, 0, new byte[4]);
        assertEquals(1, read(7, 0));
        ObjectList list = new ObjectList(store);
        list.read(0, 0, 0, 10);
        while (list.directory() < ObjectList.DIRECTORIES && list.objects().length == 0) {
            list.read(list.directory(), list.afterInode(), list.afterBlock(), 10);
        }
        assertEquals(32, list.objects().length, "one object");
        assertEquals(0, list.unknown().length);
        store.remove(7, 4);
        assertEquals(-1, read(7, 0));
        plant(8, 3, new byte[4]);
        store.remove(8, 350);
        assertTrue(Files.notExists(store.olderPath(8, 3)));
    }

    @Test
    void damageIsNamedByItsPlaceInTheFileAndCounted() throws IOException {
        write(7, 2, 1);
        store.sync(7, 2);
        Path path = store.path(7, 2);
        byte[] bytes = Files.readAllBytes(path);
        bytes[bytes.length - 1] ^= 1;
        Files.write(path, bytes);
        for (int i = 1; i <= 2; i++) {
            assertEquals(
                    200,
                    assertThrows(CorruptObjectException.class, () -> read(7, 2)).position());
            assertEquals(i, store.corrupt());
        }
    }

    private static String permissions(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    @Test
    void aLinkIsNoObject() throws IOException {
        Path elsewhere = Files.write(directory.resolve("elsewhere"), new byte[100]);
        Path object = store.path(7, 1);
        Files.createDirectories(object.getParent());
        Files.createSymbolicLink(object, elsewhere);
        assertThrows(IOException.class, () -> read(7, 1));
        assertThrows(IOException.class, () -> write(7, 1, 7));
        assertArrayEquals(new byte[100], Files.readAllBytes(elsewhere));
    }

    @Test
    void threadsThatFightForHandlesSeeTheirOwnObjects() {
        List<CompletableFuture<Void>> threads = new ArrayList<>();
        for (int t = 0; t < 4; t++) {
            int thread = t;
            threads.add(CompletableFuture.runAsync(() -> work(thread)));
        }
        threads.forEach(CompletableFuture::join);
    }

    private void work(int thread) {
        Random random = new Random(thread);
        try {
            for (int i = 0; i < 500; i++) {
                int inode = 1 + thread * 100 + random.nextInt(10);
                assertTrue(write(inode, 0, i));
                assertEquals(i, read(inode, 0));
            }
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Test
    void removalTakesEveryObjectAlsoUncommittedOnes() throws IOException {
        write(1, 0, 1);
        write(1, 2, 1); // a hole at 1, below the committed size
        write(1, 3, 1);
        write(1, 4, 1); // behind it
        write(2, 0, 2);
        store.remove(1, 350);
        for (int block = 0; block < 6; block++) {
            assertTrue(Files.notExists(store.path(1, block)), "block " + block);
        }
        assertEquals(2, read(2, 0));
        assertFalse(write(1, 9, 1));
        assertTrue(Files.notExists(store.path(1, 9)));
        store.remove(1, 350); // again, as after a crash
    }

    /** No size tells of what a writer leaves far behind, and a start knows nothing of it. */
    @Test
    void removalTakesObjectsFarBehindTheSize() throws IOException {
        write(1, 1L << 40, 1);
        write(2, 0, 1);
        write(2, 1, 1);
        write(2, 7, 1);
        write(2, 8, 1);
        write(0x11, 3, 1);
        assertEquals(PosixFilePermissions.fromString("rw-------"), Files.getPosixFilePermissions(store.sparseMark(1)));
        ObjectList all = new ObjectList(store);
        for (int at = 0; at < ObjectList.DIRECTORIES; at = all.directory()) {
            all.read(at, 0, 0, 100);
        }
        assertEquals(0, all.unknown().length, "a mark is no stranger's file");
        close();
        open();
        store.truncate(2, 150, 200);
        assertEquals(-1, read(2, 7));
        assertEquals(1, read(2, 0));
        write(2, 7, 1);
        store.remove(1, 0);
        store.remove(2, 150);
        for (long inode = 1; inode <= 2; inode++) {
            for (long block : new long[] {0, 1, 7, 8, 1L << 40}) {
                assertTrue(Files.notExists(store.path(inode, block)), inode + "-" + block);
            }
            assertTrue(Files.notExists(store.sparseMark(inode)));
        }
        assertEquals(1, read(0x11, 3));
        assertTrue(store.removeObject(0x11, 3)); // as one that no file has
        assertTrue(Files.notExists(store.sparseMark(0x11)));
    }

    @Test
    void whatIsWrittenOneBehindTheOtherHasNoMark() throws IOException {
        for (int block = 0; block < 5; block++) {
            write(1, block, 1);
            write(2, block, 1);
        }
        assertTrue(Files.notExists(store.sparseMark(1)));
        store.truncate(1, 0, 500);
        for (int block = 0; block < 5; block++) {
            assertEquals(-1, read(1, block));
            write(1, block, 1);
        }
        assertTrue(Files.notExists(store.sparseMark(1)));
    }

    /** What a crash leaves of a removal is found by the next one: the first objects go last. */
    @Test
    void aRemovalThatIsCutOffLeavesWhatTheNextOneFinds() throws IOException {
        for (int block = 0; block < 5; block++) {
            write(1, block, 1);
        }
        Path stuck = store.path(1, 2);
        Files.delete(stuck);
        Files.createDirectories(stuck.resolve("not empty")); // it cannot be deleted
        assertThrows(IOException.class, () -> store.remove(1, 0));
        assertTrue(Files.exists(store.path(1, 1)));
        assertTrue(Files.notExists(store.path(1, 3)));
        Files.delete(stuck.resolve("not empty"));
        store.remove(1, 0);
        for (int block = 0; block < 5; block++) {
            assertTrue(Files.notExists(store.path(1, block)), "block " + block);
        }
    }

    /** What was written to a file that has no name any more is for nobody. */
    @Test
    void aWriteIntoAnObjectThatIsRemovedMeanwhileIsNotAcknowledged() throws IOException {
        write(1, 0, 1);
        ByteBuf source = new UnpooledHeapByteBuf(UnpooledByteBufAllocator.DEFAULT, 4, 4) {
            @Override
            public ByteBuffer nioBuffer(int index, int length) { // asked for when the object is open
                try {
                    assertTrue(store.removeObject(1, 0));
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
                return super.nioBuffer(index, length);
            }
        };
        assertFalse(store.write(1, 0, 0, 0, source.writeInt(2), 0, 4));
        assertEquals(-1, read(1, 0));
        assertTrue(write(1, 0, 3));
        assertEquals(3, read(1, 0));
    }

    @Test
    void truncationCutsInsideABlockAndBehindIt() throws IOException {
        write(1, 0, 1);
        write(1, 1, 1);
        store.truncate(1, 102, 200);
        assertEquals(2, store.bytes(Files.size(store.path(1, 1))));
        store.truncate(1, 100, 102);
        assertThrows(NoSuchFileException.class, () -> Files.size(store.path(1, 1)));
        assertEquals(4, store.bytes(Files.size(store.path(1, 0))));
    }

    @Test
    void truncationLeavesNothingBehindAHole() throws IOException {
        write(1, 0, 1);
        write(1, 5, 1);
        store.truncate(1, 100, 600);
        assertEquals(-1, read(1, 5));
        assertEquals(1, read(1, 0));
    }

    /** Any user may say that their file is as long as a number can be; no user may wait for as many blocks. */
    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void aSizeWithLittleDataCostsLittle() throws IOException {
        long far = Long.MAX_VALUE / 100;
        write(1, 0, 1);
        write(1, 1L << 40, 1);
        write(1, far, 1);
        write(0x11, 0, 2); // a name with a like beginning
        Path odd = store.path(1, 0).resolveSibling("1-odd");
        Files.createFile(odd);
        store.syncRange(1, 0, Long.MAX_VALUE);
        store.syncRange(3, 0, Long.MAX_VALUE); // nothing was written
        store.truncate(1, 1L << 40, Long.MAX_VALUE);
        assertEquals(1, read(1, 0));
        assertEquals(-1, read(1, 1L << 40));
        assertEquals(-1, read(1, far));
        write(1, far, 1);
        store.remove(1, Long.MAX_VALUE);
        assertEquals(-1, read(1, 0));
        assertEquals(-1, read(1, far));
        store.remove(3, Long.MAX_VALUE);
        assertEquals(2, read(0x11, 0));
        assertTrue(Files.exists(odd));
    }

    /** An object as an HMFS without checksums has left it. */
    private Path older(long inode) throws IOException {
        Path path = store.olderPath(inode, 0);
        Files.createDirectories(path.getParent());
        return Files.write(path, new byte[100]);
    }

    /** The object is so long that the cut begins and, if it did not wait, would end while the conversion is under way. */
    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void anObjectThatIsCutWhileItGetsItsChecksumsStaysAway() throws Exception {
        int bytes = 64 << 20;
        try (BlockStore large = new BlockStore(directory.resolve("large"), bytes, HANDLES, true)) {
            Path older = large.olderPath(7, 0);
            Files.createDirectories(older.getParent());
            try (RandomAccessFile file = new RandomAccessFile(older.toFile(), "rw")) {
                file.setLength(bytes);
            }
            Path made = older.resolveSibling(older.getFileName() + ".v1.new");
            CompletableFuture<Void> reader = CompletableFuture.runAsync(() -> {
                try {
                    large.read(7, 0, 0, Unpooled.buffer(4), 0, 4);
                } catch (NoSuchFileException e) {
                    // cut before it could be read
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            while (!Files.exists(made)) {
                assertFalse(reader.isDone());
                Thread.onSpinWait();
            }
            large.truncate(7, 0, bytes);
            assertFalse(Files.exists(older));
            assertFalse(Files.exists(large.path(7, 0)));
            reader.join();
            assertFalse(Files.exists(older));
            assertFalse(Files.exists(large.path(7, 0)));
        }
    }

    /** It would put the object back, which no file has any more: one that has read the older form has yet to give the newer one its name. */
    @Test
    void aRemovalWaitsForAConversion() throws Exception {
        Path older = older(7);
        Thread remover = Thread.ofPlatform().unstarted(() -> {
            try {
                store.removeObject(7, 0);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        synchronized (store.converting) {
            remover.start();
            Await.until(
                    "the remover",
                    () -> remover.getState() == Thread.State.BLOCKED || remover.getState() == Thread.State.TERMINATED);
            assertFalse(Files.exists(older));
            Files.write(store.path(7, 0), new byte[10]);
        }
        remover.join();
        assertFalse(Files.exists(store.path(7, 0)));
    }

    @Test
    void whatACrashHasLeftOfAConversionGoesWithTheObject() throws IOException {
        Path older = older(7);
        Path made = Files.write(older.resolveSibling(older.getFileName() + ".v1.new"), new byte[10]);
        store.remove(7, 100);
        assertFalse(Files.exists(older));
        assertFalse(Files.exists(made));
    }
}
