package io.hmfs.bench.load;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * Goal: a link brings all bytes in their order, and none before its time. Method: a server that sends back what comes;
 * only least times are looked at, so a busy machine changes nothing.
 */
class SlowLinkTest {
    private static final long ROUND_TRIP_NANOS = TimeUnit.MILLISECONDS.toNanos(40);
    private static final int BYTES = 256 << 10;
    private static final long BITS_PER_SECOND = 16_000_000; // the bytes take 131 ms each way

    private static void echo(ServerSocket server) {
        try (Socket client = server.accept()) {
            client.getInputStream().transferTo(client.getOutputStream());
        } catch (IOException e) {
            // the test is over
        }
    }

    @Test
    void bytesComeInOrderAndNotBeforeTheirTime() throws IOException {
        byte[] bytes = new byte[BYTES];
        new Random(7).nextBytes(bytes);
        InetAddress loopback = InetAddress.getLoopbackAddress();
        try (ServerSocket server = new ServerSocket(0, 1, loopback)) {
            Thread.ofVirtual().start(() -> echo(server));
            try (SlowLink link = new SlowLink(server.getLocalPort(), BITS_PER_SECOND, ROUND_TRIP_NANOS);
                    Socket client = new Socket(loopback, link.port())) {
                InputStream in = client.getInputStream();
                for (int i = 0; i < 10; i++) { // the first would be slow without a link, too
                    long sent = System.nanoTime();
                    client.getOutputStream().write(i);
                    assertEquals(i, in.read());
                    assertTrue(System.nanoTime() - sent >= ROUND_TRIP_NANOS, "one byte");
                }
                long start = System.nanoTime();
                Thread.ofVirtual().start(() -> {
                    try {
                        client.getOutputStream().write(bytes);
                    } catch (IOException e) {
                        // the reader sees it
                    }
                });
                assertArrayEquals(bytes, in.readNBytes(BYTES));
                long nanos = TimeUnit.SECONDS.toNanos(Byte.SIZE) * BYTES / BITS_PER_SECOND;
                assertTrue(System.nanoTime() - start >= nanos + ROUND_TRIP_NANOS, "many bytes");
            }
        }
    }
}
