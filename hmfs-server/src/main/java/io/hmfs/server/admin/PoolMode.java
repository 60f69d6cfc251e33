package io.hmfs.server.admin;

import io.hmfs.core.pmem.Backing;
import io.hmfs.core.pmem.Persistence;
import io.hmfs.core.pmem.PoolException;
import io.hmfs.core.pmem.PoolFile;
import io.hmfs.core.pmem.PoolPlace;
import io.hmfs.core.pmem.log.LogBinding;
import io.hmfs.core.pmem.log.LogOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The mode that a pool is made for and served in. Unless one is asked for, what is answered survives power failure: {@code pmem} on
 * DAX memory, {@code logged} elsewhere. A pool that has a log keeps it. The mode {@code process}, in which a pool goes with its
 * machine, is never chosen, only asked for.
 *
 * @param logDirectory the log's directory, in the mode {@code logged}
 */
record PoolMode(Persistence persistence, @Nullable Path logDirectory) {
    private static final String ASK = "accept that with --persistence process";

    /** The mode to make a pool for. */
    static PoolMode toMake(Path pool, Backing backing, @Nullable Persistence asked, @Nullable Path logDirectory)
            throws IOException {
        if (logDirectory != null || asked == Persistence.LOGGED) {
            if (asked != null && asked != Persistence.LOGGED) {
                throw CommandException.usage("--log-directory goes with --persistence logged only");
            }
            if (backing != Backing.MAPPED) {
                throw CommandException.usage("a pool with a log goes with --backing mapped only");
            }
            return logged(pool, logDirectory);
        }
        if (asked == Persistence.PROCESS) {
            return new PoolMode(asked, null);
        }
        if (PoolPlace.isDax(pool)) {
            return new PoolMode(Persistence.PMEM, null);
        }
        if (PoolPlace.isDevice(pool)) {
            throw CommandException.failure(pool + " " + PoolPlace.shortfall(pool)
                    + ": a pool there would be lost with the" + " machine. Choose another place, or " + ASK);
        }
        if (asked == Persistence.PMEM) {
            throw CommandException.failure(pool + " would not be on DAX persistent memory, which the mode pmem needs");
        }
        if (backing != Backing.MAPPED) {
            throw CommandException.failure(pool
                    + " would not be on DAX persistent memory, and a PMDK pool has no log: it would be lost with the machine."
                    + " Use --backing mapped, or " + ASK);
        }
        return logged(pool, null);
    }

    /** The mode to serve a pool in. */
    static PoolMode toServe(Path pool, boolean emulatePmem, @Nullable Persistence asked, @Nullable Path logDirectory)
            throws IOException {
        if (asked == null ? logDirectory != null : asked == Persistence.LOGGED) {
            return logged(pool, logDirectory);
        }
        if (asked != null) {
            return new PoolMode(asked, logDirectory);
        }
        if (!Files.exists(pool)) {
            return lost(pool);
        }
        boolean isDevice = PoolPlace.isDevice(pool); // never one of a pool with a log, nor can it be read
        if (!isDevice && (!Files.isRegularFile(pool) || Files.size(pool) < PoolFile.SIZE_MIN)) {
            return new PoolMode(Persistence.PROCESS, null); // no pool: whatever opens it says what it is instead
        }
        if (!isDevice && LogBinding.isBound(pool)) {
            return bound(pool);
        }
        if (emulatePmem || PoolPlace.isDax(pool)) {
            return new PoolMode(Persistence.PMEM, null);
        }
        throw CommandException.failure(
                pool + " has no log and " + PoolPlace.shortfall(pool) + "; so what is answered would be"
                        + " lost with the machine: " + ASK + "; or make a pool that survives it: hmfs format");
    }

    private static PoolMode logged(Path pool, @Nullable Path directory) throws PoolException {
        PoolPlace.requireFile(pool);
        if (directory != null) {
            return new PoolMode(Persistence.LOGGED, directory);
        }
        String memory = PoolPlace.inMemory(pool);
        if (memory != null) {
            throw CommandException.failure(
                    pool + " is in memory (" + memory + ") and would be lost with the machine: name a"
                            + " directory on a disk for its log with --log-directory, or " + ASK);
        }
        return new PoolMode(Persistence.LOGGED, LogOptions.directoryOf(pool));
    }

    private static PoolMode bound(Path pool) {
        Path directory = LogOptions.directoryOf(pool);
        if (!LogOptions.in(directory).exists()) {
            throw CommandException.failure(pool + " was made with a log, which is not in " + directory
                    + ": name its directory with --log-directory");
        }
        return new PoolMode(Persistence.LOGGED, directory);
    }

    /** Not made yet by a first start, or lost with the machine. */
    private static PoolMode lost(Path pool) {
        Path directory = LogOptions.directoryOf(pool);
        if (!LogOptions.in(directory).exists()) {
            throw CommandException.failure(pool + " does not exist, nor a log in " + directory
                    + ": make a pool with hmfs format, or name its log with --log-directory");
        }
        return new PoolMode(Persistence.LOGGED, directory);
    }
}
