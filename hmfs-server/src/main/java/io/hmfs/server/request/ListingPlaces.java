package io.hmfs.server.request;

import io.hmfs.core.type.ListCursor;

/**
 * Where the pages of one connection ended behind which others may have been asked for, by the correlation ids of their
 * requests. Bounded: what is not known any more, or not yet, is asked for with a cursor. Thread-safe: a page that is far from its cursor is looked for by a
 * disk thread.
 */
public final class ListingPlaces {
    /** Listings of one connection that go on without waiting for their cursors. */
    static final int MAX = 32;

    private static final int NUMBERS = 4; // of one place: id, birth, at, start

    private final long[] places = new long[MAX * NUMBERS];
    private int oldest;

    /** Where the page of a request ended; false: it is not known. */
    public synchronized boolean find(long correlationId, ListCursor to) {
        int place = placeOf(correlationId);
        if (correlationId == 0 || place < 0) {
            return false;
        }
        to.birth = places[place + 1];
        to.at = places[place + 2];
        to.start = places[place + 3];
        return true;
    }

    /** The place behind a request is good for one, which has its page. */
    public synchronized void used(long correlationId) {
        int place = placeOf(correlationId);
        if (place >= 0) {
            places[place] = 0;
        }
    }

    /** Keeps where the page of a request ended; the place of another one may go for it. */
    public synchronized void keep(long correlationId, ListCursor end) {
        int place = placeOf(0);
        if (place < 0) {
            place = oldest * NUMBERS;
            oldest = (oldest + 1) % MAX;
        }
        places[place] = correlationId;
        places[place + 1] = end.birth;
        places[place + 2] = end.at;
        places[place + 3] = end.start;
    }

    private int placeOf(long correlationId) {
        for (int place = 0; place < places.length; place += NUMBERS) {
            if (places[place] == correlationId) {
                return place;
            }
        }
        return -1;
    }
}
