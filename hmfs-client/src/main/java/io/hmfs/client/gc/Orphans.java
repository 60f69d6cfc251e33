package io.hmfs.client.gc;

import io.hmfs.client.Census;
import io.hmfs.client.Removals;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.function.LongConsumer;

/**
 * Looks for objects that no file refers to. First it asks the store what it has: those inodes are older than the
 * census, for an inode is made before its first object. Then it takes the census. An inode that has objects and is not in it
 * is gone for ever, since no inode is used twice. Then it asks the store again, and only what belongs to those is an
 * orphan. Anything that fails ends it, and until the census has ended nothing is removed. Of files on the server's
 * record of removals it knows that without a census, so their objects need not be old. For one thread, once.
 */
public final class Orphans {
    /** What an object is that is no live file's data. */
    public enum Kind {
        /** Its inode is gone. */
        ORPHAN,
        /** A block that a client began to write, of a file that lives. */
        UNFINISHED,
        /** Behind the size of a file that lives: perhaps a client is about to commit it. Never removed. */
        BEYOND,
        /** One of the others, but changed a short time ago. Never removed. */
        YOUNG
    }

    /**
     * What is wanted.
     *
     * @param olderThanMillis what was changed within this time is left alone
     * @param delete whether orphans are removed
     * @param unfinished whether unfinished blocks are, too
     * @param most whether to remove even if more inodes are gone than live
     */
    public record Options(long olderThanMillis, boolean delete, boolean unfinished, boolean most) {}

    /** Hears what is going on. */
    public interface Listener {
        /** Hears of nothing. */
        Listener NONE = new Listener() {};

        /** How far a step has come; {@code of} 0: not known. */
        default void progress(String step, long done, long of) {}

        default void found(Kind kind, StoredObject object) throws IOException {}

        default void unknown(String name) throws IOException {}
    }

    /** A number of objects. */
    public static final class Tally {
        private long objects;
        private long bytes;
        private long oldestMillis = Long.MAX_VALUE;

        private void add(StoredObject object) {
            objects++;
            bytes += object.bytes();
            oldestMillis = Math.min(oldestMillis, object.modifiedMillis());
        }

        public long objects() {
            return objects;
        }

        public long bytes() {
            return bytes;
        }

        /** When the oldest was changed last, in milliseconds since 1970; {@link Long#MAX_VALUE}: there is none. */
        public long oldestMillis() {
            return oldestMillis;
        }
    }

    /** More inodes of objects are gone than live: the store may be another server's. */
    public static final class MostAreGoneException extends IOException {
        private static final long serialVersionUID = 1L;

        MostAreGoneException(String message) {
            super(message);
        }
    }

    private static final int BATCH = 512;
    private static final int TOLD_EVERY = 1 << 10;

    private final Census census;
    private final ObjectStore store;
    private final Options options;
    private final Listener listener;
    private final Candidates candidates = new Candidates();
    private final Map<Kind, Tally> tallies = new EnumMap<>(Kind.class);
    private final Tally removed = new Tally();
    private final List<StoredObject> batch = new ArrayList<>();
    private final Set<Long> recorded = new HashSet<>();
    private long objects;
    private long unknown;
    private long directories;
    private long youngMillis;

    public Orphans(Census census, ObjectStore store, Options options, Listener listener) {
        this.census = census;
        this.store = store;
        this.options = options;
        this.listener = listener;
    }

    /**
     * Looks, and removes what is to be removed.
     *
     * @throws MostAreGoneException nothing was removed
     * @throws IOException the store or the server failed; what had been removed by then {@link #removed} tells
     */
    public void run() throws IOException {
        youngMillis = System.currentTimeMillis() - options.olderThanMillis;
        readRecord();
        store.list(new Inodes(inode -> {
            candidates.add(inode);
            if (++objects % TOLD_EVERY == 0) {
                listener.progress("objects found", objects, 0);
            }
        }));
        candidates.seal();
        long blockSize = census.server().blockSize();
        directories = census.run(new Census.Visitor() {
            @Override
            public void file(long inode, long size) {
                candidates.lives(
                        inode, size == UNKNOWN ? Long.MAX_VALUE : size / blockSize + (size % blockSize > 0 ? 1 : 0));
            }

            @Override
            public void progress(long listed, long known) {
                listener.progress("directories listed", listed, known);
            }
        });
        if (options.delete && !options.most) {
            refuseIfMostAreGone();
        }
        store.list(new Second());
        remove();
        if (options.delete) {
            clearRecord();
        }
    }

    private void refuseIfMostAreGone() throws IOException {
        int live = candidates.countLive();
        if (candidates.count() - live - countRecorded() > live) {
            // A removal of a tree may have gone on meanwhile: its files had objects at the first look and are in no
            // directory now.
            readRecord();
            Candidates gone = new Candidates();
            store.list(new Inodes(inode -> {
                if (candidates.has(inode) && !candidates.isLive(inode) && !recorded.contains(inode)) {
                    gone.add(inode);
                }
            }));
            gone.seal();
            if (gone.count() > live) {
                throw new MostAreGoneException("of the inodes with objects in "
                        + census.server().dataStore() + " " + live + " live here and " + gone.count() + " do not");
            }
        }
    }

    private void readRecord() throws IOException {
        Removals.Pending part;
        int from = 0;
        do {
            part = census.removals().pending(0, from);
            part.files().forEach(file -> recorded.add(file.inode()));
            from = part.next();
        } while (!part.isLast());
    }

    private boolean isRecorded(long inode) {
        return recorded.contains(inode) && !candidates.isLive(inode);
    }

    /** Those that have objects. */
    private int countRecorded() {
        int count = 0;
        for (long inode : recorded) {
            count += candidates.has(inode) && isRecorded(inode) ? 1 : 0;
        }
        return count;
    }

    private void clearRecord() throws IOException {
        long[] inodes = recorded.stream().mapToLong(Long::longValue).toArray();
        for (int at = 0; at < inodes.length; at += Removals.TOLD_MAX) {
            try {
                census.removals()
                        .tell(Arrays.copyOfRange(inodes, at, Math.min(at + Removals.TOLD_MAX, inodes.length)))
                        .get();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("interrupted");
            } catch (ExecutionException e) {
                throw new IOException(e.getCause());
            }
        }
    }

    /** Only asks whose objects there are. */
    private static final class Inodes implements ObjectStore.Visitor {
        private final LongConsumer each;

        Inodes(LongConsumer each) {
            this.each = each;
        }

        @Override
        public boolean wants(long inode, long block, boolean unfinished) {
            each.accept(inode);
            return false;
        }

        @Override
        public void object(StoredObject object) {
            throw new IllegalStateException("no caller wanted " + object);
        }

        @Override
        public void unknown(String name) {
            // the last look tells it
        }
    }

    /** What is to be done with each. */
    private final class Second implements ObjectStore.Visitor {
        private long seen;

        @Override
        public boolean wants(long inode, long block, boolean unfinished) {
            if (++seen % TOLD_EVERY == 0) {
                listener.progress(
                        options.delete ? "objects looked at, orphans removed" : "objects looked at",
                        Math.min(seen, objects),
                        objects);
            }
            return candidates.has(inode)
                    && (!candidates.isLive(inode) || unfinished || !candidates.covers(inode, block));
        }

        @Override
        public void object(StoredObject object) throws IOException {
            Kind kind = kind(object);
            if (object.modifiedMillis() > youngMillis && !isRecorded(object.inode())) {
                kind = Kind.YOUNG;
            }
            found(kind).add(object);
            listener.found(kind, object);
            if (options.delete && (kind == Kind.ORPHAN || (kind == Kind.UNFINISHED && options.unfinished))) {
                batch.add(object);
                if (batch.size() == BATCH) {
                    remove();
                }
            }
        }

        private Kind kind(StoredObject object) {
            if (!candidates.isLive(object.inode())) {
                return Kind.ORPHAN;
            }
            return object.unfinished() ? Kind.UNFINISHED : Kind.BEYOND;
        }

        @Override
        public void unknown(String name) throws IOException {
            unknown++;
            listener.unknown(name);
        }
    }

    private void remove() throws IOException {
        if (!batch.isEmpty()) {
            store.remove(batch).forEach(removed::add);
            batch.clear();
        }
    }

    /** What was found of a kind, the removed ones among it. */
    public Tally found(Kind kind) {
        return tallies.computeIfAbsent(kind, any -> new Tally());
    }

    public Tally removed() {
        return removed;
    }

    /** Files on the record of removals when it began. */
    public int recorded() {
        return recorded.size();
    }

    /** Names that are no object's; they are left alone. */
    public long unknown() {
        return unknown;
    }

    /** Objects that the store had. */
    public long objects() {
        return objects;
    }

    /** Files that have objects. */
    public long files() {
        return candidates.countLive();
    }

    /** Directories of the namespace. */
    public long directories() {
        return directories;
    }
}
