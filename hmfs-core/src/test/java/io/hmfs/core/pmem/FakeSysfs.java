package io.hmfs.core.pmem;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A directory with files and links as the kernel has them below /sys: one region of persistent memory, and devices that are cut from it. */
final class FakeSysfs {
    final Path root;
    final Path region;

    FakeSysfs(Path root) throws IOException {
        this.root = root;
        this.region = root.resolve("devices/ndbus0/region0");
        Files.createDirectories(region);
        Files.createDirectories(root.resolve("bus/dax/drivers/device_dax"));
        Files.createDirectories(root.resolve("bus/dax/drivers/kmem"));
        Files.createDirectories(root.resolve("class/mem"));
    }

    Sysfs sysfs() {
        return new Sysfs(root);
    }

    static void put(Path directory, String attribute, String text) throws IOException {
        Path file = directory.resolve(attribute).normalize();
        Files.createDirectories(file.getParent());
        Files.writeString(file, text + "\n");
    }

    void domain(String domain) throws IOException {
        put(region, "persistence_domain", domain);
        put(region, "uevent", "DEVTYPE=nd_pmem\nMODALIAS=nd:t4");
    }

    /** Device DAX of the region; of other memory unless the region has a domain. */
    Path dax(String number, long size) throws IOException {
        Path device = region.resolve("dax0.1/dax0.0");
        put(device, "size", Long.toString(size));
        link(device.resolve("subsystem"), "bus/dax");
        link(device.resolve("driver"), "bus/dax/drivers/device_dax");
        link(root.resolve("dev/char").resolve(number), root.relativize(device).toString());
        return device;
    }

    /** A disk of the region. */
    Path block(String number) throws IOException {
        Path disk = region.resolve("pfn0.1/block/pmem0");
        Files.createDirectories(disk);
        link(root.resolve("dev/block").resolve(number), root.relativize(disk).toString());
        return disk;
    }

    /** Its first partition. */
    Path partition(String number, long startSector) throws IOException {
        Path partition = region.resolve("pfn0.1/block/pmem0/pmem0p1");
        put(partition, "partition", "1");
        put(partition, "start", Long.toString(startSector));
        link(
                root.resolve("dev/block").resolve(number),
                root.relativize(partition).toString());
        return partition;
    }

    void link(Path link, String target) throws IOException {
        Files.createDirectories(link.getParent());
        Files.deleteIfExists(link);
        Files.createSymbolicLink(link, root.resolve(target));
    }

    /** How sysfs writes the number of a device. */
    static String text(long device) {
        return (((device >>> 8) & 0xFFF) | ((device >>> 32) & 0xFFFFF000L)) + ":"
                + ((device & 0xFF) | ((device >>> 12) & 0xFFFFFF00L));
    }
}
