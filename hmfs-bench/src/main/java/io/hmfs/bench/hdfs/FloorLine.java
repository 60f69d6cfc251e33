package io.hmfs.bench.hdfs;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/**
 * The least that a listing could take: as many bytes in as many pages, out of one buffer and into another over a loopback
 * connection, or a link, with nobody who makes them or looks at them.
 */
final class FloorLine implements AutoCloseable {
    private static final int PAGE_MAX = 1 << 20;

    private final ServerSocketChannel listener;
    private final SocketChannel client;
    private final ByteBuffer request = ByteBuffer.allocateDirect(Integer.BYTES);
    private final ByteBuffer page = ByteBuffer.allocateDirect(PAGE_MAX);

    /** {@code links}: on the way. */
    FloorLine(Links links) throws IOException {
        listener = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        int port = ((InetSocketAddress) listener.getLocalAddress()).getPort();
        client = SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), links.to(port)));
        client.setOption(StandardSocketOptions.TCP_NODELAY, true);
        SocketChannel server = listener.accept();
        server.setOption(StandardSocketOptions.TCP_NODELAY, true);
        Thread.ofPlatform().daemon().name("floor").start(() -> serve(server));
    }

    private static void serve(SocketChannel server) {
        ByteBuffer asked = ByteBuffer.allocateDirect(Integer.BYTES);
        ByteBuffer out = ByteBuffer.allocateDirect(PAGE_MAX);
        try (server) {
            while (true) {
                asked.clear();
                readFully(server, asked);
                out.clear().limit(asked.flip().getInt());
                while (out.hasRemaining()) {
                    server.write(out);
                }
            }
        } catch (IOException e) {
            // the client has closed
        }
    }

    private static void readFully(SocketChannel from, ByteBuffer into) throws IOException {
        while (into.hasRemaining()) {
            if (from.read(into) < 0) {
                throw new EOFException();
            }
        }
    }

    /** Fetches so many bytes in so many pages of equal length, so many of which are under way at once. */
    void fetch(long bytes, long pages, int underWay) throws IOException {
        int length = Math.toIntExact(Math.min(bytes / pages, PAGE_MAX));
        long asked = 0;
        for (long here = 0; here < pages; here++) {
            while (asked < pages && asked < here + underWay) {
                request.clear();
                request.putInt(length).flip();
                client.write(request);
                asked++;
            }
            readFully(client, page.clear().limit(length));
        }
    }

    @Override
    public void close() throws IOException {
        client.close();
        listener.close();
    }
}
