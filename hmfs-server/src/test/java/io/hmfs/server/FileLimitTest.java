package io.hmfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import org.junit.jupiter.api.Test;

/**
 * Goal: a user that starts a server that will run out of file descriptors is told before it does. Method: the limits of other machines.
 */
class FileLimitTest {
    @Test
    void aLimitThatConnectionsCanReachIsToldWithBothWaysOut() {
        assertNull(FileLimit.warning(16_384, 16_384 + FileLimit.OTHERS));
        assertNull(FileLimit.warning(16_384, -1));
        assertEquals(
                "ulimit -n is 4096, and connections-max 16384 with 1024 other files needs 17408: connections will wait"
                        + " unanswered when files run out; raise the one, or set the other to 3072 at most",
                FileLimit.warning(16_384, 4096));
        assertEquals(
                "ulimit -n is 1024, and connections-max 1 with 1024 other files needs 1025: connections will wait"
                        + " unanswered when files run out; raise ulimit -n",
                FileLimit.warning(1, 1024));
    }
}
