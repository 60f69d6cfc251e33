package io.hmfs.server.data;

import static io.hmfs.server.data.ObjectFormat.CHUNK;
import static io.hmfs.server.data.ObjectFormat.ZERO;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.function.LongConsumer;

/**
 * An open object: its bytes, and the CRC of each chunk of 512 in a table before them ({@link ObjectFormat}). What is read was verified in
 * this read. Thread-safe; a file has one of these at a time. Reads take no lock unless a chunk does not verify, as while it is being written.
 *
 * <p>Data and table cannot change in one step, so that a crash may leave a chunk that does not verify, and two kinds of records say what
 * of it is good all the same (ADR 0211):
 *
 * <ol>
 *   <li>An <i>intent</i>, written before the bytes of a write, until its table is written: where it begins and ends, and the CRCs of the
 *       chunks there without its bytes. For a process that dies: what the system has of the file is whole.
 *   <li>A <i>mark</i>, written before the file is forced to the disk: the object's length, and the CRC of its last chunk up to there. For
 *       a machine that loses power, where of each sector that was written since then the old or the new version is there. No byte below
 *       the newest mark is changed before a lower mark is durable, so that all versions of a chunk have the same bytes below the mark.
 * </ol>
 */
final class CheckedObject {
    private static final int BAD = -2;
    private static final int NONE = -1;

    /** A length of the object that was about to be made durable. */
    private static final class Mark {
        boolean isValid;
        long sequence;
        long length;
        long stamp;
        int edge; // CRC of the last chunk up to the length
    }

    private final ObjectFile file;
    private final long inode;
    private final long block;
    private final ObjectFormat format;
    private final boolean durable;
    private final long stamp;

    /** Had before the monitor; by one sync at a time, else two marks that are not durable would take the place of one that is. */
    private final Object syncing = new Object();

    private volatile boolean isOpen; // the header was looked at

    // Guarded by the monitor:
    private final Mark[] marks = {new Mark(), new Mark()};
    private volatile boolean isNew;
    private volatile boolean isBlank; // a header of zeros: of an object that was never durable, or damaged
    private int newest = NONE; // of the marks
    private long extent;
    private long intentStamp;
    private long intentFrom;
    private long intentTo;
    private int intentHead;
    private int intentTail;
    private boolean isIntended;
    private volatile boolean
            isSyncFailed; // the system may show what the disk does not have, and no sync writes it again

    // What a chunk that does not verify has all the same: bytes before one place, and from another one on.
    private int goodTo;
    private int goodFrom;

    /** {@code stamp}: of all writers since the server's start, and of no others. */
    CheckedObject(ObjectFile file, long inode, long block, ObjectFormat format, boolean durable, long stamp) {
        this.file = file;
        this.inode = inode;
        this.block = block;
        this.format = format;
        this.durable = durable;
        this.stamp = stamp;
    }

    void close() throws IOException {
        file.close();
    }

    private void open(Scratch scratch) throws IOException {
        if (!isOpen) {
            synchronized (this) {
                if (!isOpen) {
                    load(scratch);
                    isOpen = true;
                }
            }
        }
    }

    private void load(Scratch scratch) throws IOException {
        long size = file.size();
        extent = Math.max(0, size - format.dataAt);
        isNew = size == 0;
        if (isNew) {
            return;
        }
        ByteBuffer in = scratch.record.clear();
        for (int count = file.read(in, 0); count < in.capacity(); count++) {
            in.put(count, (byte) 0);
        }
        boolean isHeader = scratch.isSealed(0, ObjectFormat.HEADER_SIZE);
        if (isHeader && !format.isHeader(in, inode, block)) {
            throw new CorruptObjectException(0, "its header is that of another object, or of another version");
        }
        for (int i = 0; i < marks.length; i++) {
            loadMark(scratch, i);
        }
        boolean isIntent = loadIntent(scratch);
        if (!isHeader && !isIntent && newest == NONE) {
            isBlank = isZero(in);
            if (!isBlank) {
                throw new CorruptObjectException(0, "its header is damaged");
            }
        }
    }

    private void loadMark(Scratch scratch, int which) {
        int at = ObjectFormat.MARK_AT + which * ObjectFormat.MARK_STEP;
        ByteBuffer in = scratch.record;
        Mark mark = marks[which];
        mark.isValid = scratch.isSealed(at, ObjectFormat.MARK_SIZE) && isOwn(in, at);
        mark.sequence = in.getLong(at);
        mark.length = in.getLong(at + 8);
        mark.stamp = in.getLong(at + 16);
        mark.edge = in.getInt(at + 40);
        if (mark.isValid && (newest == NONE || mark.sequence > marks[newest].sequence)) {
            newest = which;
        }
    }

    private boolean isOwn(ByteBuffer in, int at) {
        return in.getLong(at + 24) == inode && in.getLong(at + 32) == block;
    }

    private boolean loadIntent(Scratch scratch) {
        int at = ObjectFormat.INTENT_AT;
        ByteBuffer in = scratch.record;
        if (!scratch.isSealed(at, ObjectFormat.INTENT_SIZE) || !isOwn(in, at)) {
            return false;
        }
        intentStamp = in.getLong(at);
        intentFrom = in.getLong(at + 8);
        intentTo = in.getLong(at + 16);
        intentHead = in.getInt(at + 40);
        intentTail = in.getInt(at + 44);
        isIntended = in.getInt(at + 48) != 0;
        return true;
    }

    private static boolean isZero(ByteBuffer bytes) {
        for (int i = 0; i < bytes.capacity(); i++) {
            if (bytes.get(i) != 0) {
                return false;
            }
        }
        return true;
    }

    // --- Reading ---------------------------------------------------------------------------------

    /** Fills a buffer with bytes that were verified. Returns how many, fewer at the object's end; -1: it has none there. */
    int read(long position, ByteBuffer target, Scratch scratch) throws IOException {
        open(scratch);
        if (!target.hasRemaining()) {
            return 0;
        }
        int start = target.position();
        int length = target.remaining();
        int count = readOnce(position, target, start, length, scratch);
        if (count == BAD) {
            synchronized (this) { // now no other thread writes
                count = readOnce(position, target, start, length, scratch);
                if (count == BAD) {
                    count = readWhatIsGood(position, target, start, length, scratch);
                }
            }
        }
        return count == 0 ? -1 : count;
    }

    /** BAD: a chunk does not verify. */
    private int readOnce(long position, ByteBuffer target, int start, int length, Scratch scratch) throws IOException {
        if (isNew) {
            return 0;
        }
        if (isBlank) {
            return BAD;
        }
        long first = position / CHUNK;
        int count = (int) (ObjectFormat.chunks(position + length) - first);
        ByteBuffer entries = loadEntries(first, scratch.entries(count));
        int skip = (int) (position % CHUNK);
        if (isSmall(skip, length, count, scratch)) {
            int found = loadChunks(first, scratch.small.clear().limit(count * CHUNK));
            if (firstBad(scratch.small, 0, found, entries, 0, count, scratch) != NONE) {
                return BAD;
            }
            int copied = Math.clamp(found - skip, 0, length);
            target.clear().put(start, scratch.small.clear(), skip, copied);
            return copied;
        }
        int done = 0;
        int chunk = 0;
        while (done < length) {
            int whole = (length - done) / CHUNK;
            int from = done == 0 ? skip : 0;
            if (from > 0 || whole == 0) { // an edge: a part of the chunk is asked for, and all of it is verified
                int found = loadChunks(first + chunk, scratch.small.clear().limit(CHUNK));
                if (firstBad(scratch.small, 0, found, entries, chunk, 1, scratch) != NONE) {
                    return BAD;
                }
                int copied = Math.clamp(found - from, 0, Math.min(CHUNK - from, length - done));
                target.clear().put(start + done, scratch.small.clear(), from, copied);
                done += copied;
                chunk++;
                if (found < CHUNK) {
                    break;
                }
            } else {
                ByteBuffer place =
                        target.clear().limit(start + done + whole * CHUNK).position(start + done);
                int found = file.read(place, format.dataAt + (first + chunk) * CHUNK);
                if (firstBad(target.clear(), start + done, found, entries, chunk, whole, scratch) != NONE) {
                    return BAD;
                }
                done += found;
                chunk += whole;
                if (found < whole * CHUNK) {
                    break;
                }
            }
        }
        // behind the object's end, where nothing was ever written
        return firstBad(scratch.small, 0, 0, entries, chunk, count - chunk, scratch) == NONE ? done : BAD;
    }

    private static boolean isSmall(int skip, int length, int count, Scratch scratch) {
        return (skip != 0 || length % CHUNK != 0) && count * CHUNK <= scratch.small.capacity();
    }

    /** Returns the bytes that there are. */
    private int loadChunks(long chunk, ByteBuffer target) throws IOException {
        return file.read(target, format.dataAt + chunk * CHUNK);
    }

    /** What the file does not have is 0. */
    private ByteBuffer loadEntries(long chunk, ByteBuffer target) throws IOException {
        fillZeros(target, file.read(target, ObjectFormat.entryAt(chunk)));
        return target.position(0);
    }

    /** The first of some chunks that does not verify, or NONE. {@code length}: bytes that there are, at {@code from} of the buffer. */
    private static int firstBad(
            ByteBuffer bytes, int from, int length, ByteBuffer entries, int entry, int count, Scratch scratch) {
        for (int i = 0; i < count; i++) {
            int at = i * CHUNK;
            int crc = at < length ? scratch.padded(bytes, from + at, Math.min(CHUNK, length - at)) : ZERO;
            if ((crc ^ ZERO) != entries.getInt((entry + i) * Integer.BYTES)) {
                return i;
            }
        }
        return NONE;
    }

    /** Chunk by chunk: of one that does not verify, what a mark or an intent knows. The caller has the monitor. */
    private int readWhatIsGood(long position, ByteBuffer target, int start, int length, Scratch scratch)
            throws IOException {
        if (isBlank) {
            throw damaged(0);
        }
        int done = 0;
        while (done < length) {
            long at = position + done;
            long chunk = at / CHUNK;
            int from = (int) (at % CHUNK);
            int to = Math.min(CHUNK, from + length - done);
            int found = loadChunks(chunk, scratch.head.clear());
            scratch.clear(scratch.head, found, CHUNK);
            if (!isGood(chunk, scratch.head, scratch) && !has(chunk, scratch.head, from, to, scratch)) {
                throw damaged(chunk);
            }
            int copied = Math.clamp(found - from, 0, to - from);
            target.clear().put(start + done, scratch.head.clear(), from, copied);
            done += copied;
            if (copied < to - from) {
                break;
            }
        }
        return done;
    }

    private static CorruptObjectException damaged(long chunk) {
        return new CorruptObjectException(
                chunk * CHUNK, "the bytes from " + chunk * CHUNK + " on are not those that were written");
    }

    /** Whether a chunk, with zeros behind the object's end, is as the table says. */
    private boolean isGood(long chunk, ByteBuffer bytes, Scratch scratch) throws IOException {
        int entry = loadEntries(chunk, scratch.others(1)).getInt(0);
        return (scratch.padded(bytes, 0, CHUNK) ^ ZERO) == entry;
    }

    // --- Checksums -----------------------------------------------------------------------------------

    /**
     * Puts the CRC of each chunk from {@code position} on into a buffer, by the table; the data of whole chunks is not read. Of a part of
     * a chunk, at the end, the CRC is that of the part, which is read and verified. Bytes that the object does not have count as zeros.
     *
     * @return whether the object has all of these bytes
     */
    boolean readChecksums(long position, long length, ByteBuffer target, Scratch scratch) throws IOException {
        open(scratch);
        long first = position / CHUNK;
        int count = (int) (length / CHUNK);
        int missing = loadChecksums(first, count, target);
        if (missing == BAD) {
            synchronized (this) { // now no other thread cuts
                missing = loadChecksums(first, count, target);
                if (missing == BAD) {
                    throw damaged(isBlank ? 0 : ObjectFormat.chunks(Math.max(0, file.size() - format.dataAt)));
                }
            }
        }
        boolean isWhole = missing == 0;
        int rest = (int) (length % CHUNK);
        if (rest > 0) {
            ByteBuffer bytes = scratch.rest.clear().limit(rest);
            int found = Math.max(0, read(position + length - rest, bytes, scratch));
            scratch.clear(scratch.rest, found, rest);
            isWhole &= found == rest;
            target.putInt(count * Integer.BYTES, scratch.exact(scratch.rest, 0, rest));
        }
        return isWhole;
    }

    /** Returns how many of these chunks the object does not have wholly; BAD: it has lost its end, and the table has not. */
    private int loadChecksums(long first, int count, ByteBuffer target) throws IOException {
        if (isBlank) {
            return BAD;
        }
        ByteBuffer entries = target.clear().limit(count * Integer.BYTES);
        if (isNew) {
            fillZeros(entries, 0);
        } else {
            fillZeros(entries, file.read(entries, ObjectFormat.entryAt(first)));
        }
        long extentNow =
                Math.max(0, file.size() - format.dataAt); // after the table: a write stores its bytes before it
        for (int i = 0; i < count; i++) {
            int entry = entries.getInt(i * Integer.BYTES);
            if (entry != 0 && (first + i) * CHUNK >= extentNow) {
                return BAD;
            }
            entries.putInt(i * Integer.BYTES, entry ^ ZERO);
        }
        target.clear();
        return count - Math.clamp(extentNow / CHUNK - first, 0, count);
    }

    /** The CRCs of bytes of which there is no object. */
    static void putChecksumsOfNothing(long length, ByteBuffer target, Scratch scratch) {
        int count = (int) (length / CHUNK);
        for (int i = 0; i < count; i++) {
            target.putInt(i * Integer.BYTES, ZERO);
        }
        int rest = (int) (length % CHUNK);
        if (rest > 0) {
            scratch.clear(scratch.rest, 0, rest);
            target.putInt(count * Integer.BYTES, scratch.exact(scratch.rest, 0, rest));
        }
    }

    private static void fillZeros(ByteBuffer entries, int from) {
        for (int i = from; i < entries.limit(); i++) {
            entries.put(i, (byte) 0);
        }
    }

    // --- Scrub ---------------------------------------------------------------------------------------

    /**
     * Verifies the bytes from {@code position}, at the start of a chunk, to the limit of a buffer behind that, which the buffer has room
     * for; {@code damaged} is told the places of chunks of which a reader of these bytes would be refused some. Returns the bytes that
     * there are.
     *
     * @throws CorruptObjectException if nothing of the object can be read
     */
    int verify(long position, ByteBuffer room, Scratch scratch, LongConsumer damaged) throws IOException {
        open(scratch);
        int length = room.limit();
        int count = readOnce(position, room, 0, length, scratch);
        if (count != BAD) {
            return count;
        }
        synchronized (this) { // now no other thread writes
            count = readOnce(position, room, 0, length, scratch);
            return count == BAD ? verifyEach(position, length, scratch, damaged) : count;
        }
    }

    private int verifyEach(long position, int length, Scratch scratch, LongConsumer damaged) throws IOException {
        if (isBlank) {
            throw damaged(0);
        }
        int count = 0;
        for (int at = 0; at < length; at += CHUNK) {
            long chunk = (position + at) / CHUNK;
            int to = Math.min(CHUNK, length - at);
            int found = loadChunks(chunk, scratch.head.clear());
            scratch.clear(scratch.head, found, CHUNK);
            if (!isGood(chunk, scratch.head, scratch) && !has(chunk, scratch.head, 0, to, scratch)) {
                damaged.accept(chunk * CHUNK);
            }
            count += Math.min(found, to);
        }
        return count;
    }

    // --- What is good of a chunk that does not verify ----------------------------------------------

    private boolean has(long chunk, ByteBuffer bytes, int from, int to, Scratch scratch) {
        judge(chunk, bytes, scratch);
        return to <= goodTo || from >= goodFrom || goodFrom <= goodTo;
    }

    /** Sets {@link #goodTo} and {@link #goodFrom}. Each part has its own CRC, so that all of them are good. */
    private void judge(long chunk, ByteBuffer bytes, Scratch scratch) {
        goodTo = 0;
        goodFrom = CHUNK;
        long at = chunk * CHUNK;
        for (Mark mark : marks) {
            int to = (int) (mark.length % CHUNK);
            if (mark.isValid && to > 0 && mark.length / CHUNK == chunk && scratch.padded(bytes, 0, to) == mark.edge) {
                goodTo = Math.max(goodTo, to);
            }
        }
        if (isIntended && intentFrom < at + CHUNK && intentTo > at) {
            int from = (int) Math.max(0, intentFrom - at);
            int to = (int) Math.min(CHUNK, intentTo - at);
            int known = intentFrom >= at ? intentHead : intentTail;
            if ((from > 0 || to < CHUNK) && scratch.without(bytes, from, to) == known) {
                goodTo = Math.max(goodTo, from);
                goodFrom = Math.min(goodFrom, to);
            }
        }
    }

    /**
     * After a start, or a write that failed, before the object is changed: chunks that a write had not come to the end of, and those behind
     * the newest mark that power loss may have torn, lose what is not known to be good. What is damaged stays so.
     */
    private void recover(Scratch scratch) throws IOException {
        boolean isTorn = durable && intentStamp != stamp; // perhaps: what was not made durable
        extent = Math.max(0, file.size() - format.dataAt); // also what a write that failed has written
        settle(isTorn, scratch);
        if (isTorn) {
            force(); // the newest mark, too: the next one takes the other's place
        }
        writeIntent(0, 0, ZERO, ZERO, false, scratch);
    }

    private void settle(boolean isTorn, Scratch scratch) throws IOException {
        long from = Long.MAX_VALUE;
        if (isIntended) {
            from = intentFrom / CHUNK;
        }
        if (isTorn) {
            from = Math.min(from, length() / CHUNK);
        }
        long end = ObjectFormat.chunks(extent);
        long lastGood = length();
        int step = scratch.small.capacity() / CHUNK;
        for (long chunk = from; chunk < end; chunk += step) {
            int count = (int) Math.min(step, end - chunk);
            ByteBuffer entries = loadEntries(chunk, scratch.entries(count));
            int found = loadChunks(chunk, scratch.small.clear().limit(count * CHUNK));
            for (int i = 0; i < count; i++) {
                int has = Math.clamp(found - i * CHUNK, 0, CHUNK);
                int crc = has == 0 ? ZERO : scratch.padded(scratch.small, i * CHUNK, has);
                boolean isGood = (crc ^ ZERO) == entries.getInt(i * Integer.BYTES);
                if (isGood ? crc != ZERO : !isCleared(chunk + i, isTorn, scratch)) {
                    lastGood = Math.max(lastGood, Math.min(extent, (chunk + i + 1) * CHUNK));
                }
            }
        }
        if (isIntended || isTorn) {
            clearEntries(ObjectFormat.chunks(Math.max(extent, length())), scratch);
        }
        if (isTorn && lastGood < extent) {
            file.truncate(format.dataAt + lastGood);
            extent = lastGood;
        }
    }

    private static boolean isZero(ByteBuffer entries, int count) {
        for (int i = 0; i < count; i++) {
            if (entries.getInt(i * Integer.BYTES) != 0) {
                return false;
            }
        }
        return true;
    }

    /** Length that the newest mark names. */
    private long length() {
        return newest == NONE ? 0 : marks[newest].length;
    }

    /** Of a chunk that does not verify; true: nothing of it is left. */
    private boolean isCleared(long chunk, boolean isTorn, Scratch scratch) throws IOException {
        long at = chunk * CHUNK;
        int found = loadChunks(chunk, scratch.head.clear());
        scratch.clear(scratch.head, found, CHUNK);
        judge(chunk, scratch.head, scratch);
        boolean isIntents = isIntended && intentFrom <= at && intentTo >= Math.min(at + CHUNK, format.blockSize);
        boolean isNothing = at >= length() && (isTorn || isIntents); // all of it was being written
        boolean isKnown = goodTo > 0 || goodFrom < CHUNK;
        if (at + CHUNK <= length() || !(isNothing || isKnown)) {
            return false; // it is damaged
        }
        if (goodTo < goodFrom) {
            scratch.clear(scratch.head, goodTo, goodFrom);
        }
        int length = Math.clamp(extent - at, 0, CHUNK);
        int crc = scratch.padded(scratch.head, 0, CHUNK);
        file.write(scratch.head.clear().limit(length), format.dataAt + at);
        writeEntry(chunk, crc, scratch);
        return crc == ZERO;
    }

    private void writeEntry(long chunk, int crc, Scratch scratch) throws IOException {
        file.write(scratch.others(1).putInt(0, crc ^ ZERO), ObjectFormat.entryAt(chunk));
    }

    // --- Writing -----------------------------------------------------------------------------------

    /** Writes all of a buffer, unless the object has fewer bytes than were {@code there}: the disk has lost them. */
    void write(long position, long there, ByteBuffer bytes, Scratch scratch) throws IOException {
        if (!bytes.hasRemaining()) {
            return;
        }
        open(scratch);
        long lowered;
        synchronized (this) {
            lowered = writeOnce(position, there, bytes, scratch);
        }
        if (lowered != NONE) {
            synchronized (syncing) {
                synchronized (this) {
                    while (lowered != NONE) { // twice at most: what it writes is then behind the mark
                        lower(lowered, scratch);
                        lowered = writeOnce(position, there, bytes, scratch);
                    }
                }
            }
        }
    }

    /** Not NONE: nothing was written, and the mark has to be lowered to there first. */
    private long writeOnce(long position, long there, ByteBuffer bytes, Scratch scratch) throws IOException {
        if (isNew && there > 0) {
            throw new LostBytesException(
                    0); // before the object gets a header: what it does not have is an error to readers as well
        }
        prepare(position, scratch);
        if (extent < there) {
            throw new LostBytesException(extent);
        }
        int start = bytes.position();
        int length = bytes.remaining();
        long end = position + length;
        long first = position / CHUNK;
        long last = (end - 1) / CHUNK;
        int count = (int) (last - first + 1);
        int skip = (int) (position % CHUNK);
        int over = (int) (end % CHUNK); // bytes in the last chunk; 0: all
        boolean sharesTail = over > 0 && end < extent;
        ByteBuffer entries = scratch.entries(count);
        int headCrc = ZERO;
        int tailCrc = ZERO;
        int i = 0;
        int at = start;
        int stop = start + length;
        if (skip > 0 || (sharesTail && first == last)) {
            int to = (int) Math.min(CHUNK, end - first * CHUNK);
            loadShared(first, skip, to, position, scratch.head, scratch);
            headCrc = scratch.without(scratch.head, skip, to);
            scratch.head.clear().put(skip, bytes.limit(stop), at, to - skip);
            entries.putInt(0, scratch.padded(scratch.head, 0, CHUNK) ^ ZERO);
            at += to - skip;
            i = 1;
        }
        for (; stop - at >= CHUNK; at += CHUNK) {
            entries.putInt(i++ * Integer.BYTES, scratch.padded(bytes, at, CHUNK) ^ ZERO);
        }
        if (at < stop && sharesTail) {
            loadShared(last, 0, over, position, scratch.tail, scratch);
            tailCrc = scratch.without(scratch.tail, 0, over);
            scratch.tail.clear().put(0, bytes.limit(stop), at, over);
            entries.putInt(i * Integer.BYTES, scratch.padded(scratch.tail, 0, CHUNK) ^ ZERO);
        } else if (at < stop) {
            entries.putInt(i * Integer.BYTES, scratch.padded(bytes, at, stop - at) ^ ZERO);
        }
        long changed = position < length() ? firstChanged(position, first, count, entries, scratch) : NONE;
        if (changed != NONE && changed < length()) {
            bytes.limit(stop).position(start);
            return changed;
        }
        writeIntent(position, end, headCrc, tailCrc, true, scratch);
        file.write(bytes.limit(stop).position(start), format.dataAt + position);
        extent = Math.max(extent, end);
        file.write(entries.position(0), ObjectFormat.entryAt(first));
        writeIntent(0, 0, ZERO, ZERO, false, scratch);
        return NONE;
    }

    private void force() throws IOException {
        try {
            file.force();
        } catch (IOException e) {
            isSyncFailed = true;
            throw e;
        }
    }

    /** After a sync that failed: marks, table and bytes are what the system shows, and come to the disk only if they are written. */
    private void writeAgain(Scratch scratch) throws IOException {
        long size = file.size();
        for (long at = 0; at < size; ) {
            int count = file.read(scratch.small.clear(), at);
            if (count == 0) {
                break;
            }
            file.write(scratch.small.position(0).limit(count), at);
            at += count;
        }
        file.force();
        isSyncFailed = false;
    }

    /** Makes the header of a new object, and recovers one that an earlier start has written. */
    private void prepare(long position, Scratch scratch) throws IOException {
        if (isSyncFailed) {
            writeAgain(scratch);
        }
        if (isBlank) {
            if (position > 0) {
                throw damaged(0);
            }
            file.truncate(0); // no byte before this write can have been committed
            extent = 0;
            isBlank = false;
            isNew = true;
        }
        if (isNew) {
            format.putHeader(scratch.record, inode, block);
            file.write(scratch.seal(ObjectFormat.HEADER_SIZE), 0);
            intentStamp = stamp;
            isNew = false;
        } else if (isIntended || intentStamp != stamp) {
            recover(scratch);
        }
    }

    /** A chunk that a write changes from one place to another: what is left of it is verified, or known to be good. */
    private void loadShared(long chunk, int from, int to, long position, ByteBuffer target, Scratch scratch)
            throws IOException {
        int found = loadChunks(chunk, target.clear());
        scratch.clear(target, found, CHUNK);
        if (isGood(chunk, target, scratch)) {
            return;
        }
        judge(chunk, target, scratch);
        boolean isAllGood = goodFrom <= goodTo;
        boolean isHeadGood = from <= goodTo || isAllGood;
        boolean isTailGood = to >= found || to >= goodFrom || isAllGood || isVoidBehind(position);
        if (!isHeadGood || !isTailGood) {
            throw damaged(chunk);
        }
        if (goodTo < goodFrom) {
            scratch.clear(target, goodTo, goodFrom);
            restore(chunk, found, target, scratch);
        }
    }

    /** Before a chunk is changed that was known by a mark or an intent, the table gets to know what is good of it. */
    private void restore(long chunk, int found, ByteBuffer bytes, Scratch scratch) throws IOException {
        file.write(bytes.clear().limit(found), format.dataAt + chunk * CHUNK);
        writeEntry(chunk, scratch.padded(bytes, 0, CHUNK), scratch);
        bytes.clear();
    }

    /**
     * Whether nothing that stands behind the begin of a write counts: power was lost during a sync whose mark had come to the disk, and a
     * writer that begins below that mark knows of no such sync.
     */
    private boolean isVoidBehind(long position) {
        return position < length() && isMarkDoubtful();
    }

    /** Whether the newest mark may be that of a sync that power loss has ended. */
    private boolean isMarkDoubtful() {
        return durable && newest != NONE && marks[newest].stamp != stamp;
    }

    /** Whether the last chunk below the older mark is good only as far as that mark says: the newer sync was not answered. */
    private boolean isOlderNeeded(Scratch scratch) throws IOException {
        Mark older = marks[newest == NONE ? 0 : 1 - newest];
        if (!isMarkDoubtful() || !older.isValid || older.length >= length() || older.length % CHUNK == 0) {
            return false;
        }
        int found = loadChunks(older.length / CHUNK, scratch.head.clear());
        scratch.clear(scratch.head, found, CHUNK);
        return !isGood(older.length / CHUNK, scratch.head, scratch);
    }

    /** Where these entries begin to differ from those of the table; NONE: the write comes again, from a client that had no answer. */
    private long firstChanged(long position, long first, int count, ByteBuffer entries, Scratch scratch)
            throws IOException {
        ByteBuffer before = loadEntries(first, scratch.others(count));
        for (int i = 0; i < count; i++) {
            if (before.getInt(i * Integer.BYTES) != entries.getInt(i * Integer.BYTES)) {
                return Math.max(position, (first + i) * CHUNK);
            }
        }
        return NONE;
    }

    /** From now on nothing from {@code to} on is durable. What power loss has left there goes, too: the writer knows nothing of it. */
    private void lower(long to, Scratch scratch) throws IOException {
        boolean isDoubtful = isMarkDoubtful();
        long by = isDoubtful ? marks[newest].stamp : stamp; // it stays doubtful until a sync
        if (isOlderNeeded(scratch) && marks[1 - newest].length < to) {
            writeMark(marks[1 - newest].length, marks[1 - newest].edge, by, scratch);
        } else {
            int rest = (int) (to % CHUNK);
            int edge = ZERO;
            if (rest > 0) {
                int found = loadChunks(to / CHUNK, scratch.small.clear().limit(CHUNK));
                edge = scratch.padded(scratch.small, 0, Math.min(found, rest));
            }
            writeMark(to, edge, by, scratch);
        }
        if (durable) {
            force();
        }
        if (isDoubtful) {
            settle(true, scratch);
        }
    }

    private void writeIntent(long from, long to, int headCrc, int tailCrc, boolean isLive, Scratch scratch)
            throws IOException {
        ByteBuffer out = scratch.record.clear();
        out.putLong(0, stamp)
                .putLong(8, from)
                .putLong(16, to)
                .putLong(24, inode)
                .putLong(32, block);
        out.putInt(40, headCrc).putInt(44, tailCrc).putInt(48, isLive ? 1 : 0);
        if (isLive) { // also if this fails
            intentFrom = from;
            intentTo = to;
            intentHead = headCrc;
            intentTail = tailCrc;
            isIntended = true;
        }
        file.write(scratch.seal(ObjectFormat.INTENT_SIZE), ObjectFormat.INTENT_AT);
        intentStamp = stamp;
        isIntended = isLive;
    }

    // --- Sync and truncation -------------------------------------------------------------------------

    /** Returns when all that was written before is durable. */
    void sync(Scratch scratch) throws IOException {
        open(scratch);
        synchronized (syncing) {
            synchronized (this) {
                if (!isNew && !isBlank) {
                    prepare(0, scratch);
                    if (isOlderNeeded(scratch)) {
                        throw damaged(marks[1 - newest].length / CHUNK);
                    }
                    mark(scratch);
                }
            }
            force();
        }
    }

    private void mark(Scratch scratch) throws IOException {
        int edge = ZERO;
        if (extent % CHUNK > 0) {
            edge = loadEntries(extent / CHUNK, scratch.others(1)).getInt(0) ^ ZERO;
        }
        if (newest == NONE
                || marks[newest].length != extent
                || marks[newest].edge != edge
                || marks[newest].stamp != stamp) {
            writeMark(extent, edge, stamp, scratch);
        }
    }

    private void writeMark(long length, int edge, long by, Scratch scratch) throws IOException {
        int which = newest == NONE ? 0 : 1 - newest;
        long sequence = newest == NONE ? 1 : marks[newest].sequence + 1;
        ByteBuffer out = scratch.record.clear();
        out.putLong(0, sequence)
                .putLong(8, length)
                .putLong(16, by)
                .putLong(24, inode)
                .putLong(32, block);
        out.putInt(40, edge);
        file.write(scratch.seal(ObjectFormat.MARK_SIZE), ObjectFormat.MARK_AT + (long) which * ObjectFormat.MARK_STEP);
        Mark mark = marks[which];
        mark.isValid = true;
        mark.sequence = sequence;
        mark.length = length;
        mark.stamp = by;
        mark.edge = edge;
        newest = which;
    }

    /** Cuts off what lies behind this size, for good if the store is durable. */
    void truncate(long size, Scratch scratch) throws IOException {
        open(scratch);
        synchronized (syncing) {
            synchronized (this) {
                if (isNew) {
                    return;
                }
                prepare(size, scratch);
                if (size < extent) {
                    cut(size, scratch);
                }
                if (durable) {
                    force();
                }
            }
        }
    }

    private void cut(long size, Scratch scratch) throws IOException {
        int rest = (int) (size % CHUNK);
        int edge = ZERO;
        if (rest > 0) {
            loadShared(size / CHUNK, rest, CHUNK, size, scratch.head, scratch);
            edge = scratch.padded(scratch.head, 0, rest);
        }
        if (size < length()) {
            writeMark(size, edge, isMarkDoubtful() ? marks[newest].stamp : stamp, scratch);
            if (durable) {
                force();
            }
        }
        writeIntent(size, format.blockSize, edge, ZERO, true, scratch);
        file.truncate(format.dataAt + size);
        extent = size;
        if (rest > 0) {
            writeEntry(size / CHUNK, edge, scratch);
        }
        clearEntries(ObjectFormat.chunks(size), scratch);
        writeIntent(0, 0, ZERO, ZERO, false, scratch);
    }

    /** Where they are 0, there may be a hole, and it stays. */
    private void clearEntries(long from, Scratch scratch) throws IOException {
        long end = ObjectFormat.chunks(format.blockSize);
        int step = scratch.small.capacity() / Integer.BYTES;
        for (long chunk = from; chunk < end; chunk += step) {
            int count = (int) Math.min(step, end - chunk);
            ByteBuffer entries = loadEntries(chunk, scratch.small.clear().limit(count * Integer.BYTES));
            if (!isZero(entries, count)) {
                for (int i = 0; i < count; i++) {
                    entries.putInt(i * Integer.BYTES, 0);
                }
                file.write(entries.position(0), ObjectFormat.entryAt(chunk));
            }
        }
    }
}
