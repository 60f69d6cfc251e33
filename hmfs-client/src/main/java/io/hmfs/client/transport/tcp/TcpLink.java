package io.hmfs.client.transport.tcp;

import io.hmfs.client.transport.OutgoingFrames;
import io.hmfs.client.transport.Transport;
import io.hmfs.wire.FrameAssembler;
import io.hmfs.wire.MalformedFrameException;
import io.hmfs.wire.WireBuffer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/** One TCP connection: frames out in batches behind length words, frames in as the stream is cut. */
final class TcpLink implements Transport.Link {
    private static final int READS_MAX = 16; // of one poll: threads that want to send get their chance between two

    private final String host;
    private final int port;
    private final Transport.Receiver receiver;
    private final Selector selector;
    private final ByteBufAllocator allocator = ByteBufAllocator.DEFAULT;
    private final FrameAssembler frames = new FrameAssembler(allocator, Transport.FRAME_MAX);
    private final OutgoingFrames outgoing = new OutgoingFrames(allocator);
    private final WireBuffer inWindow = new WireBuffer();

    private @Nullable SocketChannel channel;
    private @Nullable SelectionKey key;
    private @Nullable IOException failure; // reported by the next poll: a receiver is never called by a sender
    private boolean connected;
    private boolean closed;
    private boolean reading; // replies may start calls, which are flushed together
    private boolean blocked; // the socket takes no more for now
    private long lastReadNanos;

    TcpLink(String host, int port, Transport.Receiver receiver, Selector selector) {
        this.host = host;
        this.port = port;
        this.receiver = receiver;
        this.selector = selector;
    }

    private String address() {
        return host + ":" + port;
    }

    void connect() {
        try {
            SocketChannel fresh = SocketChannel.open();
            channel = fresh;
            fresh.configureBlocking(false);
            fresh.setOption(StandardSocketOptions.TCP_NODELAY, true);
            fresh.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
            InetSocketAddress address = new InetSocketAddress(host, port);
            if (address.isUnresolved()) {
                throw new IOException("unknown host " + host);
            }
            fresh.connect(address);
            key = fresh.register(selector, SelectionKey.OP_CONNECT);
        } catch (IOException | RuntimeException e) {
            failure = unreachable(e);
        }
    }

    private IOException unreachable(Exception cause) {
        return new IOException(
                "cannot connect to " + address() + ": " + cause.getMessage() + "; is the server running?", cause);
    }

    boolean isClosed() {
        return closed;
    }

    /** Handles what has come, and reports a failure. Returns whether there was anything. */
    boolean poll() {
        SocketChannel live = channel;
        if (closed) {
            return false;
        }
        if (failure != null || live == null) {
            return lost(failure == null ? new IOException("not connected to " + address()) : failure);
        }
        if (!connected) {
            return finishConnect(live);
        }
        boolean any = false;
        if (blocked) {
            blocked = false;
            flush();
            any = !blocked;
        }
        any |= read(live);
        return any;
    }

    private boolean finishConnect(SocketChannel live) {
        try {
            if (!live.finishConnect()) {
                return false;
            }
        } catch (IOException e) {
            return lost(unreachable(e));
        }
        connected = true;
        lastReadNanos = System.nanoTime();
        waitFor(SelectionKey.OP_READ);
        receiver.connected();
        return true;
    }

    private void waitFor(int operations) {
        SelectionKey live = key;
        if (live != null && live.isValid()) {
            live.interestOps(operations);
            selector.wakeup(); // what a thread waits for changes with its next wait only
        }
    }

    private boolean read(SocketChannel live) {
        boolean any = false;
        IOException end = null;
        reading = true;
        try {
            for (int i = 0; i < READS_MAX && !closed; i++) {
                ByteBuf room = frames.room();
                int most = room.writableBytes();
                int count = room.writeBytes(live, most);
                if (count < 0) {
                    end = new IOException("the connection to " + address() + " was closed by the server");
                }
                if (count <= 0) {
                    break;
                }
                any = true;
                lastReadNanos = System.nanoTime();
                while (!closed && frames.next()) {
                    receiver.received(inWindow.wrap(frames.buffer(), frames.offset(), frames.length()));
                }
                if (count < most) {
                    break;
                }
            }
        } catch (MalformedFrameException bad) {
            end = unreadable(bad);
        } catch (IOException | RuntimeException e) {
            end = any
                    ? unreadable(e)
                    : new IOException("the connection to " + address() + " failed: " + e.getMessage(), e);
        } finally {
            reading = false;
            inWindow.release();
            if (closed) {
                frames.close();
            }
        }
        if (end != null) {
            lost(end);
            return true;
        }
        flush();
        return any;
    }

    private IOException unreadable(Exception bad) {
        return new IOException(address() + " sent what this client cannot read: " + bad.getMessage(), bad);
    }

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
        SocketChannel live = channel;
        if (live == null || closed || reading || blocked || failure != null) {
            return;
        }
        try {
            for (ByteBuf next = outgoing.next(); next != null; next = outgoing.next()) {
                if (!write(live, next)) {
                    return;
                }
                outgoing.sent();
            }
        } catch (IOException e) {
            failure = new IOException("the connection to " + address() + " failed: " + e.getMessage(), e);
            selector.wakeup();
        }
    }

    /** Whether all of it went out; otherwise a poll goes on with it. */
    private boolean write(SocketChannel live, ByteBuf buffer) throws IOException {
        buffer.readBytes(live, buffer.readableBytes());
        if (!buffer.isReadable()) {
            waitForWrites(false);
            return true;
        }
        waitForWrites(true);
        return false;
    }

    private void waitForWrites(boolean wait) {
        blocked = wait;
        SelectionKey live = key;
        int operations = wait ? SelectionKey.OP_READ | SelectionKey.OP_WRITE : SelectionKey.OP_READ;
        if (live != null && live.isValid() && live.interestOps() != operations) {
            waitFor(operations);
        }
    }

    @Override
    public boolean hasReadSince(long nanos) {
        return lastReadNanos - nanos >= 0;
    }

    private boolean lost(IOException reason) {
        if (!closed) {
            close();
            receiver.ended(reason);
        }
        return true;
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        outgoing.close();
        if (!reading) { // else the one that reads, further up the stack
            frames.close();
        }
        SocketChannel live = channel;
        if (live != null) {
            try {
                live.close();
            } catch (IOException ignored) {
                // the connection is given up in any case
            }
        }
    }
}
