package io.hmfs.server.request;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.type.ListCursor;
import org.junit.jupiter.api.Test;

/**
 * Goal: the place of each listing is found as it was kept, once, and a connection keeps no more than so many.
 * Method: more listings than places, some of which go on.
 */
class ListingPlacesTest {
    private final ListingPlaces places = new ListingPlaces();
    private final ListCursor cursor = new ListCursor();

    private void keep(long id) {
        cursor.birth = id + 1;
        cursor.at = id + 2;
        cursor.start = id + 3;
        places.keep(id, cursor);
    }

    private boolean take(long id) {
        boolean known = places.find(id, cursor);
        assertEquals(known, places.find(id, cursor), "until its page is answered");
        if (known) {
            assertEquals(id + 1, cursor.birth);
            assertEquals(id + 2, cursor.at);
            assertEquals(id + 3, cursor.start);
            places.used(id);
        }
        return known;
    }

    @Test
    void aPlaceIsGoodForOneRequest() {
        assertFalse(take(100));
        assertFalse(take(0), "no request");
        keep(100);
        keep(200);
        assertTrue(take(200));
        assertTrue(take(100));
        assertFalse(take(100));
        assertFalse(take(0), "the place of none is no place");
    }

    @Test
    void listingsThatGoOnDoNotDriveOutOthers() {
        keep(1);
        for (int id = 1_000; id < 1_000 + 10 * ListingPlaces.MAX; id++) {
            keep(id);
            assertTrue(take(id));
        }
        assertTrue(take(1));
    }

    @Test
    void theOldestGoesWhenThereAreTooMany() {
        for (int id = 1; id <= ListingPlaces.MAX + 2; id++) {
            keep(id);
        }
        assertFalse(take(1));
        assertFalse(take(2));
        for (int id = 3; id <= ListingPlaces.MAX + 2; id++) {
            assertTrue(take(id), "listing " + id);
        }
    }
}
