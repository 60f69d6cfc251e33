package io.hmfs.server.tree;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Remembers what is renamed while a client walks over all directories by their ids: the walk would miss what is renamed from a directory
 * that it has not listed yet into one that it has. Positions count what was remembered, and never come again. Nothing is remembered unless
 * a client has asked within the last {@link #WATCHED_NANOS}. Thread-safe.
 */
public final class RenamesForWalks {
    /** So many renames are kept between two questions. */
    static final int KEPT = 1 << 16;

    /** In an id of {@link #since}: it is a directory. */
    public static final long DIRECTORY = 1L << 63;

    private static final long WATCHED_NANOS = TimeUnit.MINUTES.toNanos(5);
    private static final long[] NONE = {};

    private volatile boolean watched;

    // Guarded by this:
    private long[] ids = NONE;
    private long next = 1;
    private long first = 1;
    private long askedNanos;

    /** Whether {@link #add} must be called before a rename. */
    boolean isWatched() {
        return watched;
    }

    /** Called before a rename. */
    synchronized void add(long id, boolean directory) {
        if (System.nanoTime() - askedNanos > WATCHED_NANOS) {
            watched = false;
            ids = NONE;
        } else {
            ids[(int) next & KEPT - 1] = directory ? id | DIRECTORY : id;
            next++;
        }
    }

    /** Remembers from here on; returns the position. */
    synchronized long watch() {
        if (!watched) {
            ids = new long[KEPT];
            first = ++next; // renames between the last watch and this one were not remembered
            watched = true;
        }
        askedNanos = System.nanoTime();
        return next;
    }

    /** What was renamed since a position, at most {@code max}, oldest first; null: that is not known any more. */
    synchronized long @Nullable [] since(long position, int max) {
        askedNanos = System.nanoTime();
        if (!watched || position < first || position > next || next - position > KEPT) {
            return null;
        }
        long[] some = new long[(int) Math.min(max, next - position)];
        for (int i = 0; i < some.length; i++) {
            some[i] = ids[(int) (position + i) & KEPT - 1];
        }
        return some;
    }
}
