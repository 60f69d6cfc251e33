package io.hmfs.client;

import io.netty.util.concurrent.EventExecutor;
import java.io.IOException;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Leases: the right of one writer to a file, of the client that they were asked of ({@link HmfsClient#leases}). A lease is asked for with
 * {@link CreateOptions#leased} or {@link HmfsClient#open(String, boolean, boolean, long)}, comes with the grant, and is renewed while it is
 * held, all of a client by one request. It ends with the last commit, or with {@link #end}. Thread-safe.
 */
public final class Leases {
    /** A third of the least time after which a server lets another writer have the file. */
    private static final long RENEW_SECONDS = 10;

    private final HmfsClient client;
    private final EventExecutor loop;
    private final AtomicLong numbers = new AtomicLong();
    private final AtomicInteger held = new AtomicInteger();
    private final Queue<Ended> untold = new ConcurrentLinkedQueue<>();
    private volatile @Nullable Future<?> renewals;

    /** A lease that is over, and the server may not know. */
    private record Ended(long inode, long lease) {}

    Leases(HmfsClient client, EventExecutor loop) {
        this.client = client;
        this.loop = loop;
    }

    /** A number for a lease to ask for. */
    public long next() {
        return numbers.incrementAndGet();
    }

    /** One that was asked for was given: from here on it is renewed. */
    public void begun() {
        held.incrementAndGet();
        if (renewals == null) {
            startRenewals();
        }
    }

    private synchronized void startRenewals() {
        if (renewals == null) {
            renewals = loop.scheduleAtFixedRate(this::renew, RENEW_SECONDS, RENEW_SECONDS, TimeUnit.SECONDS);
        }
    }

    private void renew() {
        for (int left = untold.size(); left > 0; left--) { // not what fails here at once
            Ended lease = untold.poll();
            if (lease != null) {
                var unused = tell(lease);
            }
        }
        if (held.get() > 0) {
            var unused = client.submit(LeaseCalls.renew(0, 0)); // the next one comes anyway
        }
    }

    /** One that was given is over, and the server knows: a last commit has told it. */
    public void ended() {
        held.decrementAndGet();
    }

    /**
     * The same, but the server is told here. If that fails it is told with a later renewal: renewals are for all of the client, so the file
     * would look written as long as the client writes others.
     */
    public CompletableFuture<Void> end(long inode, Grant grant) {
        ended();
        return tell(new Ended(inode, grant.lease()));
    }

    private CompletableFuture<Void> tell(Ended lease) {
        CompletableFuture<Void> told = client.submit(LeaseCalls.renew(lease.inode, lease.lease));
        var unused = told.whenComplete((nothing, failed) -> {
            if (failed != null) {
                untold.add(lease);
                startRenewals(); // if the client is closed this fails, and is not needed: it renews nothing any more
            }
        });
        return told;
    }

    /**
     * Takes a file from whoever writes it. When it returns, what is committed stays as it is until somebody else writes the file. With a
     * data store that is not the server's, its bytes can still be written over. NOT_FOUND, IS_DIRECTORY, ACCESS_DENIED without w.
     */
    public void recover(String path) throws IOException {
        client.call(LeaseCalls.recover(path));
    }

    /** Whether nobody has a lease on a file. NOT_FOUND, IS_DIRECTORY. */
    public boolean isClosed(String path) throws IOException {
        return client.call(LeaseCalls.isClosed(path));
    }
}
