package io.hmfs.server.listing;

import io.hmfs.core.type.ListCursor;
import org.jspecify.annotations.Nullable;

/** A page as it was sent, valid while the versions of the directories that it depends on do not change. {@link ListingCache} owns its links. */
final class CachedPage {
    /** Bytes that a page takes beside its frame, about. */
    private static final int OVERHEAD = 256;

    final PageKey key;
    final long hash;
    final byte[] frame;
    final int entries;

    private final boolean isLast;
    private final long endBirth;
    private final long endAt;
    private final long endStart;
    private final long version;
    private final long[] below; // the directories that it shows
    private final long[] versionsBelow;

    @Nullable
    CachedPage next; // in its bucket

    CachedPage older = this;
    CachedPage newer = this;
    boolean isHeld = true;

    CachedPage(
            PageKey key, byte[] frame, int entries, ListCursor end, long version, long[] below, long[] versionsBelow) {
        this.key = key;
        this.hash = key.hash();
        this.frame = frame;
        this.entries = entries;
        isLast = end.atEnd();
        this.endBirth = end.birth;
        this.endAt = end.at;
        this.endStart = end.start;
        this.version = version;
        this.below = below;
        this.versionsBelow = versionsBelow;
    }

    long bytes() {
        return OVERHEAD + frame.length + (long) (below.length + versionsBelow.length) * Long.BYTES;
    }

    void end(ListCursor to) {
        to.birth = endBirth;
        to.at = endAt;
        to.start = endStart;
    }

    /**
     * Whether this page answers a request. The bounds must be the same; if the page reaches the end of the directory, greater bounds do too, for they would
     * add no entry.
     */
    boolean answers(PageKey asked) {
        return key.isOfPlace(asked)
                && (key.hasBoundsOf(asked) || (isLast && asked.hasRoomBehind(entries, frame.length)));
    }

    /** Whether a listing would still show this, at the moment when the version of the directory is read. */
    boolean isCurrent(DirectoryVersions versions) {
        if (versions.version(key.directory()) != version) {
            return false;
        }
        for (int i = 0; i < below.length; i++) {
            if (versions.version(below[i]) != versionsBelow[i]) {
                return false;
            }
        }
        return true;
    }
}
