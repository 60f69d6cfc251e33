package io.hmfs.server.transport;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.ByteArrayOutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * A transport whose network is memory: a peer's bytes wait in a queue until the event loop polls. One loop, run by a
 * thread of its own after {@link #start}, or by the caller of {@link #poll}, whose clock is then moved by hand. It uses
 * the neutral flow by its public interfaces only, as every transport does.
 */
public final class MemoryTransport implements ServerTransport {
    private static final int READ_MAX = 64 << 10; // bytes of one read
    private static final long LINGER_NANOS = 1_000_000_000;

    private final Connections connections;
    private final EventLoopBatch batch;
    private final ByteBufAllocator allocator;
    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>(); // guarded by itself
    private final List<MemoryChannel> channels = new ArrayList<>(); // of the loop's thread
    private @Nullable InetSocketAddress address;
    private @Nullable Thread thread;
    private volatile boolean listening;
    private boolean ended; // guarded by tasks
    private long nanos;

    /** {@code receiver} executes the frames. */
    public MemoryTransport(FrameReceiver receiver, Connections connections) {
        this(receiver, connections, new UnpooledByteBufAllocator(false));
    }

    MemoryTransport(FrameReceiver receiver, Connections connections, ByteBufAllocator allocator) {
        this.connections = connections;
        this.allocator = allocator;
        batch = new EventLoopBatch(receiver);
    }

    /** The other end of a connection. From any thread. */
    public final class Peer {
        private final MemoryChannel channel = new MemoryChannel();

        /** Sends bytes; the server sees them when it polls and receives. */
        public void send(byte... bytes) {
            synchronized (tasks) {
                channel.arrived.writeBytes(bytes);
                tasks.notifyAll();
            }
        }

        /** The bytes that the server has sent and that were not taken before. */
        public byte[] take() {
            synchronized (tasks) {
                byte[] bytes = channel.sent.toByteArray();
                channel.sent.reset();
                return bytes;
            }
        }

        /** Takes no bytes until {@link #unstall}. */
        void stall() {
            execute(() -> channel.stalled = true);
        }

        void unstall() {
            execute(() -> {
                channel.stalled = false;
                channel.flush();
            });
        }

        /** Closes the connection. */
        void leave() {
            execute(channel::close);
        }

        /** Whether the server has ended the connection. */
        public boolean isEnded() {
            synchronized (tasks) {
                return channel.isEnded;
            }
        }

        /** Whether the server receives from this peer now. By hand only. */
        boolean isReceived() {
            return channel.receives;
        }

        /** Breaks the connection: the next flush fails. By hand only. */
        void breakDown() {
            channel.broken = true;
        }
    }

    private final class MemoryChannel implements TransportChannel {
        private final ByteArrayOutputStream arrived = new ByteArrayOutputStream(); // guarded by tasks
        private final ByteArrayOutputStream sent = new ByteArrayOutputStream(); // guarded by tasks
        private final ArrayDeque<ByteBuf> written = new ArrayDeque<>();
        private final ArrayDeque<Runnable> whenTaken = new ArrayDeque<>();
        private @Nullable ChannelListener listener;
        private boolean open = true;
        private boolean receives = true;
        private boolean writable = true;
        private boolean stalled;
        private boolean broken;
        private boolean closesWhenSent;
        private boolean lingers;
        private long closeAt = Long.MAX_VALUE;
        private long lastCheck;
        private volatile long waiting;
        private boolean isEnded; // guarded by tasks

        @Override
        public ByteBufAllocator allocator() {
            return allocator;
        }

        @Override
        public SocketAddress remote() {
            return new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
        }

        @Override
        public boolean isOpen() {
            return open;
        }

        @Override
        public boolean inThread() {
            Thread own = thread;
            return own == null || own.equals(Thread.currentThread());
        }

        @Override
        public void execute(Runnable task) {
            MemoryTransport.this.execute(task);
        }

        @Override
        public long nanoTime() {
            return now();
        }

        @Override
        public void receive(boolean on) {
            receives = on;
        }

        @Override
        public void write(ByteBuf bytes) {
            if (!open || closesWhenSent) {
                bytes.release();
                return;
            }
            written.add(bytes);
            waiting(waiting + bytes.readableBytes());
        }

        private void waiting(long bytes) {
            waiting = bytes;
            boolean now = writable ? bytes <= ConnectionLimits.WRITABLE_MAX : bytes < ConnectionLimits.WRITABLE_AGAIN;
            if (now != writable) {
                writable = now;
                if (listener != null) {
                    execute(listener::writable);
                }
            }
        }

        @Override
        public void flush() {
            if (broken) {
                throw new IllegalStateException("as of a connection that fails");
            }
            while (!stalled && !written.isEmpty()) {
                ByteBuf bytes = written.remove();
                int length = bytes.readableBytes();
                byte[] copy = new byte[length];
                bytes.readBytes(copy);
                bytes.release();
                synchronized (tasks) {
                    sent.writeBytes(copy);
                }
                waiting(waiting - length);
            }
            while (written.isEmpty() && !whenTaken.isEmpty()) {
                whenTaken.remove().run();
            }
            if (closesWhenSent && written.isEmpty() && closeAt == Long.MAX_VALUE) {
                closeAt = lingers ? now() + LINGER_NANOS : now();
            }
        }

        @Override
        public void whenTaken(Runnable task) {
            whenTaken.add(task);
            flush();
        }

        @Override
        public boolean isWritable() {
            return writable;
        }

        @Override
        public long waitingBytes() {
            return waiting;
        }

        @Override
        public void closeAfter(ByteBuf last, boolean linger) {
            write(last);
            closesWhenSent = true;
            lingers = linger;
            flush();
        }

        @Override
        public void close() {
            if (open) {
                open = false;
                MemoryTransport.this.execute(this::end);
            }
        }

        private void end() {
            channels.remove(this);
            written.forEach(ByteBuf::release);
            written.clear();
            waiting = 0;
            if (listener != null) {
                listener.closed();
            }
            synchronized (tasks) {
                isEnded = true;
            }
        }

        private void poll() {
            ChannelListener to = listener;
            if (to == null) {
                return;
            }
            if (now() >= closeAt) {
                close();
            }
            if (open && receives) {
                byte[] bytes = read();
                if (bytes.length > 0) {
                    to.received(allocator.buffer(bytes.length).writeBytes(bytes));
                }
            }
            if (open && now() - lastCheck >= connections.limits().idleCheckNanos()) {
                lastCheck = now();
                to.checkIdle();
            }
        }

        private byte[] read() {
            synchronized (tasks) {
                byte[] all = arrived.toByteArray();
                arrived.reset();
                int length = Math.min(all.length, READ_MAX);
                arrived.write(all, length, all.length - length);
                byte[] bytes = new byte[length];
                System.arraycopy(all, 0, bytes, 0, length);
                return bytes;
            }
        }

        private boolean isReady() {
            synchronized (tasks) {
                return open && receives && arrived.size() > 0;
            }
        }
    }

    /** A peer connects. */
    public Peer connect() {
        if (!listening) {
            throw new IllegalStateException("nothing listens");
        }
        Peer peer = new Peer();
        execute(() -> {
            peer.channel.lastCheck = now();
            channels.add(peer.channel);
            peer.channel.listener = connections.accept(peer.channel, batch);
        });
        return peer;
    }

    private void execute(Runnable task) {
        synchronized (tasks) {
            if (ended) {
                throw new RejectedExecutionException("the loop has ended");
            }
            tasks.add(task);
            tasks.notifyAll();
        }
    }

    private long now() {
        return thread == null ? nanos : System.nanoTime();
    }

    // ---- the loop

    /** One iteration of the event loop: tasks, reads of all connections that are ready, the end of the batch. */
    void poll() {
        runTasks();
        for (MemoryChannel channel : List.copyOf(channels)) {
            channel.poll();
        }
        batch.end();
    }

    private void runTasks() {
        while (true) {
            Runnable task;
            synchronized (tasks) {
                task = tasks.poll();
            }
            if (task == null) {
                return;
            }
            task.run();
        }
    }

    /** Polls until nothing is left to be done. By hand only. */
    void pollAll() {
        do {
            poll();
        } while (isBusy());
    }

    private boolean isBusy() {
        synchronized (tasks) {
            return !tasks.isEmpty()
                    || batch.isAwaited()
                    || channels.stream().anyMatch(channel -> channel.isReady() || now() >= channel.closeAt);
        }
    }

    /** Whether a connection waits for the next batch. By hand only. */
    boolean isAwaited() {
        return batch.isAwaited();
    }

    /** Finishes what there is to do, lets time pass, and does what is due then. By hand only. */
    void pass(long passed) {
        pollAll();
        nanos += passed;
        pollAll();
    }

    /** Gives the loop a thread of its own. */
    public void start() {
        Thread own = new Thread(this::run, "hmfs-memory-loop");
        own.setDaemon(true);
        thread = own;
        own.start();
    }

    private void run() {
        while (true) {
            poll();
            synchronized (tasks) {
                if (ended) {
                    return;
                }
                try {
                    if (!isBusy()) {
                        tasks.wait(1); // also the clock's tick
                    }
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    return;
                }
            }
        }
    }

    // ---- the transport

    @Override
    public void listen(InetSocketAddress at) {
        address = at;
        listening = true;
    }

    @Override
    public InetSocketAddress address() {
        InetSocketAddress known = address;
        if (known == null) {
            throw new IllegalStateException("it does not listen yet");
        }
        return known;
    }

    @Override
    public String label() {
        return "memory";
    }

    @Override
    public void stopListening() {
        listening = false;
    }

    @Override
    public void close() {
        stopListening();
        execute(() -> List.copyOf(channels).forEach(MemoryChannel::close));
        Thread own = thread;
        if (own == null) {
            pollAll();
        }
        execute(() -> {
            synchronized (tasks) {
                ended = true;
            }
        });
        if (own == null) {
            runTasks();
            return;
        }
        try {
            own.join(5_000);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
