package io.hmfs.core.alloc;

import io.hmfs.core.layout.CorruptPoolException;
import io.hmfs.core.layout.PoolHeader;
import io.hmfs.core.layout.RegionKind;
import io.hmfs.core.pmem.Pmem;
import io.hmfs.core.pmem.PoolException;
import io.hmfs.core.pmem.PoolFile;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The pool's regions: large pieces of one kind each, never given back. A region belongs to its kind from the one 8-byte store of
 * its word in the region table on; it is all zeros then, hence all its slots are FREE. Pages are touched ahead by a background
 * thread, because a first touch costs more than an operation.
 */
public final class Regions {
    private final PoolFile file;
    private final Pmem pmem;
    private final long table;
    private volatile int max;
    private final long size;
    private long[] words;
    private final int[] ofKind = new int[RegionKind.values().length + 1];

    /** The region words by where the regions begin, in units of their size: no two begin in one unit. */
    private final AtomicLongArray byPlace;

    private volatile int count;
    private int prepared;
    private long preparedAt = Pmem.NULL;

    /** Reads the table of an open pool. */
    public Regions(PoolFile file) {
        this.file = file;
        this.pmem = file.pmem();
        this.table = file.header() + PoolHeader.REGION_TABLE_OFFSET;
        this.max = maxOfFile();
        this.size = file.regionSize();
        this.words = new long[64];
        this.byPlace = new AtomicLongArray((int) (Math.max(pmem.size(), file.sizeMax()) / size) + 1);
        int found = 0;
        while (found < max) {
            long word = pmem.get(table + 8L * found);
            if (word == 0) {
                break;
            }
            RegionKind.of(table + 8L * found, word);
            if (at(word) <= 0 || at(word) + size > pmem.size()) {
                throw new CorruptPoolException(table + 8L * found, "a region inside the pool", word);
            }
            add(found++, word);
        }
        requireNoneBehind();
        // [open.1] The last one a process may have stored, and died before it was durable. Its slots are used from now.
        pmem.persist(table + 8L * Math.max(0, found - 1), 8);
        this.count = found;
        this.prepared = found;
    }

    /** The size that a pool has grown to has no checksum: what a wrong one leaves out must not be cut off by the next growth. */
    private void requireNoneBehind() {
        long behind = max < PoolHeader.REGIONS_MAX ? pmem.get(table + 8L * max) : 0;
        if (behind != 0) {
            throw new CorruptPoolException(
                    table + 8L * max, "no region behind the pool's end, which is at " + file.fileSize(), behind);
        }
    }

    private int maxOfFile() {
        return Math.min(file.regionsMax(), PoolHeader.REGIONS_MAX);
    }

    private static long at(long word) {
        return word & ~RegionKind.MASK;
    }

    private synchronized void add(int index, long word) {
        ofKind[RegionKind.of(table + 8L * index, word).code()]++;
        if (index == words.length) {
            words = Arrays.copyOf(words, 2 * index);
        }
        words[index] = word;
        byPlace.setRelease((int) (at(word) / size), word);
    }

    /** Bytes that the pool has once it has grown as far as it can, within a region or two. */
    public long capacity() {
        return byPlace.length() * size;
    }

    /** The word of the region where {@code at} lies, or 0. In constant time. */
    private long wordAt(long at) {
        if (at < 0 || at >= pmem.size()) {
            return 0;
        }
        int place = (int) (at / size);
        long word = byPlace.getAcquire(place);
        if (word == 0 || at < at(word)) {
            word = place == 0 ? 0 : byPlace.getAcquire(place - 1);
        }
        return word != 0 && at >= at(word) && at < at(word) + size ? word : 0;
    }

    /** Where the region begins in which a slot stands. */
    public long startOf(long slot) {
        return at(wordAt(slot));
    }

    public int count() {
        return count;
    }

    public int max() {
        return max;
    }

    /** How many can be taken yet. */
    public int free() {
        return max - count;
    }

    /** The file has grown, and no thread goes by its old size any more: lets what is new be taken. */
    public synchronized void extend() {
        max = maxOfFile();
        notifyAll();
    }

    /** Returns when fewer than this many can be taken yet; false if interrupted before. */
    public synchronized boolean awaitFewerFree(int regions) {
        try {
            while (free() >= regions) {
                wait();
            }
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** How many are of this kind. */
    public synchronized int count(RegionKind kind) {
        return ofKind[kind.code()];
    }

    /** Bytes of a region. */
    public long size() {
        return size;
    }

    /** Offset of region {@code index}, below {@link #count}. */
    public synchronized long at(int index) {
        return at(words[index]);
    }

    public synchronized RegionKind kind(int index) {
        return RegionKind.of(table + 8L * index, words[index]);
    }

    /** A new region of zeros for this kind, or {@code Pmem.NULL} when the pool is full. */
    public synchronized long acquire(RegionKind kind) {
        int index = count;
        if (index >= max) {
            return Pmem.NULL;
        }
        long at = claim(index);
        if (at == Pmem.NULL) {
            return Pmem.NULL;
        }
        preparedAt = Pmem.NULL;
        // [region.1] The commit: from this store on the region has its kind. Before it, the file hands out the same
        // region again.
        long word = at | kind.code();
        pmem.setRelease(table + 8L * index, word);
        pmem.persist(table + 8L * index, 8);
        add(index, word);
        count = index + 1;
        notifyAll();
        return at;
    }

    private long claim(int index) {
        if (prepared > index && preparedAt != Pmem.NULL) {
            return preparedAt;
        }
        prepared = Math.max(prepared, index + 1);
        return fromFile(index);
    }

    private long fromFile(int index) {
        try {
            return file.regionAt(index);
        } catch (PoolException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Touches the next region's pages ahead of its use, again and again until interrupted. A background thread's whole life. */
    public void prepareUntilInterrupted() {
        while (!Thread.currentThread().isInterrupted()) {
            long at;
            synchronized (this) {
                while (count >= max || (preparedAt != Pmem.NULL && prepared > count)) {
                    try {
                        wait();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                        return;
                    }
                }
                at = fromFile(count);
                if (at == Pmem.NULL) {
                    return;
                }
                prepared = count + 1;
                preparedAt = at;
            }
            // Outside the lock: a thread that needs the region meanwhile takes it and touches the pages itself.
            try {
                file.populate(at, size);
            } catch (PoolException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** Whether a slot of an entry starts at {@code at}: what a cursor from outside must pass before it is followed. */
    public boolean isEntrySlot(long at) {
        return isSlot(at, RegionKind.ENTRY_SLOTS) || isSlot(at, RegionKind.LONG_ENTRY_SLOTS);
    }

    /** Whether a slot of this kind starts at {@code at}. */
    boolean isSlot(long at, RegionKind kind) {
        long word = at % Pmem.LINE == 0 ? wordAt(at) : 0;
        return word != 0
                && RegionKind.of(at, word) == kind
                && (at - at(word)) % kind.slotSize() == 0
                && at + kind.slotSize() <= at(word) + size;
    }
}
