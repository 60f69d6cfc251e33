package io.hmfs.client.transport.rdma;

import io.hmfs.client.transport.OutgoingFrames;
import io.hmfs.client.transport.Transport;
import io.hmfs.wire.FrameAssembler;
import io.hmfs.wire.MalformedFrameException;
import io.hmfs.wire.WireBuffer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One connection of a client: frames out and in behind length words, as TCP has them, over a stream of messages. */
final class RdmaLink implements Transport.Link, MessageStream.Receiver {
    private static final long STEP_NANOS = TimeUnit.SECONDS.toNanos(2); // for each step of a connection

    private final String host;
    private final int port;
    private final Transport.Receiver receiver;
    private final Runnable wakeUp;
    private final ByteBufAllocator allocator = ByteBufAllocator.DEFAULT;
    private final FrameAssembler frames = new FrameAssembler(allocator, Transport.FRAME_MAX);
    private final OutgoingFrames outgoing = new OutgoingFrames(allocator);
    private final WireBuffer inWindow = new WireBuffer();
    private final MessageStream stream;
    private final ReadMemory reads;
    private final long[] readNumbers = new long[ReadMemory.MOST];
    private int reading; // a bit for each place that this connection reads to

    private @Nullable IOException failure; // reported by the next poll: a receiver is never called by a sender
    private boolean connected;
    private boolean closed;
    private boolean handling; // what came; the replies may start calls, which are flushed together
    private long lastReadNanos;

    RdmaLink(
            String host,
            int port,
            Transport.Receiver receiver,
            MessageMemory memory,
            WindowMemory windows,
            ReadMemory reads,
            Runnable wakeUp) {
        this.host = host;
        this.port = port;
        this.receiver = receiver;
        this.reads = reads;
        this.wakeUp = wakeUp;
        stream = MessageStream.ofClient(memory, windows, this);
    }

    private String address() {
        return host + ":" + port;
    }

    void connect(Verbs verbs) {
        InetSocketAddress to = new InetSocketAddress(host, port);
        if (to.isUnresolved()) {
            fail(new IOException("unknown host " + host));
            return;
        }
        stream.on(verbs.connect(to, MessageStream.greeting(), STEP_NANOS, stream));
    }

    boolean isClosed() {
        return closed;
    }

    /** All that came has been handed over: sends what that has led to, and reports a failure. Returns whether there was anything. */
    boolean finishPoll() {
        boolean any = handling;
        handling = false;
        if (closed) {
            return any;
        }
        IOException reason = failure;
        if (reason != null) {
            close();
            receiver.ended(reason);
            return true;
        }
        flush();
        stream.settle();
        return any;
    }

    /** Ends the connection at the end of this poll, or with the next. */
    void fail(IOException reason) {
        if (failure == null) {
            failure = reason;
            wakeUp.run();
        }
    }

    // ---- what the stream brings

    @Override
    public void connected() {
        connected = true;
        handling = true;
        lastReadNanos = System.nanoTime();
        if (!closed) {
            receiver.connected();
        }
    }

    @Override
    public void received(ByteBuf bytes) {
        handling = true;
        if (closed || failure != null) {
            bytes.release();
            return;
        }
        lastReadNanos = System.nanoTime();
        frames.add(bytes);
        try {
            while (!closed && frames.next()) {
                receiver.received(inWindow.wrap(frames.buffer(), frames.offset(), frames.length()));
            }
        } catch (MalformedFrameException | IOException bad) {
            fail(new IOException(address() + " sent what this client cannot read: " + bad.getMessage(), bad));
        } finally {
            inWindow.release();
            if (closed) {
                frames.close();
            } else {
                frames.trim();
            }
        }
    }

    @Override
    public void read(int place) {
        handling = true;
        if (closed || failure != null) {
            return; // its place goes back with the others
        }
        lastReadNanos = System.nanoTime();
        try {
            receiver.read(readNumbers[place], reads.memory().bytes(), ReadMemory.startOf(place));
        } catch (MalformedFrameException | IOException bad) {
            fail(new IOException(address() + " has a record that this client cannot read: " + bad.getMessage(), bad));
        }
        if (!closed) {
            reading &= ~(1 << place);
            reads.give(place);
        }
    }

    @Override
    public void unsettled() {
        handling = true;
    }

    @Override
    public void progressed() {
        // what waits is bounded by the calls that are under way
    }

    @Override
    public void ended(String reason) {
        fail(new IOException(
                connected
                        ? "the connection to " + address() + " failed: " + reason
                        : "cannot connect to " + address() + " by RDMA: " + reason + "; is the server running?"));
    }

    // ---- what the client asks for

    @Override
    public WireBuffer begin(int bound) {
        return outgoing.begin(bound);
    }

    @Override
    public void end(int length) {
        outgoing.end(length);
    }

    @Override
    public void drop() {
        outgoing.drop();
    }

    @Override
    public void flush() {
        if (closed || handling || failure != null) {
            return;
        }
        for (ByteBuf next = outgoing.take(); next != null; next = outgoing.take()) {
            stream.write(next);
        }
        stream.flush();
    }

    @Override
    public boolean read(long address, int key, long number) {
        int place = closed || failure != null ? -1 : reads.take();
        if (place < 0) {
            return false;
        }
        if (!stream.read(place, reads, address, key)) {
            reads.give(place);
            return false;
        }
        readNumbers[place] = number;
        reading |= 1 << place;
        return true;
    }

    @Override
    public boolean hasReadSince(long nanos) {
        return lastReadNanos - nanos >= 0;
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        outgoing.close();
        if (inWindow.length() == 0) { // else the one that reads, further up the stack
            frames.close();
        }
        stream.close();
        for (; reading != 0; reading &= reading - 1) {
            reads.give(Integer.numberOfTrailingZeros(reading));
        }
    }
}
