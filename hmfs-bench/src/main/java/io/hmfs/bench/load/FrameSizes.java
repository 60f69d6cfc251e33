package io.hmfs.bench.load;

import io.hmfs.client.ClientOptions;
import io.hmfs.client.HmfsClient;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Bytes of a request and of its answer on the wire, counted on the way through a relay: what the echo is to send.
 *
 * @param request bytes of one request with all that frames it
 * @param reply bytes of its answer
 */
public record FrameSizes(int request, int reply) {
    private static final int REQUESTS = 16;
    private static final int BUFFER = 16 << 10;

    /** Sends the request with a number. */
    @FunctionalInterface
    public interface Request {
        void send(HmfsClient client, int number) throws IOException;
    }

    /** Asks the server for a path a few times. */
    public static FrameSizes ofStat(int port, String path) throws IOException {
        return of(port, (client, _) -> client.stat(path));
    }

    /** Sends a request a few times, with numbers from 0 on. */
    static FrameSizes of(int port, Request request) throws IOException {
        return of(port, REQUESTS, request);
    }

    /** Sends a request with number 0, and then, counted, so many times. */
    public static FrameSizes of(int port, int times, Request request) throws IOException {
        AtomicLong requests = new AtomicLong();
        AtomicLong replies = new AtomicLong();
        InetAddress loopback = InetAddress.getLoopbackAddress();
        try (ServerSocket relay = new ServerSocket(0, 1, loopback);
                Socket server = new Socket(loopback, port)) {
            Thread accepting = Thread.startVirtualThread(() -> {
                try (Socket client = relay.accept()) {
                    Thread back = Thread.startVirtualThread(() -> pump(server, client, replies));
                    pump(client, server, requests);
                    back.join();
                } catch (IOException e) {
                    throw new IllegalStateException(e);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt(); // all is counted, and the relay is to end
                }
            });
            try (HmfsClient client =
                    HmfsClient.connect(loopback.getHostAddress(), relay.getLocalPort(), ClientOptions.defaults())) {
                request.send(client, 0); // an answer is here only when all bytes before it have been counted
                long requestsBefore = requests.get();
                long repliesBefore = replies.get();
                for (int i = 1; i <= times; i++) {
                    request.send(client, i);
                }
                return new FrameSizes(
                        (int) (requests.get() - requestsBefore) / times, (int) (replies.get() - repliesBefore) / times);
            } finally {
                accepting.interrupt();
            }
        }
    }

    /** Counts before it passes on. */
    private static void pump(Socket from, Socket to, AtomicLong bytes) {
        byte[] buffer = new byte[BUFFER];
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                bytes.addAndGet(count);
                out.write(buffer, 0, count);
            }
            to.shutdownOutput();
        } catch (IOException e) {
            // one side has closed: nothing more to count
        }
    }
}
