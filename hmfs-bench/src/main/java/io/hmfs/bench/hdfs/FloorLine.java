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
 * connection, with nobody who makes them or looks at them. A page is asked for when the one before is here.
 */
final class FloorLine implements AutoCloseable {
    private static final int PAGE_MAX = 1 << 20;

    private final ServerSocketChannel listener;
    private final SocketChannel client;
    private final ByteBuffer request = ByteBuffer.allocateDirect(Integer.BYTES);
    private final ByteBuffer page = ByteBuffer.allocateDirect(PAGE_MAX);

    FloorLine() throws IOException {
        listener = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        client = SocketChannel.open(listener.getLocalAddress());
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

    /** Fetches so many bytes in so many pages of equal length. */
    void fetch(long bytes, long pages) throws IOException {
        long left = bytes;
        for (long i = pages; i > 0; i--) {
            int length = Math.toIntExact(Math.min(left / i, PAGE_MAX));
            request.clear();
            request.putInt(length).flip();
            client.write(request);
            readFully(client, page.clear().limit(length));
            left -= length;
        }
    }

    @Override
    public void close() throws IOException {
        client.close();
        listener.close();
    }
}
