package io.hmfs.core.pmem;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

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

    /** Locks an existing file, of this process's user alone. */
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
        if (result == -Errno.ELOOP) { // it is never opened by a link, which another user may have put there
            throw new PoolException(
                    PoolException.Reason.NOT_A_POOL, path + " is a symbolic link: name the file that it leads to");
        }
        if (result == -Errno.EAGAIN) {
            throw new PoolException(
                    PoolException.Reason.LOCKED, path + " is in use: stop the server or the program that has it open");
        }
        if (result < 0) {
            throw new PoolException(PoolException.Reason.IO, path + " cannot be opened: " + Errno.text(-result));
        }
        PoolLock lock = new PoolLock(path, result);
        try {
            OwnFiles.closeFile(path, result);
            return lock;
        } catch (IOException e) {
            lock.close();
            throw new PoolException(PoolException.Reason.IO, String.valueOf(e.getMessage()), e);
        }
    }

    /** Makes a file of zeros, locked, with its space really reserved: on a sparse file, a full disk kills the JVM later. */
    static PoolLock reserve(Path path, long size, boolean overwrite) throws PoolException {
        boolean fresh = create(path, overwrite);
        PoolLock lock = acquire(path);
        try {
            long free = lock.free();
            long reusable = fresh ? 0 : lock.size();
            if (size - reusable > free) { // before anything is lost, and without filling the disk to find out
                throw noSpace(path, size, free + reusable);
            }
            lock.cut(0);
            fresh = true; // from here on nothing of the old content is left that would be worth keeping
            lock.reserve(size);
            return lock;
        } catch (PoolException e) {
            if (fresh) {
                lock.abandon();
            } else {
                lock.close();
            }
            throw e;
        }
    }

    private static boolean create(Path path, boolean overwrite) throws PoolException {
        try {
            Files.createFile(path, OwnFiles.file());
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

    /** Cuts the file to {@code size} bytes. */
    public void cut(long size) throws PoolException {
        check(NativeLibrary.truncate(descriptor, size), "cannot be cut to " + size + " bytes");
    }

    /** Makes the file {@code size} bytes long, unless it is longer, by zeros of really reserved space. */
    void reserve(long size) throws PoolException {
        int error = NativeLibrary.reserve(descriptor, size);
        if (error == Errno.EFBIG) {
            throw new PoolException(
                    PoolException.Reason.NO_SPACE,
                    path + " needs " + size + " bytes in one file, more than its filesystem or ulimit -f allows");
        }
        if (error == Errno.ENOSPC) {
            throw noSpace(path, size, free());
        }
        check(error, "space cannot be reserved");
    }

    /** Throws unless the filesystem has as many bytes free: to know it without filling the disk. */
    public void requireRoom(long count) throws PoolException {
        long free = free();
        if (count > free) {
            throw noSpace(path, count, free);
        }
    }

    /** Makes a file of {@code from} bytes larger, by zeros of really reserved space; a failure leaves it as it was. */
    public void grow(long from, long size) throws PoolException {
        cut(from); // what stands behind is left of a growth that did not come to its end
        requireRoom(size - from);
        try {
            reserve(size);
        } catch (PoolException e) {
            cut(from);
            throw e;
        }
    }

    /** Makes what the file holds, and its size, durable. */
    public void sync() throws PoolException {
        check(NativeLibrary.sync(descriptor), "cannot be written to its disk");
    }

    /**
     * Offset of the first byte at or behind {@code at} that was ever written; the file's size if there is none. What lies before it reads
     * as zeros. A filesystem may take more for written than was; {@link #sync} first, for some keep no record of what is in memory alone.
     */
    public long dataFrom(long at) throws PoolException {
        return seek(at, false);
    }

    /** Offset of the first byte at or behind {@code at} that was never written; the file's size if there is none. */
    public long holeFrom(long at) throws PoolException {
        return seek(at, true);
    }

    private long seek(long at, boolean hole) throws PoolException {
        long found = NativeLibrary.seek(descriptor, at, hole);
        if (found == -Errno.ENXIO) {
            return size();
        }
        check((int) Math.max(0, -found), "cannot be searched for what was written");
        return found;
    }

    /** Maps {@code size} bytes, which may be more than the file has; {@code dax}: so that no store needs the kernel. */
    MemorySegment map(long size, boolean dax, Arena arena) throws PoolException {
        long address = NativeLibrary.map(descriptor, size, dax);
        check((int) Math.max(0, -address), "cannot be mapped");
        return MemorySegment.ofAddress(address)
                .reinterpret(size, arena, memory -> NativeLibrary.unmap(memory.address(), size));
    }

    private void check(int error, String what) throws PoolException {
        if (error != 0) {
            throw new PoolException(PoolException.Reason.IO, path + ": " + what + ": " + Errno.text(error));
        }
    }

    private long free() throws PoolException {
        try {
            return Files.getFileStore(path).getUsableSpace();
        } catch (IOException e) {
            throw new PoolException(PoolException.Reason.IO, path + " cannot be examined: " + e, e);
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
