package io.hmfs.server.transport;

import java.util.Locale;

/** How the server talks to the kernel about its TCP sockets. */
public enum SocketKind {
    /**
     * The first of {@link #EPOLL} and {@link #NIO} that there is: what was measured to be best
     * (docs/adr/0108-io-uring.md).
     */
    AUTO,
    /** Readiness by epoll. Linux, with native access. */
    EPOLL,
    /** Completions through rings shared with the kernel. Linux 5.10 and later that allow it, with native access. */
    IO_URING,
    /** The JDK's own. Everywhere. */
    NIO;

    /** The name in settings, metrics and messages. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
