package io.hmfs.server.partition;

import io.hmfs.core.Namespace;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.server.data.BlockStore;
import io.hmfs.server.share.BackgroundThreads;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Verifies the data of all files in the builtin store, on a thread of its own, at a bounded rate: when it is asked for, and an interval after
 * the end of the last time. It walks over the files of the tree and reads what lies below the size of each, so that it knows path and place
 * of what is damaged, and takes nothing for damage that no size covers. A file that is renamed meanwhile may be left out, or read twice.
 *
 * <p>Where a scrub is, is known to this object alone: a start of the server begins with the first file again.
 */
public final class Scrubber implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(Scrubber.class.getName());
    private static final long FIRST_MILLIS = TimeUnit.MINUTES.toMillis(10);
    private static final int FILES = 256; // of one part of the walk
    private static final int READ = 256 << 10; // at once
    private static final int OBJECT = 4 << 10; // that opening an object counts for
    private static final long CLOSE_MILLIS = 10_000;

    /** Damaged parts of files that are remembered. */
    public static final int DAMAGE_MAX = 1_000;

    /** A part of a file that is damaged: bytes {@code from} to before {@code to}; 0 and 0: a directory with a damaged entry. */
    public record Damage(String path, long inode, long from, long to) {}

    /**
     * A scrub that runs, or the last one.
     *
     * @param number of the scrub since the server's start; 0: there was none
     * @param isRunning whether it is under way
     * @param isWhole whether it has come to its end
     * @param files that were met
     * @param objects that were read
     * @param bytes that were read
     * @param unread objects that could not be opened, or have no checksums yet
     * @param damaged damaged parts of files, and directories with a damaged entry, of which the first {@link #DAMAGE_MAX} are known
     * @param beganMillis when, since 1970; 0: there was none
     * @param endedMillis when; 0: it has not ended
     */
    public record Figures(
            long number,
            boolean isRunning,
            boolean isWhole,
            long files,
            long objects,
            long bytes,
            long unread,
            long damaged,
            long beganMillis,
            long endedMillis) {}

    private final Namespace namespace;
    private final BlockStore store;
    private final ScrubLimits limits;
    private @Nullable Thread thread;

    // Guarded by this:
    private final List<Damage> damage = new ArrayList<>();
    private final Sums all = new Sums(); // of all scrubs since the start
    private Sums sums = new Sums();
    private long number;
    private boolean isRunning;
    private boolean isWhole;
    private long beganMillis;
    private long endedMillis;
    private long completedMillis;
    private long rate;
    private boolean isClosed;

    /** What is counted. */
    private static final class Sums {
        private long files;
        private long objects;
        private long bytes;
        private long unread;
        private long damaged;
    }

    Scrubber(Namespace namespace, BlockStore store, ScrubLimits limits) {
        this.namespace = namespace;
        this.store = store;
        this.limits = limits;
        rate = limits.bytesPerSecond();
    }

    /** {@code failed}: told of an error that ends it. */
    void start(Consumer<Throwable> failed) {
        thread = BackgroundThreads.start("hmfs-scrub", () -> run(failed));
    }

    /** Ends after what is being read. */
    @Override
    public void close() {
        synchronized (this) {
            isClosed = true;
            notifyAll();
        }
        Thread started = thread;
        if (started != null) {
            try {
                started.join(CLOSE_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /**
     * Begins a scrub, unless one is under way.
     *
     * @param bytesPerSecond that are read at most, also of the one that is under way; 0: as set
     */
    public synchronized Figures begin(long bytesPerSecond) {
        if (!isRunning) {
            begin();
        }
        rate = bytesPerSecond > 0 ? bytesPerSecond : limits.bytesPerSecond();
        notifyAll();
        return figures();
    }

    private synchronized void begin() {
        number++;
        isRunning = true;
        isWhole = false;
        sums = new Sums();
        damage.clear();
        beganMillis = System.currentTimeMillis();
        endedMillis = 0;
        rate = limits.bytesPerSecond();
    }

    private synchronized void end(boolean whole) {
        isRunning = false;
        isWhole = whole;
        endedMillis = System.currentTimeMillis();
        if (whole) {
            completedMillis = endedMillis;
            LOG.log(
                    sums.damaged > 0 ? Level.ERROR : Level.INFO,
                    "a scrub has read {0} objects of {1} files, {2} bytes: {3} parts of files and directories are damaged, {4} objects were not read",
                    sums.objects,
                    sums.files,
                    sums.bytes,
                    sums.damaged,
                    sums.unread);
        }
    }

    public synchronized Figures figures() {
        return figures(sums);
    }

    /** The same of all scrubs since the start, added up. */
    public synchronized Figures total() {
        return figures(all);
    }

    private synchronized Figures figures(Sums of) {
        return new Figures(
                number,
                isRunning,
                isWhole,
                of.files,
                of.objects,
                of.bytes,
                of.unread,
                of.damaged,
                beganMillis,
                endedMillis);
    }

    private synchronized void count(Consumer<Sums> counted) {
        counted.accept(sums);
        counted.accept(all);
    }

    /** When the last scrub came to its end, in milliseconds since 1970; 0: none has since the start. */
    public synchronized long completedMillis() {
        return completedMillis;
    }

    /** What the scrub that runs, or the last one, has found damaged, from this one on. */
    public synchronized List<Damage> damage(int from) {
        return List.copyOf(damage.subList(Math.min(from, damage.size()), damage.size()));
    }

    private void run(Consumer<Throwable> failed) {
        try {
            long wait = limits.interval().toMillis();
            long first = Math.min(FIRST_MILLIS, wait);
            for (boolean goesOn = awaitBegin(first); goesOn; goesOn = awaitBegin(wait)) {
                end(scrub());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Throwable unexpected) {
            failed.accept(unexpected);
        }
    }

    /** Waits until one is asked for, or it is time; 0: that never comes. False: the server ends. */
    private synchronized boolean awaitBegin(long millis) throws InterruptedException {
        long begun = System.nanoTime();
        while (!isClosed && !isRunning) {
            long left = millis - TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun);
            if (millis > 0 && left <= 0) {
                begin();
            } else {
                wait(millis > 0 ? left : 0);
            }
        }
        return !isClosed;
    }

    /** Reads all files that there are. False: the server ends. */
    private boolean scrub() {
        FileWalk files = new FileWalk(namespace, FILES, this::damagedEntry);
        Reading reading = new Reading();
        while (!files.isAtEnd() && !reading.isEnded) {
            for (FileWalk.Met file : files.next()) {
                if (!reading.isEnded) {
                    reading.read(file);
                }
            }
        }
        return !reading.isEnded;
    }

    private void damagedEntry(String directory, long id) {
        LOG.log(
                Level.ERROR,
                "an entry of the directory " + named(directory, id)
                        + " is damaged in the pool, and a scrub reads no file behind it in there: stop the server, and run hmfs fsck");
        add(new Damage(directory, id, 0, 0));
    }

    /** What one scrub reads. */
    private final class Reading implements BlockStore.VerifyListener {
        private final ByteBuffer room = ByteBuffer.allocateDirect(READ);
        private final Pace pace = new Pace(System.nanoTime());
        private final Attributes now = new Attributes();
        private FileWalk.Met file = new FileWalk.Met("", 0, 0, false, 0, new Name(), 0);
        private @Nullable Damage last; // of this file; it may go on
        private boolean isEnded;

        void read(FileWalk.Met next) {
            file = next;
            count(sum -> sum.files++);
            try {
                long seen = 0; // blocks below have been looked at
                for (long block : store.mayHave(file.inode(), file.size()).toArray()) {
                    if (isEnded) {
                        break;
                    }
                    missingBlocks(seen, block);
                    readObject(block);
                    seen = block + 1;
                }
                if (!isEnded) {
                    missingBlocks(seen, store.blocks(file.size()));
                }
            } catch (IOException e) {
                unread(e);
            }
            endDamage();
        }

        private void readObject(long block) {
            try {
                if (store.verify(file.inode(), block, file.size(), room, this)) {
                    count(sum -> sum.objects++);
                    await(OBJECT);
                } else if (store.isUnchecked(file.inode(), block)) {
                    count(sum -> sum.unread++);
                } else if (!store.verify(
                        file.inode(), block, file.size(), room, this)) { // it may have got its checksums meanwhile
                    missingBlocks(block, block + 1);
                }
            } catch (IOException e) {
                unread(e);
            }
        }

        private void missingBlocks(long from, long to) {
            if (from < to) {
                missing(from * store.blockSize(), Math.min(file.size(), to * store.blockSize()));
            }
        }

        /** What a dense file does not have was lost, if the file is what it was when it was met: since then it may have been cut, or removed. */
        @Override
        public void missing(long from, long to) {
            if (file.dense() && isUnchanged()) {
                damaged(from, to, "bytes that were written are not there");
            }
        }

        private boolean isUnchanged() {
            return namespace.stat(file.directory(), file.name(), now) == Status.OK
                    && now.id == file.inode()
                    && now.ctimeNanos == file.ctimeNanos();
        }

        private void unread(IOException e) {
            count(sum -> sum.unread++);
            LOG.log(Level.WARNING, "a scrub cannot read objects of " + named(file.path(), file.inode()), e);
        }

        @Override
        public boolean read(long bytes) {
            count(sum -> sum.bytes += bytes);
            await(bytes);
            return !isEnded;
        }

        /** Waits as long as reading so many bytes may take. */
        private void await(long bytes) {
            try {
                isEnded |= !Scrubber.this.await(pace, bytes);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                isEnded = true;
            }
        }

        @Override
        public void damaged(long from, long to, String why) {
            Damage before = last;
            if (before != null && before.to == from) {
                last = new Damage(file.path(), file.inode(), before.from, to);
                return;
            }
            endDamage();
            last = new Damage(file.path(), file.inode(), from, to);
            LOG.log(
                    Level.ERROR,
                    "the data of " + named(file.path(), file.inode()) + " is damaged from byte " + from
                            + " of the file on: " + why);
        }

        private void endDamage() {
            Damage found = last;
            if (found != null) {
                add(found);
                last = null;
            }
        }
    }

    /** Paths come from clients: no line of the log may be broken by one. */
    private static String named(String path, long inode) {
        return path.replaceAll("\\p{Cntrl}", "?") + ", inode " + Long.toHexString(inode) + ",";
    }

    private synchronized boolean await(Pace pace, long bytes) throws InterruptedException {
        long until = pace.nanosAfter(bytes, rate, System.nanoTime()) + System.nanoTime();
        for (long left = until - System.nanoTime(); left > 0 && !isClosed; left = until - System.nanoTime()) {
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
        return !isClosed;
    }

    private synchronized void add(Damage found) {
        if (damage.size() < DAMAGE_MAX) {
            damage.add(found);
        }
        count(sum -> sum.damaged++);
    }
}
