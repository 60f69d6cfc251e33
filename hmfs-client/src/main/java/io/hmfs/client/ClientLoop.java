package io.hmfs.client;

import io.hmfs.client.transport.Transport;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The client's event loop, on the threads of its callers. A thread that waits for a reply does the loop's work meanwhile:
 * sends, reads, completes calls of other threads, runs timers. So a call of a single thread crosses to no other thread of
 * the client (docs/adr/0160).
 *
 * <p>Two roles, each of one thread at a time:
 *
 * <ul>
 *   <li><em>On the loop</em> is the thread that has the lock, for as long as it works. Calls, connections, timers and
 *       codecs are touched on the loop only. A thread that finds the lock taken leaves its call in a queue, at which the
 *       holder looks again after it has unlocked.
 *   <li><em>The poller</em> waits for the network, without the lock. It is one of the threads that wait for a reply; when
 *       its own is there it leaves, and one of the others follows. If calls are under way for which no thread waits, or a
 *       timer is due, it is the background thread.
 * </ul>
 *
 * <p>Where several threads wait, but not many, and answers come soon, they do not park: they <em>take turns</em> at being the poller, for one
 * look at the network each, and yield the processor between.
 *
 * <p>No wake-up is lost: whatever makes work (a call in the queue, a thread that waits, the end of a poller's time) is
 * stored first, and then the roles are looked at; a thread that gives a role up, or takes turns no more, does that first, and
 * then looks for work.
 */
final class ClientLoop {
    /** What is done on the loop. */
    interface Work {
        /** Sends a call, or has it wait until it can be sent. */
        void begin(Call<?, ?> call);

        /** Sends what was written. */
        void flush();

        /** Calls that have no outcome yet. */
        int openCalls();
    }

    /** A poller looks for a reply again and again for so long before it waits: half of what waking a thread may take. */
    private static final long SPIN_NANOS =
            Runtime.getRuntime().availableProcessors() > 1 ? TimeUnit.MICROSECONDS.toNanos(50) : 0;

    private static final int PROCESSORS = Runtime.getRuntime().availableProcessors();

    /** A thread that takes turns yields at most so often, which costs itself some 50 µs, and for at most so long, since others may use what it yields. */
    private static final int TURNS_MOST = 64;

    private static final long TURNS_NANOS = TimeUnit.MICROSECONDS.toNanos(200);

    /** If more threads wait, they take no turns: one that yields comes behind all the others, for a slice of the processor's time or more. */
    static final int TURNS_THREADS = 8 * PROCESSORS;

    /** Threads that wait and poll for themselves. If there are more, the background thread does for all: they would take turns. */
    private static final int FEW = 2;

    private static final int COMBINE_MAX =
            16; // times that a thread runs what others have left it, for one call of its own
    private static final long BEHIND_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long CLOSE_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final Transport transport;
    private final Thread background = new Thread(this::look, "hmfs-client");
    private final ReentrantLock lock = new ReentrantLock();
    private final Queue<Call<?, ?>> submitted = new ConcurrentLinkedQueue<>();
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final AtomicReference<@Nullable Thread> poller = new AtomicReference<>();
    private final Queue<Waiter> followers = new ConcurrentLinkedQueue<>();
    private final AtomicInteger attending = new AtomicInteger(); // threads that wait for a call, or are about to
    private final AtomicInteger taking = new AtomicInteger(); // of them, those that take turns
    private volatile boolean asleep; // the poller waits for the network, or is about to
    private volatile boolean told; // since the queues were last looked at, a thread was woken for them
    private volatile int open; // of the work, as of the last unlock
    private volatile long nextTimerNanos = System.nanoTime() + Long.MAX_VALUE / 2;
    private volatile boolean closed;

    // On the loop only.
    private final PriorityQueue<Timer> timers = new PriorityQueue<>();
    private @Nullable Work work;

    ClientLoop(Transport transport) {
        this.transport = transport;
        background.setDaemon(true);
    }

    /** Begins. */
    void start(Work newWork) {
        lock.lock();
        try {
            work = newWork;
        } finally {
            lock.unlock();
        }
        background.start();
    }

    /** Whether the calling thread is on the loop; it must not wait for a reply then. */
    boolean isOnLoop() {
        return lock.isHeldByCurrentThread();
    }

    /** Sends a call for which no thread need wait. */
    void submit(Call<?, ?> call) {
        if (isOnLoop()) {
            begin(call);
            all().flush();
            return;
        }
        submitted.add(call);
        tell();
    }

    /** Sends a call, and waits for it as {@link #await} does; on the calling thread as far as that is possible. */
    boolean call(Call<?, ?> call, long nanos) throws InterruptedException {
        attending.incrementAndGet();
        try {
            submitted.add(call);
            int waiting = attending.get();
            if (waiting > 1 && waiting <= TURNS_THREADS && call.kind.patience.isWorthWhile()) {
                call.kind.patience.learn(takeTurns(call));
            } else if (isCrowded()) {
                tell(); // one thread sends what many have left it
            } else if (poller.get() == null || asleep) {
                combine();
            } // else the poller looks at the queue before it waits
            return attend(call, nanos);
        } finally {
            attending.decrementAndGet();
            handOn();
        }
    }

    /**
     * Waits for a call without parking, for a short time: yields the processor to other threads, and now and then works on the
     * loop once. To be woken costs a thread more than that where answers come soon, and what several threads have left in the
     * queue goes out together. Returns whether the call is done.
     */
    @SuppressWarnings("ThreadPriorityCheck") // it is no guess: what the yield is worth is measured, docs/adr/0210
    private boolean takeTurns(Call<?, ?> call) {
        taking.incrementAndGet();
        try {
            if (asleep) {
                combine(); // no need to wake the poller
            }
            int others = Math.max(1, attending.get() / PROCESSORS); // that want this processor
            long end = System.nanoTime() + TURNS_NANOS;
            for (int i = 1; i <= TURNS_MOST && !Thread.currentThread().isInterrupted(); i++) {
                Thread.yield();
                if (call.isDone()) {
                    return true;
                }
                if (i % others == 0) {
                    takeTurn();
                }
                if (System.nanoTime() - end >= 0) {
                    break;
                }
            }
            return call.isDone();
        } finally {
            taking.decrementAndGet();
        }
    }

    private void takeTurn() {
        if (poller.get() == null && poller.compareAndSet(null, Thread.currentThread())) {
            try {
                turn(lock.tryLock());
            } finally {
                poller.set(null);
            }
        }
    }

    /**
     * Waits until a future is done, and sees to the loop meanwhile if no other thread does. Not on the loop. Returns whether
     * it is done; not, if the time is over.
     */
    boolean await(CompletableFuture<?> future, long nanos) throws InterruptedException {
        attending.incrementAndGet();
        try {
            return attend(future, nanos);
        } finally {
            attending.decrementAndGet();
            handOn();
        }
    }

    private boolean attend(CompletableFuture<?> future, long nanos) throws InterruptedException {
        Thread self = Thread.currentThread();
        long deadline = System.nanoTime() + nanos;
        Waiter waiter = new Waiter(self, future);
        try {
            while (!future.isDone()) {
                if (Thread.interrupted()) {
                    throw new InterruptedException();
                }
                long left = deadline - System.nanoTime();
                if (left <= 0) {
                    return false;
                }
                if (poller.get() == null && !isCrowded() && poller.compareAndSet(null, self)) {
                    try {
                        poll(waiter, deadline);
                    } finally {
                        poller.set(null);
                    }
                } else if (waiter.follow()) {
                    if (poller.get() == null && taking.get() == 0) {
                        LockSupport.unpark(background);
                    }
                    LockSupport.parkNanos(this, left);
                }
            }
            return true;
        } finally {
            waiter.leave();
        }
    }

    /** As poller: until the waiter's future is done, its time is over, or it is interrupted. */
    private void poll(Waiter waiter, long deadline) {
        long spinUntil = System.nanoTime() + SPIN_NANOS;
        while (!waiter.future.isDone() && !waiter.thread.isInterrupted()) {
            if (turn(lock.tryLock())) {
                continue;
            }
            long now = System.nanoTime();
            if (now - deadline >= 0) {
                return;
            }
            if (now - spinUntil < 0) {
                Thread.onSpinWait();
            } else {
                waiter.watch();
                sleep(waiter.future, Math.min(deadline - now, nextTimerNanos - now));
                lock.lock();
                turn(true);
            }
        }
    }

    /** Waits for the network; not if something is there already that would not wake it. */
    private void sleep(@Nullable CompletableFuture<?> future, long nanos) {
        asleep = true;
        try {
            if (nanos > 0 && isIdle() && !closed && (future == null || !future.isDone())) {
                transport.await(nanos);
            }
        } finally {
            asleep = false;
        }
    }

    /** Works on the loop once, and unlocks it. Returns whether anything was done. */
    private boolean turn(boolean locked) {
        if (!locked) {
            return false; // a thread that sends has it, and will not keep it for long
        }
        boolean any;
        try {
            any = transport.poll();
            any |= runTimers();
            runQueued();
        } finally {
            leave();
        }
        combine();
        return any;
    }

    private boolean isIdle() {
        return submitted.isEmpty() && tasks.isEmpty();
    }

    /** Runs what is in the queues, unless another thread is on the loop: that one looks again when it has left. */
    private void combine() {
        for (int i = 0; !isIdle() && !isOnLoop(); i++) {
            if (i == COMBINE_MAX) {
                tell();
                return;
            }
            if (!lock.tryLock()) {
                return;
            }
            try {
                if (poller.get()
                        == null) { // no thread has looked: the connection may be gone, and must not get the call
                    transport.poll();
                }
                runQueued();
            } finally {
                leave();
            }
        }
    }

    private void runQueued() {
        told = false;
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            run(task);
        }
        Call<?, ?> call = submitted.poll();
        if (call == null) {
            return;
        }
        for (; call != null; call = submitted.poll()) {
            begin(call);
        }
        all().flush();
    }

    private void begin(Call<?, ?> call) {
        try {
            all().begin(call);
        } catch (RuntimeException e) { // a defect: not of the thread that happens to send it
            call.completeExceptionally(e);
        }
    }

    private static void run(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException e) {
            report(e);
        }
    }

    /** A defect that no caller can be told of. */
    private static void report(RuntimeException defect) {
        System.getLogger(ClientLoop.class.getName()).log(System.Logger.Level.ERROR, "in the client's loop", defect);
    }

    private Work all() {
        Work all = work;
        if (all == null) {
            throw new IllegalStateException("not started");
        }
        return all;
    }

    private void leave() {
        Work all = work;
        open = all == null ? 0 : all.openCalls();
        lock.unlock();
    }

    /** Has the poller look at the queues, or the background thread if there is none. */
    private void tell() {
        if (closed) { // there may be no thread to tell
            combine();
            return;
        }
        if (told) {
            return; // a thread that was told before has not looked yet
        }
        told = true;
        Thread other = poller.get();
        if (other == null) {
            LockSupport.unpark(background);
        } else if (asleep) {
            transport.wakeUp();
        }
    }

    /** What a thread owes the others when it is no poller any more, or has sent a call: that one of them sees to the rest. */
    private void handOn() {
        combine();
        if (poller.get() != null || taking.get() > 0) {
            return; // it comes by here when it leaves
        }
        if (isServed()) {
            LockSupport.unpark(background);
            return;
        }
        for (Waiter waiter : followers) {
            if (!waiter.future.isDone()) {
                LockSupport.unpark(waiter.thread);
                return;
            }
        }
    }

    private boolean isCrowded() {
        return attending.get() > FEW;
    }

    /** Whether the poller is to be the background thread. Not while others take turns: they come by handOn, or say so when they park. */
    private boolean isServed() {
        if (taking.get() > 0) {
            return false;
        }
        int waiting = attending.get();
        int all = open;
        return all > waiting || (waiting > FEW && all > 0);
    }

    /** The background thread. */
    private void look() {
        Thread self = Thread.currentThread();
        while (!closed) {
            long left = nextTimerNanos - System.nanoTime();
            boolean wanted = left <= 0 || !isIdle() || isServed();
            if (wanted && poller.compareAndSet(null, self)) {
                try {
                    serve();
                } catch (RuntimeException e) {
                    report(e);
                } finally {
                    poller.set(null);
                }
                handOn();
            } else { // a poller looks itself at queues and timers, and comes by handOn when it leaves
                handOn();
                LockSupport.parkNanos(this, left > 0 ? left : BEHIND_NANOS);
            }
        }
    }

    /** As poller: while calls are under way for which no thread waits. */
    private void serve() {
        do {
            lock.lock();
            if (!turn(true) && isServed()) {
                sleep(null, nextTimerNanos - System.nanoTime());
            }
        } while (isServed() && !closed);
    }

    /** Has the loop run a task soon. Any thread. */
    void execute(Runnable task) {
        tasks.add(task);
        if (!isOnLoop()) {
            tell();
        }
    }

    /** Has the loop run a task after a delay, unless the timer is cancelled. Any thread. */
    Timer schedule(Runnable task, long delayNanos) {
        Timer timer = new Timer(task, System.nanoTime() + delayNanos, 0);
        add(timer);
        return timer;
    }

    /** Has the loop forget a timer soon; its task may still run before. Any thread. */
    void cancel(Timer timer) {
        execute(() ->
                timers.remove(timer)); // by a task, because the timer is added by a task, which may not have run yet
    }

    /** Timers that are to come. On the loop. */
    int timers() {
        return timers.size();
    }

    /** Has the loop run a task again and again, first after one period. Any thread. */
    void repeat(Runnable task, long periodNanos) {
        add(new Timer(task, System.nanoTime() + periodNanos, periodNanos));
    }

    private void add(Timer timer) {
        execute(() -> {
            timers.add(timer);
            if (timer.atNanos - nextTimerNanos < 0) {
                nextTimerNanos = timer.atNanos;
                LockSupport.unpark(background); // it may be parked for longer, and so may be the poller
                if (asleep) {
                    transport.wakeUp();
                }
            }
        });
    }

    private boolean runTimers() {
        long now = System.nanoTime();
        if (nextTimerNanos - now > 0) {
            return false;
        }
        for (Timer timer = timers.peek(); timer != null && timer.atNanos - now <= 0; timer = timers.peek()) {
            timers.remove();
            if (timer.periodNanos > 0) {
                timers.add(new Timer(timer.task, now + timer.periodNanos, timer.periodNanos));
            }
            run(timer.task);
        }
        Timer next = timers.peek();
        nextTimerNanos = next == null ? now + Long.MAX_VALUE / 2 : next.atNanos;
        return true;
    }

    /**
     * Ends the background thread and the transport; waits for that for a short time unless it is called on the loop. Calls
     * must have been failed; those that come later are still handed to the work. Idempotent.
     */
    void close() {
        closed = true;
        execute(transport::close);
        LockSupport.unpark(background);
        if (isOnLoop()) {
            return; // the task runs when the thread leaves the loop
        }
        boolean interrupted = false;
        try {
            if (lock.tryLock(CLOSE_NANOS, TimeUnit.NANOSECONDS)) {
                try {
                    runQueued();
                } finally {
                    leave();
                }
            }
            background.join(TimeUnit.NANOSECONDS.toMillis(CLOSE_NANOS));
        } catch (InterruptedException e) {
            interrupted = true;
        }
        combine();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** A task and when it is due. */
    record Timer(Runnable task, long atNanos, long periodNanos) implements Comparable<Timer> {
        @Override
        public int compareTo(Timer other) {
            return Long.signum(atNanos - other.atNanos);
        }
    }

    /** A thread that waits for a future. */
    private final class Waiter {
        private final Thread thread;
        private final CompletableFuture<?> future;
        private boolean watches;
        private boolean follows;

        Waiter(Thread thread, CompletableFuture<?> future) {
            this.thread = thread;
            this.future = future;
        }

        /** Has the end of the future wake the thread, wherever it waits. */
        void watch() {
            if (!watches) {
                watches = true;
                var unused = future.whenComplete((value, failed) -> wake());
            }
        }

        private void wake() {
            if (thread.equals(Thread.currentThread())) {
                return;
            }
            if (thread.equals(poller.get())) {
                transport.wakeUp();
            } else {
                LockSupport.unpark(thread);
            }
        }

        /** Whether the thread may park: pollers know of it. If not, it must look at everything again. */
        boolean follow() {
            watch();
            if (follows) {
                return true;
            }
            follows = true;
            followers.add(this);
            return false;
        }

        void leave() {
            if (follows) {
                followers.remove(this);
            }
        }
    }
}
