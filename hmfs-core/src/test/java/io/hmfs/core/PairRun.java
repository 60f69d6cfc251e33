package io.hmfs.core;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.History.Call;
import io.hmfs.core.PairWorld.Kind;
import io.hmfs.core.sim.SimPmem;
import io.hmfs.core.sim.SimPoolFile;
import io.hmfs.core.type.Status;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/** Two operations, in two threads that stop at events: run again and again, and the power lost at each stop. */
final class PairRun implements AutoCloseable {
    /**
     * An operation that tries again and again until the other goes on passes so many events at a time; none of the operations has so many
     * alone.
     */
    private static final int AT_A_TIME = 200;

    /** So often in a row no thread comes any further, if it is for ever. A thread that has slept may take a while to wake up. */
    private static final int IDLE_MAX = 10_000_000;

    /** New recoveries of a moment. */
    private static final int LIMIT = Integer.getInteger("hmfs.recoveries", 1);

    /** The power fails again before one of so many events of a recovery. */
    private static final int AGAIN = Integer.getInteger("hmfs.again", 100);

    private final PairWorld world;
    private final Kind[] kinds;
    private final long seed;
    private final Recoveries recoveries;
    private final Stepper[] steppers = {new Stepper(), new Stepper()};

    /** By the calls with their answers: what is there afterwards that some order explains. */
    private final Map<String, Set<Map<String, String>>> explained = new HashMap<>();

    PairRun(PairWorld world, Kind first, Kind second, long seed) {
        this.world = world;
        this.kinds = new Kind[] {first, second};
        this.seed = seed;
        this.recoveries = new Recoveries(new Random(seed), LIMIT, AGAIN);
    }

    Recoveries recoveries() {
        return recoveries;
    }

    /** How many events an operation has alone. */
    int events(int which) {
        SimPoolFile file = world.pool();
        PoolNamespace namespace = new PoolNamespace("sim", file, false);
        int[] events = new int[1];
        file.pmem().beforeEachEvent(() -> events[0]++);
        world.call(kinds[which], 02000).on(namespace);
        return events[0];
    }

    /**
     * The one stops before its event {@code stop}, the other begins and runs to its end, then the one does; a look before that and
     * after each event of it. An operation that waits for the other does so until that one has gone on.
     */
    void interrupt(int one, int stop) {
        Work work = new Work();
        work.advance(one, stop);
        work.look();
        for (int turn = 1 - one; !work.ended(); turn = 1 - turn) {
            for (int events = 0; events < AT_A_TIME && work.advance(turn, 1); events++) {
                work.look();
            }
        }
    }

    /** The one stops before its event {@code stop}, the other before its event {@code otherStop}, and the one is answered: a look then. */
    void answer(int one, int stop, int otherStop) {
        Work work = new Work();
        work.advance(one, stop);
        work.advance(1 - one, otherStop);
        work.advance(one, AT_A_TIME);
        work.look();
        work.end();
    }

    /** In turns of so many events; a look after each turn but the first. */
    void takeTurns(List<Integer> turns) {
        Work work = new Work();
        work.advance(0, turns.getFirst());
        for (int turn = 1; turn < turns.size() && !work.ended(); turn++) {
            work.advance(turn % 2, turns.get(turn));
            work.look();
        }
        work.end();
    }

    @Override
    public void close() {
        steppers[0].close();
        steppers[1].close();
    }

    /** One run of both. */
    private final class Work {
        private final SimPoolFile file = world.pool();
        private final SimPmem pmem = file.pmem();
        private final PoolNamespace namespace = new PoolNamespace("sim", file, false);
        private final List<Call> calls = List.of(world.call(kinds[0], 02000), world.call(kinds[1], 02001));
        private final AtomicLong time = new AtomicLong();
        private final boolean[] begun = new boolean[2];
        private final StringBuilder turns = new StringBuilder();
        private int idle;

        Work() {
            pmem.beforeEachEvent(() -> {
                steppers[0].event();
                steppers[1].event();
            });
            pmem.beforeEachLoad(() -> {
                steppers[0].load();
                steppers[1].load();
            });
        }

        boolean ended() {
            return begun[0] && begun[1] && steppers[0].isDone() && steppers[1].isDone();
        }

        /** Lets one of them pass so many events; whether it came any further. It begins with its first turn. */
        boolean advance(int which, int events) {
            Stepper stepper = steppers[which];
            boolean begins = !begun[which];
            if (begins) {
                begun[which] = true;
                stepper.begin(() -> calls.get(which).run(namespace, time));
            }
            boolean further = begins;
            if (!stepper.isDone()) {
                long before = stepper.events();
                stepper.advance(events);
                further |= stepper.isDone() || stepper.events() > before;
            }
            if (further) {
                turns.append(' ').append(which).append(':').append(events);
            }
            idle = further ? 0 : idle + 1;
            assertTrue(idle < IDLE_MAX, () -> "two that wait for each other: " + calls + turns);
            return further;
        }

        void look() {
            Set<Map<String, String>> known = explained.computeIfAbsent(calls.toString(), _ -> new HashSet<>());
            try {
                recoveries.explore(file, (after, _) -> {
                    if (known.add(after)) {
                        assertTrue(
                                calls.stream().noneMatch(call -> call.answer.contains(Status.NO_SPACE.toString()))
                                        && History.isExplained(calls, world.model(), History.text(after)),
                                () -> "no order explains that afterwards there is " + after);
                    }
                });
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError(calls + ", turns" + turns + ", seed " + seed + ", " + e.getMessage(), e);
            }
        }

        /** Wherever they are. */
        void end() {
            if (!ended()) {
                Stepper.killAll(steppers, namespace, pmem);
            }
        }
    }
}
