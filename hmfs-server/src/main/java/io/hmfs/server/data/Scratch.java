package io.hmfs.server.data;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** What one read or write of an object needs of memory and is used again by others: nothing is allocated for a chunk. */
final class Scratch {
    static final int CHUNK = ObjectFormat.CHUNK;
    private static final int SMALL = 16 << 10;
    private static final ByteBuffer ZEROS = ByteBuffer.allocateDirect(CHUNK).asReadOnlyBuffer();

    /** Room for the records of a header. */
    final ByteBuffer record = direct(ObjectFormat.TABLE_AT);

    /** A chunk where a write begins, and one where it ends. */
    final ByteBuffer head = direct(CHUNK);

    final ByteBuffer tail = direct(CHUNK);

    /** A part of a chunk that is read and then looked at. */
    final ByteBuffer rest = direct(CHUNK);

    /** Several chunks, for a small read. */
    final ByteBuffer small = direct(SMALL);

    private final CRC32C crc = new CRC32C();
    private final ByteBuffer zeros = ZEROS.duplicate();
    private ByteBuffer entries = direct(4 << 10);
    private ByteBuffer others = direct(4 << 10);

    private static ByteBuffer direct(int size) {
        return ByteBuffer.allocateDirect(size).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Room for so many entries of the table. */
    ByteBuffer entries(int count) {
        entries = room(entries, count);
        return entries;
    }

    /** The same, to be compared with the first. */
    ByteBuffer others(int count) {
        others = room(others, count);
        return others;
    }

    private static ByteBuffer room(ByteBuffer buffer, int count) {
        int size = count * Integer.BYTES;
        ByteBuffer large = buffer.capacity() < size ? direct(Math.max(size, 2 * buffer.capacity())) : buffer;
        return large.clear().limit(size);
    }

    /** CRC32C of bytes, as if zeros stood behind them up to a whole chunk. Leaves the buffer's position behind them. */
    int padded(ByteBuffer bytes, int from, int length) {
        crc.reset();
        bytes.limit(from + length).position(from);
        crc.update(bytes);
        pad(length);
        return (int) crc.getValue();
    }

    private void pad(int length) {
        if (length < CHUNK) {
            crc.update(zeros.limit(CHUNK - length).position(0));
        }
    }

    /** CRC32C of a whole chunk with zeros in place of the bytes between two places. */
    int without(ByteBuffer chunk, int from, int to) {
        crc.reset();
        crc.update(chunk.limit(from).position(0));
        crc.update(zeros.limit(to - from).position(0));
        crc.update(chunk.limit(CHUNK).position(to));
        return (int) crc.getValue();
    }

    /** CRC32C of just these bytes. */
    int exact(ByteBuffer bytes, int from, int length) {
        crc.reset();
        bytes.limit(from + length).position(from);
        crc.update(bytes);
        return (int) crc.getValue();
    }

    /** Puts the CRC of a record at its end, and makes the record what is to be written. */
    ByteBuffer seal(int size) {
        int crc = exact(record, 0, size - Integer.BYTES);
        return record.clear().limit(size).putInt(size - Integer.BYTES, crc);
    }

    /** Whether a record has its CRC at its end. */
    boolean isSealed(int at, int size) {
        int found = exact(record, at, size - Integer.BYTES);
        return record.clear().getInt(at + size - Integer.BYTES) == found;
    }

    /** Zeros in place of the bytes between two places. */
    void clear(ByteBuffer chunk, int from, int to) {
        chunk.clear();
        chunk.put(from, zeros.clear(), 0, to - from);
    }

    /** Scratches that no thread is using. Thread-safe. */
    static final class Pool {
        private final ArrayDeque<Scratch> free = new ArrayDeque<>();

        Scratch take() {
            Scratch found = poll();
            return found == null ? new Scratch() : found;
        }

        private synchronized @Nullable Scratch poll() {
            return free.poll();
        }

        synchronized void give(Scratch scratch) {
            free.push(scratch);
        }
    }
}
