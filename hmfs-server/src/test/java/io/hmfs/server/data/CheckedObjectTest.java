package io.hmfs.server.data;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: no byte is served that the disk has changed, whichever it is, and what is written reads as written at any offsets and by any threads.
 * Method: every byte, and every sector, of a small object's file is changed, and all of the object read, written on and read again.
 */
class CheckedObjectTest {
    private static final int BLOCK = 4 << 10;
    private static final ObjectFormat FORMAT = ObjectFormat.packed(BLOCK);
    private static final int LENGTH = 2_900;

    @TempDir
    private Path directory;

    private final Scratch scratch = new Scratch();
    private final byte[] data = bytes(1, LENGTH);

    private static byte[] bytes(long seed, int length) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    private static CheckedObject open(ObjectFile file, long stamp) {
        return new CheckedObject(file, 7, 0, FORMAT, true, stamp);
    }

    private SimObjectFile written() throws IOException {
        return written(true);
    }

    private SimObjectFile written(boolean durable) throws IOException {
        SimObjectFile file = new SimObjectFile(new Random(1));
        CheckedObject object = new CheckedObject(file, 7, 0, FORMAT, durable, 1);
        object.write(0, 0, ByteBuffer.wrap(data, 0, 1000), scratch);
        if (durable) {
            object.sync(scratch);
        }
        object.write(1000, 0, ByteBuffer.wrap(data, 1000, LENGTH - 1000), scratch);
        if (durable) {
            object.sync(scratch);
        }
        return file;
    }

    @Test
    void aTableThatWasNeverWrittenIsThatOfZeros() {
        CRC32C crc = new CRC32C();
        crc.update(new byte[ObjectFormat.CHUNK]);
        assertEquals((int) crc.getValue(), ObjectFormat.ZERO);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void noChangedByteIsServed(boolean durable) throws IOException {
        SimObjectFile file = written(durable);
        int noticed = 0;
        for (int at = 0; at < file.bytes().length; at++) {
            SimObjectFile damaged = file.damaged(at, new byte[] {(byte) (file.bytes()[at] ^ 0x10)});
            noticed += isNoticed("byte " + at, damaged, durable) ? 1 : 0;
        }
        assertTrue(noticed >= LENGTH, noticed + " were noticed");
    }

    @Test
    void noLostSectorIsServed() throws IOException {
        SimObjectFile file = written();
        byte[] zeros = new byte[SimObjectFile.SECTOR];
        for (int at = 0; at < file.bytes().length; at += SimObjectFile.SECTOR) {
            isNoticed("sector at " + at, file.damaged(at, zeros), true);
        }
    }

    /** Reads all by itself and by pieces, also after a writer of a later start has added something. */
    private boolean isNoticed(String what, SimObjectFile damaged, boolean durable) throws IOException {
        CheckedObject object = new CheckedObject(damaged, 7, 0, FORMAT, durable, 2);
        boolean isNoticed = !isRead(what, object, 0, LENGTH);
        for (int from = 0; from < LENGTH; from += 700) {
            isRead(what, object, from, Math.min(700, LENGTH - from));
        }
        try {
            object.write(LENGTH, 0, ByteBuffer.wrap(bytes(2, 300)), scratch);
            object.sync(scratch);
        } catch (CorruptObjectException e) {
            assertTrue(isNoticed, what);
        }
        boolean isNoticedLater = !isRead(what + ", written on", object, 0, LENGTH);
        assertEquals(isNoticed, isNoticedLater, what);
        return isNoticed;
    }

    private boolean isRead(String what, CheckedObject object, int from, int length) throws IOException {
        byte[] found = new byte[length];
        try {
            assertEquals(length, object.read(from, ByteBuffer.wrap(found), scratch), what);
        } catch (CorruptObjectException e) {
            return false;
        }
        assertArrayEquals(Arrays.copyOfRange(data, from, from + length), found, what);
        return true;
    }

    /** A large read verifies the chunks at its edges, of which it serves a part, and those between, and knows a lost end. */
    @Test
    void aLargeReadVerifiesAllOfItsChunks() throws IOException {
        int block = 64 << 10;
        int length = 40_000;
        byte[] large = bytes(3, length);
        SimObjectFile file = new SimObjectFile(new Random(1));
        new CheckedObject(file, 7, 0, ObjectFormat.packed(block), true, 1).write(0, 0, ByteBuffer.wrap(large), scratch);
        int at = (int) ObjectFormat.packed(block).dataAt;
        byte[] found = new byte[length - 200];
        CheckedObject whole = new CheckedObject(file, 7, 0, ObjectFormat.packed(block), true, 1);
        assertEquals(found.length, whole.read(100, ByteBuffer.wrap(found), scratch));
        assertArrayEquals(Arrays.copyOfRange(large, 100, length - 100), found);
        assertEquals(length - 100, whole.read(100, ByteBuffer.wrap(new byte[length]), scratch));
        for (int place : new int[] {0, 511, 512, 20_000, 39_500, 39_900}) {
            SimObjectFile damaged = file.damaged(at + place, new byte[] {(byte) (large[place] ^ 1)});
            CheckedObject object = new CheckedObject(damaged, 7, 0, ObjectFormat.packed(block), true, 1);
            CorruptObjectException refused =
                    assertThrows(CorruptObjectException.class, () -> object.read(100, ByteBuffer.wrap(found), scratch));
            assertEquals(place / 512 * 512L, refused.position());
        }
        file.truncate(at + 30_000); // by a repair of the filesystem
        assertThrows(CorruptObjectException.class, () -> whole.read(100, ByteBuffer.wrap(found), scratch));
        assertThrows(CorruptObjectException.class, () -> whole.read(31_000, ByteBuffer.wrap(new byte[50]), scratch));
    }

    @Test
    void theDamagedChunkIsNamed() throws IOException {
        SimObjectFile file = written();
        int at = (int) FORMAT.dataAt + 1_100;
        CheckedObject object = open(file.damaged(at, new byte[] {(byte) (file.bytes()[at] + 1)}), 1);
        ByteBuffer target = ByteBuffer.allocate(LENGTH);
        assertEquals(
                1_024,
                assertThrows(CorruptObjectException.class, () -> object.read(0, target, scratch))
                        .position());
        ByteBuffer one = ByteBuffer.wrap(new byte[1]); // of the same chunk, of which the rest would be kept
        assertThrows(CorruptObjectException.class, () -> object.write(1_050, 0, one, scratch));
        object.write(1_024, 0, ByteBuffer.wrap(data, 1_024, 512), scratch); // all of it
        assertEquals(LENGTH, object.read(0, target.clear(), scratch));
        assertArrayEquals(data, target.array());
    }

    /** Also where nothing was written, and behind the end. */
    @Test
    void whatIsWrittenAnywhereIsRead() throws IOException {
        Random random = new Random(5);
        for (int round = 0; round < 300; round++) {
            SimObjectFile file = new SimObjectFile(random);
            CheckedObject object = open(file, 1);
            byte[] model = new byte[BLOCK];
            int end = 0;
            for (int i = 0; i < 12; i++) {
                int from = random.nextInt(BLOCK);
                byte[] bytes = bytes(100L * round + i, random.nextInt(BLOCK - from + 1));
                if (random.nextInt(5) == 0) {
                    object.truncate(from, scratch);
                    end = Math.min(end, from);
                    Arrays.fill(model, end, BLOCK, (byte) 0);
                } else if (bytes.length > 0) {
                    object.write(from, 0, ByteBuffer.wrap(bytes), scratch);
                    System.arraycopy(bytes, 0, model, from, bytes.length);
                    end = Math.max(end, from + bytes.length);
                }
                int at = random.nextInt(BLOCK);
                int length = random.nextInt(BLOCK - at + 1);
                byte[] found = new byte[length];
                int count = object.read(at, ByteBuffer.wrap(found), scratch);
                int wanted = Math.clamp(end - at, 0, length);
                assertEquals(wanted == 0 && length > 0 ? -1 : wanted, count);
                assertArrayEquals(
                        Arrays.copyOfRange(model, at, at + wanted), Arrays.copyOf(found, wanted), "round " + round);
            }
        }
    }

    private static int crc(byte[] bytes, int from, int to) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, from, to - from);
        return (int) crc.getValue();
    }

    /** The CRCs of a part, and whether the object has all of it. */
    private boolean checksums(CheckedObject object, int from, int length, int[] into) throws IOException {
        ByteBuffer out = ByteBuffer.allocate(into.length * Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        boolean isWhole = object.readChecksums(from, length, out, scratch);
        out.clear().asIntBuffer().get(into);
        return isWhole;
    }

    private static int[] crcs(byte[] bytes, int from, int length) {
        int[] crcs = new int[(int) ObjectFormat.chunks(length)];
        for (int i = 0; i < crcs.length; i++) {
            crcs[i] = crc(bytes, from + 512 * i, from + Math.min(length, 512 * (i + 1)));
        }
        return crcs;
    }

    /** Of any part of an object with holes. */
    @Test
    void theChecksumsAreThoseOfTheBytes() throws IOException {
        Random random = new Random(6);
        for (int round = 0; round < 300; round++) {
            SimObjectFile file = new SimObjectFile(random);
            CheckedObject object = open(file, 1);
            byte[] model = new byte[BLOCK];
            int end = 0;
            for (int i = 0; i < 6; i++) {
                int from = random.nextInt(BLOCK);
                byte[] bytes = bytes(100L * round + i, random.nextInt(BLOCK - from + 1));
                if (random.nextInt(5) == 0) {
                    object.truncate(from, scratch);
                    end = Math.min(end, from);
                    Arrays.fill(model, end, BLOCK, (byte) 0);
                } else if (bytes.length > 0) {
                    object.write(from, 0, ByteBuffer.wrap(bytes), scratch);
                    System.arraycopy(bytes, 0, model, from, bytes.length);
                    end = Math.max(end, from + bytes.length);
                }
                int at = random.nextInt(BLOCK / 512) * 512;
                int length = random.nextInt(BLOCK - at + 1);
                int[] found = new int[(int) ObjectFormat.chunks(length)];
                assertEquals(at + length <= end || length == 0, checksums(object, at, length, found), "round " + round);
                assertArrayEquals(crcs(model, at, length), found, "round " + round);
            }
        }
    }

    /** A writer that goes on in a committed object and is killed, or loses power, anywhere leaves the checksums of what was committed. */
    @Test
    void aWriteThatWasCutOffLeavesTheChecksumsOfWhatWasCommitted() throws IOException {
        Random random = new Random(7);
        for (int committed : new int[] {512, 1_000, 1_024, 1_500}) {
            for (int calls = 0; calls < 12; calls++) {
                for (int loss = 0; loss < 20; loss++) {
                    SimObjectFile file = new SimObjectFile(random);
                    CheckedObject object = open(file, 1);
                    object.write(0, 0, ByteBuffer.wrap(data, 0, committed), scratch);
                    object.sync(scratch);
                    file.callsLeft = calls;
                    try {
                        object.write(committed, 0, ByteBuffer.wrap(data, committed, 700), scratch);
                        object.sync(scratch);
                    } catch (SimObjectFile.EndedException e) {
                        // that is what is tested
                    }
                    CheckedObject next = open(loss == 0 ? file.afterKill() : file.afterPowerLoss(), 2);
                    int[] found = new int[(int) ObjectFormat.chunks(committed)];
                    assertTrue(checksums(next, 0, committed, found), committed + " bytes, call " + calls);
                    assertArrayEquals(crcs(data, 0, committed), found, committed + " bytes, call " + calls);
                    assertEquals(List.of(), damaged(next, committed), "no damage: what is torn is not committed");
                }
            }
        }
    }

    /** A writer knows how many bytes are there: if the object has fewer, a write behind them would leave zeros in place of what is lost. */
    @Test
    void nothingIsWrittenBehindBytesThatTheObjectHasLost() throws IOException {
        SimObjectFile none = new SimObjectFile(new Random(1));
        CheckedObject gone = open(none, 1);
        ByteBuffer one = ByteBuffer.wrap(data, 0, 1);
        CorruptObjectException all = assertThrows(CorruptObjectException.class, () -> gone.write(900, 1, one, scratch));
        assertEquals(0, all.position());
        assertEquals(0, none.size());
        assertEquals(-1, gone.read(0, ByteBuffer.allocate(1), scratch));
        CheckedObject whole = open(written(), 2);
        CorruptObjectException end =
                assertThrows(CorruptObjectException.class, () -> whole.write(LENGTH + 5, LENGTH + 1, one, scratch));
        assertEquals(LENGTH, end.position());
        assertEquals(-1, whole.read(LENGTH, ByteBuffer.allocate(1), scratch));
        whole.write(LENGTH, LENGTH, one, scratch);
        assertEquals(1, whole.read(LENGTH, ByteBuffer.allocate(1), scratch));
    }

    /** Damage is not noticed, because nothing is read; but of a part of a chunk it is, and so is a lost end. */
    @Test
    void theChecksumsOfWholeChunksAreReadFromTheTable() throws IOException {
        SimObjectFile file = written();
        int at = (int) FORMAT.dataAt;
        SimObjectFile damaged = file.damaged(at + 600, new byte[] {(byte) (data[600] ^ 1)});
        damaged.countedFrom = at;
        CheckedObject object = open(damaged, 1);
        int[] found = new int[5];
        assertTrue(checksums(object, 0, 2_560, found));
        assertArrayEquals(crcs(data, 0, 2_560), found);
        assertEquals(0, damaged.bytesRead);
        int[] all = new int[6];
        assertTrue(checksums(object, 0, LENGTH, all));
        assertArrayEquals(crcs(data, 0, LENGTH), all);
        assertTrue(damaged.bytesRead <= 512, damaged.bytesRead + " bytes were read");
        assertEquals(
                512,
                assertThrows(CorruptObjectException.class, () -> checksums(object, 0, 1_000, new int[2]))
                        .position());
        file.truncate(at + 1_024);
        CheckedObject cut = open(file, 1);
        assertTrue(checksums(cut, 0, 1_024, new int[2]));
        assertEquals(
                1_024,
                assertThrows(CorruptObjectException.class, () -> checksums(cut, 0, 1_536, new int[3]))
                        .position());
    }

    private List<Long> damaged(CheckedObject object, int length) throws IOException {
        List<Long> found = new ArrayList<>();
        ByteBuffer room = ByteBuffer.allocate(1_536);
        for (int at = 0; at < length; at += room.capacity()) {
            object.verify(at, room.clear().limit(Math.min(room.capacity(), length - at)), scratch, found::add);
        }
        return found;
    }

    @Test
    void eachDamagedChunkIsFound() throws IOException {
        SimObjectFile file = written();
        int at = (int) FORMAT.dataAt;
        assertEquals(List.of(), damaged(open(file, 1), LENGTH));
        SimObjectFile damaged = file;
        for (int place : new int[] {5, 1_536, 2_047, LENGTH - 1}) {
            damaged = damaged.damaged(at + place, new byte[] {(byte) (data[place] ^ 1)});
        }
        assertEquals(List.of(0L, 1_536L, 2_560L), damaged(open(damaged, 1), LENGTH));
        assertEquals(List.of(0L, 1_536L), damaged(open(damaged, 1), 2_560), "what no size covers does not count");
        file.truncate(at + 1_100);
        assertEquals(List.of(1_024L, 1_536L, 2_048L, 2_560L), damaged(open(file, 1), LENGTH), "it has lost its end");
    }

    /** A retry, a stream that goes on, and a sync again cost no further force. */
    @Test
    void onlyOtherBytesBelowASyncCostAForce() throws IOException {
        SimObjectFile file = written();
        CheckedObject object = open(file, 1);
        long before = file.forces;
        object.write(700, 0, ByteBuffer.wrap(data, 700, 900), scratch);
        object.write(LENGTH, 0, ByteBuffer.wrap(data, 0, 300), scratch);
        assertEquals(before, file.forces);
        object.write(700, 0, ByteBuffer.wrap(data, 0, 900), scratch);
        assertEquals(before + 1, file.forces);
    }

    /** Neighbouring pieces of one object share a chunk, and each is written by a thread of its own while a third reads. */
    @Test
    void piecesThatShareAChunkMayBeWrittenAtOnce() throws Exception {
        int piece = 100;
        int threads = 4;
        for (int round = 0; round < 150; round++) {
            Path path = directory.resolve("o" + round);
            try (FileChannel channel = FileChannel.open(
                    path, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
                CheckedObject object = open(new ObjectFile.OfChannel(channel), 1);
                CyclicBarrier together = new CyclicBarrier(threads);
                List<CompletableFuture<Void>> all = new ArrayList<>();
                for (int t = 0; t < threads; t++) {
                    int first = t;
                    all.add(CompletableFuture.runAsync(() -> writeEach(object, together, piece, first, threads)));
                }
                for (CompletableFuture<Void> each : all) {
                    each.get();
                }
                assertTrue(isRead("round " + round, object, 0, LENGTH));
            }
        }
    }

    private void writeEach(CheckedObject object, CyclicBarrier together, int piece, int first, int step) {
        Scratch own = new Scratch();
        byte[] read = new byte[piece];
        try {
            together.await();
            for (int at = first * piece; at < LENGTH; at += step * piece) {
                object.write(at, 0, ByteBuffer.wrap(data, at, Math.min(piece, LENGTH - at)), own);
                assertEquals(piece, object.read((long) first * piece, ByteBuffer.wrap(read), own));
                assertArrayEquals(Arrays.copyOfRange(data, first * piece, first * piece + piece), read);
            }
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
