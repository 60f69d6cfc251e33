package io.hmfs.server.access;

import io.hmfs.core.Namespace;
import io.hmfs.server.share.FairQueue;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The users that are connected, or were a moment ago. A user's groups are looked up once for all connections, on threads that
 * may block, and again from time to time while one of them lives. If that fails, what was known stays.
 *
 * <p>Before groups are known nobody is more than a name that a peer has said. So addresses take turns at the look-ups, and each has its share of
 * those that wait, and of the users that are known: one that comes with ever new names neither holds up others nor keeps them out. A user whom peers of
 * several addresses wait for has a place among the look-ups of each, and counts for the address that said the name first. Thread-safe.
 */
public final class Callers {
    private static final System.Logger LOG = System.getLogger(Callers.class.getName());

    /** A user without groups is looked up again sooner: the account may be new. */
    private static final long UNKNOWN_NANOS = TimeUnit.SECONDS.toNanos(30);

    /** A look-up that has waited so long for a thread fails: what it hangs on, it hangs on for all that come after it. */
    private static final long WAIT_NANOS = TimeUnit.SECONDS.toNanos(20);

    /** Look-ups that wait, of which an address gets a third if it is alone. */
    private static final int WAITING_MAX = 4096;

    /** Users that are known. An address may bring half of what no other has brought. */
    private static final int USERS_MAX = 65_536;

    /** The address of look-ups that the server itself wants. */
    private static final String SELF = "";

    /** After so long no connection that was given a user is still on the way in. */
    private static final long ON_THE_WAY_NANOS = TimeUnit.SECONDS.toNanos(60);

    private static final long SWEEP_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Namespace namespace;
    private final AccessConfig config;
    private final GroupSource groups;
    private final FairQueue queue;
    private final LongSupplier clock;
    private final ProxyUsers proxyUsers;
    private final int usersMax;
    private final AtomicLong sweptNanos;
    private final ConcurrentHashMap<String, Entry> entries = new ConcurrentHashMap<>();

    /** How many of them each address has brought. */
    private final ConcurrentHashMap<String, Integer> brought = new ConcurrentHashMap<>();

    /** What is known of one user. */
    private static final class Entry {
        private final String bringer; // the address that said the name first
        private @Nullable Caller caller; // all fields guarded by this; the same one for ever
        private @Nullable CompletableFuture<Caller> lookup; // the last one; null: none, or it was given up
        private final Set<String> waiting = new HashSet<>(0); // addresses among whose look-ups the last one waits
        private int lookups; // so many were begun
        private long seenNanos;
        private boolean dropped;

        Entry(String bringer) {
            this.bringer = bringer;
        }
    }

    /** A place of a look-up in the queue. Whichever comes first does it for all. */
    private final class Place implements FairQueue.Work {
        private final FairQueue.Share share;
        private final String name;
        private final Entry entry;
        private final CompletableFuture<Caller> lookup;
        private final String address;
        private final int number; // of the entry's look-ups
        private final long askedNanos = clock.getAsLong();

        Place(FairQueue.Share share, String name, Entry entry, CompletableFuture<Caller> lookup, String address) {
            this.share = share;
            this.name = name;
            this.entry = entry;
            this.lookup = lookup;
            this.address = address;
            number = entry.lookups;
        }

        @Override
        public long bytes() {
            return FairQueue.TURN_BYTES; // a turn is one look-up
        }

        @Override
        public void run() {
            try {
                Caller known;
                boolean tooLate = clock.getAsLong() - askedNanos > WAIT_NANOS;
                synchronized (entry) {
                    boolean isWanted = number == entry.lookups && entry.waiting.remove(address);
                    if (!isWanted || (tooLate && !entry.waiting.isEmpty())) {
                        return; // the turn of another place was before, or is to come
                    }
                    entry.waiting.clear();
                    known = entry.caller;
                }
                if (tooLate) {
                    giveUp(entry, known, lookup, askedNanos);
                } else {
                    lookUp(name, entry, known, lookup);
                }
            } finally {
                queue.done(share, this);
            }
        }
    }

    /**
     * Makes a registry.
     *
     * @param threads where groups are looked up, by {@code threadsMax} threads
     * @param clock nanoseconds, from any start
     */
    public Callers(
            Namespace namespace,
            AccessConfig config,
            GroupSource groups,
            Executor threads,
            int threadsMax,
            LongSupplier clock) {
        this(namespace, config, groups, threads, threadsMax, clock, USERS_MAX, WAITING_MAX);
    }

    /** For tests: with room for fewer users and look-ups. */
    Callers(
            Namespace namespace,
            AccessConfig config,
            GroupSource groups,
            Executor threads,
            int threadsMax,
            LongSupplier clock,
            int usersMax,
            int waitingMax) {
        this.namespace = namespace;
        this.config = config;
        this.groups = groups;
        queue = new FairQueue(threads, threadsMax, waitingMax * FairQueue.TURN_BYTES);
        this.clock = clock;
        this.usersMax = usersMax;
        proxyUsers = ProxyUsers.parse(config.proxyUsers());
        sweptNanos = new AtomicLong(clock.getAsLong() - SWEEP_NANOS - 1);
    }

    /**
     * The user of this name, for a peer at this address; done already when nothing has to be looked up. Fails with a {@code RejectedExecutionException} if
     * the address has its share of the look-ups that wait, or of the users.
     */
    public CompletableFuture<Caller> of(String name, String address) {
        if (!entries.containsKey(name) && !name.equals(config.superuser()) && !hasRoom(address)) {
            makeRoom();
            if (!hasRoom(address)) {
                return CompletableFuture.failedFuture(new RejectedExecutionException(
                        "no room for one more user of " + address + "; try again in a minute"));
            }
        }
        while (true) {
            Entry entry = entries.computeIfAbsent(name, made -> {
                brought.merge(address, 1, Integer::sum);
                return new Entry(address);
            });
            synchronized (entry) {
                if (!entry.dropped) {
                    return current(name, entry, address);
                }
            }
        }
    }

    private CompletableFuture<Caller> current(String name, Entry entry, String address) {
        CompletableFuture<Caller> lookup = entry.lookup;
        if (lookup == null || (lookup.isDone() && isOld(entry, lookup))) {
            return start(name, entry, address);
        }
        if (!entry.waiting.isEmpty() && !entry.waiting.contains(address)) {
            enqueue(name, entry, lookup, address); // if it finds no room, it has the place that there is
        }
        return lookup;
    }

    private boolean isOld(Entry entry, CompletableFuture<Caller> done) {
        if (done.isCompletedExceptionally()) {
            return true;
        }
        Caller caller = done.join();
        boolean known = caller.hasGroups() || caller.isUnlimited();
        long limit = config.groupExpiry().toNanos();
        return clock.getAsLong() - entry.seenNanos > (known ? limit : Math.min(limit, UNKNOWN_NANOS));
    }

    private CompletableFuture<Caller> start(String name, Entry entry, String address) {
        CompletableFuture<Caller> lookup = new CompletableFuture<>();
        Caller known = entry.caller;
        long asked = clock.getAsLong();
        entry.lookup = lookup;
        entry.lookups++;
        entry.waiting.clear();
        entry.seenNanos = asked;
        if (isUnlimited(name)) {
            lookUp(
                    name, entry, known,
                    lookup); // asks no group source: the superuser gets in also when no groups can be had
        } else if (!enqueue(name, entry, lookup, address)) {
            giveUp(entry, known, lookup, asked);
        }
        return lookup;
    }

    /** False: the address has its share of the look-ups that wait. */
    private boolean enqueue(String name, Entry entry, CompletableFuture<Caller> lookup, String address) {
        FairQueue.Share share = queue.join(address, 0);
        try {
            if (!queue.hasRoom(share)) {
                return false;
            }
            entry.waiting.add(address);
            queue.execute(share, new Place(share, name, entry, lookup, address));
            return true;
        } catch (RejectedExecutionException e) { // the server stops
            entry.waiting.remove(address);
            return false;
        } finally {
            share.leave();
        }
    }

    /** Without a look-up: a known user stays as before, and is looked up again at the next request for it. */
    private void giveUp(Entry entry, @Nullable Caller known, CompletableFuture<Caller> lookup, long asked) {
        synchronized (entry) {
            entry.seenNanos = asked;
            entry.lookup = known == null ? lookup : null;
        }
        if (known == null) {
            lookup.completeExceptionally(
                    new RejectedExecutionException("too many users to look up at once; try again"));
        } else {
            lookup.complete(known);
        }
    }

    private void lookUp(String name, Entry entry, @Nullable Caller known, CompletableFuture<Caller> lookup) {
        try {
            Caller caller = known == null ? new Caller(name, namespace) : known;
            renew(caller, known != null);
            synchronized (entry) {
                entry.caller = caller;
            }
            lookup.complete(caller);
        } catch (RuntimeException | Error e) {
            lookup.completeExceptionally(e);
        }
    }

    private void renew(Caller caller, boolean known) {
        if (isUnlimited(caller.name())) {
            caller.become(new int[0], true);
            return;
        }
        try {
            List<String> names = groups.groupsOf(caller.name());
            int[] gids = names.stream().flatMapToInt(this::gid).toArray();
            caller.become(gids, names.contains(config.supergroup()));
        } catch (IOException | RuntimeException e) {
            String kept = known ? "those known before stay" : "none, until the next look";
            LOG.log(Level.WARNING, "cannot find the groups of " + caller.name() + " (" + kept + "): " + e);
        }
    }

    /** Whether the groups of this user do not matter. */
    private boolean isUnlimited(String name) {
        return !config.permissionsEnabled() || name.equals(config.superuser());
    }

    private IntStream gid(String group) {
        int gid = namespace.principalId(group);
        if (gid < 0) {
            LOG.log(Level.WARNING, "the pool has no room for one more group''s name: {0}", group);
        }
        return gid < 0 ? IntStream.empty() : IntStream.of(gid);
    }

    /** Why {@code real} may not act for this user on a connection from there, in Hadoop's words; null if it may. */
    public @Nullable String refusal(String real, Caller user, @Nullable InetAddress from) {
        return config.permissionsEnabled() ? proxyUsers.refusal(real, user, namespace::knownPrincipalId, from) : null;
    }

    private boolean hasRoom(String address) {
        int own = brought.getOrDefault(address, 0);
        int free = usersMax - (entries.size() - own);
        return own < free - free / 2;
    }

    /** Forgets users without a connection sooner than usual. */
    private void makeRoom() {
        long now = clock.getAsLong();
        long last = sweptNanos.get();
        if (now - last > SWEEP_NANOS && sweptNanos.compareAndSet(last, now)) { // else it would find none again
            entries.forEach((name, entry) -> {
                synchronized (entry) {
                    Caller caller = entry.caller;
                    CompletableFuture<Caller> lookup = entry.lookup;
                    boolean idle = (lookup == null || lookup.isDone()) && (caller == null || !caller.isConnected());
                    if (idle && now - entry.seenNanos > ON_THE_WAY_NANOS) {
                        drop(name, entry);
                    }
                }
            });
        }
    }

    private void drop(String name, Entry entry) {
        entry.dropped = true;
        if (entries.remove(name, entry)) {
            brought.computeIfPresent(entry.bringer, (address, count) -> count == 1 ? null : count - 1);
        }
    }

    /** To be called at each {@code groupExpiry}: looks up connected users, and forgets those that have been gone for long. */
    public void refresh() {
        entries.forEach((name, entry) -> {
            synchronized (entry) {
                CompletableFuture<Caller> lookup = entry.lookup;
                if (lookup != null && (!lookup.isDone() || !isOld(entry, lookup))) {
                    return;
                }
                Caller caller = entry.caller;
                if (caller != null && caller.isConnected()) {
                    var _ = start(name, entry, SELF);
                } else if (clock.getAsLong() - entry.seenNanos
                        > 2
                                * config.groupExpiry()
                                        .toNanos()) { // so late that no connection that was given this user is still on
                    // the way in
                    drop(name, entry);
                }
            }
        });
    }

    /** Users that are known now. */
    int size() {
        return entries.size();
    }
}
