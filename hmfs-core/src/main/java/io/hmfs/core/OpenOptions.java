package io.hmfs.core;

import io.hmfs.core.pmem.Persistence;
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
 *     Namespace#whenDurable}. Matters in mode {@code LOGGED} alone
 */
public record OpenOptions(
        Persistence persistence,
        boolean emulatePmem,
        @Nullable LogOptions log,
        boolean waits) {
    public OpenOptions {
        if ((persistence == Persistence.LOGGED) != (log != null)) {
            throw new IllegalArgumentException("the mode logged, and no other, needs a log");
        }
    }

    /** A mode without a log. */
    public OpenOptions(Persistence persistence, boolean emulatePmem) {
        this(persistence, emulatePmem, null, true);
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
        return new OpenOptions(Persistence.LOGGED, false, log, true);
    }

    /** The same, with methods that do not wait: the caller holds its answers back until they are safe. */
    public OpenOptions withoutWaiting() {
        return new OpenOptions(persistence, emulatePmem, log, false);
    }
}
