package io.hmfs.core.pmem.log;

import io.hmfs.core.pmem.Backing;
import io.hmfs.core.pmem.MachineBoot;
import io.hmfs.core.pmem.OwnFiles;
import io.hmfs.core.pmem.PoolException;
import io.hmfs.core.pmem.PoolException.Reason;
import io.hmfs.core.pmem.PoolFile;
import io.hmfs.core.pmem.PoolFiles;
import io.hmfs.core.pmem.PoolLock;
import io.hmfs.core.pmem.PoolPlace;
import io.hmfs.core.type.Progress;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.util.List;
import java.util.UUID;

/**
 * The directory of a log, locked by the process that uses it: control file, image, log files.
 *
 * <pre>
 *   lock   control   image   image.sums   image.folding   log-000000000000002a …
 * </pre>
 */
final class LogDirectory implements AutoCloseable {
    final Path path;
    final LogControl control;
    private final PoolLock lock;

    private LogDirectory(Path path, PoolLock lock, LogControl control) {
        this.path = path;
        this.lock = lock;
        this.control = control;
    }

    static LogDirectory open(Path pool, LogOptions options) throws IOException {
        Path path = options.directory();
        if (!Files.exists(path.resolve(LogFiles.CONTROL))) {
            throw new PoolException(
                    Reason.NOT_FOUND,
                    path + " holds no log: name the directory that " + pool + " was formatted with, or make a pool with"
                            + " format --log-directory");
        }
        checkDisk(options);
        PoolLock lock = PoolLock.acquire(path.resolve(LogFiles.LOCK));
        try {
            OwnFiles.closeDirectory(path);
            LogControl control = LogControl.read(path.resolve(LogFiles.CONTROL));
            control.mark.begin();
            return new LogDirectory(path, lock, control);
        } catch (IOException | RuntimeException | Error e) {
            lock.close();
            throw e;
        }
    }

    /** Makes a directory with an empty image that the caller fills; it is a log's only once {@link #seal} has been called. */
    static LogDirectory create(Path pool, LogOptions options, long size, boolean overwrite) throws IOException {
        Path path = options.directory();
        makeDirectories(path.toAbsolutePath());
        OwnFiles.closeDirectory(path);
        checkDisk(options);
        Path lockFile = path.resolve(LogFiles.LOCK);
        if (!Files.exists(lockFile)) {
            LogFiles.openToWrite(lockFile, false).close();
        }
        PoolLock lock = PoolLock.acquire(lockFile);
        try {
            Path control = path.resolve(LogFiles.CONTROL);
            for (Path there : new Path[] {control, pool, LogFiles.ring(pool)}) {
                if (Files.exists(there) && !overwrite) {
                    throw new PoolException(
                            Reason.ALREADY_EXISTS, there + " exists already; --overwrite would replace it");
                }
            }
            if (Files.exists(pool)) {
                PoolLock.acquire(pool).close(); // in use: not to be taken away
            }
            LogRoom.require(pool, options, size);
            Files.deleteIfExists(control);
            LogFiles.sync(path);
            for (Path segment : LogFiles.segments(path)) {
                Files.delete(segment);
            }
            Files.deleteIfExists(ImageSums.path(path)); // it may be a link, or another user's
            Files.deleteIfExists(FoldList.path(path));
            Files.deleteIfExists(pool);
            Files.deleteIfExists(LogFiles.ring(pool));
            return new LogDirectory(
                    path, lock, new LogControl(control, UUID.randomUUID(), new SecureRandom().nextLong(), size));
        } catch (IOException | RuntimeException | Error e) {
            lock.close();
            throw e;
        }
    }

    /** The image of a directory that is being made, as a file to format a pool in. */
    PoolFile createImage() throws PoolException {
        PoolFile image = PoolFiles.create(path.resolve(LogFiles.IMAGE), control.poolSize(), Backing.MAPPED, true);
        LogBinding.init(image.pmem(), control.log);
        return image;
    }

    /** Throws unless the disk has room for a larger image: before memory is taken for the pool. */
    void requireRoom(long size) throws PoolException {
        try (PoolLock image = PoolLock.acquire(path.resolve(LogFiles.IMAGE))) {
            image.cut(control.poolSize()); // what stands behind is left of a growth that did not come to its end
            image.requireRoom(
                    size - control.poolSize() + ImageSums.fileSize(size) - ImageSums.fileSize(control.poolSize()));
        }
    }

    /** Makes the image larger, and says so: all that is durable before the log has a line of what is new. */
    void grow(long size) throws PoolException {
        if (size <= control.poolSize()) {
            return; // an earlier growth came to here
        }
        try (PoolLock image = PoolLock.acquire(path.resolve(LogFiles.IMAGE));
                PoolLock sums = PoolLock.acquire(ImageSums.path(path))) {
            image.grow(control.poolSize(), size);
            sums.grow(ImageSums.fileSize(control.poolSize()), ImageSums.fileSize(size));
            // [grow.2] The image and its sums have their size, then the control file says so: a rebuild makes no pool
            // that is larger than its image.
            image.sync();
            sums.sync();
            control.grow(size);
        } catch (PoolException e) {
            throw e;
        } catch (IOException e) {
            throw new PoolException(Reason.IO, control.path + " cannot be written: " + e, e);
        }
    }

    /** Makes a directory that outlives the machine, with those above it: what is synced in there is of no use without its name. */
    private static void makeDirectories(Path path) throws IOException {
        Path above = path.getParent();
        if (!Files.isDirectory(path) && above != null) {
            makeDirectories(above);
            Files.createDirectories(path);
            LogFiles.sync(above);
        }
    }

    /** The image is whole and on the disk: from here on there is a pool. */
    void seal() throws IOException {
        ImageSums.make(path, control, Progress.NONE); // syncs the directory, too
        control.mark.begin();
        control.write();
        control.write(); // both copies have their place on the disk: a full one does not stop the folder
        LogFiles.sync(path);
    }

    /** Throws unless the image has its sums; one of an HMFS from before gets them. */
    void requireSums(Progress progress) throws IOException {
        if (control.hasSums()) {
            ImageSums.require(path, control);
            return;
        }
        requireImage(path, control.poolSize());
        finishFold();
        ImageSums.make(path, control, progress);
        // [sums.1] The sums are whole, then the control file says so, in both copies: by an older copy a later start
        // would make them again, and of a damaged image.
        control.write();
        control.write();
    }

    /** Of an HMFS from before, which was cut off: after a sync that failed the system may show an image that the disk does not have. */
    private void finishFold() throws IOException {
        if (control.folding <= control.folded) {
            return;
        }
        List<Path> segments = LogFiles.segments(path);
        int last = segments.size() - 1;
        while (last > 0 && LogFiles.firstLsn(segments.get(last)) > control.folded + 1) {
            last--;
        }
        try (FileChannel image =
                FileChannel.open(path.resolve(LogFiles.IMAGE), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            ImageFold fold = new ImageFold(image);
            LogReader.End end = new LogReader(control)
                    .read(segments.subList(last, last + 1), control.folded, control.folding, fold::add);
            if (end.lsn() != control.folding) {
                throw endsTooEarly(path, end.lsn(), control.folding);
            }
            fold.sort();
            fold.write();
            image.force(false);
        }
    }

    /** Throws if the image is shorter than its pool; it may be longer, by a growth that did not come to its end. */
    static void requireImage(Path directory, long size) throws IOException {
        Path image = directory.resolve(LogFiles.IMAGE);
        if (Files.size(image) < size) {
            throw new PoolException(
                    Reason.TRUNCATED,
                    image + " has " + Files.size(image) + " bytes instead of " + size
                            + ". Restore the log's directory from a copy");
        }
    }

    static PoolException endsTooEarly(Path directory, long end, long ahead) {
        return new PoolException(
                Reason.TRUNCATED,
                "the log in " + directory + " ends with line " + end + ", but the image may hold lines up to " + ahead
                        + ": log files were cut off or taken away. Restore the directory from a copy");
    }

    private static void checkDisk(LogOptions options) throws IOException {
        String type = PoolPlace.inMemory(options.directory());
        if (type != null && !options.onVolatile()) {
            throw new PoolException(
                    Reason.NOT_DAX,
                    options.directory() + " is in memory (" + type
                            + "), so a log there would not survive the machine. Choose a directory on a disk");
        }
    }

    /** The start of the machine that this is: what was in memory at another one is gone, whatever a file says. */
    static UUID boot() throws PoolException {
        try {
            return MachineBoot.id();
        } catch (IOException e) {
            throw new PoolException(Reason.IO, "the mode logged needs the boot's id: " + e, e);
        }
    }

    @Override
    public void close() {
        lock.close();
    }
}
