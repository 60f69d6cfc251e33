package io.hmfs.core.lock;

/**
 * The one order of all locks that a thread may hold while it waits for another one: from the first taken to the last. A thread waits only for a lock
 * of a later rank than all that it holds, or of the same rank with a higher number; so no circle of threads can wait for each other. Locks that are
 * only tried may be taken in any order, for no thread waits for them. Monitors inside one class, under which no other lock is taken, have
 * no rank. docs/architecture.md#lock-order says what each rank protects; {@link LockOrder} checks it in tests.
 */
public enum LockRank {
    /** Server: a name that a request looks at before it changes it; striped by key, two in ascending order. */
    REQUEST_KEY,
    /** Server: a file's lease and size against its recovery; striped by inode. */
    LEASE,
    /** Server: the set of quotas above each directory; shared by changes, exclusive to a change of the set. */
    QUOTA,
    /** Server: which trees are in the orphan directory; shared by renames, exclusive to a step into it or out of it. */
    ORPHANS,
    /** Engine: the loop check of renames of directories. */
    DIRECTORY_MOVE,
    /** Engine: names and inodes, striped by hash, several in ascending order. */
    KEY,
    /** Engine: one sweep for each directory. */
    SWEEPER,
    /** Engine: a segment of the index against two writers. */
    INDEX
}
