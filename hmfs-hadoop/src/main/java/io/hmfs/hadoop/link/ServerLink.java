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
import java.net.UnknownHostException;

/**
 * The one client of a filesystem. The client makes a lost connection anew with the next request; what is added here: a request
 * that may be repeated without harm is repeated once when the connection broke under it, and failures to connect say what to
 * do. Refusals of the server stay {@link HmfsException}s. Thread-safe.
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
    private final HmfsClient client;

    private ServerLink(String host, int port, HmfsClient client) {
        this.host = host;
        this.port = port;
        this.client = client;
    }

    /**
     * Connects.
     *
     * @throws ConnectException nobody answers there; names the address and what to do
     */
    public static ServerLink open(String host, int port, ClientOptions options) throws IOException {
        try {
            return new ServerLink(host, port, HmfsClient.connect(host, port, options));
        } catch (HmfsException e) {
            throw e.code() == ResultCode.TIMEOUT || e.code() == ResultCode.SHUTTING_DOWN
                    ? unreachable(host, port, e)
                    : HadoopErrors.translate("hmfs://" + host + ":" + port, e);
        } catch (IOException e) {
            throw isInterrupt(e) ? e : unreachable(host, port, e);
        }
    }

    private static ConnectException unreachable(String host, int port, IOException cause) {
        String reason = cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
        ConnectException translated = new ConnectException(
                "No HMFS server answers at hmfs://" + host + ":" + port + " (" + reason
                        + "): start one there with `hmfs server`, or correct the address in fs.defaultFS or in the path");
        translated.initCause(cause);
        return translated;
    }

    /** What the server told when the first connection was made. */
    public ServerInfo server() {
        return client.server();
    }

    /** The client, for requests that are not waited for one by one. */
    public HmfsClient client() {
        return client;
    }

    /** A request whose repetition changes nothing more: sent again, once, if the connection breaks. */
    public <T> T repeatable(Call<T> call) throws IOException {
        try {
            return call.on(client);
        } catch (IOException e) {
            if (!isBreak(e)) {
                throw e;
            }
        }
        return once(call);
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
        try {
            return call.on(client);
        } catch (IOException e) {
            if (!isBreak(e)) {
                throw e;
            }
            throw wasNeverConnected(e)
                    ? unreachable(host, port, e)
                    : new IOException(e.getMessage() + " (whether it was executed is unknown)", e);
        }
    }

    /** {@link #once(Call)} without an answer. */
    public void onceOnly(Action action) throws IOException {
        once(on -> {
            action.on(on);
            return Boolean.TRUE;
        });
    }

    /** Whether {@code failure} means that the connection is gone, so that another try, on a new one, may help. */
    public static boolean isBreak(Throwable failure) {
        if (failure instanceof HmfsException refused) {
            return refused.code() == ResultCode.SHUTTING_DOWN;
        }
        return failure instanceof IOException && !isInterrupt(failure);
    }

    private static boolean isInterrupt(Throwable failure) {
        return failure instanceof InterruptedIOException
                && Thread.currentThread().isInterrupted();
    }

    private static boolean wasNeverConnected(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof ConnectException || cause instanceof UnknownHostException) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void close() {
        client.close();
    }

    @Override
    public String toString() {
        return host + ":" + port;
    }
}
