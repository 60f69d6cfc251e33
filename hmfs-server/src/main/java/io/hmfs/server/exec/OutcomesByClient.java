package io.hmfs.server.exec;

import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The outcomes of all clients that are connected, and of those that went away last, for they may come back. Thread-safe; asked once for
 * each connection, not for requests.
 */
final class OutcomesByClient {
    /** Clients that are not connected and remembered nevertheless, as many and as many bytes at most. */
    static final int AWAY_MAX = 1024;

    private static final long AWAY_BYTES_MAX = 32 << 20;

    /** A client's own random number, and its user's mark: nobody is answered what another user was. */
    record Key(long clientId, long userMark) {}

    private final Map<Key, Outcomes> connected = new HashMap<>(); // guarded by this, as all fields below
    private final Map<Key, Away> away = new LinkedHashMap<>(); // the first went away first
    private long awayBytes;

    private record Away(Outcomes outcomes, long bytes) {}

    /**
     * A client has connected.
     *
     * @param oldest the oldest sequence that it waits for
     * @param next what it has sent so far is below this sequence
     */
    synchronized Outcomes join(Key client, long oldest, long next) {
        Outcomes outcomes = connected.get(client);
        if (outcomes == null) {
            Away known = away.remove(client);
            awayBytes -= known == null ? 0 : known.bytes;
            outcomes = known == null ? new Outcomes(this, client, next) : known.outcomes;
            connected.put(client, outcomes);
        }
        outcomes.acknowledge(oldest);
        outcomes.connections++;
        return outcomes;
    }

    /** A connection has ended. */
    synchronized void leave(Outcomes outcomes) {
        if (--outcomes.connections > 0) {
            return;
        }
        connected.remove(outcomes.client());
        Away last = new Away(outcomes, outcomes.bytes());
        away.put(outcomes.client(), last);
        awayBytes += last.bytes;
        for (Iterator<Away> each = away.values().iterator();
                away.size() > AWAY_MAX || (awayBytes > AWAY_BYTES_MAX && away.size() > 1); ) {
            awayBytes -= each.next().bytes;
            each.remove();
        }
    }
}
