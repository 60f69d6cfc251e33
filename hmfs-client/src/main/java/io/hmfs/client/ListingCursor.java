package io.hmfs.client;

/** Where a listing goes on: three opaque numbers from the server that survive its restart. */
public record ListingCursor(long birth, long at, long start) {
    /** The beginning of a listing. */
    public static final ListingCursor START = new ListingCursor(0, 0, 0);
}
