package io.hmfs.client;

import java.io.IOException;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Leases: the right of one writer to a file, of the client that they were asked of ({@link HmfsClient#leases}). A lease
 * is asked for with {@link CreateOptions#leased} or {@link HmfsClient#open(String, boolean, boolean, long)}, comes with
 * the grant, and is renewed while it is held, all of a client by one request. It ends with the last commit, or with
 * {@link #end}. Thread-safe.
 */
public final class ClientLeases {
    /** A third of the least time after which a server lets another writer have the file. */
    private static final long RENEW_SECONDS = 10;

    private final Calls calls;
    private final LeaseCalls rows;
    private final ClientLoop loop;
    private final AtomicLong numbers = new AtomicLong();
    private final AtomicInteger held = new AtomicInteger();
    private final Queue<LeaseCalls.Ended> untold = new ConcurrentLinkedQueue<>(); // the server may not know of them
    private volatile boolean renewing;

    ClientLeases(Calls calls, ClientLoop loop) {
        this.calls = calls;
        this.loop = loop;
        rows = calls.table.leases;
    }

    /** A number for a lease to ask for. */
    public long next() {
        return numbers.incrementAndGet();
    }

    /** One that was asked for was given: from here on it is renewed. */
    public void begun() {
        held.incrementAndGet();
        if (!renewing) {
            startRenewals();
        }
    }

    private synchronized void startRenewals() {
        if (!renewing) {
            loop.repeat(this::renew, TimeUnit.SECONDS.toNanos(RENEW_SECONDS));
            renewing = true;
        }
    }

    private void renew() {
        for (int left = untold.size(); left > 0; left--) { // not what fails here at once
            LeaseCalls.Ended lease = untold.poll();
            if (lease != null) {
                var unused = tell(lease);
            }
        }
        if (held.get() > 0) {
            var unused = calls.submit(rows.renew, "", LeaseCalls.Ended.NONE); // the next one comes anyway
        }
    }

    /** One that was given is over, and the server knows: a last commit has told it. */
    public void ended() {
        held.decrementAndGet();
    }

    /**
     * The same, but the server is told here. If that fails it is told with a later renewal: renewals are for all of the
     * client, so the file would look written as long as the client writes others.
     */
    public CompletableFuture<Void> end(long inode, Grant grant) {
        ended();
        return tell(new LeaseCalls.Ended(inode, grant.lease()));
    }

    private CompletableFuture<Void> tell(LeaseCalls.Ended lease) {
        CompletableFuture<Void> told = calls.submit(rows.renew, "", lease);
        var unused = told.whenComplete((nothing, failed) -> {
            if (failed != null) {
                untold.add(lease);
                startRenewals(); // if the client is closed that comes to nothing, and need not
            }
        });
        return told;
    }

    /**
     * Takes a file from its writer. When it returns, what is committed stays as it is until another client writes
     * the file. With a data store that is not the server's, its bytes can still be written over. NOT_FOUND,
     * IS_DIRECTORY, ACCESS_DENIED without w.
     */
    public void recover(String path) throws IOException {
        calls.call(rows.recover, path);
    }

    /** Whether no client has a lease on a file. NOT_FOUND, IS_DIRECTORY. */
    public boolean isClosed(String path) throws IOException {
        return calls.call(rows.isClosed, path);
    }
}
