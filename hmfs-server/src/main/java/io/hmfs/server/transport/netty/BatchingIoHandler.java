package io.hmfs.server.transport.netty;

import io.hmfs.server.transport.EventLoopBatch;
import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoRegistration;
import io.netty.util.concurrent.ThreadAwareExecutor;
import java.util.function.Supplier;

/**
 * The I/O of an event loop by any kind of socket, which ends the loop's batch when all connections that were ready have
 * been read.
 */
final class BatchingIoHandler implements IoHandler {
    private final IoHandler io;
    private final Supplier<EventLoopBatch> batches;
    private final Unblocked unblocked = new Unblocked();

    private BatchingIoHandler(IoHandler io, Supplier<EventLoopBatch> batches) {
        this.io = io;
        this.batches = batches;
    }

    /** Handlers that end batches; {@code batches} returns the batch of the calling thread. */
    static IoHandlerFactory factory(IoHandlerFactory io, Supplier<EventLoopBatch> batches) {
        return new IoHandlerFactory() {
            @Override
            public IoHandler newHandler(ThreadAwareExecutor executor) {
                return new BatchingIoHandler(io.newHandler(executor), batches);
            }

            @Override
            public boolean isChangingThreadSupported() {
                return false; // a batch belongs to its thread
            }
        };
    }

    /** A loop that has something else to do does not wait for the network. */
    private static final class Unblocked implements IoHandlerContext {
        private IoHandlerContext context = this;

        @Override
        public boolean canBlock() {
            return false;
        }

        @Override
        public long delayNanos(long currentTimeNanos) {
            return 0;
        }

        @Override
        public long deadlineNanos() {
            return context.deadlineNanos();
        }

        @Override
        public void reportActiveIoTime(long activeNanos) {
            context.reportActiveIoTime(activeNanos);
        }

        @Override
        public boolean shouldReportActiveIoTime() {
            return context.shouldReportActiveIoTime();
        }
    }

    @Override
    public int run(IoHandlerContext context) {
        EventLoopBatch batch = batches.get();
        IoHandlerContext chosen = context;
        if (batch.isAwaited()) {
            unblocked.context = context;
            chosen = unblocked;
        }
        try {
            return io.run(chosen);
        } finally {
            batch.end(); // requests in a batch hold their keys
        }
    }

    @Override
    public void initialize() {
        io.initialize();
    }

    @Override
    public void prepareToDestroy() {
        io.prepareToDestroy();
    }

    @Override
    public void destroy() {
        io.destroy();
    }

    @Override
    public IoRegistration register(IoHandle handle) throws Exception {
        return io.register(handle);
    }

    @Override
    public void wakeup() {
        io.wakeup();
    }

    @Override
    public boolean isCompatible(Class<? extends IoHandle> handleType) {
        return io.isCompatible(handleType);
    }
}
