package io.hmfs.client;

/** Where the listing of a tree goes on: opaque bytes from the server that survive its restart. */
public final class TreeCursor {
    /** The beginning of a listing. */
    public static final TreeCursor START = new TreeCursor(new byte[0]);

    final byte[] bytes;

    TreeCursor(byte[] bytes) {
        this.bytes = bytes;
    }
}
