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
 * The one client of a filesystem. The client makes a lost connection anew and sends again what it has not answered; what is added here:
 * a change that may be repeated without harm is repeated once when nobody knows whether it was executed, and a failure to connect at
 * first says what to do. Refusals of the server stay {@link HmfsException}s. Thread-safe.
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

    /** A request whose repetition changes nothing more: repeated, once, when it is unknown whether it was executed. */
    public <T> T repeatable(Call<T> call) throws IOException {
        try {
            return call.on(client);
        } catch (HmfsException e) {
            if (e.code() != ResultCode.OUTCOME_UNKNOWN) {
                throw e;
            }
        }
        return call.on(client);
    }

    /** {@link #repeatable(Call)} without an answer. */
    public void repeat(Action action) throws IOException {
        repeatable(on -> {
            action.on(on);
            return Boolean.TRUE;
        });
    }

    private static boolean isInterrupt(Throwable failure) {
        return failure instanceof InterruptedIOException
                && Thread.currentThread().isInterrupted();
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
