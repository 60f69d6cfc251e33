package io.hmfs.server.retry;

import io.hmfs.core.NumberedChanges;
import io.hmfs.server.access.ClientKey;
import io.hmfs.server.share.UserShares;
import io.hmfs.server.share.UserShares.Resource;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The outcomes of all clients that are connected, and of those that went away, for they may come back: as many as there is room for in their
 * user's share of kept answers. Each has a ring in the pool, if there is one for it in its user's share of those, for as long as it is known here.
 * Thread-safe; asked once for each connection, not for requests.
 *
 * <p>What a user's clients have is taken from another user's for lack of room only when they have been away for longer than clients try to come
 * back; for so long after a start no ring changes its user either, for those whose it was may be on their way.
 */
public final class RetryCaches {
    /** For so long a client that is away keeps what others want: longer than clients try to come back. */
    static final long KEPT_NANOS = TimeUnit.SECONDS.toNanos(120);

    private final Map<ClientKey, RetryCache> connected = new HashMap<>(); // guarded by this, as all fields below
    private final Map<ClientKey, Away> away = new LinkedHashMap<>(); // the first went away first
    private final @Nullable NumberedChanges pool;
    private final UserShares shares;

    private final LongSupplier nanoTime;
    private final long startNanos;

    private record Away(RetryCache outcomes, long sinceNanos) {
        boolean isOf(ClientKey client) {
            return outcomes.client().mark() == client.mark();
        }
    }

    /** {@code pool}: where outcomes survive the server; null: nowhere. */
    public RetryCaches(@Nullable NumberedChanges pool, UserShares shares, LongSupplier nanoTime) {
        this.pool = pool;
        this.shares = shares;
        this.nanoTime = nanoTime;
        startNanos = nanoTime.getAsLong();
        if (pool != null) {
            shares.bound(Resource.OUTCOME_RINGS, pool.ringsMax());
        }
    }

    /**
     * A client has connected. Null: its user's share of kept answers has no room for one more.
     *
     * @param oldest the oldest sequence that it waits for
     * @param next what it has sent so far is below this sequence
     */
    public synchronized @Nullable RetryCache join(ClientKey client, long oldest, long next) {
        RetryCache outcomes = connected.get(client);
        if (outcomes == null) {
            Away known = away.remove(client);
            outcomes = known == null ? restore(client, next) : known.outcomes;
            if (outcomes == null) {
                return null;
            }
            connected.put(client, outcomes);
        }
        outcomes.acknowledge(oldest);
        outcomes.connections++;
        return outcomes;
    }

    /** What the pool knows of a client that is new here. */
    private @Nullable RetryCache restore(ClientKey client, long next) {
        UserShares.Account account = shares.join(client.mark());
        while (!account.tryTake(Resource.ANSWER_BYTES, RetryCache.OWN_BYTES)) {
            if (!dropOne(client)) {
                account.leave();
                return null;
            }
        }
        long ring = pool == null ? NumberedChanges.NONE : ring(pool, client, account, next);
        if (pool == null || ring == NumberedChanges.NONE) {
            return new RetryCache(this::leave, client, account, NumberedChanges.NONE, next, next);
        }
        RetryCache outcomes = new RetryCache(this::leave, client, account, ring, pool.first(ring), next);
        pool.read(ring, outcomes::recorded);
        return outcomes;
    }

    /** The ring that the client had, or one of its user's share, which is counted; {@link NumberedChanges#NONE}: there is none. */
    private long ring(NumberedChanges from, ClientKey client, UserShares.Account account, long next) {
        long ring = from.hold(client.id(), client.mark(), next, NumberedChanges.From.CLIENT);
        if (ring != NumberedChanges.NONE) {
            account.add(Resource.OUTCOME_RINGS, 1);
            return ring;
        }
        boolean within = account.tryTake(Resource.OUTCOME_RINGS, 1);
        if (!within && freeRing(from, client, true)) {
            within = account.tryTake(Resource.OUTCOME_RINGS, 1);
        }
        if (!within) {
            return NumberedChanges.NONE;
        }
        NumberedChanges.From whose = nanoTime.getAsLong() - startNanos < KEPT_NANOS
                ? NumberedChanges.From.USER
                : NumberedChanges.From.ANYBODY;
        ring = from.hold(client.id(), client.mark(), next, whose);
        if (ring == NumberedChanges.NONE && freeRing(from, client, false)) {
            ring = from.hold(client.id(), client.mark(), next, NumberedChanges.From.ANYBODY);
        }
        if (ring == NumberedChanges.NONE) {
            account.add(Resource.OUTCOME_RINGS, -1);
        }
        return ring;
    }

    /**
     * Takes the ring of a client that has been away the longest, and for long; its outcomes stay here. False: there is none.
     *
     * @param own only of the same user
     */
    private boolean freeRing(NumberedChanges from, ClientKey client, boolean own) {
        long now = nanoTime.getAsLong();
        for (Away each : away.values()) {
            if (now - each.sinceNanos < KEPT_NANOS) {
                return false;
            }
            long ring = each.outcomes.ring();
            if (ring != NumberedChanges.NONE && (!own || each.isOf(client)) && !each.outcomes.isRunning()) {
                each.outcomes.loseRing();
                releaseRing(from, each.outcomes, ring);
                return true;
            }
        }
        return false;
    }

    private static void releaseRing(NumberedChanges to, RetryCache outcomes, long ring) {
        to.release(ring);
        outcomes.account().add(Resource.OUTCOME_RINGS, -1);
    }

    /** Forgets a client for another that is new: the user's own that went away first, or one of any user that has been away for long. */
    private boolean dropOne(ClientKey wanting) {
        long now = nanoTime.getAsLong();
        for (Iterator<Away> all = away.values().iterator(); all.hasNext(); ) {
            Away each = all.next();
            if ((each.isOf(wanting) || now - each.sinceNanos >= KEPT_NANOS) && drop(each.outcomes)) {
                all.remove();
                return true;
            }
        }
        return false;
    }

    /** Lets go of what a client that is away has; false: a change of it is still under way. */
    private boolean drop(RetryCache gone) {
        if (gone.isRunning()) {
            return false;
        }
        long ring = gone.ring();
        if (pool != null && ring != NumberedChanges.NONE) {
            releaseRing(pool, gone, ring);
        }
        gone.account().add(Resource.ANSWER_BYTES, -gone.bytes());
        gone.account().leave();
        return true;
    }

    /** A connection has ended. Clients that have been away for long leave half of their user's share to those that are not. */
    synchronized void leave(RetryCache outcomes) {
        if (--outcomes.connections > 0) {
            return;
        }
        ClientKey client = outcomes.client();
        long now = nanoTime.getAsLong();
        connected.remove(client);
        away.put(client, new Away(outcomes, now));
        for (Iterator<Away> all = away.values().iterator();
                all.hasNext() && outcomes.account().isScarce(Resource.ANSWER_BYTES); ) {
            Away each = all.next();
            if (now - each.sinceNanos < KEPT_NANOS) {
                return;
            }
            if (each.isOf(client) && drop(each.outcomes)) {
                all.remove();
            }
        }
    }
}
