package io.hmfs.hadoop;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * A line between clients and a server that counts the requests which list or look. Replies may be held back until
 * their client has nothing more to say, and then come together: so its waits can be counted, and are those of a
 * client whose server is far away.
 */
public final class CountingLine implements AutoCloseable {
    private static final long QUIET_NANOS = TimeUnit.MILLISECONDS.toNanos(25);
    private static final Set<Integer> LOOKS = Set.of(10, 11, 51, 52);
    private static final int TEMPLATE_AT = 6;
    private static final int BUFFER = 1 << 20;

    private final ServerSocket listener = new ServerSocket(0, 16, InetAddress.getLoopbackAddress());
    private final URI server;
    private final long quietNanos;
    private final AtomicInteger looks = new AtomicInteger();
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private final AtomicInteger waits = new AtomicInteger();
    private final AtomicInteger mostAtOnce = new AtomicInteger();
    private volatile long spokeNanos = System.nanoTime();

    public CountingLine(URI server, boolean holds) throws IOException {
        this.server = server;
        quietNanos = holds ? QUIET_NANOS : 0;
        start(this::accept);
    }

    private static void start(Runnable work) {
        Thread thread = new Thread(work, "counting-line");
        thread.setDaemon(true);
        thread.start();
    }

    public URI uri() {
        return URI.create("hmfs://localhost:" + listener.getLocalPort());
    }

    /** Stat, List, ListTree and ListMany. */
    public int looks() {
        return looks.get();
    }

    /** How often replies were held back. */
    public int waits() {
        return waits.get();
    }

    /** Of those, the most that were sent before the answers came. */
    public int mostAtOnce() {
        return mostAtOnce.get();
    }

    private void accept() {
        try {
            while (true) {
                Socket near = listener.accept();
                Socket far = new Socket(server.getHost(), server.getPort());
                near.setTcpNoDelay(true);
                far.setTcpNoDelay(true);
                sockets.addAll(List.of(near, far));
                start(() -> requests(near, far));
                start(() -> replies(far, near));
            }
        } catch (IOException closed) {
            // the end
        }
    }

    private void requests(Socket from, Socket to) {
        try (DataInputStream in = new DataInputStream(new BufferedInputStream(from.getInputStream(), BUFFER));
                OutputStream out = to.getOutputStream()) {
            while (true) {
                int length = in.readInt();
                ByteBuffer frame = ByteBuffer.allocate(Integer.BYTES + Integer.reverseBytes(length));
                frame.putInt(length);
                in.readFully(frame.array(), frame.position(), frame.remaining());
                spokeNanos = System.nanoTime();
                if (LOOKS.contains(Short.reverseBytes(frame.getShort(TEMPLATE_AT)) & 0xffff)) {
                    looks.incrementAndGet();
                }
                out.write(frame.array());
            }
        } catch (IOException closed) {
            // the end
        }
    }

    private void replies(Socket from, Socket to) {
        try (InputStream in = from.getInputStream();
                OutputStream out = to.getOutputStream()) {
            byte[] bytes = new byte[BUFFER];
            int held = in.read(bytes);
            int answered = 0;
            while (held >= 0) {
                long quiet = System.nanoTime() - spokeNanos;
                if (quiet < quietNanos && held < BUFFER) {
                    LockSupport.parkNanos(quietNanos - quiet);
                } else if (in.available() > 0 && held < BUFFER) {
                    held += in.read(bytes, held, BUFFER - held);
                } else {
                    waits.incrementAndGet();
                    int sent = looks.get();
                    mostAtOnce.accumulateAndGet(sent - answered, Math::max);
                    answered = sent;
                    out.write(bytes, 0, held);
                    held = in.read(bytes);
                }
            }
        } catch (IOException closed) {
            // the end
        }
    }

    @Override
    public void close() {
        try {
            listener.close();
            for (Socket each : sockets) {
                each.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
