package io.hmfs.server.listing;

import io.hmfs.client.ListDetail;
import io.hmfs.core.Namespace;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.ListCursor;
import io.hmfs.core.type.Status;
import io.hmfs.server.lock.VersionStripes;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * One thread's way to the {@link ListingCache}: {@link #find}, and if there is no page, {@link #show} with each entry of the one that is made, and {@link #keep}.
 * Used again for each page; not thread-safe.
 */
public final class PageLookup {
    /** Shorter pages are made about as fast as they are found. */
    static final int ENTRIES_MIN = 16;

    private final ListingCache cache;
    private final DirectoryVersions versions;
    private final PageKey key = new PageKey();
    private final Attributes again = new Attributes();
    private long version;
    private boolean keeps;
    private long[] below = new long[16];
    private long[] versionsBelow = new long[16];
    private int belowCount;
    private int entries;

    public PageLookup(ListingCache cache) {
        this.cache = cache;
        versions = cache.versions();
    }

    /**
     * The frame of the kept page, with the correlation id of an earlier request, or null. If there is one, {@code cursor} is where the
     * next page begins, and {@link #entries} says how many it has.
     */
    public byte @Nullable [] find(long directory, ListCursor cursor, ListDetail detail, int entriesMax, int bytesMax) {
        keeps = false;
        if (!cache.isOn()) {
            return null;
        }
        key.set(directory, cursor, detail, entriesMax, bytesMax);
        long hash = key.hash();
        CachedPage page = cache.find(key, hash);
        if (page != null) {
            page.end(cursor);
            entries = page.entries;
            return page.frame;
        }
        version = versions.version(directory);
        belowCount = 0;
        keeps = !VersionStripes.isUnderWay(version) && cache.wasAskedFor(hash, version);
        return null;
    }

    /** Entries of the page that was found. */
    public int entries() {
        return entries;
    }

    /**
     * Takes an entry of the page that is being made. † A change inside a subdirectory changes the times that the page shows of it, and only the version of that
     * subdirectory: so its version is read, and then its times once more. An object that has had several names may be changed by a name in a directory
     * whose version the page does not have: such a page is not kept.
     */
    public void show(Namespace namespace, Attributes entry) {
        if (!keeps) {
            return;
        }
        if (entry.indirect) {
            keeps = false;
        } else if (entry.isDirectory()) {
            long versionBelow = versions.version(entry.id);
            keeps = !VersionStripes.isUnderWay(versionBelow)
                    && namespace.statDirectory(entry.id, again) == Status.OK
                    && again.mtimeNanos == entry.mtimeNanos
                    && again.ctimeNanos == entry.ctimeNanos;
            if (belowCount == below.length) {
                below = Arrays.copyOf(below, 2 * belowCount);
                versionsBelow = Arrays.copyOf(versionsBelow, 2 * belowCount);
            }
            below[belowCount] = entry.id;
            versionsBelow[belowCount++] = versionBelow;
        }
    }

    /** Whether the page that was made, with so many entries, is to be kept. */
    public boolean isWanted(int count) {
        // A page with an entry also says that the directory is there: what is not empty is not removed.
        return keeps && count >= ENTRIES_MIN && versions.version(key.directory()) == version;
    }

    /** Keeps the page that was made, whose next one begins there. */
    public void keep(byte[] frame, int count, ListCursor next) {
        cache.keep(new CachedPage(
                key.copy(),
                frame,
                count,
                next,
                version,
                Arrays.copyOf(below, belowCount),
                Arrays.copyOf(versionsBelow, belowCount)));
    }
}
