package io.hmfs.server.retry;

import io.hmfs.core.NumberedChanges;
import io.hmfs.server.access.ClientKey;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The outcomes of all clients that are connected, and of those that went away last, for they may come back. Each has a ring in the
 * pool, if there is one for it, for as long as it is known here. Thread-safe; asked once for each connection, not for requests.
 */
public final class RetryCaches {
    /** Clients that are not connected and remembered nevertheless, as many and as many bytes at most. */
    static final int AWAY_MAX = 1024;

    private static final long AWAY_BYTES_MAX = 32 << 20;

    /** For so long a client that is away keeps its ring, though others may want it: longer than clients try to come back. */
    static final long RING_KEPT_NANOS = TimeUnit.SECONDS.toNanos(120);

    private final Map<ClientKey, RetryCache> connected = new HashMap<>(); // guarded by this, as all fields below
    private final Map<ClientKey, Away> away = new LinkedHashMap<>(); // the first went away first
    private long awayBytes;
    private final @Nullable NumberedChanges pool;

    private final LongSupplier nanoTime;

    private record Away(RetryCache outcomes, long bytes, long sinceNanos) {}

    /** {@code pool}: where outcomes survive the server; null: nowhere. */
    public RetryCaches(@Nullable NumberedChanges pool, LongSupplier nanoTime) {
        this.pool = pool;
        this.nanoTime = nanoTime;
    }

    /**
     * A client has connected.
     *
     * @param oldest the oldest sequence that it waits for
     * @param next what it has sent so far is below this sequence
     */
    public synchronized RetryCache join(ClientKey client, long oldest, long next) {
        RetryCache outcomes = connected.get(client);
        if (outcomes == null) {
            Away known = away.remove(client);
            awayBytes -= known == null ? 0 : known.bytes;
            outcomes = known == null ? restore(client, next) : known.outcomes;
            connected.put(client, outcomes);
        }
        outcomes.acknowledge(oldest);
        outcomes.connections++;
        return outcomes;
    }

    /** What the pool knows of a client that is new here. */
    private RetryCache restore(ClientKey client, long next) {
        long ring = NumberedChanges.NONE;
        if (pool != null) {
            ring = pool.hold(client.id(), client.mark(), next);
            if (ring == NumberedChanges.NONE && freeRing(pool)) {
                ring = pool.hold(client.id(), client.mark(), next);
            }
        }
        if (pool == null || ring == NumberedChanges.NONE) {
            return new RetryCache(this::leave, client, NumberedChanges.NONE, next, next);
        }
        RetryCache outcomes = new RetryCache(this::leave, client, ring, pool.first(ring), next);
        pool.read(ring, outcomes::recorded);
        return outcomes;
    }

    /** Takes the ring of the client that has been away the longest, and for long; its outcomes stay here. False: there is none. */
    private boolean freeRing(NumberedChanges from) {
        long now = nanoTime.getAsLong();
        for (Away each : away.values()) {
            if (now - each.sinceNanos < RING_KEPT_NANOS) {
                return false;
            }
            long ring = each.outcomes.ring();
            if (ring != NumberedChanges.NONE && !each.outcomes.isRunning()) {
                each.outcomes.loseRing();
                from.release(ring);
                return true;
            }
        }
        return false;
    }

    /** Lets go of what a client that is away has in the pool; false: a change of it is still under way there. */
    private boolean drop(Away gone) {
        long ring = gone.outcomes.ring();
        if (pool != null && ring != NumberedChanges.NONE) {
            if (gone.outcomes.isRunning()) {
                return false;
            }
            pool.release(ring);
        }
        awayBytes -= gone.bytes;
        return true;
    }

    /** A connection has ended. */
    synchronized void leave(RetryCache outcomes) {
        if (--outcomes.connections > 0) {
            return;
        }
        connected.remove(outcomes.client());
        Away last = new Away(outcomes, outcomes.bytes(), nanoTime.getAsLong());
        away.put(outcomes.client(), last);
        awayBytes += last.bytes;
        for (Iterator<Away> each = away.values().iterator();
                each.hasNext() && (away.size() > AWAY_MAX || (awayBytes > AWAY_BYTES_MAX && away.size() > 1)); ) {
            if (drop(each.next())) {
                each.remove();
            }
        }
    }
}
