package io.hmfs.server.transport.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.channel.uring.IoUring;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Goal: who names a kind of sockets that cannot be had hears why, and what to do; who leaves the choice gets one that can.
 * Method: what machines say that this one is not.
 */
class SocketKindsTest {
    private static @Nullable String obstacle(boolean nativeAccess, String uringSwitch, @Nullable Throwable library) {
        return Sockets.obstacle(nativeAccess, uringSwitch, () -> library);
    }

    private static void assertSays(String part, @Nullable String obstacle) {
        assertNotNull(obstacle);
        assertTrue(obstacle.contains(part), obstacle);
    }

    @Test
    void whatStandsInTheWayIsSaidWithWhatToDo() {
        Throwable cause = new UnsatisfiedLinkError("outer").initCause(new IOException("no such call"));
        assertNull(obstacle(true, "", null));
        assertNull(obstacle(true, "0", null));
        assertNull(obstacle(true, "1", null)); // of the group that may
        assertSays("--enable-native-access=ALL-UNNAMED", obstacle(false, "2", cause));
        assertSays("for everybody; sysctl kernel.io_uring_disabled=0", obstacle(true, "2", null));
        assertSays("for this user; sysctl kernel.io_uring_disabled=0", obstacle(true, "1", cause));
        assertSays("says: no such call (" + System.getProperty("os.name"), obstacle(true, "0", cause));
    }

    /** With them the listener spins when there are no file descriptors. */
    @Test
    void acceptsOfIoUringDoNotRepeatThemselves() {
        String obstacle = Sockets.IO_URING.obstacle();
        assumeTrue(obstacle == null, obstacle);
        assertFalse(IoUring.isAcceptMultishotEnabled());
    }

    @Test
    void theChoiceThatIsLeftToTheServerIsOneThatCanBe() throws IOException {
        Sockets chosen = Sockets.AUTO.resolve();
        assertEquals(Sockets.EPOLL.obstacle() == null ? Sockets.EPOLL : Sockets.NIO, chosen);
        assertNull(chosen.obstacle());
        assertEquals(Sockets.NIO, Sockets.NIO.resolve());
    }
}
