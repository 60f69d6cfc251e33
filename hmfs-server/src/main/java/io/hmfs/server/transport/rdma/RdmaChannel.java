package io.hmfs.server.transport.rdma;

import io.hmfs.client.transport.rdma.MessageMemory;
import io.hmfs.client.transport.rdma.MessageStream;
import io.hmfs.client.transport.rdma.PieceMemory;
import io.hmfs.client.transport.rdma.Verbs;
import io.hmfs.server.transport.ChannelListener;
import io.hmfs.server.transport.ConnectionLimits;
import io.hmfs.server.transport.Connections;
import io.hmfs.server.transport.EventLoopBatch;
import io.hmfs.server.transport.ReadableMemory;
import io.hmfs.server.transport.TransportChannel;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;
import java.net.SocketAddress;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/** One RDMA connection, as the neutral flow sees it. */
final class RdmaChannel implements TransportChannel, MessageStream.Receiver {
    /** The thread that serves the channel. */
    interface Loop {
        /** The batch of what came in one iteration. */
        EventLoopBatch batch();

        /** Where the peer of a connection reads the memory that peers may read; null: it cannot. */
        @Nullable
        ReadableMemory readable(Verbs.QueuePair pair);

        /** Whether the caller runs on it. Any thread. */
        boolean isCurrent();

        /** Runs a task on it, later. Any thread. */
        void execute(Runnable task);

        /** The channel's stream is to be settled at the end of this batch. */
        void settleLater(RdmaChannel channel);

        /** The channel was closed; {@link #end} is to be called when nothing of it is under way. */
        void closed(RdmaChannel channel);
    }

    private final Loop loop;
    private final Connections connections;
    private final MessageStream stream;
    private final Verbs.QueuePair pair;
    private final @Nullable SocketAddress remote;
    private final ArrayDeque<Mark> whenTaken = new ArrayDeque<>();
    private @Nullable ChannelListener listener; // from connected on
    private boolean open = true;
    private boolean writable = true;
    private boolean unsettled; // the loop settles the stream at the end of its batch
    private long written;
    private volatile long waiting;

    /** A task that waits until so many bytes have been taken. */
    private record Mark(long bytes, Runnable task) {}

    RdmaChannel(Loop loop, Connections connections, MessageMemory memory, PieceMemory pieces, Verbs.QueuePair pair) {
        this.loop = loop;
        this.connections = connections;
        this.pair = pair;
        remote = pair.remote();
        stream = MessageStream.ofServer(memory, pieces, this);
        stream.on(pair);
    }

    MessageStream stream() {
        return stream;
    }

    // ---- what the stream brings

    @Override
    public void connected() {
        listener = connections.accept(this, loop.batch());
    }

    @Override
    public void unsettled() {
        loop.settleLater(this);
    }

    @Override
    public void received(ByteBuf bytes) {
        ChannelListener to = listener;
        if (to == null || !open) {
            bytes.release();
            return;
        }
        try {
            to.received(bytes);
        } catch (RuntimeException | Error e) { // of this connection; the others of the loop go on
            to.failed(e);
        }
    }

    @Override
    public void progressed() {
        waiting = stream.waiting();
        long taken = written - waiting;
        for (Mark first = whenTaken.peek(); first != null && first.bytes <= taken; first = whenTaken.peek()) {
            whenTaken.remove();
            loop.execute(first.task);
        }
        tellWritable();
    }

    private void tellWritable() {
        boolean now = writable ? waiting <= ConnectionLimits.WRITABLE_MAX : waiting < ConnectionLimits.WRITABLE_AGAIN;
        if (now == writable) {
            return;
        }
        writable = now;
        loop.execute(() -> {
            ChannelListener to = listener;
            if (to != null && open) {
                to.writable();
            }
        });
    }

    @Override
    public void ended(String reason) {
        ChannelListener to = listener;
        if (open && to != null) {
            to.failed(new IOException(reason)); // which closes it
        }
        close();
    }

    // ---- for the loop

    /** Whether the stream was unsettled until now and is settled from now on, so that it need not come again. */
    boolean settle() {
        unsettled = stream.settle();
        return !unsettled;
    }

    /** Whether the loop does not know yet that the stream is to be settled. */
    boolean becomesUnsettled() {
        boolean becomes = !unsettled;
        unsettled = true;
        return becomes;
    }

    void checkIdle() {
        ChannelListener to = listener;
        if (to != null) {
            try {
                to.checkIdle();
            } catch (RuntimeException e) {
                to.failed(e);
            }
        }
    }

    // ---- what the flow asks for

    @Override
    public ByteBufAllocator allocator() {
        return ByteBufAllocator.DEFAULT;
    }

    @Override
    public @Nullable SocketAddress remote() {
        return remote;
    }

    @Override
    public boolean isRdma() {
        return true;
    }

    @Override
    public @Nullable ReadableMemory readable() {
        return open ? loop.readable(pair) : null;
    }

    @Override
    public boolean isOpen() {
        return open;
    }

    @Override
    public boolean inThread() {
        return loop.isCurrent();
    }

    @Override
    public void execute(Runnable task) {
        loop.execute(task);
    }

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    @Override
    public void receive(boolean on) {
        if (open) {
            stream.receive(on);
        }
    }

    @Override
    public void write(ByteBuf bytes) {
        written += bytes.readableBytes();
        stream.write(bytes);
        waiting = stream.waiting();
        tellWritable();
    }

    @Override
    public void flush() {
        if (open) {
            stream.flush();
        }
    }

    @Override
    public boolean isWritable() {
        return writable;
    }

    @Override
    public void whenTaken(Runnable task) {
        if (!open) {
            return;
        }
        whenTaken.add(new Mark(written, task));
        stream.flush();
        progressed();
    }

    @Override
    public long waitingBytes() {
        return waiting;
    }

    @Override
    public void closeAfter(ByteBuf last, boolean linger) { // what was sent has arrived when the connection ends
        write(last);
        stream.closeWhenSent();
    }

    @Override
    public void close() {
        if (!open) {
            return;
        }
        open = false;
        waiting = 0;
        whenTaken.clear();
        loop.closed(this);
    }

    /** Ends the stream, and tells the listener. From the loop, while nothing of this connection is under way. */
    void end() {
        stream.close();
        ChannelListener to = listener;
        if (to != null) {
            listener = null;
            to.closed();
        }
    }
}
