package io.hmfs.server.access;

import io.hmfs.core.Namespace;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The users that are connected, or were a moment ago. A user's groups are looked up once for all connections, on threads that
 * may block, and again from time to time while one of them lives. If that fails, what was known stays. Thread-safe.
 */
public final class Callers {
    private static final System.Logger LOG = System.getLogger(Callers.class.getName());

    /** A user without groups is looked up again sooner: he may have just been made. */
    private static final long UNKNOWN_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final Namespace namespace;
    private final AccessConfig config;
    private final GroupSource groups;
    private final Executor threads;
    private final LongSupplier clock;
    private final ConcurrentHashMap<String, Entry> entries = new ConcurrentHashMap<>();

    /** What is known of one user. */
    private static final class Entry {
        private @Nullable Caller caller; // all fields guarded by this; the same one for ever
        private @Nullable CompletableFuture<Caller> lookup; // the last one
        private long seenNanos;
        private boolean dropped;
    }

    /**
     * Makes a registry.
     *
     * @param threads where groups are looked up
     * @param clock nanoseconds, from any start
     */
    public Callers(Namespace namespace, AccessConfig config, GroupSource groups, Executor threads, LongSupplier clock) {
        this.namespace = namespace;
        this.config = config;
        this.groups = groups;
        this.threads = threads;
        this.clock = clock;
    }

    /**
     * The user of this name; done already when nothing has to be looked up. Fails with an {@code IOException} if there is no
     * room for the name, with a {@code RejectedExecutionException} if too many look-ups wait.
     */
    public CompletableFuture<Caller> of(String name) {
        while (true) {
            Entry entry = entries.computeIfAbsent(name, made -> new Entry());
            synchronized (entry) {
                if (!entry.dropped) {
                    return current(name, entry);
                }
            }
        }
    }

    private CompletableFuture<Caller> current(String name, Entry entry) {
        CompletableFuture<Caller> lookup = entry.lookup;
        if (lookup == null || (lookup.isDone() && isOld(entry, lookup))) {
            lookup = start(name, entry);
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

    private CompletableFuture<Caller> start(String name, Entry entry) {
        CompletableFuture<Caller> lookup = new CompletableFuture<>();
        entry.lookup = lookup;
        entry.seenNanos = clock.getAsLong();
        Caller known = entry.caller;
        try {
            threads.execute(() -> lookUp(name, entry, known, lookup));
        } catch (RejectedExecutionException e) {
            lookup.completeExceptionally(
                    new RejectedExecutionException("too many users to look up at once; try again", e));
        }
        return lookup;
    }

    private void lookUp(String name, Entry entry, @Nullable Caller known, CompletableFuture<Caller> lookup) {
        try {
            int uid = namespace.principalId(name);
            if (uid < 0) {
                throw new IOException("the pool has no room for one more user's name: " + name);
            }
            Caller caller = known == null ? new Caller(name, uid) : known;
            renew(caller, known != null);
            synchronized (entry) {
                entry.caller = caller;
            }
            lookup.complete(caller);
        } catch (IOException | RuntimeException | Error e) {
            lookup.completeExceptionally(e);
        }
    }

    private void renew(Caller caller, boolean known) {
        boolean unlimited = !config.permissionsEnabled() || caller.name().equals(config.superuser());
        if (unlimited) {
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

    private IntStream gid(String group) {
        int gid = namespace.principalId(group);
        if (gid < 0) {
            LOG.log(Level.WARNING, "the pool has no room for one more group''s name: {0}", group);
        }
        return gid < 0 ? IntStream.empty() : IntStream.of(gid);
    }

    /** To be called at each {@code groupExpiry}: looks up those who are connected, and forgets those who have been gone for long. */
    public void refresh() {
        entries.forEach((name, entry) -> {
            synchronized (entry) {
                CompletableFuture<Caller> lookup = entry.lookup;
                if (lookup == null || !lookup.isDone() || !isOld(entry, lookup)) {
                    return;
                }
                Caller caller = entry.caller;
                if (caller != null && caller.isConnected()) {
                    var _ = start(name, entry);
                } else if (clock.getAsLong() - entry.seenNanos
                        > 2
                                * config.groupExpiry()
                                        .toNanos()) { // so late that nobody who was given him is still on the way in
                    entry.dropped = true;
                    entries.remove(name, entry);
                }
            }
        });
    }

    /** Users that are known now. */
    int size() {
        return entries.size();
    }
}
