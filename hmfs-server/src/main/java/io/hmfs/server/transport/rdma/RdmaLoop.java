package io.hmfs.server.transport.rdma;

import io.hmfs.client.transport.rdma.MessageMemory;
import io.hmfs.client.transport.rdma.MessageStream;
import io.hmfs.client.transport.rdma.PieceMemory;
import io.hmfs.client.transport.rdma.Verbs;
import io.hmfs.server.transport.Connections;
import io.hmfs.server.transport.EventLoopBatch;
import io.hmfs.server.transport.ReadableMemory;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A thread that serves RDMA connections: polls the verbs, has what came executed as one batch, sends the replies. While
 * there is work it polls without end, and so for some time after the last; then it waits for an event.
 */
final class RdmaLoop implements RdmaChannel.Loop {
    private static final System.Logger LOG = System.getLogger(RdmaLoop.class.getName());
    private static final long WAIT_MAX_NANOS = TimeUnit.MILLISECONDS.toNanos(250);
    private static final long JOIN_MILLIS = 5_000;

    /** Connections over the bound of the server that are made, to be refused with a reason; all others have not even memory. */
    private static final int OVER_MAX = 256;

    private final Verbs verbs;
    private final Connections connections;
    private final AtomicInteger made;
    private final EventLoopBatch batch;
    private final MessageMemory memory;
    private final PieceMemory pieces;
    private final Verbs.@Nullable Memory readable;
    private final long spinNanos;
    private final Thread thread;
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final Set<RdmaChannel> channels = new LinkedHashSet<>();
    private final List<RdmaChannel> unsettled = new ArrayList<>();
    private final ArrayDeque<RdmaChannel> closed = new ArrayDeque<>();
    private boolean warned; // that it cannot be registered
    private long countedWritten;
    private long countedRead;
    private long nextCheckNanos = System.nanoTime();
    private volatile boolean asleep; // or about to be: a task must wake the thread
    private volatile boolean stops;

    /**
     * @param made connections that there are by RDMA, of all loops
     * @param number of this loop
     */
    RdmaLoop(
            Verbs verbs,
            Connections connections,
            AtomicInteger made,
            EventLoopBatch batch,
            long spinNanos,
            int number) {
        this.verbs = verbs;
        this.made = made;
        thread = new Thread(this::run, "hmfs-rdma-loop-" + number);
        this.connections = connections;
        this.batch = batch;
        this.spinNanos = spinNanos;
        memory = new MessageMemory(verbs);
        pieces = new PieceMemory(verbs);
        ByteBuffer shown = connections.readable();
        readable = shown.capacity() == 0 ? null : verbs.register(shown, Verbs.Remote.READ);
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    @Override
    public EventLoopBatch batch() {
        return batch;
    }

    @Override
    public @Nullable ReadableMemory readable(Verbs.QueuePair pair) {
        Verbs.Memory memory = readable;
        if (memory == null) {
            return null;
        }
        try {
            return new ReadableMemory(memory.address(), pair.remoteKey(memory));
        } catch (IOException e) {
            LOG.log(
                    warned ? Level.DEBUG : Level.WARNING,
                    "clients cannot read attributes by RDMA: the memory for remote-stat-directories is not registered; raise the limit of"
                            + " locked memory",
                    e);
            warned = true;
            return null;
        }
    }

    @Override
    public boolean isCurrent() {
        return Thread.currentThread().equals(thread);
    }

    @Override
    public void execute(Runnable task) {
        if (stops && !isCurrent()) {
            throw new RejectedExecutionException("the loop has ended");
        }
        tasks.add(task);
        if (asleep) {
            verbs.wakeUp();
        }
    }

    /** Connections whose memory is not back yet. Of the loop's thread, or behind its end. */
    int channels() {
        return channels.size();
    }

    /** A peer asks for a connection. */
    Verbs.@Nullable Events requested(Verbs.QueuePair pair, ByteBuffer privateData) {
        if (!MessageStream.isGreeting(privateData)) {
            LOG.log(
                    Level.INFO,
                    "refusing {0}: its request for an RDMA connection is none of this protocol",
                    pair.remote());
            return null;
        }
        if (made.get() >= connections.limits().connectionsMax() + OVER_MAX) {
            LOG.log(Level.INFO, "refusing {0}: there are {1} connections by RDMA", pair.remote(), made.get());
            return null;
        }
        RdmaChannel channel = new RdmaChannel(this, connections, memory, pieces, pair);
        MessageStream stream = channel.stream();
        stream.prepared();
        try {
            pair.accept();
        } catch (IOException e) {
            LOG.log(Level.INFO, "cannot accept " + pair.remote(), e);
            stream.close();
            return null;
        }
        channels.add(channel);
        made.incrementAndGet();
        return stream;
    }

    @Override
    public void settleLater(RdmaChannel channel) {
        if (channel.becomesUnsettled()) {
            unsettled.add(channel);
        }
    }

    @Override
    public void closed(RdmaChannel channel) {
        closed.add(channel);
    }

    private void run() {
        long idleSince = System.nanoTime();
        while (!stops) {
            boolean any = turn();
            long now = System.nanoTime();
            checkIdle(now);
            if (any || batch.isAwaited() || !closed.isEmpty()) {
                idleSince = now;
            } else if (now - idleSince < spinNanos) {
                Thread.onSpinWait();
            } else {
                sleep(now);
            }
        }
        for (RdmaChannel channel : List.copyOf(channels)) {
            channel.close();
        }
        endClosed();
        verbs.close();
    }

    /** One iteration: whether there was anything to do. */
    private boolean turn() {
        boolean any = false;
        try {
            any = verbs.poll();
        } catch (IOException | RuntimeException e) {
            LOG.log(Level.ERROR, "RDMA does not work any more: closing its connections", e);
            stops = true;
        }
        try {
            any |= runTasks();
        } finally {
            batch.end();
        }
        for (int i = unsettled.size() - 1; i >= 0; i--) {
            if (unsettled.get(i).settle()) {
                unsettled.remove(i);
            }
        }
        endClosed();
        if (any) {
            countLongParts();
        }
        return any || pieces.hasForWaiting();
    }

    private void countLongParts() {
        batch.countLongParts(pieces.writtenBytes() - countedWritten, pieces.readBytes() - countedRead);
        countedWritten = pieces.writtenBytes();
        countedRead = pieces.readBytes();
    }

    private boolean runTasks() {
        boolean any = false;
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            any = true;
            try {
                task.run();
            } catch (RuntimeException e) {
                LOG.log(Level.ERROR, "in a task of the RDMA loop", e);
            }
        }
        return any;
    }

    private void endClosed() {
        for (RdmaChannel channel = closed.poll(); channel != null; channel = closed.poll()) {
            if (channels.remove(channel)) {
                made.decrementAndGet();
            }
            unsettled.remove(channel);
            channel.end();
        }
    }

    private void checkIdle(long now) {
        if (now - nextCheckNanos < 0) {
            return;
        }
        nextCheckNanos = now + connections.limits().idleCheckNanos();
        for (RdmaChannel channel : channels) {
            channel.checkIdle();
        }
    }

    private void sleep(long now) {
        asleep = true;
        try {
            if (tasks.isEmpty() && !stops) {
                long untilCheck = channels.isEmpty() ? WAIT_MAX_NANOS : Math.max(1, nextCheckNanos - now);
                verbs.await(Math.min(untilCheck, WAIT_MAX_NANOS));
            }
        } finally {
            asleep = false;
        }
    }

    /** Ends connections and thread. */
    void stop() {
        stops = true;
        if (thread.getState() == Thread.State.NEW) {
            verbs.close();
            return;
        }
        verbs.wakeUp();
        try {
            thread.join(JOIN_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
