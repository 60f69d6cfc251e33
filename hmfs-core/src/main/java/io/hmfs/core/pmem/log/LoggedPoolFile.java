package io.hmfs.core.pmem.log;

import io.hmfs.core.pmem.Backing;
import io.hmfs.core.pmem.GroupCommit;
import io.hmfs.core.pmem.MappedPmem;
import io.hmfs.core.pmem.Persistence;
import io.hmfs.core.pmem.PoolException;
import io.hmfs.core.pmem.PoolException.Reason;
import io.hmfs.core.pmem.PoolFile;
import io.hmfs.core.pmem.PoolFiles;
import io.hmfs.core.pmem.PoolPlace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A pool in memory that outlives the process, with its log: the pool and the log ring beside it, and a directory on a disk. After
 * the death of the process it goes on where it stood; after that of the machine the pool is rebuilt from the directory.
 */
public final class LoggedPoolFile extends PoolFile {
    /** Fills a fresh pool file. */
    public interface Format {
        void run(PoolFile file) throws PoolException;
    }

    private final LogDirectory directory;
    private final PoolFile pool;
    private final PoolFile ringFile;
    private final LogRing ring;
    private final LoggedPmem pmem;
    private final LogGroupCommit groupCommit;
    private final LogFolder folder;
    private final LogWriter writer;
    private boolean closed;

    private LoggedPoolFile(LogDirectory directory, LogOptions options, PoolFile pool, PoolFile ringFile, LogRing ring) {
        this.directory = directory;
        this.pool = pool;
        this.ringFile = ringFile;
        this.ring = ring;
        this.pmem = new LoggedPmem((MappedPmem) pool.pmem(), ring);
        this.groupCommit = new LogGroupCommit(ring, pmem);
        this.folder = new LogFolder(directory.control, options, groupCommit, pmem);
        this.writer = new LogWriter(ring, directory.control, options, folder, groupCommit);
        groupCommit.use(writer);
    }

    /** Makes a log directory with a pool in its image; the pool in memory is made by the first {@link #open}. */
    public static void format(Path path, LogOptions options, long size, boolean overwrite, Format format)
            throws PoolException {
        PoolPlace.requireFile(path);
        try (LogDirectory directory = LogDirectory.create(path, options, size, overwrite)) {
            try (PoolFile image = directory.createImage()) {
                format.run(image);
            }
            directory.seal();
        } catch (IOException e) {
            throw known(options, e);
        }
    }

    /** Opens a pool with its log, rebuilding it if the machine has lost it. */
    public static LoggedPoolFile open(Path path, LogOptions options) throws PoolException {
        return open(path, options, 0);
    }

    /** The same; {@code sizeMax}: bytes to which it may grow while it is open, without effect unless it has less. */
    public static LoggedPoolFile open(Path path, LogOptions options, long sizeMax) throws PoolException {
        PoolPlace.requireFile(path);
        try {
            LogDirectory directory = LogDirectory.open(path, options);
            LoggedPoolFile opened;
            try {
                directory.requireSums(options.progress());
                opened = open(path, options, sizeMax, directory);
            } catch (IOException | RuntimeException | Error e) {
                directory.close();
                throw e;
            }
            try {
                opened.begin(path);
                return opened;
            } catch (IOException | RuntimeException | Error e) {
                opened.close();
                throw e;
            }
        } catch (IOException e) {
            throw known(options, e);
        } catch (LogFailedException e) {
            throw new PoolException(Reason.IO, String.valueOf(e.getMessage()), e);
        }
    }

    private static LoggedPoolFile open(Path path, LogOptions options, long sizeMax, LogDirectory directory)
            throws IOException {
        if (Files.exists(path)) {
            dropIfOfAnotherBoot(path, directory);
        }
        if (!Files.exists(path)) {
            new LogRebuild(path, directory, options).run();
        }
        PoolFile ringFile = openRing(path);
        PoolFile pool = null;
        try {
            pool = PoolFiles.open(path, Persistence.PROCESS, false, sizeMax);
            check(path, pool, ringFile, directory.control);
            return new LoggedPoolFile(directory, options, pool, ringFile, LogRing.open((MappedPmem) ringFile.pmem()));
        } catch (IOException | RuntimeException | Error e) {
            ringFile.close();
            if (pool != null) {
                pool.close();
            }
            throw e;
        }
    }

    private static PoolFile openRing(Path path) throws PoolException {
        Path ring = LogFiles.ring(path);
        if (!Files.exists(ring)) {
            throw new PoolException(
                    Reason.NOT_FOUND,
                    path + " has no " + ring + " beside it, so it may lack what was in there. Remove " + path
                            + ": it is rebuilt from the log, with all that was acknowledged");
        }
        return PoolFiles.open(ring, Persistence.PROCESS, false);
    }

    /** Memory does not survive the machine; a file on a disk does, with some of its pages, which is worse. */
    private static void dropIfOfAnotherBoot(Path path, LogDirectory directory) throws PoolException, IOException {
        Path ringPath = LogFiles.ring(path);
        if (!Files.exists(ringPath)) {
            return;
        }
        try (PoolFile ring = PoolFiles.open(ringPath, Persistence.PROCESS, false)) {
            MappedPmem memory = (MappedPmem) ring.pmem();
            if (!LogRing.isRing(memory)
                    || !LogRing.log(memory).equals(directory.control.log)
                    || LogRing.boot(memory).equals(LogDirectory.boot())) {
                return;
            }
        }
        try (PoolFile pool = PoolFiles.open(path, Persistence.PROCESS, false)) {
            if (!LogBinding.isBound(pool) || !LogBinding.log(pool.pmem()).equals(directory.control.log)) {
                return;
            }
        }
        Files.delete(path);
        Files.delete(ringPath);
    }

    private static void check(Path path, PoolFile pool, PoolFile ring, LogControl control) throws PoolException {
        Path ringPath = LogFiles.ring(path);
        MappedPmem memory = (MappedPmem) ring.pmem();
        if (!LogRing.isRing(memory)) {
            throw new PoolException(Reason.NOT_A_POOL, ringPath + " is no log ring of this version of HMFS");
        }
        if (!LogBinding.isBound(pool)) {
            throw new PoolException(
                    Reason.NOT_A_POOL,
                    path + " has no log: open it with the mode process or pmem, or make one with format"
                            + " --log-directory");
        }
        if (!LogBinding.log(pool.pmem()).equals(control.log)) {
            throw mixture(path, "belongs to another log than " + control.path);
        }
        if (!LogRing.log(memory).equals(control.log)) {
            throw mixture(ringPath, "belongs to another log than " + control.path);
        }
        long generation = memory.get(RingHeader.GENERATION_OFFSET);
        if (generation != control.generation) {
            throw mixture(ringPath, "is of generation " + generation + ", the log of generation " + control.generation);
        }
        long session = LogBinding.session(pool.pmem());
        if (session != memory.get(RingHeader.SESSION_OFFSET) && session != memory.get(RingHeader.NEXT_SESSION_OFFSET)) {
            throw mixture(path, "was not used last with " + ringPath + ": one of them is an old copy");
        }
        if (memory.get(RingHeader.DURABLE_OFFSET) < control.folded) {
            throw mixture(ringPath, "is older than the log in " + control.path.getParent());
        }
    }

    private static PoolException mixture(Path path, String what) {
        return new PoolException(
                Reason.NOT_A_POOL,
                path + " " + what
                        + ". Put back what belongs together; or remove the pool and its .ring: they are rebuilt"
                        + " from the log, with all that was acknowledged");
    }

    /** Goes on after the death of a process, or after a clean end, which is the same. */
    private void begin(Path path) throws IOException {
        // [log.9] The ring says what the disk has. A block behind that was never acknowledged, and may be in the
        // system's cache
        // alone after a failed sync: it is cut off, and written again from the ring.
        long durable = ring.durable();
        List<Path> segments = LogFiles.segments(directory.path);
        LogReader.End end = readEnd(segments, durable);
        if (end.lsn() != durable) {
            throw mixture(
                    LogFiles.ring(path),
                    "ends with line " + durable + " on the disk, but " + directory.path + " with line " + end.lsn());
        }
        requireNothingNewer(path, segments, end);
        LogRebuild.trim(directory.path, end);
        for (int i = 0; i < segments.size() && LogFiles.firstLsn(segments.get(i)) <= durable; i++) {
            long last = i + 1 < segments.size() ? LogFiles.firstLsn(segments.get(i + 1)) - 1 : durable;
            folder.add(segments.get(i), last, Files.size(segments.get(i)));
        }
        // [log.10] What was read of it may be in the system's cache alone, after a sync that failed; and the folder
        // drops log
        // files for it.
        directory.control.write();
        folder.start(); // before the writer, which waits for room only while the folder makes it
        writer.start();
        pmem.logLeftovers();
        MappedPmem memory = ring.memory();
        long session = memory.get(RingHeader.SESSION_OFFSET) + 1;
        memory.setRelease(RingHeader.NEXT_SESSION_OFFSET, session);
        pmem.set(LogBinding.AT + LogBinding.SESSION_OFFSET, session);
        pmem.persist(LogBinding.AT, LogBinding.SIZE);
        memory.setRelease(RingHeader.SESSION_OFFSET, session);
        groupCommit.await(groupCommit.position());
    }

    /**
     * What the disk has behind {@code end} was published in the ring that it came from. If not in this one, the ring and the pool
     * are copies from before, and what would be cut off was acknowledged.
     */
    private void requireNothingNewer(Path path, List<Path> segments, LogReader.End end) throws IOException {
        boolean isLast = segments.isEmpty() || segments.getLast().equals(end.file());
        if (isLast && (end.file() == null || end.position() == Files.size(end.file()))) {
            return;
        }
        long last = readEnd(segments, Long.MAX_VALUE).lsn();
        if (last > ring.reserved()) {
            throw mixture(
                    LogFiles.ring(path),
                    "is older than the log in " + directory.path + ": it ends with line " + ring.reserved()
                            + ", the log with line " + last);
        }
    }

    /** Only the file in which the ring's last durable line must stand is read; what comes before it the folder checks. */
    private LogReader.End readEnd(List<Path> segments, long durable) throws IOException {
        LogControl control = directory.control;
        int start = 0;
        while (start + 1 < segments.size() && LogFiles.firstLsn(segments.get(start + 1)) <= durable) {
            start++;
        }
        long after = control.folded;
        if (start > 0) {
            after = Math.max(after, LogFiles.firstLsn(segments.get(start)) - 1);
        }
        return new LogReader(control).read(segments.subList(start, segments.size()), after, durable, (_, _, _) -> {});
    }

    private static PoolException known(LogOptions options, IOException e) {
        return e instanceof PoolException pool
                ? pool
                : new PoolException(Reason.IO, "the log in " + options.directory() + " cannot be used: " + e, e);
    }

    @Override
    public LoggedPmem pmem() {
        return pmem;
    }

    @Override
    public GroupCommit groupCommit() {
        return groupCommit;
    }

    @Override
    public Backing backing() {
        return Backing.MAPPED;
    }

    @Override
    public boolean dax() {
        return false;
    }

    @Override
    public String memory() {
        return pool.memory();
    }

    @Override
    public long fileSize() {
        return pool.fileSize();
    }

    @Override
    public long sizeMax() {
        return pool.sizeMax();
    }

    @Override
    public boolean bound(long size) {
        return pool.bound(size);
    }

    @Override
    public void grow(long size) throws PoolException {
        long before = pool.fileSize();
        directory.requireRoom(size);
        pool.grow(size); // first: a pool that memory has no room for must not be asked of a rebuild
        try {
            directory.grow(size);
        } catch (PoolException e) {
            pool.shrink(before);
            throw e;
        }
    }

    @Override
    public long header() {
        return pool.header();
    }

    @Override
    public int regionsMax() {
        return pool.regionsMax();
    }

    @Override
    public long regionAt(int index) throws PoolException {
        return pool.regionAt(index);
    }

    @Override
    public void populate(long at, long count) throws PoolException {
        pool.populate(at, count);
    }

    /** For tests. */
    LogRing ring() {
        return ring;
    }

    /** For tests. */
    LogWriter writer() {
        return writer;
    }

    /** Writes the rest of the log, unless it has failed, and lets go of everything; the pool and the ring stay as they are. */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        try {
            if (!ring.hasFailed()) {
                pmem.logAll();
            }
        } catch (LogFailedException e) {
            // Told before; the ring and the tables keep what is not on the disk, for the next start.
            System.getLogger(LoggedPoolFile.class.getName())
                    .log(System.Logger.Level.DEBUG, "closing " + directory.path, e);
        } finally {
            folder.stop(); // first: it may wait for the writer
            writer.stop();
            pool.close();
            ringFile.close();
            directory.close();
        }
    }
}
