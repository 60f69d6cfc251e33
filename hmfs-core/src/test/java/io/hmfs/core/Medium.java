package io.hmfs.core;

/** What the pool of a simulation is made of, and what a crash takes. */
enum Medium {
    /** Simulated memory; power losses within operations. */
    POWER,
    /** Simulated memory; the process dies within operations. */
    KILL,
    /** Simulated memory; the process dies within operations, and later the power goes: what was not fenced may go even then. */
    KILL_THEN_POWER,
    /** The real memory access, over memory of this process; the process dies between operations. */
    MAPPED
}
