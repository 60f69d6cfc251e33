package io.hmfs.server.share;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.server.Await;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Goal: a part of a long walk is done on a background thread as if by its caller. Method: parts that return, throw, and are waited for by an interrupted thread. */
class LongWalksTest {
    private final LongWalks walks = new LongWalks();

    @AfterEach
    void close() {
        walks.close();
    }

    @Test
    void aPartIsDoneByABackgroundThread() {
        assertEquals("hmfs-walk-1", walks.part(() -> Thread.currentThread().getName()));
    }

    @Test
    void whatAPartThrowsComesBackAsItIs() {
        RuntimeException unchecked = new IllegalStateException("part");
        Error error = new AssertionError("part");
        assertSame(
                unchecked,
                assertThrows(
                        RuntimeException.class,
                        () -> walks.part(() -> {
                            throw unchecked;
                        })));
        assertSame(
                error,
                assertThrows(
                        Error.class,
                        () -> walks.part(() -> {
                            throw error;
                        })));
    }

    @Test
    void anInterruptedCallerWaitsForThePart() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        AtomicBoolean isDone = new AtomicBoolean();
        AtomicBoolean wasDone = new AtomicBoolean();
        AtomicBoolean isInterrupted = new AtomicBoolean();
        Thread caller = Thread.ofPlatform().start(() -> {
            walks.part(() -> {
                begun.countDown();
                try {
                    goOn.await();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
                isDone.set(true);
                return true;
            });
            wasDone.set(isDone.get());
            isInterrupted.set(Thread.currentThread().isInterrupted());
        });
        begun.await();
        caller.interrupt();
        Await.until("the caller notices", () -> !caller.isInterrupted());
        goOn.countDown();
        caller.join();
        assertTrue(wasDone.get());
        assertTrue(isInterrupted.get());
    }
}
