package io.hmfs.core.pmem;

/** What an acknowledged operation survives; chosen when a pool is opened and shown wherever the pool is described. */
public enum Persistence {
    /** Power failure, on DAX persistent memory: lines are written back and fenced. */
    PMEM,
    /** Death of the server process, not of the machine: the order of stores is enough, nothing is written back. */
    PROCESS
}
