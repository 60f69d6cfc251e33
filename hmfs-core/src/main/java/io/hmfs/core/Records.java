package io.hmfs.core;

import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;

/**
 * Records of a pool beside its namespace: small facts of the embedding program that must be exactly as durable as the namespace and are
 * known after a start at once, without a look at the files. A record is put whole or not at all. {@link #put} and {@link #clear} are
 * durable, as far as the pool's persistence mode says, when a later call of {@link #fence} by the same thread returns; an answer that
 * waits for the log must take its {@link ServerNamespace#logPosition} after that fence. Thread-safe; put, clear and fence allocate nothing.
 */
public interface Records {
    /** No record. */
    long NONE = 0;

    /** What a record is about. Of two with one key, a start finds the one that was put last; of cuts, all. */
    enum Kind {
        /** A client writes a file; key: its inode. Client id, mark of the client, number of the lease. */
        LEASE,
        /** Limits of a directory; key: its id. Names, bytes, 0; -1: no limit. */
        QUOTA,
        /** A file that is being cut; key: its inode. Parent id, {@link #hash} of its name there, size before. */
        CUT,
        /** Grants of files that have ended; key: a stripe of inodes. How often each of three causes has ended some. */
        GRANT_EPOCH
    }

    /** Is shown the records of a kind. */
    @FunctionalInterface
    interface Visitor {
        /** {@code at} names the record, for {@link #clear}. */
        void record(long at, long key, long first, long second, long third);
    }

    /** Adds a record; what names it, or {@link #NONE} if the pool is full. */
    long put(Kind kind, long key, long first, long second, long third);

    /** Drops a record that {@link #put} or {@link #each} has named, once; {@link #NONE} is ignored. */
    void clear(long at);

    /** What this thread has put and cleared is durable on return; in mode {@code LOGGED} it is in the log, see above. */
    void fence();

    /** Shows all records of a kind, in no order. Meant for a start: not while others put or clear records. */
    void each(Kind kind, Visitor visitor);

    /** Of a name in a directory; the same as long as the pool exists. */
    long hash(long directory, Name name);

    /**
     * Finds an inode under a name of which the {@link #hash} is known. Fills in name and attributes, and returns true, if it is there.
     */
    boolean find(long directory, long hash, long inode, Name name, Attributes out);
}
