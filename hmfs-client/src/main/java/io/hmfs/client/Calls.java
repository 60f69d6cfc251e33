package io.hmfs.client;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;

/** Makes calls of rows and arguments, and waits for them: what all facades of one client share. Thread-safe. */
final class Calls {
    private static final long GRACE_NANOS =
            TimeUnit.SECONDS.toNanos(2); // past the deadline, before a wait gives up itself

    final CallTable table;
    private final ClientLoop loop;
    private final String address;
    private final long timeoutNanos;

    /** {@code timeoutNanos}: how long a request may take, as the dispatcher knows it too. */
    Calls(CallTable table, ClientLoop loop, String address, long timeoutNanos) {
        this.table = table;
        this.loop = loop;
        this.address = address;
        this.timeoutNanos = timeoutNanos;
    }

    /** Sends a call; {@code subject} is what it is about, mostly a path. */
    <A, T> CompletableFuture<T> submit(CallKind<A, T> kind, String subject, A arguments) {
        Call<A, T> call = make(kind, subject, arguments);
        loop.submit(call);
        return call;
    }

    private <A, T> Call<A, T> make(CallKind<A, T> kind, String subject, A arguments) {
        Call<A, T> call = new Call<>(kind, subject, arguments);
        call.deadlineNanos = System.nanoTime() + timeoutNanos;
        return call;
    }

    /** Makes a call's arguments, or says what is wrong with them. */
    @FunctionalInterface
    interface Arguments<A> {
        A make() throws HmfsException;
    }

    /** Sends a call; bad arguments fail it without. */
    <A, T> CompletableFuture<T> submitMade(CallKind<A, T> kind, String subject, Arguments<A> arguments) {
        try {
            return submit(kind, subject, arguments.make());
        } catch (HmfsException refused) {
            return CompletableFuture.failedFuture(refused);
        }
    }

    /** Sends a call about one path. */
    <T> CompletableFuture<T> submit(CallKind<byte[], T> kind, String path) {
        return submitMade(kind, path, () -> CallArguments.utf8Path(kind.name, path));
    }

    /** Sends a call and waits for its reply. */
    <A, T> T call(CallKind<A, T> kind, String subject, A arguments) throws IOException {
        refuseOnLoop();
        Call<A, T> call = make(kind, subject, arguments);
        call.awaited = true;
        return outcome(call, () -> loop.call(call, timeoutNanos + GRACE_NANOS));
    }

    /** Sends a call about one path and waits for its reply. */
    <T> T call(CallKind<byte[], T> kind, String path) throws IOException {
        return call(kind, path, CallArguments.utf8Path(kind.name, path));
    }

    /** Waits for a call, for as long as a request may take. */
    <T> T await(CompletableFuture<T> future) throws IOException {
        return await(future, timeoutNanos);
    }

    /** Waits, and gives up somewhat later than the call should have. */
    <T> T await(CompletableFuture<T> future, long nanos) throws IOException {
        if (!future.isDone()) {
            refuseOnLoop();
        }
        return outcome(future, () -> loop.await(future, nanos + GRACE_NANOS));
    }

    private void refuseOnLoop() {
        if (loop.isOnLoop()) {
            throw new IllegalStateException("a blocking call on the client's own thread would wait for itself");
        }
    }

    /** Waits for a future; returns whether it is done. */
    private interface Wait {
        boolean await() throws InterruptedException;
    }

    private <T> T outcome(CompletableFuture<T> future, Wait wait) throws IOException {
        try {
            if (!wait.await()) {
                throw new HmfsException(ResultCode.TIMEOUT, "no answer from " + address);
            }
            if (future.isCompletedExceptionally()) {
                throw here(future.handle((value, failure) -> failure).join());
            }
            return future.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            InterruptedIOException interrupted = new InterruptedIOException("interrupted while waiting for " + address);
            interrupted.initCause(e);
            throw interrupted;
        }
    }

    /** The same failure with the stack of the thread that waited for it. */
    private static IOException here(Throwable thrown) {
        if (thrown instanceof CancellationException cancelled) {
            throw cancelled;
        }
        Throwable cause =
                thrown instanceof CompletionException && thrown.getCause() != null ? thrown.getCause() : thrown;
        IOException here = cause instanceof HmfsException known
                ? new HmfsException(known.code(), Objects.requireNonNullElse(known.getMessage(), ""), known.reason())
                : new IOException(cause.getMessage());
        if (!(cause instanceof HmfsException.Told)) {
            here.initCause(cause);
        }
        return here;
    }
}
