package io.hmfs.server;

import java.io.IOException;
import java.net.InetSocketAddress;

/** Skeleton of the server's API. */
@SuppressWarnings("DoNotCallSuggester")
public final class HmfsServer implements AutoCloseable {
    private HmfsServer() {}

    /** Opens the pool, listens, serves. Throws IOException (PoolException for the pool) with what is wrong and what to do. */
    public static HmfsServer start(ServerConfig config) throws IOException {
        throw new IOException(config.toString());
    }

    /** This build's version. */
    public static String version() {
        return "";
    }

    /** Where the server listens; the port is the real one when a free one was asked for. */
    public InetSocketAddress address() {
        throw new UnsupportedOperationException();
    }

    /** Waits until the server has stopped. Returns the exit code: 0 after {@link #close}, otherwise why it stopped itself. */
    public int awaitStop() throws InterruptedException {
        throw new UnsupportedOperationException();
    }

    /** Stops cleanly: takes no more, drains requests in flight, closes the pool, releases the port. Idempotent. */
    @Override
    public void close() {
        throw new UnsupportedOperationException();
    }
}
