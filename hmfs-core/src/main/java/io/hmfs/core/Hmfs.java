package io.hmfs.core;

import io.hmfs.core.check.CheckReport;
import io.hmfs.core.check.PoolCheck;
import io.hmfs.core.engine.IdSource;
import io.hmfs.core.layout.CorruptPoolException;
import io.hmfs.core.layout.PoolHeader;
import io.hmfs.core.pmem.Persistence;
import io.hmfs.core.pmem.PoolException;
import io.hmfs.core.pmem.PoolFile;
import io.hmfs.core.pmem.PoolFiles;
import io.hmfs.core.pmem.log.LogBinding;
import io.hmfs.core.pmem.log.LogOptions;
import io.hmfs.core.pmem.log.LoggedPoolFile;
import io.hmfs.core.recovery.MachineEnd;
import io.hmfs.core.recovery.Superblock;
import io.hmfs.core.type.Progress;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.UUID;

/** The way in: makes pools and opens namespaces on them. */
public final class Hmfs {
    private Hmfs() {}

    /** Makes a pool with an empty root directory. Throws {@link PoolException} with what is wrong and what to do. */
    public static void format(Path pool, FormatOptions options) throws IOException {
        LogOptions log = options.log();
        if (log != null) {
            LoggedPoolFile.format(pool, log, options.size(), options.overwrite(), file -> format(pool, file));
            return;
        }
        try (PoolFile file = PoolFiles.create(pool, options.size(), options.backing(), options.overwrite())) {
            format(pool, file);
        }
    }

    private static void format(Path pool, PoolFile file) throws PoolException {
        long firstId = IdSource.firstOfPool(System.currentTimeMillis());
        Superblock.format(pool, file, UUID.randomUUID(), new SecureRandom().nextLong(), firstId);
    }

    /**
     * Looks at every byte of a pool that no process has open; see {@link CheckReport}. Changes one thing: in a pool that is sound, and was open when the
     * machine ended, it notes that the pool was checked. Throws {@link PoolException} with what is wrong and what to do if it is no pool, or in use.
     */
    public static CheckReport check(Path pool, Progress progress) throws IOException {
        CheckReport report;
        long starts;
        try (PoolFile file = PoolFiles.openReadOnly(pool)) {
            boundOnDevice(pool, file);
            report = PoolCheck.check(pool, file, progress);
            if (!report.isSound() || !MachineEnd.isUnchecked(file) || LogBinding.isBound(file)) {
                return report;
            }
            starts = starts(file);
        }
        try (PoolFile file = openForRepair(pool)) {
            if (starts(file) == starts) { // a start since may have changed what was checked
                MachineEnd.checked(file);
            }
        } catch (IOException e) {
            throw new IOException(
                    pool
                            + " is sound, but that cannot be noted in it, so a server with refuse-unchecked goes on refusing"
                            + " it: " + e.getMessage(),
                    e);
        }
        return report;
    }

    private static long starts(PoolFile file) {
        return file.pmem().get(file.header() + PoolHeader.STARTS_OFFSET);
    }

    /** The same, and puts right what can be. One that is cut off leaves a pool that does not open until it is repaired again. */
    public static CheckReport repair(Path pool, Progress progress) throws IOException {
        try (PoolFile file = openForRepair(pool)) {
            boundOnDevice(pool, file);
            if (LogBinding.isBound(file)) {
                throw new PoolException(
                        PoolException.Reason.NOT_A_POOL,
                        pool
                                + " is part of a pool with a log, which a repair would not write to. Remove it and its"
                                + " ring: the next start rebuilds them from image and log");
            }
            CheckReport report = PoolCheck.repair(pool, file, progress);
            if (report.isSound() && MachineEnd.isUnchecked(file)) {
                MachineEnd.checked(file);
            }
            return report;
        }
    }

    /**
     * A device is larger than its pool, and what is behind the pool is what stood in the device before: only the superblock tells where the pool
     * ends, so one that does not is no pool to be checked.
     */
    private static void boundOnDevice(Path pool, PoolFile file) throws PoolException {
        if (!file.isDevice()) {
            return;
        }
        try {
            Superblock.check(pool, file);
        } catch (PoolException e) {
            if (e.reason() != PoolException.Reason.REPAIR_CUT_SHORT) { // found out last
                throw e;
            }
        }
    }

    private static PoolFile openForRepair(Path pool) throws PoolException {
        try {
            return PoolFiles.open(pool, Persistence.PMEM, false);
        } catch (PoolException e) {
            if (e.reason() == PoolException.Reason.NOT_DAX) {
                return PoolFiles.open(pool, Persistence.PROCESS, false);
            }
            throw e;
        }
    }

    /** Opens a pool; recovery needs no scan. Throws {@link PoolException} with what is wrong and what to do. */
    public static Namespace open(Path pool, OpenOptions options) throws IOException {
        return openForServer(pool, options);
    }

    /** Opens a pool as {@link #open(Path, OpenOptions)} does, for a server: with what it needs beside the namespace. */
    public static ServerNamespace openForServer(Path pool, OpenOptions options) throws IOException {
        LogOptions log = options.log();
        PoolFile file = log != null
                ? LoggedPoolFile.open(pool, log, options.sizeMax())
                : PoolFiles.open(pool, options.persistence(), options.emulatePmem(), options.sizeMax());
        try {
            Superblock.check(pool, file);
            if (log == null && LogBinding.isBound(file)) {
                throw new PoolException(
                        PoolException.Reason.NOT_A_POOL,
                        pool
                                + " is part of a pool with a log. Open it with the mode logged and the log's"
                                + " directory: what another mode stores would be lost with the machine");
            }
            if (options.refusesUnchecked() && log == null) {
                MachineEnd.refuse(pool, file);
            }
            return new PoolNamespace(pool.toString(), file, true, options.waits(), options.dataElsewhere());
        } catch (CorruptPoolException e) {
            file.close();
            throw new PoolException(
                    PoolException.Reason.BAD_CHECKSUM,
                    pool + " is damaged: " + e.getMessage() + ". Restore it from a copy",
                    e);
        } catch (IOException | RuntimeException | Error e) {
            file.close();
            throw e;
        }
    }

    /**
     * Opens a pool in a file that the caller has opened, perhaps with a {@link io.hmfs.core.pmem.Pmem} of its own that counts what
     * reaches the memory. For measurements: {@code background} says whether the threads run that sweep, scan and prepare space.
     */
    public static ServerNamespace open(Path pool, PoolFile file, boolean background) throws IOException {
        Superblock.check(pool, file);
        return new PoolNamespace(pool.toString(), file, background);
    }
}
