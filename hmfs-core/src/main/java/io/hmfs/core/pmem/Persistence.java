package io.hmfs.core.pmem;

/** What an acknowledged operation survives; chosen when a pool is opened and shown wherever the pool is described. */
public enum Persistence {
    /** Power failure, on DAX persistent memory: lines are written back and fenced. */
    PMEM,
    /** Death of the server process, not of the machine: the order of stores is enough, nothing is written back. */
    PROCESS,
    /** Power failure, on any disk: lines that are written back go to a log, whose sync comes before the answer. */
    LOGGED;

    /** Whether a write-back does anything, so that what is not written back yet must not be shown. */
    public boolean writesBack() {
        return this != PROCESS;
    }
}
