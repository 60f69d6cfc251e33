package io.hmfs.server;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * A network between a client and a server that a test disturbs, frame by frame. For each request of a connection it asks what to do.
 * Requests pass one at a time: the next one only after the reply to the last, or after it was decided not to wait for that.
 */
public final class FrameProxy implements AutoCloseable {
    /** What becomes of a request. */
    public enum Fate {
        /** It passes, and so does its reply. */
        PASS,
        /** It never arrives, and the connection breaks. */
        LOSE,
        /** It arrives, its reply does not, and the connection breaks. */
        LOSE_REPLY,
        /** It arrives, and the connection breaks at once: it is not known what comes first. */
        CUT,
        /** It arrives twice, one behind the other; both replies pass. */
        DOUBLE,
        /** It passes, and its reply arrives twice. */
        DOUBLE_REPLY,
        /** It passes, and the last reply, perhaps that of another connection, arrives once more before its own. */
        OLD_REPLY,
        /** It passes, and its reply comes late. */
        LATE_REPLY
    }

    /** Decides about the request with this number, from 0 on over all connections; Hello is none. */
    @FunctionalInterface
    public interface Weather {
        Fate of(int number, byte[] request);
    }

    private static final long LATE_NANOS = 5_000_000;

    private final ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final Weather weather;
    private final Runnable betweenConnections;
    private final InetSocketAddress server;
    private byte[] lastReply = {};
    private int requests;
    private final AtomicInteger connections = new AtomicInteger();

    /** In front of a server at this loopback address. */
    public FrameProxy(String serverHost, int serverPort, Weather weather) throws IOException {
        this(new InetSocketAddress(serverHost, serverPort), weather, () -> {});
    }

    FrameProxy(int serverPort, Weather weather) throws IOException {
        this(serverPort, weather, () -> {});
    }

    /** The task runs when a connection has ended, and before the next one is made. */
    FrameProxy(int serverPort, Weather weather, Runnable betweenConnections) throws IOException {
        this(new InetSocketAddress(InetAddress.getLoopbackAddress(), serverPort), weather, betweenConnections);
    }

    private FrameProxy(InetSocketAddress server, Weather weather, Runnable betweenConnections) throws IOException {
        this.server = server;
        this.weather = weather;
        this.betweenConnections = betweenConnections;
        var _ = threads.submit(this::accept);
    }

    public int port() {
        return listener.getLocalPort();
    }

    /** Connections that clients have made so far. */
    public int connections() {
        return connections.get();
    }

    /** One connection at a time, as a client has them. */
    private Void accept() throws IOException {
        while (true) {
            try (Socket client = listener.accept()) {
                if (connections.get() > 0) {
                    betweenConnections.run(); // not after the last one, when the test may have ended
                }
                try (Socket upstream = new Socket(server.getAddress(), server.getPort())) {
                    connections.incrementAndGet();
                    client.setTcpNoDelay(true);
                    upstream.setTcpNoDelay(true);
                    carry(client, upstream);
                }
            } catch (EOFException | SocketException e) {
                if (listener.isClosed()) {
                    return null;
                }
            }
        }
    }

    private void carry(Socket client, Socket server) throws IOException {
        DataInputStream requestsIn = new DataInputStream(client.getInputStream());
        DataInputStream repliesIn = new DataInputStream(server.getInputStream());
        OutputStream toClient = client.getOutputStream();
        OutputStream toServer = server.getOutputStream();
        toServer.write(frame(requestsIn)); // Hello
        toClient.write(frame(repliesIn));
        while (true) {
            byte[] request = frame(requestsIn);
            switch (weather.of(requests++, request)) {
                case PASS -> {
                    toServer.write(request);
                    toClient.write(reply(repliesIn));
                }
                case LOSE -> {
                    return;
                }
                case LOSE_REPLY -> {
                    toServer.write(request);
                    reply(repliesIn);
                    return;
                }
                case CUT -> {
                    toServer.write(request);
                    return;
                }
                case DOUBLE -> {
                    toServer.write(request);
                    toServer.write(request);
                    toClient.write(reply(repliesIn));
                    toClient.write(reply(repliesIn));
                }
                case DOUBLE_REPLY -> {
                    toServer.write(request);
                    toClient.write(reply(repliesIn));
                    toClient.write(lastReply);
                }
                case OLD_REPLY -> {
                    toServer.write(request);
                    toClient.write(lastReply);
                    toClient.write(reply(repliesIn));
                }
                case LATE_REPLY -> {
                    toServer.write(request);
                    byte[] reply = reply(repliesIn);
                    LockSupport.parkNanos(LATE_NANOS); // the network's time: no thread waits for just that
                    toClient.write(reply);
                }
            }
        }
    }

    private byte[] reply(DataInputStream in) throws IOException {
        lastReply = frame(in);
        return lastReply;
    }

    /** A whole frame, its length word included. */
    private static byte[] frame(DataInputStream in) throws IOException {
        int length = Integer.reverseBytes(in.readInt());
        byte[] bytes = new byte[Integer.BYTES + length];
        ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).putInt(length);
        in.readFully(bytes, Integer.BYTES, length);
        return bytes;
    }

    @Override
    public void close() throws IOException {
        listener.close();
        threads.shutdownNow();
    }
}
