package io.hmfs.server.transport;

import io.hmfs.server.metrics.WorkerMeter;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** All connections of a server, over all its transports. Thread-safe. */
public final class Connections {
    /** Refused connections that may stay open to read why at once. */
    static final int LINGERING_MAX = 256;

    private final ConnectionLimits limits;
    private final ByteBuffer readable;
    final ReplyBudget budget;
    private final Set<ServerConnection> open = ConcurrentHashMap.newKeySet();
    private final AtomicInteger count = new AtomicInteger(); // of those that are open or about to be
    private final AtomicInteger lingering = new AtomicInteger();
    private final Object ended = new Object();
    private volatile boolean draining;

    /** Without memory that peers may read. */
    public Connections(ConnectionLimits limits) {
        this(limits, ByteBuffer.allocateDirect(0));
    }

    /** With memory that any peer may read that can; it shows nothing that is not every user's to know. */
    public Connections(ConnectionLimits limits, ByteBuffer readable) {
        this.limits = limits;
        this.readable = readable;
        budget = new ReplyBudget(limits.replyBytesMax());
    }

    /** The bounds that hold for them. */
    public ConnectionLimits limits() {
        return limits;
    }

    /** The memory of the server that peers may read; empty if there is none. */
    public ByteBuffer readable() {
        return readable;
    }

    /**
     * Takes a new connection into the server, or refuses it with a reason when there are too many. On the connection's
     * thread, whose batches {@code batch} is. The transport reports to the result whatever happens on the connection
     * from now on.
     */
    public ChannelListener accept(TransportChannel channel, EventLoopBatch batch) {
        WorkerMeter meter = batch.receiver().meter();
        if (!takeOne(count, limits.connectionsMax())) {
            meter.add(WorkerMeter.Tally.CONNECTIONS_REFUSED, 1);
            boolean linger = takeOne(lingering, LINGERING_MAX);
            return new RefusedConnection(channel, limits.connectionsMax(), linger, () -> {
                if (linger) {
                    lingering.decrementAndGet();
                }
            });
        }
        meter.add(WorkerMeter.Tally.CONNECTIONS_ACCEPTED, 1);
        ServerConnection connection = new ServerConnection(limits, budget, channel, batch, this::closed);
        open.add(connection);
        if (draining) {
            connection.drain();
        }
        return connection;
    }

    private static boolean takeOne(AtomicInteger counter, int max) {
        return counter.getAndUpdate(taken -> Math.min(taken + 1, max)) < max;
    }

    /** The connection has ended. */
    private void closed(ServerConnection connection) {
        count.decrementAndGet();
        open.remove(connection);
        if (draining) {
            synchronized (ended) {
                ended.notifyAll();
            }
        }
    }

    /** Open connections that go by RDMA; the others go by TCP. */
    public long byRdma() {
        return open.stream().filter(ServerConnection::isRdma).count();
    }

    /** Bytes of replies that were sent and that peers have not taken. */
    public long waitingBytes() {
        return open.stream().mapToLong(ServerConnection::waitingBytes).sum();
    }

    /**
     * Receives no more requests, waits for replies in flight, closes. Connections that come during that are closed too.
     *
     * @return false if {@code timeoutMillis} were not enough
     */
    public boolean drain(long timeoutMillis) throws InterruptedException {
        draining = true;
        open.forEach(connection -> connection.onThread(connection::drain));
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
        synchronized (ended) {
            while (!open.isEmpty()) {
                long left = end - System.nanoTime();
                if (left <= 0) {
                    return false;
                }
                TimeUnit.NANOSECONDS.timedWait(ended, left);
            }
        }
        return true;
    }
}
