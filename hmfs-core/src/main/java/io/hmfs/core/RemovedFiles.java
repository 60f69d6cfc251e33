package io.hmfs.core;

import io.hmfs.core.type.RemovedFile;
import java.util.concurrent.locks.LockSupport;

/**
 * Removed files whose data is kept elsewhere and has still to be removed, of a namespace that was opened {@link OpenOptions#keepingDataElsewhere}. The
 * pool remembers each of them as well as it does anything, and keeps the space of its record, until it is told that the data is gone. Thread-safe.
 */
public interface RemovedFiles {
    /** Of a namespace whose files have no data. */
    RemovedFiles NONE = new RemovedFiles() {
        @Override
        public boolean next(RemovedFile out) {
            return false;
        }

        @Override
        public void done(long token) {
            throw new IllegalArgumentException("no file was handed out");
        }

        @Override
        public void giveBack(long token) {
            done(token);
        }

        @Override
        public long count() {
            return 0;
        }

        @Override
        public long time() {
            return 0;
        }

        @Override
        public void await(long nanos) {
            LockSupport.parkNanos(this, nanos);
        }
    };

    /**
     * Hands out one of them, owners in turns; false: there is none now. Each is handed out once, and again after a start, or after {@link #giveBack}.
     * Its removal is safe at {@link ServerNamespace#logPosition} as asked after this call: not before may its data be touched.
     */
    boolean next(RemovedFile out);

    /**
     * The data of a file that was handed out is gone, and the pool forgets the file: at once, but a crash may bring it back to be handed out again.
     *
     * @throws IllegalArgumentException if this is no token of a file that is handed out
     */
    void done(long token);

    /** The data of a file that was handed out is not gone: it is handed out again. To be called before a close for what is not done. */
    void giveBack(long token);

    /** How many there are, with those that are handed out; exact when nothing is under way. */
    long count();

    /**
     * A time in nanoseconds since 1970: above {@link RemovedFile#removedNanos} of each file whose removal has returned, below that of each whose
     * removal has not begun. Draws a timestamp of the pool, so not to be asked without need.
     */
    long time();

    /** Returns when there may be one to hand out, or after so many nanoseconds. For one thread at a time. */
    void await(long nanos);
}
