package io.hmfs.hadoop.link;

import io.hmfs.client.ClientOptions;
import io.hmfs.client.HmfsClient;
import io.hmfs.client.HmfsException;
import io.hmfs.client.ResultCode;
import io.hmfs.client.ServerInfo;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ConnectException;

/**
 * The one connection of a filesystem. When it breaks (the server was restarted, say), the next request makes a new one, to the
 * same cluster only; a request that may be repeated without harm is repeated once, the others report the break. Thread-safe.
 */
public final class ServerLink implements Closeable {
    /** A request on a client. */
    @FunctionalInterface
    public interface Call<T> {
        T on(HmfsClient client) throws IOException;
    }

    /** A request on a client that answers nothing. */
    @FunctionalInterface
    public interface Action {
        void on(HmfsClient client) throws IOException;
    }

    private final String host;
    private final int port;
    private final ClientOptions options;
    private final ServerInfo server;
    private final Object reconnecting = new Object();
    private volatile HmfsClient client;
    private volatile boolean broken;
    private volatile boolean closed;

    private ServerLink(String host, int port, ClientOptions options, HmfsClient client) {
        this.host = host;
        this.port = port;
        this.options = options;
        this.client = client;
        this.server = client.server();
    }

    /** Connects. @throws ConnectException naming the address and what to do when nobody answers there */
    public static ServerLink open(String host, int port, ClientOptions options) throws IOException {
        return new ServerLink(host, port, options, connect(host, port, options));
    }

    private static HmfsClient connect(String host, int port, ClientOptions options) throws IOException {
        try {
            return HmfsClient.connect(host, port, options);
        } catch (HmfsException e) {
            if (e.code() == ResultCode.TIMEOUT || e.code() == ResultCode.SHUTTING_DOWN) {
                throw unreachable(host, port, e);
            }
            throw HadoopErrors.translate("hmfs://" + host + ":" + port, e);
        } catch (InterruptedIOException e) {
            if (Thread.currentThread().isInterrupted()) {
                throw e;
            }
            throw unreachable(host, port, e);
        } catch (IOException e) {
            throw unreachable(host, port, e);
        }
    }

    private static ConnectException unreachable(String host, int port, IOException cause) {
        ConnectException translated =
                new ConnectException("No HMFS server answers at hmfs://" + host + ":" + port + " (" + reason(cause)
                        + "): start one there with `hmfs server`, or correct the address in fs.defaultFS or the path");
        translated.initCause(cause);
        return translated;
    }

    private static String reason(Throwable failure) {
        String message = failure.getMessage();
        return message == null ? failure.getClass().getSimpleName() : message;
    }

    /** What the server told when the first connection was made. */
    public ServerInfo server() {
        return server;
    }

    /** A client that was connected when last used. */
    public HmfsClient client() throws IOException {
        if (broken) {
            renew(client);
        }
        return client;
    }

    /** A request whose repetition changes nothing more: repeated once on a new connection if this one breaks. */
    public <T> T repeatable(Call<T> call) throws IOException {
        HmfsClient current = client();
        try {
            return call.on(current);
        } catch (IOException e) {
            if (!isBreak(e)) {
                throw e;
            }
            renew(current);
            return once(call);
        }
    }

    /** {@link #repeatable(Call)} without an answer. */
    public void repeat(Action action) throws IOException {
        repeatable(on -> {
            action.on(on);
            return Boolean.TRUE;
        });
    }

    /** A request that must not be sent twice. */
    public <T> T once(Call<T> call) throws IOException {
        HmfsClient current = client();
        try {
            return call.on(current);
        } catch (IOException e) {
            if (isBreak(e)) {
                throw lost(current, e);
            }
            throw e;
        }
    }

    /** {@link #once(Call)} without an answer. */
    public void onceOnly(Action action) throws IOException {
        once(on -> {
            action.on(on);
            return Boolean.TRUE;
        });
    }

    /** Whether {@code failure} means that the connection is gone, so that trying again on another one may help. */
    public static boolean isBreak(Throwable failure) {
        if (failure instanceof HmfsException refused) {
            return refused.code() == ResultCode.SHUTTING_DOWN;
        }
        return failure instanceof IOException && !(failure instanceof InterruptedIOException);
    }

    /** Notes that this client's connection broke, and words it for the caller. */
    public IOException lost(HmfsClient current, Throwable cause) {
        if (current == client) {
            broken = true;
        }
        return new IOException(
                "The connection to the HMFS server at " + host + ":" + port + " broke (" + reason(cause)
                        + "); whether the last request was executed is unknown",
                cause);
    }

    /** Replaces {@code failed}, unless somebody else has done so already. */
    public void renew(HmfsClient failed) throws IOException {
        synchronized (reconnecting) {
            if (closed) {
                throw new IOException("Filesystem closed");
            }
            if (client != failed) {
                return;
            }
            broken = true;
            HmfsClient fresh = connect(host, port, options);
            if (!fresh.server().clusterId().equals(server.clusterId())) {
                fresh.close();
                throw new IOException("The server at " + host + ":" + port + " now holds cluster "
                        + fresh.server().clusterId() + " instead of " + server.clusterId()
                        + ": was the pool formatted anew? Open the filesystem again");
            }
            client = fresh;
            broken = false;
            failed.close();
        }
    }

    @Override
    public void close() {
        synchronized (reconnecting) {
            if (!closed) {
                closed = true;
                broken = true;
                client.close();
            }
        }
    }

    @Override
    public String toString() {
        return host + ":" + port;
    }
}
