package io.hmfs.core.pmem;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A pool's file, or the device in its place, that is open here and nowhere else. The lock belongs to the open file, not to the process as {@link
 * java.nio.channels.FileLock} does: that one is dropped as soon as anything in this process closes the same file, be it a
 * look at its first bytes.
 */
public final class PoolLock implements AutoCloseable {
    private static final long HUGE_PAGE = 2L << 20;

    /** Where a part of the file is kept: its first byte, the same byte's place on the filesystem's device, and how many follow. */
    record Extent(long at, long place, long count) {}

    private final Path path;
    private final int descriptor;
    private final @Nullable DaxDevice device;
    private final Sysfs sysfs;
    private boolean closed;

    private PoolLock(Path path, int descriptor, @Nullable DaxDevice device, Sysfs sysfs) {
        this.path = path;
        this.descriptor = descriptor;
        this.device = device;
        this.sysfs = sysfs;
    }

    /** Locks an existing file, of this process's user alone. */
    public static PoolLock acquire(Path path) throws PoolException {
        return acquire(path, Sysfs.SYSTEM);
    }

    /** Locks an existing file, or device DAX, of this process's user alone. */
    static PoolLock acquire(Path path, Sysfs sysfs) throws PoolException {
        if (!Files.exists(path)) {
            throw new PoolException(PoolException.Reason.NOT_FOUND, path + " does not exist: make it with format");
        }
        DaxDevice device = DaxDevice.isDevice(path) ? DaxDevice.of(path, sysfs) : null;
        if (device == null && !Files.isRegularFile(path) && !Files.isSymbolicLink(path)) {
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
        PoolLock lock = new PoolLock(path, result, device, sysfs);
        try {
            if (device == null) {
                OwnFiles.closeFile(path, result);
            } else {
                OwnFiles.requireOwnDevice(path, result);
                lock.requireDevice(device.number());
            }
            return lock;
        } catch (IOException e) {
            lock.close();
            throw new PoolException(PoolException.Reason.IO, String.valueOf(e.getMessage()), e);
        }
    }

    private void requireDevice(long number) throws IOException {
        if (DaxDevice.number(OwnFiles.opened(descriptor)) != number) {
            throw new IOException(path + " has become another device: try again");
        }
    }

    /** Locks a device that has room for so many bytes. */
    static PoolLock claim(Path path, long size, Sysfs sysfs) throws PoolException {
        PoolLock lock = acquire(path, sysfs);
        if (size > lock.size()) {
            lock.close();
            throw new PoolException(
                    PoolException.Reason.NO_SPACE,
                    path + " has " + lock.size() + " bytes, a pool of " + size
                            + " does not fit: choose a smaller size");
        }
        return lock;
    }

    Path path() {
        return path;
    }

    /** What tells of the hardware that the file is on. */
    Sysfs sysfs() {
        return sysfs;
    }

    /** The device DAX in the file's place; null if it is a file. */
    @Nullable
    DaxDevice device() {
        return device;
    }

    /** Number of the device that the filesystem of the file is on. */
    long filesystemDevice() throws PoolException {
        try {
            return (long) Files.getAttribute(OwnFiles.opened(descriptor), "unix:dev");
        } catch (IOException e) {
            throw examining(e);
        }
    }

    /** The first part of the file that ends behind {@code at} and has a place on the device; null if there is none up to the end. */
    @Nullable
    Extent extentFrom(long at) throws PoolException {
        long[] found = new long[3];
        int error = NativeLibrary.extent(descriptor, at, found);
        if (error == Errno.ENXIO) {
            return null;
        }
        check(error, "its filesystem's device has bad blocks, and whether they are in the pool cannot be found out");
        return new Extent(found[0], found[1], found[2]);
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

    /**
     * Gives the holes of the file space, as a copy of a pool may have some: on a full disk, a store into a hole kills the JVM. Changes nothing if the
     * filesystem cannot do that.
     */
    void fillHoles() throws PoolException {
        long missing = NativeLibrary.holes(descriptor);
        check((int) Math.max(0, -missing), "its space cannot be examined");
        if (missing == 0) {
            return;
        }
        long free = free();
        if (missing > free) { // before the disk is full
            throw new PoolException(
                    PoolException.Reason.NO_SPACE,
                    path + " has holes, as a sparse copy has, and its filesystem has " + free + " bytes free of the "
                            + missing + " that it would take to fill them: make room");
        }
        int error = NativeLibrary.fillHoles(descriptor);
        if (error != Errno.EOPNOTSUPP) {
            check(error, "its holes cannot be filled");
        }
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

    /** Has {@link #read} go past the page cache if the filesystem can. */
    void bypassCache() {
        // a filesystem that cannot reads through its cache
        int _ = NativeLibrary.bypassCache(descriptor);
    }

    /**
     * Fills native memory from a place of the file on, past the page cache only if memory, size and place are multiples of the device's block.
     *
     * @return how many bytes were read: fewer where the file ends, 0 behind its end
     */
    long read(MemorySegment to, long from) throws PoolException {
        long there = NativeLibrary.read(descriptor, to, to.byteSize(), from);
        check((int) Math.max(0, -there), "cannot be read");
        return there;
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

    /**
     * Maps {@code size} bytes, which may be more than the file has; of a device so many as it has, or any multiple of its alignment. {@code
     * dax}: so that no store needs the kernel.
     */
    MemorySegment map(long size, boolean dax, Arena arena) throws PoolException {
        long align = device == null ? HUGE_PAGE : Math.max(HUGE_PAGE, device.align());
        long address = NativeLibrary.map(descriptor, size, align, dax);
        check(
                (int) Math.max(0, -address),
                dax ? "cannot be mapped with MAP_SYNC, as DAX memory can" : "cannot be mapped");
        return MemorySegment.ofAddress(address)
                .reinterpret(size, arena, memory -> NativeLibrary.unmap(memory.address(), size));
    }

    private void check(int error, String what) throws PoolException {
        if (error != 0) {
            throw new PoolException(PoolException.Reason.IO, path + ": " + what + ": " + Errno.text(error));
        }
    }

    long free() throws PoolException {
        try {
            return Files.getFileStore(path).getUsableSpace();
        } catch (IOException e) {
            throw examining(e);
        }
    }

    static PoolException noSpace(Path path, long needed, long free) {
        return new PoolException(
                PoolException.Reason.NO_SPACE,
                path + " needs " + needed + " bytes, but its filesystem has " + free
                        + " free: choose a smaller size or another place");
    }

    private PoolException examining(IOException e) {
        return new PoolException(PoolException.Reason.IO, path + " cannot be examined: " + e, e);
    }

    /** Bytes of the file now; of a device all that it has. */
    long size() throws PoolException {
        if (device != null) {
            return device.size();
        }
        try {
            return Files.size(path);
        } catch (IOException e) {
            throw examining(e);
        }
    }

    /** Removes the file and unlocks it; a device is only unlocked. */
    void abandon() {
        try {
            if (device == null) {
                Files.deleteIfExists(path);
            }
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
