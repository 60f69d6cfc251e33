package io.hmfs.core.pmem;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/**
 * A pool file that is open here and nowhere else. The lock belongs to the open file, not to the process as {@link
 * java.nio.channels.FileLock} does: that one is dropped as soon as anything in this process closes the same file, be it a
 * look at its first bytes.
 */
public final class PoolLock implements AutoCloseable {
    private final Path path;
    private final int descriptor;
    private boolean closed;

    private PoolLock(Path path, int descriptor) {
        this.path = path;
        this.descriptor = descriptor;
    }

    /** Locks an existing file. */
    public static PoolLock acquire(Path path) throws PoolException {
        if (!Files.exists(path)) {
            throw new PoolException(PoolException.Reason.NOT_FOUND, path + " does not exist: make it with format");
        }
        if (!Files.isRegularFile(path)) {
            throw new PoolException(
                    PoolException.Reason.NOT_A_POOL,
                    path + " is not a file" + (Files.isDirectory(path) ? " but a directory" : ""));
        }
        int result = NativeLibrary.lock(path);
        if (result == -Errno.EAGAIN) {
            throw new PoolException(
                    PoolException.Reason.LOCKED, path + " is in use: stop the server or the program that has it open");
        }
        if (result < 0) {
            throw new PoolException(PoolException.Reason.IO, path + " cannot be opened: " + Errno.text(-result));
        }
        return new PoolLock(path, result);
    }

    /** Makes a file of zeros, locked, with its space really reserved: on a sparse file, a full disk kills the JVM later. */
    static PoolLock reserve(Path path, long size, boolean overwrite) throws PoolException {
        boolean fresh = create(path, overwrite);
        PoolLock lock = acquire(path);
        try {
            long free = Files.getFileStore(path).getUsableSpace();
            long reusable = fresh ? 0 : lock.size();
            if (size - reusable > free) { // before anything is lost, and without filling the disk to find out
                throw noSpace(path, size, free + reusable);
            }
            int error = NativeLibrary.truncate(lock.descriptor);
            if (error == 0) {
                fresh = true; // from here on nothing of the old content is left that would be worth keeping
                error = NativeLibrary.reserve(lock.descriptor, size);
            }
            if (error == Errno.EFBIG) {
                throw new PoolException(
                        PoolException.Reason.NO_SPACE,
                        path + " needs " + size + " bytes in one file, more than its filesystem or ulimit -f allows");
            }
            if (error == Errno.ENOSPC) {
                throw noSpace(path, size, Files.getFileStore(path).getUsableSpace());
            }
            if (error != 0) {
                throw new PoolException(
                        PoolException.Reason.IO, path + ": space cannot be reserved: " + Errno.text(error));
            }
            return lock;
        } catch (IOException e) {
            if (fresh) {
                lock.abandon();
            } else {
                lock.close();
            }
            throw e instanceof PoolException known
                    ? known
                    : new PoolException(PoolException.Reason.IO, path + " cannot be made: " + e, e);
        }
    }

    private static boolean create(Path path, boolean overwrite) throws PoolException {
        try {
            Files.createFile(path, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            return true;
        } catch (FileAlreadyExistsException e) {
            if (overwrite) {
                return false;
            }
            throw new PoolException(
                    PoolException.Reason.ALREADY_EXISTS, path + " exists already; --overwrite would replace it", e);
        } catch (NoSuchFileException e) {
            throw new PoolException(
                    PoolException.Reason.NOT_FOUND, path + ": there is no such directory; make it first", e);
        } catch (IOException e) {
            throw new PoolException(PoolException.Reason.IO, path + " cannot be made: " + e, e);
        }
    }

    private static PoolException noSpace(Path path, long needed, long free) {
        return new PoolException(
                PoolException.Reason.NO_SPACE,
                path + " needs " + needed + " bytes, but its filesystem has " + free
                        + " free: choose a smaller size or another place");
    }

    /** Bytes of the file now. */
    long size() throws PoolException {
        try {
            return Files.size(path);
        } catch (IOException e) {
            throw new PoolException(PoolException.Reason.IO, path + " cannot be examined: " + e, e);
        }
    }

    /** Removes the file and unlocks it. */
    void abandon() {
        try {
            Files.deleteIfExists(path);
        } catch (IOException _) {
            // What stays has no superblock and does not open; the error that led here is the one to report.
        } finally {
            close();
        }
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            NativeLibrary.close(descriptor);
        }
    }
}
