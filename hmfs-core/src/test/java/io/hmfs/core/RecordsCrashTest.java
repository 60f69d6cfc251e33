package io.hmfs.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.Records.Kind;
import io.hmfs.core.sim.SimPoolFile;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Goal: after a power failure at any moment a record is there whole or not at all, what was fenced stays, and what a start has shown
 * stays. Method: before each event of a put, a clear, a replacement and a start, every image that the simulated memory could leave is
 * opened; in some the start itself loses power.
 */
final class RecordsCrashTest {
    private static final int IMAGES = 2_000;

    private final SimPoolFile file = new SimPoolFile(32 << 10, 16);
    private final PoolNamespace namespace = FreshPool.open(file);
    private final Records records = namespace.records();

    private static PoolNamespace open(SimPoolFile pool) {
        return new PoolNamespace("sim", pool, false);
    }

    /** All records, each as its kind, key and words. */
    private static List<String> all(Records of) {
        List<String> found = new ArrayList<>();
        for (Kind kind : Kind.values()) {
            of.each(
                    kind,
                    (_, key, first, second, third) ->
                            found.add(kind + " " + key + ": " + first + " " + second + " " + third));
        }
        return found;
    }

    /** What the images of each moment show; a second start shows the same, also if the first one loses power. */
    private Set<List<String>> shown(Runnable change) {
        Set<List<String>> shown = new HashSet<>();
        file.pmem().beforeEachEvent(() -> look(shown));
        change.run();
        file.pmem().beforeEachEvent(null);
        return shown;
    }

    private void look(Set<List<String>> shown) {
        assertTrue(file.pmem().images(IMAGES, 3, image -> {
            SimPoolFile crashed = file.crashed(image);
            List<String> first = all(open(crashed).records());
            shown.add(first);
            crashed.pmem().processDied();
            crashed.pmem().images(IMAGES, 3, later -> {
                assertEquals(first, all(open(crashed.crashed(later)).records()), "what was shown stays");
            });
            SimPoolFile again = file.crashed(image);
            again.pmem()
                    .beforeEachEvent(() -> again.pmem().images(IMAGES, 3, other -> {
                        shown.add(all(open(again.crashed(other)).records()));
                    }));
            open(again);
            again.pmem().beforeEachEvent(null);
        }));
    }

    private Set<List<String>> now() {
        Set<List<String>> shown = new HashSet<>();
        look(shown);
        return shown;
    }

    /** Has the process die behind so many events of a change; the machine goes on, and what was stored is seen. */
    private void diesAfter(int events, Runnable change) {
        assertTrue(ProcessDeath.before(events, file, change), "the change has more events than " + events);
    }

    @Test
    void aPutIsWholeOrNothingAndDurableAfterTheFence() {
        long[] at = new long[1];
        for (int line = 0; line < 3; line++) { // the first one of a region, the next one, and one that was used before
            Set<List<String>> shown = shown(() -> {
                at[0] = records.put(Kind.LEASE, 7, 1, 2, 3);
                records.fence();
            });
            assertEquals(Set.of(List.of(), List.of("LEASE 7: 1 2 3")), shown);
            assertEquals(Set.of(List.of("LEASE 7: 1 2 3")), now());
            assertNotEquals(Records.NONE, at[0]);
            records.clear(at[0]);
            records.fence();
        }
    }

    @Test
    void aClearIsForGoodAfterTheFence() {
        long at = records.put(Kind.QUOTA, 7, 1, 2, 3);
        records.fence();
        Set<List<String>> shown = shown(() -> {
            records.clear(at);
            records.fence();
        });
        assertEquals(Set.of(List.of(), List.of("QUOTA 7: 1 2 3")), shown);
        assertEquals(Set.of(List.of()), now());
    }

    @Test
    void aLineThatGoesToAnotherRecordIsOneOfTheTwo() {
        long at = records.put(Kind.LEASE, 7, 1, 2, 3);
        records.fence();
        Set<List<String>> shown = shown(() -> {
            records.clear(at); // not fenced
            assertEquals(at, records.put(Kind.LEASE, 8, 4, 5, 6));
            records.fence();
        });
        assertEquals(Set.of(List.of(), List.of("LEASE 7: 1 2 3"), List.of("LEASE 8: 4 5 6")), shown);
        assertEquals(Set.of(List.of("LEASE 8: 4 5 6")), now());
    }

    @Test
    void aReplacedRecordIsNeverMissing() {
        long at = records.put(Kind.QUOTA, 7, 1, 2, 3);
        records.fence();
        Set<List<String>> shown = shown(() -> {
            records.put(Kind.QUOTA, 7, 4, 5, 6);
            records.fence();
            records.clear(at);
            records.fence();
        });
        assertEquals(Set.of(List.of("QUOTA 7: 1 2 3"), List.of("QUOTA 7: 4 5 6")), shown);
    }

    /** The newer one was stored by a process that died before it was durable; a start that drops the older one must not lose both. */
    @Test
    void aStartThatMeetsTwoKeepsOne() {
        records.put(Kind.QUOTA, 7, 1, 2, 3);
        records.fence();
        diesAfter(6, () -> records.put(Kind.QUOTA, 7, 4, 5, 6)); // behind its six stores
        Set<List<String>> shown = shown(
                () -> assertEquals(List.of("QUOTA 7: 4 5 6"), all(open(file).records())));
        assertEquals(Set.of(List.of("QUOTA 7: 1 2 3"), List.of("QUOTA 7: 4 5 6")), shown);
        assertEquals(Set.of(List.of("QUOTA 7: 4 5 6")), now());
    }

    /** The store of the clear was never written back by the process that made it; the start that has shown it must do that. */
    @Test
    void aClearOfAProcessThatDiedHoldsOnceAStartHasShownIt() {
        long at = records.put(Kind.QUOTA, 7, 1, 2, 3);
        records.fence();
        diesAfter(1, () -> records.clear(at));
        assertEquals(List.of(), all(open(file).records()));
        assertEquals(Set.of(List.of()), now());
    }

    /** The thread that clears the newer one fences its own write-back, not that of the start. */
    @Test
    void whatAStartHasDroppedDoesNotComeBackWhenTheNewerOneGoes() throws InterruptedException {
        records.put(Kind.QUOTA, 7, 1, 2, 3);
        records.fence();
        diesAfter(6, () -> records.put(Kind.QUOTA, 7, 4, 5, 6));
        Records next = open(file).records();
        assertEquals(List.of("QUOTA 7: 4 5 6"), all(next));
        List<Long> newer = new ArrayList<>();
        next.each(Kind.QUOTA, (at, _, _, _, _) -> newer.add(at));
        Thread other = Thread.ofPlatform().start(() -> {
            next.clear(newer.getFirst());
            next.fence();
        });
        other.join();
        assertEquals(Set.of(List.of()), now());
    }
}
