package io.hmfs.server.transport.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.hmfs.server.transport.SocketKind;
import io.netty.channel.uring.IoUring;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Goal: a kind of sockets that was named and cannot be used is refused with the reason and what to do; the server's own
 * choice can always be used. Method: obstacles of other machines are passed in.
 */
class SocketKindsTest {
    private static @Nullable String obstacle(boolean nativeAccess, String uringSwitch, @Nullable Throwable library) {
        return NettySockets.obstacle(nativeAccess, uringSwitch, () -> library);
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
        assertSays("for all users; sysctl kernel.io_uring_disabled=0", obstacle(true, "2", null));
        assertSays("for this user; sysctl kernel.io_uring_disabled=0", obstacle(true, "1", cause));
        assertSays("says: no such call (" + System.getProperty("os.name"), obstacle(true, "0", cause));
    }

    /** With them the listener spins when there are no file descriptors. */
    @Test
    void acceptsOfIoUringDoNotRepeatThemselves() {
        String obstacle = NettySockets.obstacle(SocketKind.IO_URING);
        assumeTrue(obstacle == null, obstacle);
        assertFalse(IoUring.isAcceptMultishotEnabled());
    }

    @Test
    void theChoiceThatIsLeftToTheServerIsOneThatCanBe() throws IOException {
        SocketKind chosen = NettySockets.resolve(SocketKind.AUTO);
        assertEquals(NettySockets.obstacle(SocketKind.EPOLL) == null ? SocketKind.EPOLL : SocketKind.NIO, chosen);
        assertNull(NettySockets.obstacle(chosen));
        assertEquals(SocketKind.NIO, NettySockets.resolve(SocketKind.NIO));
    }
}
