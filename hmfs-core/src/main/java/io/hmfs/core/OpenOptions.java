package io.hmfs.core;

import io.hmfs.core.layout.PoolHeader;
import io.hmfs.core.pmem.Persistence;
import io.hmfs.core.pmem.PoolFile;
import io.hmfs.core.pmem.log.LogOptions;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * How to open a pool. The backing is found out from the file.
 *
 * @param persistence what an acknowledged operation must survive; {@link Persistence#PMEM} is refused on memory that is not DAX
 * @param emulatePmem allow {@code PMEM} on any memory: for measurements only, it does not survive power failure
 * @param log the log, with {@link Persistence#LOGGED} and no other
 * @param waits whether methods return only when what they say is safe; else the caller holds answers back with {@link
 *     ServerNamespace#whenDurable}. Matters in mode {@code LOGGED} alone
 * @param sizeMax bytes to which the pool may grow by itself, ahead of need, while it is open, at most {@link #SIZE_MAX}; one that
 *     has as many does not grow. A PMDK pool never does
 * @param dataElsewhere whether files have data, kept elsewhere under their ids, that must be removed after them: then the pool remembers a removed file
 *     until {@link ServerNamespace#removedFiles} is told that its data is gone. A pool may be opened with it and without; what was removed without it had no data
 * @param refusesUnchecked whether a pool that was open when the machine ended, and that no check has found sound since, is not opened. Means nothing in
 *     mode {@code LOGGED}, in which the pool is rebuilt then
 */
public record OpenOptions(
        Persistence persistence,
        boolean emulatePmem,
        @Nullable LogOptions log,
        boolean waits,
        long sizeMax,
        boolean dataElsewhere,
        boolean refusesUnchecked) {
    /** As large as a pool can be. */
    public static final long SIZE_MAX = (PoolHeader.REGIONS_MAX + 1) * PoolFile.REGION_SIZE;

    public OpenOptions {
        if (sizeMax < 0 || sizeMax > SIZE_MAX) {
            throw new IllegalArgumentException("sizeMax is " + sizeMax + "; it must be 0 to " + SIZE_MAX);
        }
        if ((persistence == Persistence.LOGGED) != (log != null)) {
            throw new IllegalArgumentException("the mode logged, and no other, needs a log");
        }
    }

    /** A mode without a log. */
    public OpenOptions(Persistence persistence, boolean emulatePmem) {
        this(persistence, emulatePmem, null, true, 0, false, false);
    }

    /** Survive the death of the process. */
    public static OpenOptions process() {
        return new OpenOptions(Persistence.PROCESS, false);
    }

    /** Survive the death of the machine, by a log in this directory; the pool was formatted with it. */
    public static OpenOptions logged(Path logDirectory) {
        return logged(LogOptions.in(logDirectory));
    }

    /** Survive the death of the machine, by this log. */
    public static OpenOptions logged(LogOptions log) {
        return new OpenOptions(Persistence.LOGGED, false, log, true, 0, false, false);
    }

    /** The same, with methods that do not wait: the caller holds its answers back until they are safe. */
    public OpenOptions withoutWaiting() {
        return new OpenOptions(persistence, emulatePmem, log, false, sizeMax, dataElsewhere, refusesUnchecked);
    }

    /** The same, of a pool that may grow to this size while it is open. */
    public OpenOptions growingTo(long newSizeMax) {
        return new OpenOptions(persistence, emulatePmem, log, waits, newSizeMax, dataElsewhere, refusesUnchecked);
    }

    /** The same, of a pool whose files have data that is kept elsewhere. */
    public OpenOptions keepingDataElsewhere() {
        return new OpenOptions(persistence, emulatePmem, log, waits, sizeMax, true, refusesUnchecked);
    }

    /** The same, or one that refuses a pool that was open when the machine ended and was not found sound since. */
    public OpenOptions refusingUnchecked(boolean refuses) {
        return new OpenOptions(persistence, emulatePmem, log, waits, sizeMax, dataElsewhere, refuses);
    }
}
