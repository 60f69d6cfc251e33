package io.hmfs.core.pmem.log;

import io.hmfs.core.pmem.PoolException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Reads log files in order and checks all that it reads. The log ends at the first block that is not whole, if nothing whole comes
 * behind it: one block goes to the disk at a time, so a whole one behind is proof that what stands before it was whole once, and
 * is damaged. That is an error that names file and offset.
 */
final class LogReader {
    /** Takes the records. */
    interface Lines {
        /** A record of one line at an offset of the pool; the line stands in {@code buffer} at {@code at}. */
        void line(long offset, ByteBuffer buffer, int at) throws IOException;
    }

    /** Where the log ends: the last number, and the place behind it in the last file, or no file at all. */
    record End(long lsn, @Nullable Path file, long position) {}

    private final LogControl control;
    private final CRC32C crc = new CRC32C();
    private ByteBuffer buffer = ByteBuffer.allocate(0);

    LogReader(LogControl control) {
        this.control = control;
    }

    /**
     * Reads what comes after the number {@code after}, up to the block that ends at or behind {@code through}.
     *
     * @param segments all log files in order
     */
    End read(List<Path> segments, long after, long through, Lines lines) throws IOException {
        int start = 0;
        while (start + 1 < segments.size() && LogFiles.firstLsn(segments.get(start + 1)) <= after + 1) {
            start++;
        }
        End end = new End(after, null, 0);
        if (segments.isEmpty() || through <= after) {
            return end;
        }
        long expected = LogFiles.firstLsn(segments.get(start));
        if (expected > after + 1) {
            throw damaged(
                    segments.get(start),
                    0,
                    "the first log file begins with line " + expected + ", the image ends with " + after);
        }
        for (int i = start; i < segments.size() && end.lsn() < through; i++) {
            Path segment = segments.get(i);
            if (LogFiles.firstLsn(segment) != expected) {
                throw damaged(
                        segment, 0, "it begins with another line than " + expected + ", where the last file ended");
            }
            End part = segment(segment, expected, after, through, lines);
            boolean isWhole = part.position() > 0 && part.position() == buffer.limit();
            if (!isWhole && part.lsn() < through && i + 1 < segments.size()) {
                throw damaged(segment, part.position(), "more log files follow");
            }
            expected = part.lsn() + 1;
            end = new End(Math.max(after, part.lsn()), segment, part.position());
        }
        return end;
    }

    private End segment(Path segment, long firstLsn, long after, long through, Lines lines) throws IOException {
        load(segment);
        int at = 0;
        long expected = firstLsn;
        if (LogSegmentHeader.isWhole(buffer)) {
            checkOwner(segment);
            at = LogSegmentHeader.SIZE;
            while (at < buffer.limit() && expected <= through && isNext(at, expected)) {
                int count = (int) buffer.getLong(at + LogBlock.COUNT_OFFSET);
                for (int i = 0; i < count; i++) {
                    if (expected + i > after) {
                        line(segment, LogBlock.record(at, i), lines);
                    }
                }
                expected += count;
                at += LogBlock.length(count);
            }
        }
        if (at < buffer.limit() && expected <= through) {
            requireNothingBehind(segment, at, expected);
        }
        return new End(expected - 1, segment, at);
    }

    private boolean isNext(int at, long expected) {
        return LogBlock.isWhole(buffer, at, control.salt, crc)
                && buffer.getLong(at + LogBlock.FIRST_LSN_OFFSET) == expected;
    }

    private boolean isNewer(int at, long expected) {
        return LogBlock.isWhole(buffer, at, control.salt, crc)
                && buffer.getLong(at + LogBlock.FIRST_LSN_OFFSET) >= expected;
    }

    private void line(Path segment, int at, Lines lines) throws IOException {
        long offset = buffer.getLong(at + LogRecord.OFFSET_OFFSET);
        if (offset == LogRing.NO_LINE) {
            return;
        }
        if (offset < 0 || (offset & 63) != 0 || offset > control.poolSize() - 64) {
            throw damaged(segment, at, "it has a line for offset " + offset + ", where the pool has none");
        }
        lines.line(offset, buffer, at + LogRecord.LINE_OFFSET);
    }

    /**
     * Writes the file that was read last once more, as it was when it was checked; {@code end}: what that read returned. What was read may be in the system's
     * cache alone, since its process died before it had synced it, or the sync failed, and another would not try again. A second read might bring something else.
     */
    void writeAgain(End end) throws IOException {
        Path segment = end.file();
        if (segment == null) {
            return;
        }
        try (FileChannel file = FileChannel.open(segment, StandardOpenOption.WRITE)) {
            LogFiles.write(file, buffer.clear().limit((int) Math.min(end.position(), file.size())), 0);
            file.force(true);
        }
    }

    /** Nothing of this log's that is: a disk may show what a file had there that was dropped. */
    private void requireNothingBehind(Path segment, int bad, long expected) throws PoolException {
        for (int at = (bad + LogBlock.ALIGNMENT) & -LogBlock.ALIGNMENT; at < buffer.limit(); at += LogBlock.ALIGNMENT) {
            if (isNewer(at, expected)) {
                throw damaged(segment, bad, "a whole block follows at offset " + at);
            }
        }
        if (isNewer(bad, expected)) {
            throw damaged(
                    segment, bad, "a whole block begins with line " + buffer.getLong(bad + LogBlock.FIRST_LSN_OFFSET));
        }
    }

    private void checkOwner(Path segment) throws PoolException {
        if (buffer.getLong(LogSegmentHeader.LOG_HIGH_OFFSET) != control.log.getMostSignificantBits()
                || buffer.getLong(LogSegmentHeader.LOG_LOW_OFFSET) != control.log.getLeastSignificantBits()
                || buffer.getLong(LogSegmentHeader.FIRST_LSN_OFFSET) != LogFiles.firstLsn(segment)) {
            throw new PoolException(
                    PoolException.Reason.NOT_A_POOL,
                    segment + " belongs to another log than " + control.path + ": put back the files that belong here");
        }
    }

    private void load(Path segment) throws IOException {
        long size = Files.size(segment);
        if (size > Integer.MAX_VALUE) {
            throw damaged(segment, 0, "it is longer than any log file");
        }
        if (buffer.capacity() < size) {
            buffer = ByteBuffer.allocateDirect((int) size).order(ByteOrder.LITTLE_ENDIAN);
        }
        buffer.clear().limit((int) size);
        try (FileChannel file = FileChannel.open(segment, StandardOpenOption.READ)) {
            while (buffer.hasRemaining() && file.read(buffer) >= 0) {
                // on
            }
        }
        buffer.flip();
    }

    private static PoolException damaged(Path file, long at, String why) {
        return new PoolException(
                PoolException.Reason.BAD_CHECKSUM,
                file + " is damaged at offset " + at + ": " + why + ". Restore the log's directory from a copy");
    }
}
