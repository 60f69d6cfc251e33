package io.hmfs.client;

/** Where a listing goes on: three opaque numbers from the server that survive its restart. */
public record ListCursor(long birth, long at, long start) {
    /** The beginning of a listing. */
    public static final ListCursor START = new ListCursor(0, 0, 0);
}
