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
 * The one client of a filesystem. The client replaces a lost connection and repeats requests that were not answered;
 * this class adds: a harmless change is repeated once when it is unknown whether it was executed, and a failure of
 * the first connect says what to do. Refusals of the server stay {@link HmfsException}s, except where a method says
 * that it translates them. Thread-safe.
 */
public final class ServerLink implements Closeable {
    /** The scheme of HMFS addresses. */
    public static final String SCHEME = "hmfs";

    /** The scheme of HMFS addresses that are reached by RDMA, or not at all. */
    public static final String RDMA_SCHEME = "hmfs+rdma";

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
     * @throws ConnectException no server answers there; names the address and what to do
     */
    public static ServerLink open(String host, int port, ClientOptions options) throws IOException {
        try {
            return new ServerLink(host, port, HmfsClient.connect(host, port, options));
        } catch (HmfsException e) {
            throw e.code() == ResultCode.TIMEOUT || e.code() == ResultCode.SHUTTING_DOWN
                    ? unreachable(host, port, e)
                    : HadoopErrors.translate(SCHEME + "://" + host + ":" + port, e);
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

    /** What the server announced in the handshake of the first connection. */
    public ServerInfo server() {
        return client.server();
    }

    /** The client, for changes that must not be repeated and for requests that are under way at once. */
    public HmfsClient client() {
        return client;
    }

    /** Runs a harmless request, and repeats it once if it is unknown whether the first was executed. */
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

    /** Runs a request that answers nothing as {@link #repeatable} does. */
    public void repeat(Action action) throws IOException {
        repeatable(on -> {
            action.on(on);
            return Boolean.TRUE;
        });
    }

    /** Runs a request on an existing path as {@link #repeatable} does; a refusal becomes the exception of HDFS. */
    public <T> T ask(String path, Call<T> call) throws IOException {
        try {
            return repeatable(call);
        } catch (HmfsException e) {
            throw HadoopErrors.translateLookup(path, e);
        }
    }

    /** Makes a harmless change of an existing path as {@link #repeat} does; a refusal becomes the exception of HDFS. */
    public void change(String path, Action action) throws IOException {
        try {
            repeat(action);
        } catch (HmfsException e) {
            throw HadoopErrors.translateLookup(path, e);
        }
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
