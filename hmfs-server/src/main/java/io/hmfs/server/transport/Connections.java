package io.hmfs.server.transport;

import io.hmfs.server.metrics.WorkerMeter;
import io.hmfs.server.share.UserShares;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** All connections of a server, over all its transports. Thread-safe. */
public final class Connections {
    /** Refused connections that may stay open to read why at once. */
    static final int LINGERING_MAX = 256;

    private final ConnectionLimits limits;
    private final ByteBuffer readable;
    private final UserShares shares;
    private final Strangers strangers = new Strangers();
    private final Set<ServerConnection> open = ConcurrentHashMap.newKeySet();
    private final AtomicInteger count = new AtomicInteger(); // of those that are open or about to be
    private final AtomicInteger lingering = new AtomicInteger();
    private final Object ended = new Object();
    private volatile boolean draining;

    /** Without memory that peers may read. */
    public Connections(ConnectionLimits limits, UserShares shares) {
        this(limits, shares, ByteBuffer.allocateDirect(0));
    }

    /**
     * With some.
     *
     * @param shares of users, in what their connections hold
     * @param readable memory that any peer may read that can; it shows nothing that is not every user's to know
     */
    public Connections(ConnectionLimits limits, UserShares shares, ByteBuffer readable) {
        this.limits = limits;
        this.shares = shares;
        this.readable = readable;
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
     * Takes a new connection into the server. When there are too many it takes the place of one whose peer has not said who it is; if there is none, it is
     * refused with a reason. On the connection's thread, whose batches {@code batch} is. The transport reports to the result whatever happens on the
     * connection from now on.
     */
    public ChannelListener accept(TransportChannel channel, EventLoopBatch batch) {
        WorkerMeter meter = batch.receiver().meter();
        if (!takeOne(count, limits.connectionsMax()) && !displaceOne()) {
            meter.add(WorkerMeter.Tally.CONNECTIONS_REFUSED, 1);
            boolean linger = takeOne(lingering, LINGERING_MAX);
            return new RefusedConnection(channel, limits.connectionsMax(), linger, () -> {
                if (linger) {
                    lingering.decrementAndGet();
                }
            });
        }
        meter.add(WorkerMeter.Tally.CONNECTIONS_ACCEPTED, 1);
        ServerConnection connection =
                new ServerConnection(limits, shares, channel, batch, strangers::remove, this::closed);
        open.add(connection);
        strangers.add(connection);
        if (draining) {
            connection.drain();
        }
        return connection;
    }

    private static boolean takeOne(AtomicInteger counter, int max) {
        return counter.getAndUpdate(taken -> Math.min(taken + 1, max)) < max;
    }

    /** True: a connection ends, whose place in {@link #count} is the caller's. */
    private boolean displaceOne() {
        ServerConnection displaced = strangers.displace();
        if (displaced == null) {
            return false;
        }
        try {
            displaced.onThread(displaced::displace);
        } catch (RejectedExecutionException e) {
            return true; // the server stops: its thread has ended
        }
        return true;
    }

    /** The connection has ended. */
    private void closed(ServerConnection connection) {
        strangers.remove(connection); // from here on it is not displaced
        if (!connection.isDisplaced()) {
            count.decrementAndGet();
        }
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
