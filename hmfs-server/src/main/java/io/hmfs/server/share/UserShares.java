package io.hmfs.server.share;

import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * The one policy for what peers can make the server hold: of each resource <b>a user may hold half of what no other user holds</b>, after an
 * eighth that is kept for superusers (dynamic thresholds, Choudhury and Hahne, 1998). So what one user holds never leaves another without
 * a share, and a user alone has a large one. Superusers may hold all that is left. Users are told by their mark. Peers that have not said
 * who they are share one account.
 *
 * <p>U1. The sum of a resource is that of its accounts, whenever no thread is within a call. U2. {@link Account#tryTake} never makes the sum exceed
 * the bound. U3. A task that waits for room runs, or is forgotten, or the resource has not come below three quarters of the share. Several threads
 * that take for one user at once may exceed the share by what one of them takes, not the bound. Thread-safe; taking allocates nothing.
 */
public final class UserShares {
    /** What the server has a bounded amount of. */
    public enum Resource {
        CONNECTIONS("connections", "connections-max", 1),
        /**
         * Requests that have come in part, or wait to be executed. {@link Account#tryTake} reserves room for the rest of a frame in one half of a share;
         * the other half is for memory that is in use already.
         */
        REQUEST_BYTES("bytes of requests that have come in part or wait", "request-bytes-max", 2),
        REPLY_BYTES("bytes of replies that were not taken", "reply-bytes-max", 1),
        ANSWER_BYTES("bytes of answers that are kept for retries", "answer-bytes-max", 1),
        LEASES("leases", "", 1),
        /** Rings of the pool. */
        OUTCOME_RINGS("rings of outcomes", "", 1),
        /** Names in the pool's table, which keeps them for ever. A start counts those of before for nobody, and bounds the room that is left. */
        PRINCIPALS("new names of users and groups in ACLs", "", 1);

        private final String what;
        private final String setting;
        private final int parts; // of one of them tryTake disposes

        Resource(String what, String setting, int parts) {
            this.parts = parts;
            this.what = what;
            this.setting = setting;
        }

        /** For people, in the plural. */
        public String what() {
            return what;
        }

        /** A word for metrics. */
        public String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private static final System.Logger LOG = System.getLogger(UserShares.class.getName());
    private static final long WARNING_NANOS = TimeUnit.MINUTES.toNanos(1);

    /** One part of so many is for superusers alone. */
    static final int RESERVE = 8;

    private final Map<Resource, Pot> pots = new EnumMap<>(Resource.class);
    private final ConcurrentHashMap<Long, Account> accounts = new ConcurrentHashMap<>();
    private final Account nobody = new Account(0, "peers without a handshake");

    /** A resource, over all users. */
    private static final class Pot {
        final Resource resource;
        volatile long max;
        final AtomicLong used = new AtomicLong();
        final LongAdder refusals = new LongAdder();
        final AtomicLong warnedNanos = new AtomicLong(System.nanoTime() - WARNING_NANOS);

        final LinkedHashSet<Account> awaited =
                new LinkedHashSet<>(); // with tasks that wait; guarded by this pot, as those are
        volatile int waiting;

        Pot(Resource resource, long max) {
            this.resource = resource;
            this.max = max;
        }
    }

    /** What one user holds of one resource. */
    private static final class Holding {
        final AtomicLong held = new AtomicLong();
        final ArrayDeque<Waiter> waiting = new ArrayDeque<>(0); // guarded by the pot
    }

    /** {@code amount}: what the task will take; 0: that is not known, and any room will do. */
    private record Waiter(long amount, Runnable task) {}

    /** {@code max}: how much there is of each; a resource that is not named has no bound. */
    public UserShares(Map<Resource, Long> max) {
        nobody.joined.incrementAndGet();
        for (Resource each : Resource.values()) {
            pots.put(each, new Pot(each, max.getOrDefault(each, Long.MAX_VALUE / RESERVE)));
        }
    }

    /** There is so much of a resource: what only the pool can tell. Before anything of it is taken. */
    public void bound(Resource resource, long max) {
        pot(resource).max = max;
    }

    private Pot pot(Resource resource) {
        return Objects.requireNonNull(pots.get(resource), "each has one");
    }

    /** What one user holds. */
    public final class Account {
        private final long mark;
        private final Map<Resource, Holding> holdings = new EnumMap<>(Resource.class);
        private final AtomicBoolean lent = new AtomicBoolean();
        private volatile String name;
        private volatile boolean superuser;
        private final AtomicInteger joined = new AtomicInteger(); // changed within computations of the map

        private Account(long mark, String name) {
            this.mark = mark;
            this.name = name;
            for (Resource each : Resource.values()) {
                holdings.put(each, new Holding());
            }
        }

        private Holding holding(Resource resource) {
            return Objects.requireNonNull(holdings.get(resource), "each has one");
        }

        /** Ends what {@link UserShares#join} began. */
        public void leave() {
            accounts.computeIfPresent(mark, (key, known) -> {
                joined.decrementAndGet();
                return isGone() ? null : known;
            });
        }

        private boolean isGone() {
            return joined.get() == 0
                    && holdings.values().stream().allMatch(each -> each.held.get() == 0 && each.waiting.isEmpty());
        }

        /** Whether what is kept for superusers is for this one. */
        public boolean isSuperuser() {
            return superuser;
        }

        /** What the user holds. */
        public long held(Resource resource) {
            return holding(resource).held.get();
        }

        /** How much the user may hold now. */
        public long share(Resource resource) {
            Pot pot = pot(resource);
            return share(pot, held(resource), pot.used.get());
        }

        private long share(Pot pot, long held, long used) {
            long others = used - held;
            if (superuser) {
                return pot.max - others;
            }
            long free = pot.max - pot.max / RESERVE - others;
            return free <= 0 ? 0 : free - free / 2; // of one that is left, one
        }

        /** Takes so much if the user then holds no more than the share, or, of bytes of requests, than half of it. */
        public boolean tryTake(Resource resource, long amount) {
            Pot pot = pot(resource);
            AtomicLong held = holding(resource).held;
            long with = held.addAndGet(amount);
            long used = pot.used.get();
            while (with <= share(pot, with - amount, used) / resource.parts) {
                if (pot.used.compareAndSet(used, used + amount)) {
                    return true;
                }
                used = pot.used.get();
            }
            held.addAndGet(-amount);
            return false;
        }

        /**
         * Takes so much beyond the share, also of what is kept for superusers, if the user has nothing else of the kind: so that of those who wait for
         * room, each holding some, one at a time gets on. Ends with {@link #endLoan}, beside a call of {@link #add}.
         */
        public boolean tryBorrow(Resource resource, long amount) {
            if (lent.get() || !lent.compareAndSet(false, true)) {
                return false;
            }
            Pot pot = pot(resource);
            long used = pot.used.get();
            while (used + amount <= pot.max) {
                if (pot.used.compareAndSet(used, used + amount)) {
                    holding(resource).held.addAndGet(amount);
                    return true;
                }
                used = pot.used.get();
            }
            lent.set(false);
            return false;
        }

        public void endLoan(Resource resource) {
            lent.set(false);
            wake(pot(resource));
        }

        /** Takes so much, which is there already; gives it back if negative. */
        public void add(Resource resource, long amount) {
            if (amount == 0) {
                return;
            }
            Pot pot = pot(resource);
            long held = holding(resource).held.addAndGet(amount);
            long used = pot.used.addAndGet(amount);
            if (amount > 0) {
                long half = share(pot, held, used) / 2;
                if (held > half && held - amount <= half) {
                    warn(pot, held);
                }
            } else {
                wake(pot);
                if (joined.get() == 0) {
                    accounts.computeIfPresent(mark, (key, known) -> isGone() ? null : known);
                }
            }
        }

        /** Whether the share is used up. */
        public boolean isFull(Resource resource) {
            return isUsed(resource, 1);
        }

        /** Whether half of the share is used up. */
        public boolean isScarce(Resource resource) {
            return isUsed(resource, 2);
        }

        private boolean isUsed(Resource resource, int parts) {
            Pot pot = pot(resource);
            long used = pot.used.get();
            if (used < pot.max / RESERVE) { // then nobody holds so much
                return false;
            }
            long held = held(resource);
            return held >= share(pot, held, used) / parts;
        }

        /** Counts a refusal, and says why: whose share is full, and what raises it. */
        public String refusal(Resource resource) {
            Pot pot = pot(resource);
            pot.refusals.increment();
            long held = held(resource);
            String raise = resource.setting.isEmpty() ? "" : "; " + resource.setting + " (" + pot.max + ") raises it";
            return "the share of " + name + " is full: " + held + " " + resource.what
                    + ", where a user may hold half of what no other holds" + raise;
        }

        /**
         * Runs a task when there is room for so much, which it then takes or asks for again; 0: for anything. Perhaps at once, on any thread, which the
         * task must not block.
         */
        public void whenRoom(Resource resource, long amount, Runnable task) {
            Pot pot = pot(resource);
            synchronized (pot) {
                holding(resource).waiting.add(new Waiter(amount, task));
                pot.awaited.add(this);
                pot.waiting++;
            }
            if (amount > 0) {
                wake(pot); // since the caller looked
            } else if (!isFull(resource) && forget(resource, task)) {
                task.run();
            }
        }

        /** A task does not wait any more, as when its connection has ended; false: it did not. */
        public boolean forget(Resource resource, Runnable task) {
            Pot pot = pot(resource);
            if (pot.waiting == 0) {
                return false;
            }
            synchronized (pot) {
                ArrayDeque<Waiter> waiting = holding(resource).waiting;
                int before = waiting.size();
                waiting.removeIf(each -> each.task.equals(task));
                if (waiting.isEmpty()) {
                    pot.awaited.remove(this);
                }
                pot.waiting -= before - waiting.size();
                return waiting.size() < before;
            }
        }

        /** Takes out those of its tasks for which there is room. Under the lock of the pot. */
        private void takeWoken(Pot pot, List<Runnable> woken) {
            ArrayDeque<Waiter> waiting = holding(pot.resource).waiting;
            long used = pot.used.get();
            long held = held(pot.resource);
            long share = share(pot, held, used);
            long room = share / pot.resource.parts - held;
            int before = woken.size();
            while (!waiting.isEmpty()) {
                long amount = waiting.element().amount;
                boolean fits = amount == 0
                        ? room > share / 4 // not for each bit of room: all are woken
                        : amount <= room || (woken.size() == before && !lent.get() && used + amount <= pot.max);
                if (!fits) {
                    return;
                }
                woken.add(waiting.remove().task);
                room -= amount;
            }
        }

        private void warn(Pot pot, long held) {
            long now = System.nanoTime();
            long last = pot.warnedNanos.get();
            if (now - last >= WARNING_NANOS && pot.warnedNanos.compareAndSet(last, now)) {
                LOG.log(
                        Level.WARNING,
                        "half of a share is used: {0} has {1} {2}; from here on the server takes less of this user at a time",
                        name,
                        Long.toString(held),
                        pot.resource.what);
            }
        }
    }

    /** Account of a user; ends with {@link Account#leave}. */
    public Account join(long mark) {
        return Objects.requireNonNull(accounts.compute(mark, (key, known) -> {
            Account account = known == null ? new Account(mark, "a user of before the start") : known;
            account.joined.incrementAndGet();
            return account;
        }));
    }

    /** The same of a user that has said who it is. */
    public Account join(long mark, String name, boolean superuser) {
        Account account = join(mark);
        account.name = "user " + name;
        account.superuser = superuser;
        return account;
    }

    /** Of peers that have not said who they are. */
    public Account nobody() {
        return nobody;
    }

    /** Lets tasks go on that have room. */
    private static void wake(Pot pot) {
        if (pot.waiting == 0) {
            return;
        }
        List<Runnable> woken = new ArrayList<>();
        synchronized (pot) {
            pot.awaited.removeIf(each -> {
                each.takeWoken(pot, woken);
                return each.holding(pot.resource).waiting.isEmpty();
            });
            pot.waiting -= woken.size();
        }
        woken.forEach(Runnable::run);
    }

    /** What is held of a resource, by all. */
    public long used(Resource resource) {
        return pot(resource).used.get();
    }

    /** How much there is. */
    public long max(Resource resource) {
        return pot(resource).max;
    }

    /** What the user holds that has most. */
    public long largest(Resource resource) {
        long largest = nobody.held(resource);
        for (Account each : accounts.values()) {
            largest = Math.max(largest, each.held(resource));
        }
        return largest;
    }

    /** Refusals because a share was full. */
    public long refusals(Resource resource) {
        return pot(resource).refusals.sum();
    }

    /** Tasks that wait for room. */
    public int waiting(Resource resource) {
        return pot(resource).waiting;
    }

    /** Users that hold something, or may. */
    public int users() {
        return accounts.size();
    }
}
