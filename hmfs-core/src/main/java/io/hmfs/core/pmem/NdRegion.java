package io.hmfs.core.pmem;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A region of persistent memory as the kernel's libnvdimm knows it, be it of NVDIMMs or of CXL memory: block devices and device DAX are cut
 * from it. Its {@code persistence_domain} says which stores survive a power failure: those in the processor's caches, too ({@code
 * cpu_cache}, also called eADR), or those that have reached the memory controller.
 *
 * @param directory its directory in sysfs
 */
record NdRegion(Path directory) {
    private static final String DOMAIN = "persistence_domain";

    /** The region that a device is cut from; null if it is cut from none, as memory that is lost with the machine. */
    static @Nullable NdRegion of(Path device) {
        for (Path at = device; at != null; at = at.getParent()) {
            if (Sysfs.text(at, DOMAIN) != null) {
                return new NdRegion(at);
            }
        }
        return null;
    }

    String name() {
        return String.valueOf(directory.getFileName());
    }

    /** What the platform names; empty if it names none. */
    String domain() {
        String domain = Sysfs.text(directory, DOMAIN);
        return domain == null ? "" : domain;
    }

    /** Whether the platform says that what has reached the memory survives a power failure. */
    boolean survives() {
        String event = Sysfs.text(directory, "uevent");
        boolean isVolatile = event != null && event.contains("DEVTYPE=nd_volatile");
        return !isVolatile && (domain().equals("memory_controller") || cachesSurvive());
    }

    /** Whether the platform says that what is in the caches survives, too: then a store needs no write-back. */
    boolean cachesSurvive() {
        return domain().equals("cpu_cache");
    }
}
