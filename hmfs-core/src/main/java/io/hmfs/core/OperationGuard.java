package io.hmfs.core;

import io.hmfs.core.type.Status;

/** What an open pool does around each call: nothing runs on a pool that is closed or has failed, and no answer is early. */
interface OperationGuard {
    /** An operation's body; a functional interface of its own so that nothing is boxed. */
    @FunctionalInterface
    interface Body {
        Status run();
    }

    /** Throws if the pool is closed or has failed. */
    void check();

    /** Stops the namespace: an operation ended half way. */
    void failStop(Throwable cause);

    /** I2: what an operation has changed, and what it has seen, is safe before its caller hears of it. */
    void awaitDurable();

    /** Runs an operation; an unexpected error stops the namespace. */
    Status stopping(Body body);

    /** Runs an operation that takes space; if the pool is full, room is made, which other threads may take, and the operation tried again. */
    Status allocating(Body body);

    /** Makes the pool larger if it has no region left and may grow. The caller has not pinned an epoch. */
    void grow();
}
