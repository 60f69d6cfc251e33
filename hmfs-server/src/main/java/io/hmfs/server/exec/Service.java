package io.hmfs.server.exec;

import io.hmfs.core.Namespace;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.server.access.Callers;
import io.hmfs.server.access.Grants;
import io.hmfs.server.data.BlockStore;
import io.hmfs.server.data.IntentJournal;
import io.hmfs.server.data.Reaper;
import io.hmfs.server.data.RemovalRecord;
import io.hmfs.server.metrics.Observation;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What all workers of a server share. Thread-safe. */
public final class Service {
    private static final System.Logger LOG = System.getLogger(Service.class.getName());
    private static final int INTENTS_RESERVE = 1024; // more than there are threads: begin() does not wait
    private static final Executor JOURNAL_LOOKS = CompletableFuture.delayedExecutor(1, TimeUnit.MILLISECONDS);

    final Namespace namespace;
    final ServiceInfo info;
    final Observation observation;
    final KeyLocks locks = new KeyLocks();
    final NameChanges changes;
    final Limbo limbo;
    final Quotas quotas;
    final OutcomesByClient outcomes;

    /** Tells this start of the server from all others; not 0. */
    final long incarnation = new SecureRandom().nextLong() | 1;

    final Callers callers;
    final Grants grants;
    final Leases leases;
    final @Nullable Data data;
    final @Nullable RemovalRecord removals;
    final DiskQueue disk;
    private final TreeReaper trees;
    private final Consumer<Throwable> failStop;
    private final AtomicInteger connections = new AtomicInteger();
    private final AtomicBoolean failed = new AtomicBoolean();
    private volatile boolean safeMode;
    private final long startNanos = System.nanoTime();
    private final ThreadLocal<Worker> diskWorkers = ThreadLocal.withInitial(() -> new Worker(this, true));

    /** The builtin data store and what keeps it clean. */
    public record Data(BlockStore store, IntentJournal journal, Reaper reaper) implements AutoCloseable {
        private static final int HANDLES_MAX = 512;

        /** Opens it, or makes it; {@code durable}: what was answered must survive the machine. */
        public static Data open(Path directory, long blockSize, boolean durable) throws IOException {
            try {
                BlockStore store = new BlockStore(directory, blockSize, HANDLES_MAX, durable);
                IntentJournal journal = new IntentJournal(directory.resolve(IntentJournal.FILE), durable);
                return new Data(store, journal, new Reaper(store, journal));
            } catch (IOException e) {
                throw new IOException(
                        "cannot open the data directory " + directory + ": " + e
                                + "; make it writable or choose another one",
                        e);
            }
        }

        @Override
        public void close() {
            reaper.close();
            journal.close();
            try {
                store.close();
            } catch (IOException e) {
                LOG.log(Level.WARNING, "cannot close the data store", e);
            }
        }
    }

    /**
     * Makes a service.
     *
     * @param callers the users, by name
     * @param grants what opened files may be asked for
     * @param leases who writes which file
     * @param data null if the data store is not the server's own
     * @param removals what clients have to remove then; null: nobody keeps a record
     * @param disk runs what waits for the disk
     * @param diskBytesMax bytes that may wait for the disk, of which each client gets its share
     * @param observation told of each request
     * @param failStop told once of an unexpected error; no request is executed after it
     */
    public Service(
            Namespace namespace,
            ServiceInfo info,
            Callers callers,
            Grants grants,
            Leases leases,
            @Nullable Data data,
            @Nullable RemovalRecord removals,
            Executor disk,
            long diskBytesMax,
            Observation observation,
            Consumer<Throwable> failStop) {
        this.namespace = namespace;
        this.info = info;
        this.callers = callers;
        this.grants = grants;
        this.leases = leases;
        changes = new NameChanges(namespace);
        limbo = new Limbo(namespace, changes);
        quotas = new Quotas(namespace, changes, limbo);
        outcomes = new OutcomesByClient(namespace.numbered(), System::nanoTime);
        this.data = data;
        this.removals = removals;
        this.disk = new DiskQueue(disk, diskBytesMax);
        this.observation = observation;
        this.failStop = failStop;
        trees = new TreeReaper(this, limbo);
    }

    /** Settles the removals and cuts that an earlier run left half done; before the first request. */
    public void recoverRemovals() {
        limbo.recover();
        quotas.recover();
        Attributes found = new Attributes();
        if (removals != null) {
            removals.recover((parent, name, inode) -> stands(parent, name, inode, found));
        }
        Data builtin = data;
        if (builtin == null) {
            return;
        }
        builtin.journal().replay((slot, inode, parent, name, size) -> {
            boolean cut = IntentJournal.isCut(size);
            if (stands(parent, name, inode, found)) {
                if (!cut || hasCut(builtin, found, IntentJournal.size(size))) {
                    builtin.journal().cancel(slot);
                }
            } else if (cut) {
                builtin.journal().done(slot); // the file has gone since, and its objects with it
            } else {
                builtin.reaper().add(inode, size, slot);
            }
        });
        builtin.reaper().start();
    }

    /** Clients can come: leases of before the start count from now. Begins to remove, in the background, what was taken out of the tree as a whole. Ends with {@link #stopReaping}. */
    public void startReaping() {
        leases.begin();
        namespace.whenFull(limbo::isMakingRoom);
        trees.start();
    }

    /** Whether there is still something of it. */
    public boolean isReaping() {
        return limbo.isBusy();
    }

    /** What is not removed then is left for the next start. */
    public void stopReaping() {
        trees.stop();
    }

    /** Cuts the objects of a file at its size, whether that had changed or not; false: they cannot be cut. */
    private boolean hasCut(Data builtin, Attributes file, long before) {
        try {
            awaitSafe(); // as the truncate itself
            builtin.store().truncate(file.id, file.size, before);
            return true;
        } catch (IOException e) {
            LOG.log(
                    Level.WARNING,
                    "cannot cut the data of inode " + Long.toHexString(file.id) + "; the next start tries again",
                    e);
            return false;
        }
    }

    private boolean stands(long parent, Name name, long inode, Attributes found) {
        return namespace.stat(parent, name, found) == Status.OK && found.id == inode;
    }

    /** A worker for one thread, which serves connections. */
    public Worker newWorker() {
        return new Worker(this, false);
    }

    /** Whether another request of this connection may be executed now; if not, it is not read until {@link #whenMayProceed} says so. */
    public boolean mayProceed(Session session) {
        DiskQueue.Share share = session.share();
        return (share == null || disk.hasRoom(share)) && mayRemove();
    }

    private boolean mayRemove() {
        Data builtin = data;
        return builtin == null || builtin.journal().freeSlots() >= INTENTS_RESERVE;
    }

    /** Runs a task on the connection's thread when {@link #mayProceed} is worth to be asked again. */
    public void whenMayProceed(Session session, Runnable task) {
        Runnable onThread = () -> {
            try {
                session.onThread(task);
            } catch (RejectedExecutionException e) {
                // The server stops, and the connection's thread has ended: nobody reads any more.
                return;
            }
        };
        DiskQueue.Share share = session.share();
        if (share == null || !disk.await(share, onThread)) { // then it is the journal, which tells nobody
            JOURNAL_LOOKS.execute(onThread);
        } else {
            session.awaitsRoom(onThread);
        }
    }

    void onDisk(OffloadedRequest request) {
        disk.execute(request.share(), request);
    }

    void offDisk(OffloadedRequest request) {
        disk.done(request.share(), request);
    }

    Worker diskWorker() {
        return diskWorkers.get();
    }

    /**
     * Whether replies are held back until the log has what they tell: then no position of the log is 0. For transports, before
     * they send.
     */
    public boolean holdsReplies() {
        return namespace.logPosition() != 0;
    }

    /**
     * Runs a task when all that this thread's requests have done so far is safe; at once, or on another thread, which it must
     * not hold up. If it never will be safe the service ends, and the task does not run.
     */
    public void whenSafe(Runnable task) {
        namespace.whenDurable(namespace.logPosition(), task, this::fail);
    }

    /** Returns when all that this thread's requests have done so far is safe. Not on a connection's thread. */
    void awaitSafe() {
        CompletableFuture<Void> safe = new CompletableFuture<>();
        namespace.whenDurable(namespace.logPosition(), () -> safe.complete(null), safe::completeExceptionally);
        safe.join();
    }

    /** Whether nothing may change: an administrator wants it so. */
    boolean isInSafeMode() {
        return safeMode;
    }

    /** Requests that have been begun may still end. */
    void safeMode(boolean on, String user) {
        if (safeMode != on) {
            LOG.log(Level.INFO, "{0} has {1} safe mode", user, on ? "entered" : "left");
        }
        safeMode = on;
    }

    /** Whether an unexpected error has ended this service. */
    public boolean hasFailed() {
        return failed.get();
    }

    /** An operation ended in a way that nothing expects: what it did is for recovery to find out, so nothing may follow it. */
    void fail(Throwable cause) {
        if (failed.compareAndSet(false, true)) {
            limbo.close();
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

    /** Of these, bytes of the user who has most. */
    public long diskBytesOfOne() {
        return disk.largestBytes();
    }

    /** Directories with a quota. */
    public int quotaDirectories() {
        return quotas.size();
    }

    /** Changes that a quota did not allow. */
    public long quotaRefusals() {
        return quotas.refusals();
    }

    /** Users who have such requests. */
    public int diskUsers() {
        return disk.users();
    }

    /** Connections that are not read until there is room for their client. */
    public int connectionsHeldUp() {
        return disk.waiting();
    }

    /** Files on the record of removals. */
    public int removalsRecorded() {
        return removals == null ? 0 : removals.count();
    }

    /** Files that were removed when it was full. */
    public long removalsUnrecorded() {
        return removals == null ? 0 : removals.unrecorded();
    }

    /** Leases that there are. */
    public int leases() {
        return leases.count();
    }

    long uptimeMillis() {
        return (System.nanoTime() - startNanos) / 1_000_000;
    }
}
