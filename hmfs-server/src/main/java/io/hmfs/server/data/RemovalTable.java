package io.hmfs.server.data;

import io.hmfs.core.RemovedFiles;
import io.hmfs.core.ServerNamespace;
import io.hmfs.core.type.RemovedFile;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Removed files whose objects clients have to remove, where the data is not the server's (docs/adr/0122, 0133, 0155). A thread of its own takes them
 * from the pool and tells the pool which are done; requests only look at the table and mark it, and the log's thread only says how far it is.
 * What is certain is told, and nothing else. Thread-safe.
 */
public final class RemovalTable implements AutoCloseable {
    /** Parts of the table that a page may begin at; behind the last one there is nothing. */
    public static final int PLACES = RemovalShard.PLACES << RemovalShard.SHARD_BITS;

    /** The most files that are taken from the pool; others wait there. */
    public static final int FILES_MAX = 1 << 20;

    /** Bytes of a file in {@link #page}: inode, size. */
    public static final int ENTRY_BYTES = RemovalShard.ENTRY_BYTES;

    private static final int BATCH = 256;
    private static final int LOOKED_MAX = 1 << 14; // files that one page looks at, but for the rest of a shard
    private static final long IDLE_NANOS = 1_000_000_000L;
    private static final long CLOSE_MILLIS = 10_000;

    private final ServerNamespace namespace;
    private final RemovedFiles removed;
    private final LongSupplier nanoTime;
    private final RemovalShard[] shards = new RemovalShard[1 << RemovalShard.SHARD_BITS];
    private volatile @Nullable Thread thread;
    private volatile boolean closed;

    /** Files that were taken from the pool and are not done. */
    private volatile int held;

    /** The position up to which the log is known to be durable. */
    private volatile long durable;

    /** An action waits in the log, which sets {@link #durable} when it runs. */
    private volatile boolean awaited;

    // Of the thread:
    private final RemovedFile[] batch = new RemovedFile[BATCH];
    private long takenPosition;
    private long[] ending = new long[0]; // token and position of each that was cleared and is not certain
    private int endingLength;

    private final Object clearedLock = new Object();
    private long[] cleared = new long[2]; // token and position of each
    private int clearedLength;

    /** {@code nanoTime}: tells when a file was told to a client. */
    public RemovalTable(ServerNamespace namespace, LongSupplier nanoTime) {
        this.namespace = namespace;
        this.nanoTime = nanoTime;
        this.removed = namespace.removedFiles();
        Arrays.setAll(shards, _ -> new RemovalShard());
        Arrays.setAll(batch, _ -> new RemovedFile());
    }

    /** Begins to take files and to end them; {@code failed}: told of an error that ends that. */
    public void start(Consumer<Throwable> failed) {
        thread = Thread.ofPlatform().name("hmfs-removals").daemon().start(() -> run(failed));
    }

    private void run(Consumer<Throwable> failed) {
        try {
            while (!closed) {
                work();
                if (!closed && held < FILES_MAX) {
                    removed.await(IDLE_NANOS);
                } else if (!closed) {
                    LockSupport.parkNanos(this, IDLE_NANOS);
                }
            }
        } catch (Throwable unexpected) {
            if (!closed) {
                failed.accept(unexpected);
            }
        }
    }

    /**
     * One turn of the thread: takes what the pool has, as far as there is room, and ends what was cleared. For the thread alone, or instead of it.
     */
    public void work() {
        boolean all;
        do {
            end();
            all = take();
        } while (!all && held < FILES_MAX && !closed);
        end(); // what came in may have been cleared before
        awaitLog();
    }

    /** Takes some; true: the pool has no more. */
    @SuppressWarnings("NonAtomicVolatileUpdate") // counted by this thread alone
    private boolean take() {
        int room = Math.min(BATCH, FILES_MAX - held);
        int taken = 0;
        while (taken < room && removed.next(batch[taken])) {
            taken++;
        }
        if (taken == 0) {
            return room > 0;
        }
        long position = namespace.logPosition(); // a file that came back after a loss of the machine needs its objects
        takenPosition = Math.max(takenPosition, position);
        long wallNanos = System.currentTimeMillis() * 1_000_000L;
        long now = nanoTime.getAsLong();
        for (int i = 0; i < taken; i++) {
            RemovedFile file = batch[i];
            long since = now - Math.max(0, wallNanos - file.removedNanos);
            if (!shard(file.id).add(file, position, since)) {
                cleared(file.token, position);
            }
            held++; // only now: a clear before this remembers the inode
        }
        return taken < room;
    }

    private void cleared(long token, long position) {
        synchronized (clearedLock) {
            if (clearedLength == cleared.length) {
                cleared = Arrays.copyOf(cleared, 2 * clearedLength);
            }
            cleared[clearedLength++] = token;
            cleared[clearedLength++] = position;
        }
    }

    /** Says done for what was cleared and is certain. */
    @SuppressWarnings("NonAtomicVolatileUpdate") // counted by this thread alone
    private void end() {
        synchronized (clearedLock) {
            int length = endingLength + clearedLength;
            if (length > ending.length) {
                ending = Arrays.copyOf(ending, Math.max(length, 2 * ending.length));
            }
            System.arraycopy(cleared, 0, ending, endingLength, clearedLength);
            endingLength = length;
            clearedLength = 0;
        }
        int kept = 0;
        for (int i = 0; i < endingLength; i += 2) {
            if (ending[i + 1] <= durable) {
                held--;
                removed.done(ending[i]);
            } else {
                ending[kept++] = ending[i];
                ending[kept++] = ending[i + 1];
            }
        }
        endingLength = kept;
    }

    private void awaitLog() {
        long position = takenPosition;
        if (position > durable && !awaited) {
            awaited = true;
            namespace.whenDurableAnyway(
                    position,
                    () -> { // on the log's thread, which must not wait for another thread here
                        durable = position;
                        awaited = false;
                        LockSupport.unpark(thread);
                    },
                    _ -> {}); // the end of the log is the end of the server
        }
    }

    private RemovalShard shard(long inode) {
        return shards[RemovalShard.of(inode)];
    }

    /** Remembers which user has removed a file, so that this user, too, may clear it. Allocates nothing. */
    public void removedBy(long inode, long userMark) {
        shard(inode).removedBy(inode, userMark);
    }

    /**
     * Takes a file off the record, whose objects are gone. Ignored unless the user owned or removed the file, or is a superuser. May be lost in a
     * crash: removing the objects again does no harm. False: the table does not have the file, or the user may not clear it. If the pool has files that are still to come, the clear is
     * remembered, in case the file is one of those; it does not count for a file that is removed later.
     */
    public boolean clear(RemovalUser user, long inode) {
        if (closed || inode == 0) {
            return false;
        }
        boolean mayCome = removed.count() > held;
        boolean found = shard(inode).clear(user, inode, mayCome ? removed.time() : 0, this::cleared);
        if (found) {
            LockSupport.unpark(thread);
        }
        return found;
    }

    /**
     * Writes inode and size of files that were removed longer ago than this, and are not kept quiet, from a place on, as many as there is
     * room for; only files that the user owned or removed, or all for a superuser. 0: all, and then it does not count as told. A file that is told is kept quiet for that time, so that one client removes its objects;
     * then, for the same time, all that ask are told. Returns where it goes on; {@link #PLACES}: that was all.
     */
    public int page(RemovalUser user, int from, long olderThanNanos, ByteBuffer out) {
        RemovalShard.Ask ask =
                new RemovalShard.Ask(user, olderThanNanos, nanoTime.getAsLong(), durable, out.position());
        int looked = 0;
        int place = from;
        while (place < PLACES && out.remaining() >= ENTRY_BYTES && looked < LOOKED_MAX && !closed) {
            int shard = place / RemovalShard.PLACES;
            int begin = place % RemovalShard.PLACES;
            looked += shards[shard].size();
            int end = shards[shard].page(begin, ask, out);
            place = shard * RemovalShard.PLACES + end;
            if (end < RemovalShard.PLACES) {
                break;
            }
        }
        return closed ? PLACES : place;
    }

    /** Files whose objects are still to be removed, with those that wait in the pool. */
    public long count() {
        return removed.count();
    }

    /** Gives the pool back what it has handed out, so that a close can tell the next start. To be called while the namespace is open. */
    @Override
    public void close() {
        closed = true;
        if (!hasEnded()) {
            return; // the next start's scan finds them
        }
        end();
        for (RemovalShard each : shards) {
            each.takeAll(removed::giveBack);
        }
        for (int i = 0; i < endingLength; i += 2) {
            removed.giveBack(ending[i]);
        }
        endingLength = 0;
    }

    private boolean hasEnded() {
        Thread started = thread;
        if (started == null) {
            return true;
        }
        LockSupport.unpark(started);
        try {
            started.join(CLOSE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return !started.isAlive();
    }
}
