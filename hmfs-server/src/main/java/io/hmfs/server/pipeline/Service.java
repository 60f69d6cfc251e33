package io.hmfs.server.pipeline;

import io.hmfs.core.ServerNamespace;
import io.hmfs.server.access.Authenticators;
import io.hmfs.server.access.Callers;
import io.hmfs.server.access.Grants;
import io.hmfs.server.admission.SafeMode;
import io.hmfs.server.metrics.Observation;
import io.hmfs.server.partition.Partition;
import io.hmfs.server.partition.Partitions;
import io.hmfs.server.protocol.ReplyCompression;
import io.hmfs.server.protocol.WelcomeInfo;
import io.hmfs.server.request.Session;
import io.hmfs.server.share.FairQueue;
import io.hmfs.server.share.UserShares;
import java.security.SecureRandom;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** What belongs to the process: its partitions, its users, the threads for what waits for the disk, its metrics, and its end. Thread-safe. */
public final class Service {
    final Partitions partitions;

    /** The root's: users' ids and replies that wait for a log are of its pool. */
    final Partition partition;

    final WelcomeInfo info;
    final ReplyCompression compression;
    final Observation observation;
    final SafeMode safeMode = new SafeMode();

    /** Tells this start of the server from all others; not 0. */
    final long incarnation = new SecureRandom().nextLong() | 1;

    final Authenticators authenticators;
    final Callers callers;
    final Grants grants;
    final FairQueue disk;
    final long startNanos = System.nanoTime();
    private final Consumer<Throwable> failStop;
    private final AtomicInteger connections = new AtomicInteger();
    private final AtomicBoolean failed = new AtomicBoolean();

    /**
     * Makes a service.
     *
     * @param authenticators how clients may prove who they are
     * @param callers the users, by name
     * @param grants what opened files may be asked for
     * @param disk whose turn it is of what waits for the disk
     * @param observation told of each request
     * @param failStop told once of an unexpected error; no request is executed after it
     */
    public Service(
            Partitions partitions,
            WelcomeInfo info,
            ReplyCompression compression,
            Authenticators authenticators,
            Callers callers,
            Grants grants,
            FairQueue disk,
            Observation observation,
            Consumer<Throwable> failStop) {
        this.partitions = partitions;
        this.info = info;
        this.compression = compression;
        this.authenticators = authenticators;
        this.callers = callers;
        this.grants = grants;
        this.disk = disk;
        this.observation = observation;
        this.failStop = failStop;
        partition = partitions.ofRoot();
    }

    /** Shares of users in what the server has a bounded amount of. */
    UserShares shares() {
        return partition.shares();
    }

    /** Clients can come: the partitions begin their background work. */
    public void start() {
        partitions.all().forEach(each -> each.start(this::fail));
    }

    /** Whether another request of this connection may be executed now; if not, it is not read until {@link #whenMayProceed} says so. */
    public boolean mayProceed(Session session) {
        FairQueue.Share share = session.share();
        return share == null || disk.hasRoom(share);
    }

    /** Runs a task on the connection's thread when {@link #mayProceed} is worth to be asked again. */
    public void whenMayProceed(Session session, Runnable task) {
        Runnable onThread = () -> {
            try {
                session.channel().onThread(task);
            } catch (RejectedExecutionException e) {
                // The server stops, and the connection's thread has ended: nothing is read any more.
                return;
            }
        };
        FairQueue.Share share = session.share();
        if (share == null || !disk.await(share, onThread)) {
            onThread.run(); // there is room by now
        } else {
            session.awaitsRoom(onThread);
        }
    }

    /**
     * Whether replies are held back until the log has what they tell: then no position of the log is 0. For transports, before
     * they send.
     */
    public boolean holdsReplies() {
        return partition.namespace().logPosition() != 0;
    }

    /**
     * Runs a task when all that this thread's requests have done so far is safe; at once, or on another thread, which it must
     * not hold up. If it never will be safe the service ends, and the task does not run.
     */
    public void whenSafe(Runnable task) {
        ServerNamespace root = partition.namespace();
        root.whenDurable(root.logPosition(), task, this::fail);
    }

    /** Whether an unexpected error has ended this service. */
    public boolean hasFailed() {
        return failed.get();
    }

    /** An operation ended in a way that nothing expects: what it did is for recovery to find out, so nothing may follow it. */
    void fail(Throwable cause) {
        if (failed.compareAndSet(false, true)) {
            partitions.all().forEach(each -> each.orphans().close());
            failStop.accept(cause);
        }
    }

    public void connected() {
        connections.incrementAndGet();
    }

    public void disconnected() {
        connections.decrementAndGet();
    }

    public int connections() {
        return connections.get();
    }

    /** Requests that wait for the disk, or are executed there. */
    public int diskRequests() {
        return disk.requests();
    }

    /** Bytes that these and their replies hold. */
    public long diskBytes() {
        return disk.bytes();
    }

    /** Of these, bytes of the user with the most. */
    public long diskBytesOfOne() {
        return disk.largestBytes();
    }

    /** Users with such requests. */
    public int diskUsers() {
        return disk.users();
    }

    /** Connections that are not read until there is room for their client. */
    public int connectionsHeldUp() {
        return disk.waiting();
    }
}
