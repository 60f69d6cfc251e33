package io.hmfs.bench.load;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A link to a server of this machine as if it stood elsewhere: a relay that passes on no byte before the link would have
 * brought it. All connections share its bandwidth, each way for itself. Headers of packets are not counted, and the relay
 * takes processor time that a network would not.
 */
public final class SlowLink implements AutoCloseable {
    private static final int CHUNK = 16 << 10;
    private static final int CHUNKS = 64; // under way in one direction of a connection: what a network's buffers hold
    private static final byte[] END = {};

    /** Bytes that arrived together. */
    private static final class Chunk {
        private final byte[] bytes;
        private final long arrivedNanos = System.nanoTime();

        Chunk(byte[] bytes) {
            this.bytes = bytes;
        }
    }

    /** One direction of the link. */
    private final class Way {
        private long freeNanos = System.nanoTime();

        /** When the last byte of a chunk is at the other end. */
        synchronized long due(Chunk chunk) {
            long begins = Math.max(freeNanos, chunk.arrivedNanos);
            freeNanos = begins + (long) chunk.bytes.length * Byte.SIZE * TimeUnit.SECONDS.toNanos(1) / bitsPerSecond;
            return freeNanos + delayNanos;
        }
    }

    private final long bitsPerSecond;
    private final long delayNanos;
    private final int serverPort;
    private final ServerSocket listener;
    private final Way there = new Way();
    private final Way back = new Way();

    /**
     * Listens on a free port of the loopback address.
     *
     * @param serverPort where the server listens on it
     * @param roundTripNanos how long a byte takes to the server and back
     */
    public SlowLink(int serverPort, long bitsPerSecond, long roundTripNanos) throws IOException {
        this.serverPort = serverPort;
        this.bitsPerSecond = bitsPerSecond;
        delayNanos = roundTripNanos / 2;
        listener = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
        start("link", this::accept);
    }

    /** Where clients connect to. */
    public int port() {
        return listener.getLocalPort();
    }

    private void accept() {
        try {
            while (true) {
                Socket client = listener.accept();
                Socket server = new Socket(InetAddress.getLoopbackAddress(), serverPort);
                client.setTcpNoDelay(true);
                server.setTcpNoDelay(true);
                relay(client, server, there);
                relay(server, client, back);
            }
        } catch (IOException e) {
            // closed
        }
    }

    private void relay(Socket from, Socket to, Way way) {
        BlockingQueue<Chunk> underWay = new ArrayBlockingQueue<>(CHUNKS);
        start("link-in", () -> take(from, underWay));
        start("link-out", () -> bring(underWay, to, way));
    }

    private static void take(Socket from, BlockingQueue<Chunk> underWay) {
        byte[] buffer = new byte[CHUNK];
        try {
            InputStream in = from.getInputStream();
            for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                byte[] bytes = new byte[count];
                System.arraycopy(buffer, 0, bytes, 0, count);
                underWay.put(new Chunk(bytes));
            }
        } catch (IOException e) {
            // the other side learns it as an end
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        try {
            underWay.put(new Chunk(END));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void bring(BlockingQueue<Chunk> underWay, Socket to, Way way) {
        try (to) {
            OutputStream out = to.getOutputStream();
            for (Chunk chunk = underWay.take(); chunk.bytes.length > 0; chunk = underWay.take()) {
                long due = way.due(chunk);
                for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
                    LockSupport.parkNanos(left);
                }
                out.write(chunk.bytes);
            }
        } catch (IOException e) {
            // the peer has closed
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void start(String name, Runnable task) {
        Thread.ofPlatform().daemon().name(name).start(task);
    }

    /** Accepts no more; what is connected ends with its peers. */
    @Override
    public void close() throws IOException {
        listener.close();
    }
}
