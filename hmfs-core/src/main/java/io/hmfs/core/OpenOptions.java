package io.hmfs.core;

import io.hmfs.core.pmem.Persistence;

/**
 * How to open a pool. The backing is found out from the file.
 *
 * @param persistence what an acknowledged operation must survive; {@link Persistence#PMEM} is refused on memory that is not DAX
 * @param emulatePmem allow {@code PMEM} on any memory: for measurements only, it does not survive power failure
 */
public record OpenOptions(Persistence persistence, boolean emulatePmem) {
    /** Survive the death of the process. */
    public static OpenOptions process() {
        return new OpenOptions(Persistence.PROCESS, false);
    }
}
