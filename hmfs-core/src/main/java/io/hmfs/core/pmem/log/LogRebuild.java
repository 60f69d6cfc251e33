package io.hmfs.core.pmem.log;

import io.hmfs.core.pmem.Backing;
import io.hmfs.core.pmem.MappedPmem;
import io.hmfs.core.pmem.PoolException;
import io.hmfs.core.pmem.PoolException.Reason;
import io.hmfs.core.pmem.PoolFile;
import io.hmfs.core.pmem.PoolFiles;
import io.hmfs.core.type.Progress;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * Builds the pool anew from image and log, after the loss of the machine's memory. It is made under other names; the pool's own
 * comes last, so that a rebuild that is cut off is begun again.
 */
final class LogRebuild {
    private final Path pool;
    private final LogDirectory directory;
    private final LogOptions options;
    private final Progress progress;
    private final byte[] line = new byte[64];
    private final DamagedPages damaged = new DamagedPages();
    private final LogReader reader;
    private long replayed;

    LogRebuild(Path pool, LogDirectory directory, LogOptions options) {
        this.pool = pool;
        this.directory = directory;
        this.options = options;
        this.reader = new LogReader(directory.control);
        boolean isFirst = directory.control.mark.reached() == 0;
        this.progress = isFirst ? Progress.NONE : options.progress(); // of a pool that was just made nothing is lost
    }

    void run() throws IOException {
        Path newPool = pool.resolveSibling(pool.getFileName() + ".rebuild");
        try {
            run(newPool, LogFiles.ring(newPool));
        } catch (IOException | RuntimeException | Error e) {
            Files.deleteIfExists(newPool); // it takes memory
            Files.deleteIfExists(LogFiles.ring(newPool));
            throw e;
        }
    }

    private void run(Path newPool, Path newRing) throws IOException {
        LogControl control = directory.control;
        // [rebuild.1] Before anything is made: what belongs to an older generation is told from it.
        control.generation++;
        control.write();
        LogReader.End end;
        // What stands there may be left of a rebuild that was cut off, or another user's: it is never opened.
        Files.deleteIfExists(newPool);
        Files.deleteIfExists(newRing);
        try (PoolFile made = PoolFiles.createToGrow(newPool, control.poolSize())) {
            MappedPmem memory = (MappedPmem) made.pmem();
            FoldList begun = FoldList.begun(directory.path, control);
            LogDirectory.requireImage(directory.path, control.poolSize());
            new ImageCopy(directory.path, begun, damaged, made, control.poolSize(), progress).run();
            end = replay(memory, begun);
            if (LogBinding.log(memory).equals(control.log)) {
                memory.set(LogBinding.AT + LogBinding.SESSION_OFFSET, control.generation << 32);
            } else {
                throw new PoolException(
                        Reason.NOT_A_POOL,
                        directory.path.resolve(LogFiles.IMAGE) + " belongs to another log than " + control.path
                                + ": put back the files that belong here");
            }
            // [rebuild.3] Nothing is made from what is not what was written.
            damaged.requireAllInLog(directory.path);
        }
        trim(directory.path, end);
        reader.writeAgain(end); // another log file comes behind, so it must be there
        long bytes = Math.max(PoolFile.SIZE_MIN, LogRing.size(options.ringRecords()));
        try (PoolFile ring = PoolFiles.create(newRing, bytes, Backing.MAPPED, false)) {
            MappedPmem memory = (MappedPmem) ring.pmem();
            LogRing.format(
                    memory, control.log, LogDirectory.boot(), options.ringRecords(), control.generation, end.lsn());
            memory.set(RingHeader.SESSION_OFFSET, control.generation << 32);
            memory.set(RingHeader.NEXT_SESSION_OFFSET, control.generation << 32);
        }
        // [rebuild.2] The ring first: a pool without a ring would be refused.
        Files.move(newRing, LogFiles.ring(pool), StandardCopyOption.ATOMIC_MOVE);
        Files.move(newPool, pool, StandardCopyOption.ATOMIC_MOVE);
    }

    private LogReader.End replay(MappedPmem memory, FoldList begun) throws IOException {
        LogControl control = directory.control;
        List<Path> segments = LogFiles.segments(directory.path);
        LogReader.Lines lines = (offset, buffer, at) -> {
            buffer.get(at, line);
            memory.copyIn(line, 0, offset, 64);
            damaged.line(offset);
            replayed++;
            progress.at("log", replayed, 0);
        };
        LogReader.End end = reader.read(segments, control.folded, begun.lastLsn, lines);
        if (begun.lastLsn > control.folded && end.lsn() == begun.lastLsn) {
            verify(memory, begun);
        }
        end = reader.read(segments, end.lsn(), Long.MAX_VALUE, lines);
        if (control.folded < control.mark.reached() && !hasReached(segments, control.mark.reached())) {
            throw new PoolException(
                    Reason.TRUNCATED,
                    "the log in " + directory.path + " ends with line " + end.lsn() + ", but there was a log file "
                            + LogFiles.segment(directory.path, control.mark.reached())
                                    .getFileName()
                            + ", with lines that were acknowledged: put it back, or restore the directory from a copy");
        }
        if (end.lsn() < control.folding) {
            throw LogDirectory.endsTooEarly(directory.path, end.lsn(), control.folding);
        }
        return end;
    }

    /** Of a fold that was cut off, pages may have changed, in part even: with all its lines they are what it would have made of them. */
    private void verify(MappedPmem memory, FoldList begun) {
        byte[] page = new byte[ImageSums.PAGE];
        CRC32C crc = new CRC32C();
        for (int i = 0; i < begun.count(); i++) {
            long at = begun.page(i) * ImageSums.PAGE;
            int count = (int) Math.min(ImageSums.PAGE, memory.size() - at);
            memory.copyOut(at, page, 0, count);
            ImageSums.pages(page, count);
            if (ImageSums.sum(crc, page, 0) != begun.sum(i)) {
                damaged.add(begun.page(i));
            }
        }
    }

    /** Whether the file that begins with this LSN is there, or a newer one. */
    private static boolean hasReached(List<Path> segments, long firstLsn) {
        return !segments.isEmpty() && LogFiles.firstLsn(segments.getLast()) >= firstLsn;
    }

    /**
     * Cuts off what a write under way left, so that what is written next is not taken for something behind a damage. A file of which nothing is left
     * stays, empty: the mark may say that it is there. The writer begins it anew.
     */
    static void trim(Path directory, LogReader.End end) throws IOException {
        for (Path segment : LogFiles.segments(directory)) {
            if (LogFiles.firstLsn(segment) > end.lsn()) {
                cut(segment, 0);
            } else if (segment.equals(end.file()) && end.position() < Files.size(segment)) {
                cut(segment, end.position());
            }
        }
    }

    private static void cut(Path segment, long size) throws IOException {
        try (FileChannel file = FileChannel.open(segment, StandardOpenOption.WRITE)) {
            file.truncate(size);
            file.force(true);
        }
    }
}
