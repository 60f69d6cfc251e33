package io.hmfs.core.pmem;

import io.hmfs.core.pmem.PoolException.Reason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Device DAX, such as {@code /dev/dax0.0}: a range of memory without a filesystem. It can be mapped and nothing else: no read, no write, no
 * size that a file has. CXL memory in this mode is the same device.
 *
 * @param number of the character device, as stat gives it
 * @param directory its directory in sysfs
 * @param size bytes, a multiple of {@code align}
 * @param align of its pages: mappings begin and end at multiples of it
 * @param region the persistent memory that it is cut from; null if it is cut from other memory
 */
record DaxDevice(
        long number,
        Path directory,
        long size,
        long align,
        @Nullable NdRegion region) {
    private static final int TYPE_MASK = 0xF000;
    private static final int CHARACTER = 0x2000;
    private static final long ALIGN_MIN = 4096;

    /** Whether a path names a character device, of whatever kind; a symbolic link is none. */
    static boolean isDevice(Path path) {
        try {
            return ((int) Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS) & TYPE_MASK) == CHARACTER;
        } catch (IOException | UnsupportedOperationException _) {
            return false;
        }
    }

    /** The device with this name; throws with what is wrong and what to do if it is of another kind, or is not in use as device DAX. */
    static DaxDevice of(Path path, Sysfs sysfs) throws PoolException {
        long number = number(path);
        Path directory = sysfs.character(number);
        if (directory == null || !Sysfs.linked(directory, "subsystem").equals("dax")) {
            throw new PoolException(
                    Reason.NOT_A_POOL,
                    path + " is a device, but not device DAX: name one such as /dev/dax0.0, or a file");
        }
        if (Sysfs.linked(directory, "driver").equals("kmem")) {
            throw new PoolException(
                    Reason.NOT_A_POOL,
                    path + " is in use as system memory: daxctl reconfigure-device --mode=devdax "
                            + directory.getFileName() + " gives it back");
        }
        OptionalLong size = Sysfs.number(directory, "size");
        long align = align(directory);
        if (size.isEmpty() || Long.bitCount(align) != 1 || align < ALIGN_MIN) {
            throw new PoolException(
                    Reason.IO,
                    path + ": " + directory
                            + " tells no size or no alignment of this device, which a pool on it needs");
        }
        return new DaxDevice(number, directory, size.getAsLong() & -align, align, NdRegion.of(directory));
    }

    /** Number of the device behind a path, following links. */
    static long number(Path path) throws PoolException {
        try {
            return (long) Files.getAttribute(path, "unix:rdev");
        } catch (IOException e) {
            throw new PoolException(Reason.IO, path + " cannot be examined: " + e, e);
        }
    }

    /** Where it stands depends on the kernel: at the device, at its region, or, in the old layout, at the device above. */
    private static long align(Path directory) {
        for (String attribute : new String[] {"align", "../dax_region/align", "device/align"}) {
            OptionalLong align = Sysfs.number(directory, attribute);
            if (align.isPresent()) {
                return align.getAsLong();
            }
        }
        return 0;
    }

    /** Bytes from the beginning of the region to the device; empty if this user may not know. */
    OptionalLong offset() {
        OptionalLong from = region == null ? OptionalLong.empty() : Sysfs.number(region.directory(), "resource");
        OptionalLong at = Sysfs.number(directory, "resource");
        boolean isKnown = from.isPresent() && at.isPresent() && from.getAsLong() > 0; // 0: not for this user
        return isKnown ? OptionalLong.of(at.getAsLong() - from.getAsLong()) : OptionalLong.empty();
    }

    /** Whether the platform says that what has reached the memory survives a power failure. */
    boolean survives() {
        return region != null && region.survives();
    }
}
