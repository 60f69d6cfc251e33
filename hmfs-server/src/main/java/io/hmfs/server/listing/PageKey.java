package io.hmfs.server.listing;

import io.hmfs.client.ListDetail;
import io.hmfs.core.type.ListCursor;

/** Which page of which listing: where it begins, and all that the request says of it. Filled anew for each; not thread-safe. */
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

    /** Whether the other page begins at the same place of the same listing. */
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

    /** Whether the bounds leave room for more than that. */
    boolean hasRoomBehind(int entries, int bytes) {
        return entriesMax > entries && bytesMax > bytes;
    }

    /** Of the place; the upper half of it is good. */
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
