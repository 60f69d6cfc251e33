package io.hmfs.core.pmem;

import io.hmfs.core.pmem.PoolException.Reason;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import jdk.nio.mapmode.ExtendedMapMode;
import org.jspecify.annotations.Nullable;

/**
 * The memory that a pool lies on, found out before the pool is opened: which mode can keep its promise there, and what a store needs to be
 * durable.
 *
 * @param place the filesystem, and the block device if it has one; the kind of device
 * @param device the device that is the pool's path; null if that is a file
 * @param region the persistent memory behind it; null if it is on none, or that cannot be told, as through LVM
 * @param dax whether a write-back of a line makes it durable: of a file only a mapping with MAP_SYNC tells, of a device its region
 */
record PoolMemory(
        String place, @Nullable DaxDevice device, @Nullable NdRegion region, boolean dax) {
    private static final long PAGE = 4096;

    /** What a pool's file or device lies on. The file is there; one that is shorter than a page is not DAX. */
    static PoolMemory of(Path path, Sysfs sysfs) throws PoolException {
        if (DaxDevice.isDevice(path)) {
            DaxDevice device = DaxDevice.of(path, sysfs);
            return new PoolMemory("device DAX", device, device.region(), device.survives());
        }
        try {
            String filesystem = Files.getFileStore(path).type();
            Path block = sysfs.block((long) Files.getAttribute(path, "unix:dev"));
            return new PoolMemory(
                    block == null ? filesystem : filesystem + " on " + block.getFileName(),
                    null,
                    block == null ? null : NdRegion.of(block),
                    Files.size(path) >= PAGE && isMappedInSync(path));
        } catch (IOException e) {
            throw new PoolException(Reason.IO, path + " cannot be examined: " + e, e);
        }
    }

    /** Whether a page of a file can be mapped as only DAX allows: such that no store to it needs the kernel to be durable. */
    private static boolean isMappedInSync(Path path) throws IOException {
        try (Arena arena = Arena.ofShared();
                FileChannel channel = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            return isMappedInSync(channel, arena);
        }
    }

    private static boolean isMappedInSync(FileChannel channel, Arena arena) {
        try {
            channel.map(ExtendedMapMode.READ_WRITE_SYNC, 0, PAGE, arena);
            return true;
        } catch (IOException | UnsupportedOperationException _) { // how the kernel tells that this is not DAX
            return false;
        }
    }

    /** The strongest mode without a log that this memory keeps the promise of. */
    Persistence strongest() {
        return dax ? Persistence.PMEM : Persistence.PROCESS;
    }

    /** The mode that was asked for, if this memory keeps its promise; else throws why it does not. */
    Persistence permitted(Path path, Persistence asked, boolean emulatePmem) throws PoolException {
        if (asked == Persistence.LOGGED) {
            throw new IllegalArgumentException("a logged pool opens with its log");
        }
        if (asked == Persistence.PMEM && !dax && !emulatePmem) {
            throw new PoolException(
                    Reason.NOT_DAX,
                    path + " " + shortfall() + ", so the mode pmem could not keep its promise: " + remedy()
                            + ", or choose the mode process (or --emulate-pmem, for measurements only)");
        }
        return asked;
    }

    /** What it lacks to be persistent memory, after the pool's name. */
    String shortfall() {
        if (device != null) {
            return region == null
                    ? "is device DAX of memory that is lost with the power"
                    : "is device DAX of " + region.name() + ", of which the platform does not say that it survives"
                            + " a power failure (its persistence_domain is '" + region.domain() + "')";
        }
        return "is not on DAX persistent memory"
                + (region == null ? "" : ": its filesystem (" + place + ") is, but is mounted without DAX");
    }

    private String remedy() {
        if (device != null) {
            return "put the pool on persistent memory";
        }
        return region == null
                ? "put the pool on a filesystem mounted with -o dax"
                : "unmount that filesystem and mount it with -o dax=always";
    }

    /** Whether lines have to be written back in a mode: not where the caches survive as well. */
    boolean needsWriteBack(Persistence persistence) {
        boolean isPastCaches = dax && region != null && region.cachesSurvive();
        return persistence == Persistence.PMEM && !isPastCaches;
    }

    /** In words, for operators: what it is, and how stores become durable. */
    String text(Persistence persistence) {
        StringBuilder text = new StringBuilder(place);
        if (device != null) {
            text.append(", pages of ").append(device.align() >> 10).append(" KiB");
        } else {
            text.append(dax ? ", DAX (MAP_SYNC)" : ", not DAX");
        }
        if (region != null) {
            text.append(", ").append(region.name()).append(" with persistence domain ");
            text.append(region.domain().isEmpty() ? "unknown" : region.domain());
        } else if (device != null) {
            text.append(", lost with the power");
        }
        if (persistence == Persistence.PMEM) {
            text.append(
                    needsWriteBack(persistence)
                            ? ", write-backs with " + NativeLibrary.writeBackInstruction()
                            : ", no write-backs: the caches survive");
        }
        return text.toString();
    }
}
