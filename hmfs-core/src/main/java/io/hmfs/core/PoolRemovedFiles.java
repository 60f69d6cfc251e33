package io.hmfs.core;

import io.hmfs.core.engine.Engine;
import io.hmfs.core.type.RemovedFile;
import java.util.function.LongConsumer;

/** {@link RemovedFiles} of an open pool. */
final class PoolRemovedFiles implements RemovedFiles {
    private final OperationGuard guard;
    private final Engine engine;

    PoolRemovedFiles(OperationGuard guard, Engine engine) {
        this.guard = guard;
        this.engine = engine;
    }

    @Override
    public boolean next(RemovedFile out) {
        guard.check();
        int pin = engine.epochs.pin();
        try {
            return engine.removed.next(out);
        } catch (RuntimeException | Error e) {
            guard.failStop(e);
            throw e;
        } finally {
            engine.epochs.unpin(pin);
        }
    }

    @Override
    public void done(long token) {
        settle(token, engine.removed::done);
    }

    @Override
    public void giveBack(long token) {
        settle(token, engine.removed::giveBack);
    }

    private void settle(long token, LongConsumer how) {
        guard.check();
        int pin = engine.epochs.pin();
        try {
            how.accept(token);
        } catch (IllegalArgumentException e) {
            throw e; // the caller's error: nothing was begun
        } catch (RuntimeException | Error e) {
            guard.failStop(e);
            throw e;
        } finally {
            engine.epochs.unpin(pin);
        }
    }

    @Override
    public long count() {
        return engine.removed.count();
    }

    @Override
    public long time() {
        guard.check();
        int pin = engine.epochs.pin();
        try {
            return engine.clock.next();
        } catch (RuntimeException | Error e) {
            guard.failStop(e);
            throw e;
        } finally {
            engine.epochs.unpin(pin);
        }
    }

    @Override
    public void await(long nanos) {
        engine.removed.await(nanos);
    }
}
