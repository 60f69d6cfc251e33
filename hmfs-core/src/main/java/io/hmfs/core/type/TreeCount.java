package io.hmfs.core.type;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Collections;
import org.jspecify.annotations.Nullable;

/**
 * How many files and directories are below a directory and how many bytes, as far as they have been counted, and what of it has not been
 * looked at yet. No snapshot, as a listing is none: what neither comes nor goes meanwhile, and is not moved out of or into a directory that
 * is being looked at, is counted exactly once. Not thread-safe.
 */
public abstract class TreeCount {
    /** A directory that was met and is not at its end, or has such ones below it. */
    public static final class Level {
        /** The one in which it was met; null: the count began here. */
        public final @Nullable Level above;

        /** Its id. */
        public final long directory;

        /** What it is called in there; empty where the count began. */
        public final byte[] name;

        public final ListCursor cursor = new ListCursor();

        public Level(@Nullable Level above, long directory, byte[] name) {
            this.above = above;
            this.directory = directory;
            this.name = name;
        }
    }

    private final ArrayDeque<Level> waiting = new ArrayDeque<>();
    private @Nullable RuntimeException thrown;
    private int width = Integer.MAX_VALUE;

    /** Files, symbolic links and all that is no directory; one with several names counts with each. */
    public long files;

    public long directories;

    /** Of files: the text of a symbolic link is no data. {@link #sum} of them. */
    public long bytes;

    /**
     * Whether a directory that was met, and is counted, may be looked into; else the count ends with this status. Called with an epoch
     * pinned: must not wait.
     */
    protected abstract Status enter(Level level, Attributes directory);

    /**
     * The next entry of this directory is damaged, so that what is behind it is left out: OK, the count goes on with the other directories, or what it ends
     * with. Must not throw. The entry of a plain file is not compared with its check.
     */
    public abstract Status damaged(Level level);

    /** Counts one object. */
    public final void add(Attributes object) {
        if (object.isDirectory()) {
            directories++;
        } else {
            files++;
            bytes = sum(bytes, object.isSymlink() ? 0 : object.size);
        }
    }

    /** Of two numbers of bytes, 0 or more: {@link Long#MAX_VALUE} if it is more, for anybody can claim sizes. */
    public static long sum(long some, long more) {
        long sum = some + more;
        return sum < 0 ? Long.MAX_VALUE : sum;
    }

    /** What is in this directory is to be counted, from its cursor on. */
    public final void push(Level level) {
        waiting.addLast(level);
    }

    /** The last one that was pushed; null: none is left. */
    public final @Nullable Level pop() {
        return waiting.pollLast();
    }

    /** What is left, in the order in which it was pushed. */
    public final Collection<Level> left() {
        return Collections.unmodifiableCollection(waiting);
    }

    public final boolean isAtEnd() {
        return waiting.isEmpty();
    }

    /** In how many directories it may be at once. */
    public final int width() {
        return width;
    }

    /** From here on it is in one directory at a time, so that what is left comes to be one way down. */
    public final void narrow() {
        width = 1;
    }

    /** {@link #enter}; what it throws is kept for {@link #rethrow}, for it stops the count and nothing else. */
    public final Status admit(Level level, Attributes directory) {
        try {
            return enter(level, directory);
        } catch (RuntimeException e) {
            thrown = e;
            return Status.STALE;
        }
    }

    /** Throws what {@link #enter} has thrown. */
    public final void rethrow() {
        RuntimeException e = thrown;
        thrown = null;
        if (e != null) {
            throw e;
        }
    }
}
