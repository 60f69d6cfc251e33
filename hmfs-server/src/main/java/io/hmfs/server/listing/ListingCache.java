package io.hmfs.server.listing;

import io.hmfs.core.type.ListCursor;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * The pages of listings that were asked for last, within a bound of bytes (HMFS §3.4, docs/adr/0198): as they are sent, to be copied. A page is kept when it is
 * asked for a second time and its directory has not changed in between, so a walk over everything, once, displaces nothing. Thread-safe.
 */
public final class ListingCache {
    /** Length of the table of pages that were asked for once. */
    private static final int SEEN_PLACES = 1 << 13;

    private static final int BUCKET_BYTES = 16 << 10;
    private static final int BUCKETS_MIN = 1 << 4;
    private static final int BUCKETS_MAX = 1 << 16;

    private final long bytesMax;
    private final DirectoryVersions versions;
    private final @Nullable CachedPage[] buckets;
    private final CachedPage ends = new CachedPage(
            new PageKey(),
            new byte[0],
            0,
            new ListCursor(),
            0,
            new long[0],
            new long[0]); // of the ring of pages, ordered by last use
    private final AtomicLongArray seen = new AtomicLongArray(SEEN_PLACES);
    private final LongAdder hits = new LongAdder();
    private final LongAdder misses = new LongAdder();
    private long bytes;

    /** With so many bytes of pages at most; 0: none is kept. */
    public ListingCache(long bytesMax, DirectoryVersions versions) {
        this.bytesMax = bytesMax;
        this.versions = versions;
        buckets = new @Nullable
                CachedPage[Math.clamp(Long.highestOneBit(bytesMax / BUCKET_BYTES + 1), BUCKETS_MIN, BUCKETS_MAX)];
    }

    DirectoryVersions versions() {
        return versions;
    }

    boolean isOn() {
        return bytesMax > 0;
    }

    /** The kept page if it is still valid, or null. Takes no lock if none is near: most directories are too small to be kept. */
    @Nullable
    CachedPage find(PageKey key, long hash) {
        CachedPage found = mayBeHeld(hash) ? held(key, hash) : null;
        if (found != null && found.isCurrent(versions)) {
            hits.increment();
            return found;
        }
        misses.increment();
        if (found != null) {
            drop(found);
        }
        return null;
    }

    /** Without the lock: a page that another thread is keeping may be missed, which costs a listing. */
    private boolean mayBeHeld(long hash) {
        return buckets[bucket(hash)] != null;
    }

    private synchronized @Nullable CachedPage held(PageKey key, long hash) {
        CachedPage page = buckets[bucket(hash)];
        while (page != null && !(page.hash == hash && page.answers(key))) {
            page = page.next;
        }
        if (page != null) {
            unlink(page);
            linkNewest(page);
        }
        return page;
    }

    /**
     * Whether the page was asked for before at this version of its directory. Remembers that it was asked for now. Takes no lock: of
     * two threads at once, both may be told that it was not.
     */
    boolean wasAskedFor(long hash, long version) {
        long mark = PageKey.mix(hash, version);
        int place = (int) (hash >>> 40) & (SEEN_PLACES - 1);
        if (seen.getOpaque(place) == mark) {
            return true;
        }
        seen.setOpaque(place, mark);
        return false;
    }

    /** Keeps a page. Drops the least recently used ones until it fits. */
    synchronized void keep(CachedPage page) {
        CachedPage before = held(page.key, page.hash);
        if (before != null) {
            drop(before);
        }
        if (page.bytes() > bytesMax) {
            return;
        }
        while (bytes + page.bytes() > bytesMax) {
            drop(ends.newer);
        }
        int bucket = bucket(page.hash);
        page.next = buckets[bucket];
        buckets[bucket] = page;
        linkNewest(page);
        bytes += page.bytes();
    }

    private synchronized void drop(CachedPage page) {
        if (!page.isHeld) {
            return; // another thread was first
        }
        page.isHeld = false;
        int bucket = bucket(page.hash);
        CachedPage before = buckets[bucket];
        if (before == page) {
            buckets[bucket] = page.next;
        } else {
            while (before != null && before.next != page) {
                before = before.next;
            }
            if (before != null) {
                before.next = page.next;
            }
        }
        unlink(page);
        bytes -= page.bytes();
    }

    private int bucket(long hash) {
        return (int) (hash >>> 32) & (buckets.length - 1);
    }

    /** The page used least recently is {@code ends.newer}, the one used last {@code ends.older}. */
    private void linkNewest(CachedPage page) {
        page.newer = ends;
        page.older = ends.older;
        ends.older.newer = page;
        ends.older = page;
    }

    private static void unlink(CachedPage page) {
        page.older.newer = page.newer;
        page.newer.older = page.older;
    }

    /** Bytes of pages that are kept. */
    public synchronized long bytes() {
        return bytes;
    }

    /** Pages that were answered from here. */
    public long hits() {
        return hits.sum();
    }

    /** Pages that were asked for and were not here. */
    public long misses() {
        return misses.sum();
    }
}
