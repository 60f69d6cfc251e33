package io.hmfs.server.data;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** Goal: a commit forces a directory while there may be a name in it that is not on the disk. Method: each order of a name and of forces. */
class DirectoryNamesTest {
    private final DirectoryNames names = new DirectoryNames();

    private void force() {
        names.forced(names.seen());
    }

    private void name() {
        names.begin();
        names.end();
    }

    @Test
    void atAStartNothingIsKnown() {
        assertFalse(names.areForced());
        force();
        assertTrue(names.areForced());
    }

    @Test
    void aNameIsForcedOnlyByWhatBeginsBehindIt() {
        force();
        name();
        assertFalse(names.areForced());
        long seen = names.seen();
        name();
        names.forced(seen);
        assertFalse(names.areForced(), "the second one came during the force");
        force();
        assertTrue(names.areForced());
        names.forced(seen);
        assertTrue(names.areForced(), "an older force that ends last takes nothing back");
    }

    @Test
    void aNameThatIsBeingMadeMayBeSeen() {
        force();
        names.begin();
        assertFalse(names.areForced());
        force();
        assertFalse(names.areForced(), "it may come behind that force");
        names.end();
        assertFalse(names.areForced());
        force();
        assertTrue(names.areForced());
    }

    @Test
    void aForceThatFailedIsNotMadeGoodByOneThatRunsAlready() {
        force();
        name();
        long seen = names.seen();
        names.failed();
        names.forced(seen);
        assertFalse(names.areForced());
        force();
        assertTrue(names.areForced());
    }
}
