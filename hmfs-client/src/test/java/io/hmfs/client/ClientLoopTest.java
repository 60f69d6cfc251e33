package io.hmfs.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.client.transport.Transport;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: each call is sent and its reply is read, whichever threads come, go, are interrupted or run out of time.
 * Method: a transport that knows which thread waits in it, and brings a reply when a test says so.
 */
@Timeout(120)
class ClientLoopTest {
    private static final long LONG = TimeUnit.SECONDS.toNanos(100);
    private final CallKind<byte[], FileInfo> stat = new CallTable((inode, size) -> {}).namespace.stat;

    /** Replies are handed in by the test; a wait ends with one, with a wake-up, or with an interrupt. */
    private static final class HandedTransport implements Transport {
        private final Queue<Runnable> arrived = new ConcurrentLinkedQueue<>();
        private final Semaphore events = new Semaphore(0);
        private volatile @Nullable Thread sleeper;

        void bring(Runnable reply) {
            arrived.add(reply);
            events.release();
        }

        @Override
        public Link connect(String host, int port, Receiver receiver) {
            throw new UnsupportedOperationException("these tests make no connection");
        }

        @Override
        public boolean poll() {
            Runnable next = arrived.poll();
            if (next != null) {
                next.run();
            }
            return next != null;
        }

        @Override
        public void await(long nanos) {
            sleeper = Thread.currentThread();
            try {
                if (events.tryAcquire(nanos, TimeUnit.NANOSECONDS)) {
                    events.drainPermits();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } finally {
                sleeper = null;
            }
        }

        @Override
        public void wakeUp() {
            events.release();
        }

        @Override
        public void close() {
            // there is nothing to end
        }
    }

    /** Takes calls as sent, and notes the thread. */
    private static final class NotedWork implements ClientLoop.Work {
        private final Set<Call<?, ?>> open = ConcurrentHashMap.newKeySet();
        private final Queue<Thread> senders = new ConcurrentLinkedQueue<>();
        private volatile @Nullable Consumer<Call<?, ?>> answers;

        @Override
        public void begin(Call<?, ?> call) {
            senders.add(Thread.currentThread());
            open.add(call);
            Consumer<Call<?, ?>> answer = answers;
            if (answer != null) {
                answer.accept(call);
            }
        }

        @Override
        public void flush() {
            // what was begun is sent
        }

        @Override
        public int openCalls() {
            return open.size();
        }
    }

    /** A thread that makes one call and waits for it. */
    private final class Caller extends Thread {
        private final Call<byte[], FileInfo> call = newCall();
        private final long nanos;
        private volatile @Nullable Boolean done;
        private volatile @Nullable Exception failure;

        Caller(long nanos) {
            this.nanos = nanos;
            setDaemon(true);
        }

        @Override
        public void run() {
            try {
                done = loop.call(call, nanos);
            } catch (Exception e) {
                failure = e;
            }
        }
    }

    private final HandedTransport transport = new HandedTransport();
    private final NotedWork work = new NotedWork();
    private final ClientLoop loop = new ClientLoop(transport);

    @BeforeEach
    void start() {
        loop.start(work);
        // A background thread that is just starting may find the first call and send it: wait until it has looked and
        // parks.
        waitUntil(() -> Thread.getAllStackTraces().keySet().stream()
                .anyMatch(thread -> isBackground(thread) && loop.equals(LockSupport.getBlocker(thread))));
    }

    @AfterEach
    void close() {
        work.open.forEach(call -> call.cancel(false));
        loop.close();
    }

    private Call<byte[], FileInfo> newCall() {
        return new Call<>(stat, "/f", CallArguments.NO_BYTES);
    }

    private void bringReplyTo(Call<?, ?> call) {
        transport.bring(() -> {
            work.open.remove(call);
            call.complete(null);
        });
    }

    /** How many timers are to come. */
    private int timers() {
        CompletableFuture<Integer> count = new CompletableFuture<>();
        loop.execute(() -> count.complete(loop.timers()));
        return count.join();
    }

    private static void waitUntil(BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            if (Thread.currentThread().isInterrupted()) { // by the test's time limit
                throw new AssertionError("it never came about");
            }
            Thread.onSpinWait();
        }
    }

    private Caller poller() {
        Caller caller = new Caller(LONG);
        caller.start();
        waitUntil(() -> caller.equals(transport.sleeper));
        return caller;
    }

    private Caller follower() {
        Caller caller = new Caller(LONG);
        caller.start();
        waitUntil(() -> work.open.contains(caller.call) && caller.getState() == Thread.State.TIMED_WAITING);
        return caller;
    }

    private static boolean isBackground(@Nullable Thread thread) {
        return thread != null && thread.getName().equals("hmfs-client");
    }

    private void assertDone(Caller caller) throws InterruptedException {
        caller.join();
        assertNull(caller.failure);
        assertEquals(true, caller.done);
    }

    @Test
    void aThreadThatIsAloneSendsItsCallAndReadsItsReply() throws Exception {
        Caller alone = poller();
        CompletableFuture<Thread> reader = alone.call.handle((value, failed) -> Thread.currentThread());
        bringReplyTo(alone.call);
        assertDone(alone);
        assertSame(alone, reader.get());
        assertEquals(List.of(alone), List.copyOf(work.senders));
    }

    @Test
    void aFollowerSendsItsCallItselfAndTakesOverWhenThePollerLeaves() throws Exception {
        Caller first = poller();
        Caller second = follower();
        assertEquals(List.of(first, second), List.copyOf(work.senders));
        assertFalse(stat.patience.isWorthWhile(), "its answer did not come soon: the next one parks at once");
        bringReplyTo(first.call);
        assertDone(first);
        waitUntil(() -> second.equals(transport.sleeper));
        bringReplyTo(second.call);
        assertDone(second);
    }

    @Test
    void aPollerReadsTheRepliesOfOthers() throws Exception {
        Caller first = poller();
        Caller second = follower();
        CompletableFuture<Thread> reader = second.call.handle((value, failed) -> Thread.currentThread());
        bringReplyTo(second.call);
        assertDone(second);
        assertSame(first, reader.get());
        bringReplyTo(first.call);
        assertDone(first);
    }

    @Test
    void anInterruptedPollerLeavesItsCallAndThoseOfOthersToTheBackground() throws Exception {
        Caller first = poller();
        Caller second = follower();
        first.interrupt();
        first.join();
        assertInstanceOf(InterruptedException.class, first.failure);
        waitUntil(() -> isBackground(transport.sleeper)); // no thread waits for the first call any more
        bringReplyTo(second.call);
        assertDone(second);
        bringReplyTo(first.call);
        first.call.get();
    }

    @Test
    void aPollerWhoseTimeIsOverLeavesItsCallToTheBackground() throws Exception {
        Caller hasty = new Caller(1);
        hasty.start();
        hasty.join();
        assertEquals(false, hasty.done);
        waitUntil(() -> isBackground(transport.sleeper));
        bringReplyTo(hasty.call);
        hasty.call.get();
    }

    @Test
    void aPollerWhoseFutureEndsElsewhereIsWoken() throws Exception {
        Caller first = poller();
        first.call.complete(null); // by this thread, which is not on the loop
        assertDone(first);
    }

    @Test
    void aCallForWhichNoThreadWaitsIsSentAndReadByTheBackground() throws Exception {
        Call<byte[], FileInfo> call = newCall();
        loop.submit(call);
        waitUntil(() -> isBackground(transport.sleeper));
        assertTrue(work.senders.stream().allMatch(ClientLoopTest::isBackground));
        bringReplyTo(call);
        call.get();
        waitUntil(() -> transport.sleeper == null);
        Caller next = poller(); // it has left: a thread that waits polls itself again
        bringReplyTo(next.call);
        assertDone(next);
    }

    @Test
    void aCallOfThePollersOwnCallbackIsSentAtOnceAndReadLater() throws Exception {
        Caller first = poller();
        Call<byte[], FileInfo> second = newCall();
        var unused = first.call.whenComplete((value, failed) -> loop.submit(second));
        bringReplyTo(first.call);
        assertDone(first);
        assertEquals(List.of(first, first), List.copyOf(work.senders));
        waitUntil(() -> isBackground(transport.sleeper));
        bringReplyTo(second);
        second.get();
    }

    @Test
    void theBackgroundPollsForManyAndLeavesTheLastToThemselves() throws Exception {
        Caller first = poller();
        List<Caller> others = List.of(follower(), follower(), follower());
        bringReplyTo(first.call);
        assertDone(first);
        waitUntil(() -> isBackground(transport.sleeper));
        for (Caller other : others.subList(0, 2)) {
            bringReplyTo(other.call);
            assertDone(other);
        }
        waitUntil(() -> others.get(2).equals(transport.sleeper));
        bringReplyTo(others.get(2).call);
        assertDone(others.get(2));
    }

    @Test
    void whereManyWaitAThreadWhoseAnswersComeSoonSendsItsCallsItself() throws Exception {
        assertTrue(sendsItself(3));
    }

    @Test
    void whereMoreWaitThanTakeTurnsTheBackgroundSendsAll() throws Exception {
        assertFalse(sendsItself(ClientLoop.TURNS_THREADS));
    }

    /** Whether a thread sends any of its calls itself, whose answers come soon, while so many others wait. */
    private boolean sendsItself(int waiting) throws InterruptedException {
        Caller first = poller();
        List<Caller> others = new ArrayList<>();
        for (int i = 0; i < waiting; i++) {
            others.add(follower());
        }
        bringReplyTo(first.call);
        assertDone(first);
        waitUntil(() -> isBackground(transport.sleeper)); // which sends for all that park
        work.answers = this::bringReplyTo;
        work.senders.clear();
        for (int i = 0; i < 10 * Patience.PAUSE_MOST; i++) {
            Call<byte[], FileInfo> call = newCall();
            assertTrue(loop.call(call, LONG));
        }
        boolean itself = work.senders.contains(Thread.currentThread());
        work.answers = null;
        for (Caller other : others) {
            bringReplyTo(other.call);
            assertDone(other);
        }
        return itself;
    }

    @Test
    void aTimerRunsWhetherAThreadPollsOrNone() throws Exception {
        CompletableFuture<Thread> idle = new CompletableFuture<>();
        loop.schedule(() -> idle.complete(Thread.currentThread()), 1);
        assertTrue(isBackground(idle.get()));
        Caller first = poller();
        CompletableFuture<Thread> polled = new CompletableFuture<>();
        loop.schedule(() -> polled.complete(Thread.currentThread()), 1);
        assertSame(first, polled.get());
        bringReplyTo(first.call);
        assertDone(first);
    }

    @Test
    void aDefectOfATaskIsNotTheCallersAndEndsNoThread() throws Exception {
        loop.execute(() -> {
            throw new IllegalStateException("planted: the log shows it");
        });
        CompletableFuture<Void> after = new CompletableFuture<>();
        loop.execute(() -> after.complete(null));
        after.get();
        Caller caller = poller();
        bringReplyTo(caller.call);
        assertDone(caller);
    }

    @Test
    void closingWakesAllAndCallsThatComeLaterStillReachTheWork() throws Exception {
        Caller first = poller();
        Caller second = follower();
        loop.execute(() -> work.open.forEach(call -> call.completeExceptionally(new IllegalStateException("closed"))));
        loop.close();
        assertDone(first);
        assertDone(second);
        Call<byte[], FileInfo> late = newCall();
        loop.submit(late);
        assertTrue(work.open.contains(late));
        assertFalse(loop.isOnLoop());
    }

    /** Runs something when its waiter begins to watch it: that is after the poller has looked at the queues and before it sleeps. */
    private static final class WatchedFuture extends CompletableFuture<Void> {
        private final Runnable beforeSleep;

        WatchedFuture(Runnable beforeSleep) {
            this.beforeSleep = beforeSleep;
        }

        @Override
        public CompletableFuture<Void> whenComplete(BiConsumer<? super Void, ? super Throwable> action) {
            beforeSleep.run();
            return super.whenComplete(action);
        }
    }

    /**
     * A caller that finds a poller awake leaves its call in the queue and wakes no thread. One that comes between the
     * poller's last look at the queue and its sleep relies on the poller to look again.
     */
    @Test
    void aCallThatComesJustBeforeThePollerSleepsIsSentBeforeItSleeps() throws Exception {
        CompletableFuture<Thread> background = new CompletableFuture<>();
        loop.schedule(() -> background.complete(Thread.currentThread()), 1);
        Thread idle = background.get();
        assertTrue(isBackground(idle));
        waitUntil(() -> idle.getState() == Thread.State.TIMED_WAITING); // it would send the call, too
        Caller late = new Caller(LONG);
        WatchedFuture first = new WatchedFuture(() -> {
            late.start();
            waitUntil(
                    () -> late.getState() == Thread.State.TIMED_WAITING); // the call is in the queue, its thread waits
            assertFalse(work.open.contains(late.call));
        });
        AtomicBoolean done = new AtomicBoolean();
        Thread poller = new Thread(() -> {
            try {
                done.set(loop.await(first, LONG));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        poller.setDaemon(true);
        poller.start();
        waitUntil(() -> poller.equals(transport.sleeper));
        assertTrue(work.open.contains(late.call), "the poller sleeps, and the call is not sent");
        assertEquals(List.of(poller), List.copyOf(work.senders));
        bringReplyTo(late.call);
        assertDone(late);
        first.complete(null);
        poller.join();
        assertTrue(done.get());
    }

    /** Threads that come and go, are interrupted, wait too shortly or not at all: every call has its reply. */
    @Test
    void nobodyIsLeftWaiting() throws Exception {
        int callers = 6;
        int calls = 4_000;
        ClientLoop.Work echo = new ClientLoop.Work() {
            private final AtomicInteger open = new AtomicInteger();

            @Override
            @SuppressWarnings("unchecked")
            public void begin(Call<?, ?> call) {
                open.incrementAndGet();
                transport.bring(() -> {
                    open.decrementAndGet();
                    ((Call<byte[], FileInfo>) call).complete(null);
                });
            }

            @Override
            public void flush() {
                // what was begun is answered
            }

            @Override
            public int openCalls() {
                return open.get();
            }
        };
        loop.close();
        ClientLoop busy = new ClientLoop(transport);
        busy.start(echo);
        List<Call<byte[], FileInfo>> all = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        Queue<Exception> failures = new ConcurrentLinkedQueue<>();
        for (int i = 0; i < callers; i++) {
            List<Call<byte[], FileInfo>> own = new ArrayList<>();
            for (int k = 0; k < calls; k++) {
                own.add(newCall());
            }
            all.addAll(own);
            SplittableRandom random = new SplittableRandom(i);
            threads.add(new Thread(() -> own.forEach(call -> {
                try {
                    int dice = random.nextInt(20);
                    if (dice == 0) {
                        busy.submit(call);
                        return;
                    }
                    if (dice == 1) {
                        Thread.currentThread().interrupt();
                    }
                    busy.call(call, dice == 2 ? 1 : LONG);
                } catch (InterruptedException expected) {
                    // the call goes on without its thread
                } catch (RuntimeException e) {
                    failures.add(e);
                }
            })));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        for (Call<byte[], FileInfo> call : all) {
            get(call);
        }
        busy.close();
        assertEquals(List.of(), List.copyOf(failures));
    }

    private static void get(Call<byte[], FileInfo> call) throws ExecutionException, InterruptedException {
        assertNull(call.get());
    }

    @Test
    void aTimerThatIsCancelledNeitherRunsNorStays() {
        AtomicBoolean ran = new AtomicBoolean();
        CompletableFuture<Void> later = new CompletableFuture<>();
        loop.schedule(() -> later.complete(null), TimeUnit.MILLISECONDS.toNanos(20));
        loop.execute(() -> loop.cancel(loop.schedule(() -> ran.set(true), 1))); // on the loop: no timer runs in between
        later.join();
        assertFalse(ran.get());
        loop.schedule(() -> {}, LONG);
        assertEquals(1, timers());
    }
}
