package io.hmfs.server.transport.netty;

import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoRegistration;
import io.netty.util.concurrent.ThreadAwareExecutor;
import java.util.function.Supplier;

/** The I/O of an event loop, whatever does it: when all that is ready has been read, the loop's turn ends. */
final class TurnIo implements IoHandler {
    private final IoHandler io;
    private final Supplier<Turn> turns;
    private final Unblocked unblocked = new Unblocked();

    private TurnIo(IoHandler io, Supplier<Turn> turns) {
        this.io = io;
        this.turns = turns;
    }

    /** Handlers that end turns; {@code turns} has that of the thread that asks. */
    static IoHandlerFactory factory(IoHandlerFactory io, Supplier<Turn> turns) {
        return new IoHandlerFactory() {
            @Override
            public IoHandler newHandler(ThreadAwareExecutor executor) {
                return new TurnIo(io.newHandler(executor), turns);
            }

            @Override
            public boolean isChangingThreadSupported() {
                return false; // a turn is of its thread
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
        Turn turn = turns.get();
        IoHandlerContext chosen = context;
        if (turn.isAwaited()) {
            unblocked.context = context;
            chosen = unblocked;
        }
        try {
            return io.run(chosen);
        } finally {
            turn.end(); // what has joined holds its keys
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
