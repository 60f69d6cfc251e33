package io.hmfs.core.pmem;

import io.hmfs.core.pmem.PoolException.Reason;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Scanner;

/**
 * Memory that the hardware cannot read any more. A load from there is a signal that ends the JVM, so a pool is compared with what the kernel
 * knows of such memory before anything reads it.
 */
final class BadBlocks {
    private static final long SECTOR = 512;

    /** Bytes of a device, of which the last is at {@code end - 1}. */
    record Range(long begin, long end) {
        boolean meets(long from, long to) {
            return begin < to && from < end;
        }
    }

    private BadBlocks() {}

    /** Throws with the first range of a pool that cannot be read, if there is one; the pool is locked, and nothing of it was read. */
    static void refuse(Path path, PoolLock lock, Sysfs sysfs) throws PoolException {
        DaxDevice device = lock.device();
        if (device != null) {
            refuse(path, device);
            return;
        }
        Path block = sysfs.block(lock.filesystemDevice());
        if (block == null) {
            return;
        }
        boolean isPartition = Sysfs.text(block, "partition") != null; // of which only the whole disk tells
        List<Range> bad = of(isPartition ? block.resolve("..") : block);
        if (!bad.isEmpty()) {
            refuse(path, lock, bad, isPartition ? Sysfs.number(block, "start").orElse(0) * SECTOR : 0);
        }
    }

    /** The ranges that the kernel tells of a block device or of a region. */
    static List<Range> of(Path directory) {
        List<Range> ranges = new ArrayList<>();
        String text = Sysfs.text(directory, "badblocks");
        if (text != null) {
            Scanner numbers = new Scanner(text);
            while (numbers.hasNextLong()) {
                long sector = numbers.nextLong();
                long count = numbers.hasNextLong() ? numbers.nextLong() : 1;
                ranges.add(new Range(sector * SECTOR, (sector + count) * SECTOR));
            }
        }
        return ranges;
    }

    static void refuse(Path path, DaxDevice device) throws PoolException {
        NdRegion region = device.region();
        List<Range> bad = region == null ? List.of() : of(region.directory());
        if (region == null || bad.isEmpty()) {
            return;
        }
        OptionalLong offset = device.offset();
        if (offset.isEmpty()) {
            throw new PoolException(
                    Reason.BAD_BLOCKS,
                    path + " is cut from " + region.name()
                            + ", which has bad blocks, and this user may not know whether"
                            + " they are in it. Look as root with ndctl list --media-errors; the server can run as root,"
                            + " too, or the blocks can be cleared: ndctl clear-errors, and what stood there is lost");
        }
        for (Range range : bad) {
            long at = offset.getAsLong();
            if (range.meets(at, at + device.size())) {
                throw unreadable(path, Math.max(0, range.begin() - at), Math.min(device.size(), range.end() - at));
            }
        }
    }

    /** {@code start}: where the filesystem begins on the disk that has the ranges. */
    private static void refuse(Path path, PoolLock lock, List<Range> bad, long start) throws PoolException {
        long size = lock.size();
        long at = 0;
        while (at < size) {
            PoolLock.Extent extent = lock.extentFrom(at);
            if (extent == null) {
                return;
            }
            at = extent.at() + extent.count();
            long place = start + extent.place();
            for (Range range : bad) {
                if (range.meets(place, place + extent.count())) {
                    throw unreadable(
                            path,
                            extent.at() + Math.max(0, range.begin() - place),
                            extent.at() + Math.min(extent.count(), range.end() - place));
                }
            }
        }
    }

    private static PoolException unreadable(Path path, long begin, long end) {
        return new PoolException(
                Reason.BAD_BLOCKS,
                path + " has bad memory: its bytes " + begin + " to " + (end - 1)
                        + " cannot be read, so it was not opened, and not changed. Restore it from a copy in another place;"
                        + " or give up what stood there with ndctl clear-errors, and look with hmfs fsck what the pool has lost");
    }
}
