package io.hmfs.core.alloc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/**
 * Goal: what a pinned reader may reach is not reused, and what no reader may reach is. Method: the rules one by one, then readers of
 * a slot that a writer replaces, retires and frees after two epochs.
 */
final class EpochsTest {
    private static final long SECOND = 1_000_000_000L;

    @Test
    void aPinHoldsTheEpochAfterTheNext() {
        Epochs epochs = new Epochs();
        long before = epochs.current();
        int pin = epochs.pin();
        assertEquals(before + 1, epochs.tryAdvance());
        assertEquals(before + 1, epochs.tryAdvance());
        int second = epochs.pin();
        epochs.unpin(pin);
        assertEquals(before + 2, epochs.tryAdvance());
        assertEquals(before + 2, epochs.tryAdvance());
        epochs.unpin(second);
        assertEquals(before + 3, epochs.tryAdvance());
    }

    @Test
    void pinsOfOneThreadNestAndMoreThanThereArePlacesWait() throws InterruptedException {
        Epochs epochs = new Epochs();
        List<Integer> pins = new ArrayList<>();
        for (int i = 0; i < 128; i++) {
            pins.add(epochs.pin());
        }
        assertEquals(128, pins.stream().distinct().count());
        AtomicInteger late = new AtomicInteger(-1);
        Thread waiting = Thread.ofPlatform().start(() -> late.set(epochs.pin()));
        while (waiting.getState() == Thread.State.NEW) {
            Thread.onSpinWait();
        }
        assertEquals(-1, late.get());
        epochs.unpin(pins.get(77));
        waiting.join();
        assertEquals(pins.get(77), late.get());
    }

    @Test
    void closeLetsNoThreadInAndWaitsForThosePinned() throws InterruptedException {
        Epochs epochs = new Epochs();
        int pin = epochs.pin();
        assertFalse(epochs.close(1_000_000));
        assertThrows(IllegalStateException.class, epochs::pin);
        AtomicBoolean closed = new AtomicBoolean();
        Thread closing = Thread.ofPlatform().start(() -> closed.set(epochs.close(100 * SECOND)));
        epochs.unpin(pin);
        closing.join();
        assertTrue(closed.get());
    }

    @Test
    void aReaderNeverMeetsAFreedSlot() throws InterruptedException {
        Epochs epochs = new Epochs();
        int slots = 64;
        AtomicIntegerArray alive = new AtomicIntegerArray(slots);
        AtomicInteger shared = new AtomicInteger();
        alive.set(0, 1);
        AtomicBoolean stop = new AtomicBoolean();
        AtomicLong reads = new AtomicLong();
        AtomicLong broken = new AtomicLong();
        List<Thread> readers = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            readers.add(Thread.ofPlatform().start(() -> {
                while (!stop.get()) {
                    int pin = epochs.pin();
                    int slot = shared.get();
                    for (int look = 0; look < 20; look++) {
                        broken.addAndGet(1 - alive.get(slot));
                    }
                    epochs.unpin(pin);
                    reads.incrementAndGet();
                }
            }));
        }
        long[] retired = new long[slots];
        int freed = 0;
        while (freed < 2000 || reads.get() < 2000) { // counted, not timed: on one processor both come slowly
            for (int slot = 0; slot < slots; slot++) {
                if (retired[slot] != 0 && retired[slot] + 2 <= epochs.tryAdvance()) {
                    retired[slot] = 0;
                    alive.set(slot, 0);
                    freed++;
                }
                if (retired[slot] == 0 && slot != shared.get()) {
                    alive.set(slot, 1);
                    int old = shared.getAndSet(slot);
                    retired[old] = epochs.current();
                }
            }
        }
        stop.set(true);
        for (Thread reader : readers) {
            reader.join();
        }
        assertEquals(0, broken.get(), "looks at freed slots, of " + reads);
    }
}
