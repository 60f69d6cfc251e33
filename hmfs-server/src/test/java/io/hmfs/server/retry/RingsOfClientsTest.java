package io.hmfs.server.retry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.hmfs.core.FormatOptions;
import io.hmfs.core.Hmfs;
import io.hmfs.core.NumberedChanges;
import io.hmfs.core.OpenOptions;
import io.hmfs.core.ServerNamespace;
import io.hmfs.server.access.ClientKey;
import io.hmfs.server.share.UserShares;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: where there are more clients than rings in the pool, a client that is away for a moment loses nothing to one that comes.
 * Method: a small pool, all of whose rings are held; a clock that the test moves.
 */
class RingsOfClientsTest {
    private static final long USER = 7;

    @TempDir
    private Path directory;

    private final UserShares shares = new UserShares(Map.of());
    private final List<RetryCache> held = new ArrayList<>();
    private ServerNamespace namespace;
    private RetryCaches clients;
    private long now;
    private long newest;

    @BeforeEach
    void holdAll() throws IOException {
        Path pool = directory.resolve("p.pool");
        Hmfs.format(pool, FormatOptions.ofSize(FormatOptions.SIZE_MIN));
        namespace = Hmfs.openForServer(pool, OpenOptions.process());
        shares.join(USER, "superuser", true); // who may have all
        clients = new RetryCaches(namespace.numbered(), shares, () -> now);
        RetryCache each = join(newest);
        while (each.ring() != NumberedChanges.NONE) {
            held.add(each);
            each = join(++newest);
        }
        each.leave();
    }

    @AfterEach
    void close() {
        namespace.close();
    }

    private RetryCache join(long client) {
        return Objects.requireNonNull(clients.join(new ClientKey(client, USER), 1, 1));
    }

    @Test
    void aClientThatIsAwayForAMomentKeepsOutcomesAndRing() {
        RetryCache away = held.getFirst();
        assertEquals(RetryCache.Claim.NEW, away.claim(1, true));
        away.finish(1, Unpooled.wrappedBuffer(new byte[40]), 0, 40);
        away.leave();
        now += RetryCaches.KEPT_NANOS - 1;
        assertEquals(NumberedChanges.NONE, join(++newest).ring());
        assertSame(away, join(0));
        assertNotEquals(NumberedChanges.NONE, away.ring());
        assertEquals(RetryCache.Claim.DONE, away.claim(1, true));
    }

    @Test
    void aClientThatIsAwayForLongGivesTheRingUpAndKeepsTheOutcomes() {
        RetryCache away = held.getFirst();
        long ring = away.ring();
        assertEquals(RetryCache.Claim.NEW, away.claim(1, true));
        away.finish(1, Unpooled.wrappedBuffer(new byte[40]), 0, 40);
        away.leave();
        now += RetryCaches.KEPT_NANOS;
        assertEquals(ring, join(++newest).ring());
        assertSame(away, join(0));
        assertEquals(NumberedChanges.NONE, away.ring());
        assertEquals(RetryCache.Claim.DONE, away.claim(1, true));
    }

    @Test
    void whoseChangeIsUnderWayKeepsTheRing() {
        RetryCache away = held.getFirst();
        assertEquals(RetryCache.Claim.NEW, away.claim(1, true));
        away.leave();
        now += 2 * RetryCaches.KEPT_NANOS;
        assertEquals(NumberedChanges.NONE, join(++newest).ring());
    }
}
