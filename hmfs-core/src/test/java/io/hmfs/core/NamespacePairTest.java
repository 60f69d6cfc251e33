package io.hmfs.core;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.PairWorld.Kind;
import io.hmfs.core.sim.Sample;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Goal: two operations in one directory, and a power failure at any moment of both: what is left is explained by some order of
 * what was answered and what may have been done (I1), and I3 to I5 hold. Method: every pair; two threads that stop at events: the
 * one stops once and the other runs whole, or stops half way when the one is answered, for some of the events or all; and seeded orders; at
 * each moment what every image leads to, or a part if that takes more new recoveries than a limit. Of these runs of two a sample. {@code -Dhmfs.stops=N},
 * {@code -Dhmfs.recoveries=N} and {@code -Dhmfs.schedules=N} for more, {@code -Dhmfs.seed=N} for other orders and parts.
 */
final class NamespacePairTest {
    private static final int STOPS = Integer.getInteger("hmfs.stops", 3);
    private static final int SCHEDULES = Integer.getInteger("hmfs.schedules", 3);
    private static final long SEED = Long.getLong("hmfs.seed", 1);

    /** One operation stops before each of its events if there are no more moments than these. */
    private static final int FEW = 130;

    private static final int SAMPLED = 12;

    private static final Logger ENGINE = Logger.getLogger(PoolNamespace.class.getName());

    private final PairWorld world = new PairWorld();

    @BeforeEach
    void hush() {
        ENGINE.setLevel(Level.OFF); // a recovery that is cut off is an error within an operation
    }

    @AfterEach
    void speak() {
        ENGINE.setLevel(null);
    }

    static IntStream kinds() {
        return IntStream.range(0, PairWorld.KINDS.size());
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void aCrashWithinTwoLeavesWhatAnOrderExplains(int first) {
        long moments = 0;
        long sampled = 0;
        long runs = 0;
        Sample sample = new Sample(SAMPLED, "pair " + first);
        List<Kind> kinds = PairWorld.KINDS;
        for (int second = first; second < kinds.size(); second++) {
            long seed = (SEED * 1009 + first) * 1009 + second * 31L;
            try (PairRun pair = new PairRun(world, kinds.get(first), kinds.get(second), seed)) {
                int[] events = {pair.events(0), pair.events(1)};
                boolean few = (events[0] + 1) * (events[1] + 1) <= FEW;
                for (int one = 0; one < 2; one++) {
                    int most = few ? Integer.MAX_VALUE : STOPS;
                    for (int stop : stops(events[one], most)) {
                        if (sample.takes()) {
                            pair.interrupt(one, stop);
                        }
                        for (int other : stops(events[1 - one], most)) {
                            if (sample.takes()) {
                                pair.answer(one, stop, other);
                            }
                        }
                    }
                }
                for (int i = 0; i < SCHEDULES; i++) {
                    if (sample.takes()) {
                        pair.takeTurns(turns(new Random(seed + i), events[0] + events[1]));
                    }
                }
                moments += pair.recoveries().moments();
                sampled += pair.recoveries().sampled();
                runs += pair.recoveries().runs();
            }
        }
        System.out.printf(
                "%s and others: %d moments, %d of them sampled; %d recoveries that differ%n",
                kinds.get(first), moments, sampled, runs);
        assertTrue(runs >= Sample.least(100), runs + " recoveries of " + moments + " moments");
    }

    /** Spread over all events from before the first to behind the last. */
    private static Set<Integer> stops(int events, int most) {
        Set<Integer> stops = new TreeSet<>();
        int last = Math.min(events, most - 1);
        for (int i = 0; i <= last; i++) {
            stops.add(last == 0 ? 0 : (int) ((long) events * i / last));
        }
        return stops;
    }

    private static List<Integer> turns(Random random, int events) {
        List<Integer> turns = new ArrayList<>();
        int most = 1 + random.nextInt(25);
        turns.add(random.nextInt(2) == 0 ? 0 : random.nextInt(most));
        for (int sum = 0; sum < events + most; sum += turns.getLast()) {
            turns.add(1 + random.nextInt(most));
        }
        return turns;
    }
}
