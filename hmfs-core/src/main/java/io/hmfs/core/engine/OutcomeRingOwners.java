package io.hmfs.core.engine;

import io.hmfs.core.alloc.Regions;
import io.hmfs.core.layout.CorruptPoolException;
import io.hmfs.core.layout.OutcomeRing;
import io.hmfs.core.layout.RegionKind;
import io.hmfs.core.pmem.Pmem;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which client has which ring of outcomes. A ring is its client's until another one needs it: the one whose client has been away for the
 * longest goes first. Their number is bounded by the size of the pool. Thread-safe; asked when a client comes and goes, not for changes.
 */
public final class OutcomeRingOwners {
    /** Of so many regions one may hold rings; one in any pool. */
    static final int SHARE = 64;

    static final int REGIONS_MAX = 16;

    private final Pmem pmem;
    private final Regions regions;
    private final Clock clock;
    private final int perRegion;
    private final int regionsMax;
    private final List<Ring> rings = new ArrayList<>(); // guarded by this
    private final Map<Owner, Ring> owned = new HashMap<>();
    private int regionsUsed;

    private record Owner(long client, long user) {}

    private static final class Ring {
        final long at;

        @Nullable
        Owner owner;

        boolean held;
        long usedLast;

        Ring(long at) {
            this.at = at;
        }
    }

    /** Reads the heads of those that a pool has. */
    public OutcomeRingOwners(Pmem pmem, Regions regions, Clock clock) {
        this.pmem = pmem;
        this.regions = regions;
        this.clock = clock;
        perRegion = (int) (regions.size() / OutcomeRing.SIZE);
        regionsMax = perRegion == 0 ? 0 : Math.clamp(regions.max() / SHARE, 1, REGIONS_MAX);
        for (int i = 0; i < regions.count(); i++) {
            if (regions.kind(i) == RegionKind.OUTCOMES) {
                add(regions.at(i));
            }
        }
    }

    private void add(long region) {
        regionsUsed++;
        for (int i = 0; i < perRegion; i++) {
            Ring ring = new Ring(region + i * OutcomeRing.SIZE);
            long magic = OutcomeRing.magic(pmem, ring.at);
            if (magic != 0 && magic != OutcomeRing.MAGIC) {
                throw new CorruptPoolException(ring.at, "the head of a ring of outcomes", magic);
            }
            ring.usedLast = OutcomeRing.since(pmem, ring.at);
            if (ring.usedLast != 0) {
                ring.owner = new Owner(
                        pmem.get(ring.at + OutcomeRing.CLIENT_OFFSET), pmem.get(ring.at + OutcomeRing.USER_OFFSET));
                owned.put(ring.owner, ring);
            }
            rings.add(ring);
        }
    }

    /** Rings that there can be. */
    public int max() {
        return perRegion * regionsMax;
    }

    public synchronized int count() {
        return rings.size();
    }

    /** Offset of ring {@code index}, below {@link #count}. */
    public synchronized long at(int index) {
        return rings.get(index).at;
    }

    /** What was last recorded in ring {@code index} of an earlier start has this time. */
    public synchronized void usedLast(int index, long time) {
        Ring ring = rings.get(index);
        ring.usedLast = Math.max(ring.usedLast, time);
    }

    /**
     * The ring of a client, until {@link #release}: the one that it had, or another, which knows nothing of what is below {@code next}.
     * {@code Pmem.NULL} if all are held.
     *
     * @param ofOthers also one that another user has had
     */
    public synchronized long hold(long client, long user, long next, boolean ofOthers) {
        Owner owner = new Owner(client, user);
        Ring ring = owned.get(owner);
        if (ring == null) {
            ring = free(user, ofOthers);
            if (ring == null) {
                return Pmem.NULL;
            }
            owned.remove(ring.owner);
            ring.owner = owner;
            owned.put(owner, ring);
            // [once.2] Durable before it has a record: else that would be the one of the client that had the ring
            // before.
            OutcomeRing.give(pmem, ring.at, client, user, next, clock.next());
            pmem.persist(ring.at, OutcomeRing.HEAD_SIZE);
        }
        ring.held = true;
        return ring.at;
    }

    /** The ring that a client had, until {@link #release}; {@code Pmem.NULL} if it has none. */
    public synchronized long holdAgain(long client, long user) {
        Ring ring = owned.get(new Owner(client, user));
        if (ring == null) {
            return Pmem.NULL;
        }
        ring.held = true;
        return ring.at;
    }

    private @Nullable Ring free(long user, boolean ofOthers) {
        Ring oldest = oldest(user, ofOthers);
        if ((oldest == null || oldest.owner != null) && regionsUsed < regionsMax) {
            long region = regions.acquire(RegionKind.OUTCOMES);
            if (region != Pmem.NULL) {
                add(region);
                return oldest(user, ofOthers);
            }
        }
        return oldest;
    }

    private @Nullable Ring oldest(long user, boolean ofOthers) {
        Ring oldest = null;
        for (Ring each : rings) {
            Owner owner = each.owner;
            boolean may = ofOthers || owner == null || owner.user == user;
            if (!each.held && may && (oldest == null || each.usedLast < oldest.usedLast)) {
                oldest = each;
            }
        }
        return oldest;
    }

    /** Its client has gone away, and nothing of it is being executed. */
    public synchronized void release(long at) {
        for (Ring each : rings) {
            if (each.at == at) {
                each.held = false;
                each.usedLast = clock.next();
            }
        }
    }
}
