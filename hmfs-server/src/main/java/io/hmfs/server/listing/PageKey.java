package io.hmfs.server.listing;

import io.hmfs.client.ListDetail;
import io.hmfs.core.type.ListCursor;

/** Identifies a page: directory and cursor where it begins, detail and bounds of the request. Reused for each request; not thread-safe. */
final class PageKey {
    private long directory;
    private long birth;
    private long at;
    private long start;
    private ListDetail detail = ListDetail.ALL;
    private int entriesMax;
    private int bytesMax;

    void set(long ofDirectory, ListCursor from, ListDetail asked, int entries, int bytes) {
        directory = ofDirectory;
        birth = from.birth;
        at = from.at;
        start = from.start;
        detail = asked;
        entriesMax = entries;
        bytesMax = bytes;
    }

    PageKey copy() {
        PageKey copy = new PageKey();
        copy.directory = directory;
        copy.birth = birth;
        copy.at = at;
        copy.start = start;
        copy.detail = detail;
        copy.entriesMax = entriesMax;
        copy.bytesMax = bytesMax;
        return copy;
    }

    long directory() {
        return directory;
    }

    /** Whether the other page begins at the same cursor of the same directory, with the same detail. */
    boolean isOfPlace(PageKey other) {
        return directory == other.directory
                && birth == other.birth
                && at == other.at
                && start == other.start
                && detail == other.detail;
    }

    boolean hasBoundsOf(PageKey other) {
        return entriesMax == other.entriesMax && bytesMax == other.bytesMax;
    }

    /** Whether a page within these bounds may hold more than so many entries and bytes. */
    boolean hasRoomBehind(int entries, int bytes) {
        return entriesMax > entries && bytesMax > bytes;
    }

    /** A hash without the bounds. Only its upper 32 bits are well mixed. */
    long hash() {
        long hash = mix(directory, birth);
        hash = mix(hash, at);
        hash = mix(hash, start);
        return mix(hash, detail.code());
    }

    static long mix(long hash, long word) {
        long mixed = (hash ^ word) * 0xC2B2AE3D27D4EB4FL;
        return mixed ^ (mixed >>> 29);
    }
}
