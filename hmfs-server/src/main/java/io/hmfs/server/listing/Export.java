package io.hmfs.server.listing;

import io.hmfs.core.type.Name;
import io.hmfs.server.lock.NameHash;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** A directory whose stats clients read, from when it is asked for until it is withdrawn; the next export has another number. */
public final class Export {
    private static final int OPENING = 0;
    private static final int LIVE = 1;
    private static final int WITHDRAWN = 2;

    final long directory;

    /** Which part of the memory it has. */
    final int table;

    final long sinceNanos;
    private final long number;
    private final long[] passages; // hashes of (parent, name) of the directory and of all above it
    private final AtomicInteger state = new AtomicInteger(OPENING);

    Export(long directory, List<Name> names, long[] parents, long number, int table, long sinceNanos) {
        this.directory = directory;
        this.number = number;
        this.table = table;
        this.sinceNanos = sinceNanos;
        passages = new long[parents.length];
        for (int i = 0; i < parents.length; i++) {
            passages[i] = NameHash.of(parents[i], names.get(i));
        }
    }

    /** Tells it from all others. */
    public long number() {
        return number;
    }

    /** Where its records begin in the memory of all. */
    public int start() {
        return table * Exports.TABLE_BYTES;
    }

    /** Whether the path to it may go through this name; of two with one hash, through both. */
    boolean passes(long passage) {
        for (long each : passages) {
            if (each == passage) {
                return true;
            }
        }
        return false;
    }

    boolean isLive() {
        return state.get() == LIVE;
    }

    /** From here on records are made. False: it was withdrawn. */
    boolean open() {
        return state.compareAndSet(OPENING, LIVE);
    }

    /** From here on no record is made that is not under way. */
    void end() {
        state.set(WITHDRAWN);
    }
}
