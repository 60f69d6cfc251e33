package io.hmfs.server.share;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Work that waits for a thread, and whose turn it is: users take turns, and the clients of one user among themselves, however many
 * connections each has. A turn is so many bytes, kept over to the next when less was needed, lent when one piece is more (deficit round
 * robin, Shreedhar and Varghese, SIGCOMM 1995). Work of one client begins in order. Thread-safe.
 *
 * <p>A user's work begins while it has fewer threads than are free: so a user has half of those that others leave, and what takes long,
 * of which its bytes tell nothing, holds up only the user's own.
 *
 * <p>How much may wait follows what others leave: a client is read on while its bytes and its user's are no more than what is free
 * (dynamic thresholds, Choudhury and Hahne, 1998). So one that floods alone gets a third of all, whatever the number of its connections,
 * and a user with nothing there finds room before all others.
 */
public final class FairQueue {
    /** Bytes of a turn. */
    public static final long TURN_BYTES = 256 << 10;

    /** Connections that one piece of work wakes, or looks at, when it is done: that is the disk's time. */
    static final int WAKES_MAX = 64;

    /** A piece of work. */
    public interface Work extends Runnable {
        /** Bytes that it holds. The same at each call. */
        long bytes();
    }

    private final Executor threads;
    private final int threadsMax;
    private final long bytesMax;
    private final AtomicLong bytes = new AtomicLong(); // changed under the lock, read without

    // Under the lock, as is everything in users and shares:
    private final Round<User> round = new Round<>();
    private final Map<String, User> users = new HashMap<>();
    private final LinkedHashSet<User> awaited = new LinkedHashSet<>(); // users with clients that wait for room; in turn
    private int waiters;
    private int requests;
    private int running;
    private int left; // pieces of work without a task at the threads: nobody whose work waits may have another thread

    /** {@code threads} runs so many tasks at once. */
    public FairQueue(Executor threads, int threadsMax, long bytesMax) {
        this.threads = threads;
        this.threadsMax = threadsMax;
        this.bytesMax = bytesMax;
    }

    /** A member of the round robin. */
    public abstract static class Member {
        long credit;

        /** Bytes of the work that is next; there is some. */
        abstract long next();

        abstract Work take();

        abstract boolean isIdle();

        /** Whether its work may begin now. */
        boolean mayRun() {
            return true;
        }
    }

    /** Members that have work, the one whose turn it is first. */
    private static final class Round<M extends Member> {
        private final ArrayDeque<M> turns = new ArrayDeque<>();

        void enter(M member) {
            member.credit = TURN_BYTES;
            turns.add(member);
        }

        /** Of those whose work may begin. Null: there is none. */
        @Nullable
        M first() {
            for (int passed = 0; passed < turns.size(); turns.add(turns.remove())) {
                M first = turns.element();
                if (!first.mayRun()) {
                    passed++;
                } else if (first.credit < first.next()) { // each time round it can afford a turn more
                    first.credit += TURN_BYTES;
                    passed = 0;
                } else {
                    return first;
                }
            }
            return null;
        }

        /** From the {@link #first}, which is at the head of the turns. */
        Work take(M first) {
            first.credit -= first.next();
            Work work = first.take();
            if (first.isIdle()) {
                turns.remove();
            }
            return work;
        }
    }

    /** A user: its clients, and what they have here together. */
    private final class User extends Member {
        private final String name;
        private final Round<Share> round = new Round<>();
        private final Map<Long, Share> shares = new HashMap<>();
        private final LinkedHashSet<Share> awaited = new LinkedHashSet<>(); // that wait for room; in turn
        private long bytes;
        private int running;

        User(String name) {
            this.name = name;
        }

        @Override
        long next() {
            return first().next();
        }

        @Override
        Work take() {
            return round.take(first());
        }

        private Share first() {
            return Objects.requireNonNull(round.first(), "clients may always run");
        }

        @Override
        boolean isIdle() {
            return round.turns.isEmpty();
        }

        @Override
        boolean mayRun() {
            return running < threadsMax - FairQueue.this.running;
        }
    }

    /** A client of a user, with all its connections. */
    public final class Share extends Member {
        private final User user;
        private final long clientId;
        private final ArrayDeque<Work> waiting = new ArrayDeque<>();
        private final LinkedHashSet<Runnable> whenRoom = new LinkedHashSet<>();
        private long bytes;
        private int connections;

        private Share(User user, long clientId) {
            this.user = user;
            this.clientId = clientId;
        }

        @Override
        long next() {
            return waiting.element().bytes();
        }

        @Override
        Work take() {
            return waiting.remove();
        }

        @Override
        boolean isIdle() {
            return waiting.isEmpty();
        }

        /** One of its connections has ended. */
        public void leave() {
            synchronized (FairQueue.this) {
                connections--;
                forgetIfGone();
            }
        }

        /** A task that waits for room does so no more, if it does: its connection ends. */
        public void forget(Runnable task) {
            synchronized (FairQueue.this) {
                if (whenRoom.remove(task)) {
                    waiters--;
                }
                if (whenRoom.isEmpty()) {
                    user.awaited.remove(this);
                }
                if (user.awaited.isEmpty()) {
                    awaited.remove(user);
                }
            }
        }

        /** What is still here counts on, or a client that connects again would find room anew. */
        private void forgetIfGone() {
            if (connections == 0 && bytes == 0 && whenRoom.isEmpty()) {
                user.shares.remove(clientId);
                if (user.shares.isEmpty()) {
                    users.remove(user.name);
                }
            }
        }

        private boolean hasRoom() {
            return bytes + user.bytes <= bytesMax - FairQueue.this.bytes.get();
        }
    }

    /** A connection of this client begins; ends with {@link Share#leave}. */
    public synchronized Share join(String user, long clientId) {
        User known = users.computeIfAbsent(user, User::new);
        Share share = known.shares.computeIfAbsent(clientId, id -> new Share(known, id));
        share.connections++;
        return share;
    }

    /** Has it done when its turn comes; the thread that does it ends with {@link #done}. */
    public void execute(Share share, Work work) {
        boolean isLeft;
        synchronized (this) {
            requests++;
            count(share, work.bytes());
            if (share.user.isIdle()) {
                round.enter(share.user);
            }
            if (share.isIdle()) {
                share.user.round.enter(share);
            }
            share.waiting.add(work);
            isLeft = !share.user.mayRun();
            left += isLeft ? 1 : 0;
        }
        if (!isLeft) {
            threads.execute(this::runNext);
        }
    }

    private void count(Share share, long more) {
        bytes.addAndGet(more);
        share.user.bytes += more;
        share.bytes += more;
    }

    /** One piece of work, and then of those that were left, until their users may have no other thread. */
    private void runNext() {
        boolean goesOn = true;
        while (goesOn) {
            User user;
            Work work;
            boolean anotherMayRun;
            synchronized (this) {
                user = round.first();
                if (user == null) {
                    left++;
                    return;
                }
                work = round.take(user);
                user.running++;
                running++;
                anotherMayRun = takeLeft(); // an end gives way to more than one, where several users have theirs left
            }
            if (anotherMayRun) {
                handOver();
            }
            try {
                work.run();
            } catch (Throwable e) {
                if (end(user)) {
                    handOver();
                }
                throw e;
            }
            goesOn = end(user);
        }
    }

    /** True: a piece that was left may begin in its place. */
    private synchronized boolean end(User user) {
        user.running--;
        running--;
        return takeLeft();
    }

    /** A piece that was left goes to another thread; threads that take nothing more do it where one of them still runs. */
    private void handOver() {
        try {
            threads.execute(this::runNext);
        } catch (RejectedExecutionException e) {
            synchronized (this) {
                left++;
            }
        }
    }

    private boolean takeLeft() {
        boolean may = left > 0 && round.first() != null;
        left -= may ? 1 : 0;
        return may;
    }

    /** It has been done. */
    public void done(Share share, Work work) {
        boolean wakes;
        synchronized (this) {
            requests--;
            count(share, -work.bytes());
            share.forgetIfGone();
            wakes = !awaited.isEmpty();
        }
        while (wakes) {
            wakes = wake();
        }
    }

    /** Wakes some; true if all clients that are left must be woken now, for there is no other work that would do it when it is done. */
    private boolean wake() {
        List<Runnable> woken = new ArrayList<>();
        boolean isLast;
        synchronized (this) {
            for (int i = 0; i < WAKES_MAX && !awaited.isEmpty(); i++) {
                User user = awaited.removeFirst();
                Share share = user.awaited.removeFirst();
                // Not for each bit of room: many of a client's connections are woken, and most would wait on.
                if (share.bytes + share.bytes + user.bytes <= bytesMax - bytes.get()) {
                    woken.add(share.whenRoom.removeFirst());
                    waiters--;
                }
                if (share.whenRoom.isEmpty()) {
                    share.forgetIfGone();
                } else {
                    user.awaited.add(share);
                }
                if (!user.awaited.isEmpty()) {
                    awaited.add(user);
                }
            }
            isLast = requests == 0 && !awaited.isEmpty();
        }
        woken.forEach(Runnable::run);
        return isLast;
    }

    /** Whether more of this client's requests may be read. */
    public boolean hasRoom(Share share) {
        if (3 * bytes.get() <= bytesMax) { // then no user can have too much; this is what connections ask each time
            return true;
        }
        synchronized (this) {
            return share.hasRoom();
        }
    }

    /**
     * Runs a task, which must not have been handed in already, once there is room again, on any thread, unless {@link Share#forget} comes
     * before; false if there is room, and the task does not run.
     */
    public synchronized boolean await(Share share, Runnable task) {
        if (share.hasRoom()) {
            return false;
        }
        share.whenRoom.add(task);
        share.user.awaited.add(share);
        awaited.add(share.user);
        waiters++;
        return true;
    }

    /** Pieces of work that wait or are being done. */
    public synchronized int requests() {
        return requests;
    }

    /** Bytes of all of them. */
    public long bytes() {
        return bytes.get();
    }

    /** Users with some of them. */
    public synchronized int users() {
        return (int) users.values().stream().filter(user -> user.bytes > 0).count();
    }

    /** Bytes of the user with the most. */
    public synchronized long largestBytes() {
        return users.values().stream().mapToLong(user -> user.bytes).max().orElse(0);
    }

    /** Tasks that wait for room. */
    public synchronized int waiting() {
        return waiters;
    }
}
