package io.hmfs.core.recovery;

import io.hmfs.core.layout.PoolHeader;
import io.hmfs.core.pmem.MachineBoot;
import io.hmfs.core.pmem.Persistence;
import io.hmfs.core.pmem.Pmem;
import io.hmfs.core.pmem.PoolException;
import io.hmfs.core.pmem.PoolException.Reason;
import io.hmfs.core.pmem.PoolFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.UUID;

/**
 * Whether a pool was open when its machine ended, and no check has found it sound since. An end of the process leaves all its stores; an end of the
 * machine leaves what the memory and the disk have kept, and that they keep what they promise is not known until the pool is looked at. Not told of a
 * pool with a log, which is rebuilt then.
 */
public final class MachineEnd {
    private static final UUID NO_BOOT = new UUID(0, 0);

    private MachineEnd() {}

    /** The boot; where the kernel tells none, an id that no other start has, so that each end of a process counts as one of the machine. */
    private static UUID boot() {
        try {
            return MachineBoot.id();
        } catch (IOException e) {
            return UUID.randomUUID();
        }
    }

    private static boolean wasOpen(Pmem pmem, long header, UUID boot) {
        UUID before = PoolHeader.boot(pmem, header);
        boolean closed = pmem.get(header + PoolHeader.STATE_OFFSET) == PoolHeader.CLEAN;
        return !closed && !before.equals(NO_BOOT) && !before.equals(boot);
    }

    /** Whether the pool has still to be checked. */
    public static boolean isUnchecked(PoolFile file) {
        Pmem pmem = file.pmem();
        return pmem.get(file.header() + PoolHeader.UNCHECKED_OFFSET) != 0 || wasOpen(pmem, file.header(), boot());
    }

    /** Throws if the pool {@link #isUnchecked}. */
    public static void refuse(Path path, PoolFile file) throws PoolException {
        if (isUnchecked(file)) {
            throw new PoolException(
                    Reason.NOT_CHECKED,
                    path + " was open when the machine ended, and was not checked since. Run: hmfs fsck " + path
                            + ", which lets it open if it finds no damage; or serve it as it is without"
                            + " refuse-unchecked");
        }
    }

    /**
     * Stores that this boot has the pool open. All in the line of the state, and before it: a crash that has kept that the pool is open has kept since when.
     * The caller makes the line durable before the pool is used.
     */
    public static void record(Pmem pmem, long header) {
        if (pmem.persistence() == Persistence.LOGGED) {
            return;
        }
        UUID boot = boot();
        if (wasOpen(pmem, header, boot)) {
            // First: with another boot in the next words nothing else would tell it any more.
            pmem.set(header + PoolHeader.UNCHECKED_OFFSET, 1);
        }
        pmem.setRelease(header + PoolHeader.BOOT_HIGH_OFFSET, boot.getMostSignificantBits());
        pmem.set(header + PoolHeader.BOOT_LOW_OFFSET, boot.getLeastSignificantBits());
    }

    /** A check has found no damage in the pool, which no process has open. */
    public static void checked(PoolFile file) {
        Pmem pmem = file.pmem();
        long header = file.header();
        pmem.set(header + PoolHeader.BOOT_HIGH_OFFSET, 0);
        pmem.set(header + PoolHeader.BOOT_LOW_OFFSET, 0);
        pmem.set(header + PoolHeader.UNCHECKED_OFFSET, 0);
        pmem.persist(header + PoolHeader.UNCHECKED_OFFSET, 24);
    }
}
