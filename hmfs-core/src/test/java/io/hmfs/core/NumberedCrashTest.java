package io.hmfs.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.OutcomeRecord;
import io.hmfs.core.layout.OutcomeRing;
import io.hmfs.core.layout.SlotState;
import io.hmfs.core.sim.CrashTree;
import io.hmfs.core.sim.Sample;
import io.hmfs.core.sim.SimPoolFile;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Goal: after a power failure at any moment of a numbered change its record says whether it was executed, and a change that is
 * sent again then is executed once. Method: before each event of the change, of which a sample, and of what others do afterwards, every image that the simulated
 * memory could leave is opened: what the ring says must fit what is there; where it says nothing the change is made again, and must
 * succeed; then others undo it, and the ring must say the same. In some the start itself loses power.
 */
final class NumberedCrashTest {
    /** New starts of a moment; the batched creates would take more. */
    private static final int LIMIT = Integer.getInteger("hmfs.recoveries.single", 200);

    private static final int LIMIT_OF_BATCHED = 12;

    /** The power fails again before one of so many events of a start. */
    private static final int AGAIN = Integer.getInteger("hmfs.again.single", 20);

    /** The image is one of so many. */
    private static final int IMAGES_AGAIN = 16;

    private static final int SAMPLED = 4;
    private static final int REUSED = 140; // the allocator looks for what is free again after 64 fresh slots

    /** Which changes a start says were executed. */
    record Outcome(List<Long> executed) {}

    private static Map<String, String> withoutIds(Map<String, String> shown) {
        Map<String, String> text = new TreeMap<>(shown);
        text.replaceAll((_, each) -> each.replaceAll(" id=\\d+", ""));
        return text;
    }

    /** Looks at what a power failure leaves. */
    static final class Explorer {
        private final NumberedCases.Case tested;
        private final boolean looksFirst;
        private final Random random = new Random(7);
        private final Sample sample;
        private final CrashTree<Outcome> tree = new CrashTree<>(this::start, random);
        private Map<String, String> before = Map.of();
        private Map<String, String> after = Map.of();
        private int starts;
        private int executed;
        private int open;
        private boolean sampled;

        /** {@code looksFirst}: whether any thread looks before the change comes again, which settles what was cut off. */
        Explorer(NumberedCases.Case tested, boolean looksFirst) {
            this.tested = tested;
            this.looksFirst = looksFirst;
            this.sample = new Sample(SAMPLED, tested.name() + looksFirst);
        }

        /** A start, and the change again unless it was executed; then the others, which make nothing of the record untrue. */
        Outcome start(SimPoolFile file) {
            PoolNamespace n = NumberedCases.open(file);
            List<Long> told = NumberedCases.read(n);
            assertEquals(told, NumberedCases.read(NumberedCases.open(file.killed())), "another start says the same");
            if (looksFirst) {
                Map<String, String> expected = told.isEmpty() ? before : after;
                assertEquals(withoutIds(expected), withoutIds(NumberedCases.shown(n)), "the record says what is there");
            }
            if (told.isEmpty()) {
                assertEquals(Status.OK, NumberedCases.numbered(n, tested.change()), "the change again");
                assertEquals(List.of(NumberedCases.NUMBER), NumberedCases.read(n));
            }
            Map<String, String> made = NumberedCases.shown(n);
            assertEquals(withoutIds(after), withoutIds(made), "made once");
            n.scanInBackground();
            assertEquals(List.of(), n.problems());
            for (NamespaceCrashTest.Action each : tested.others()) {
                assertEquals(Status.OK, each.on(n));
                assertEquals(
                        List.of(NumberedCases.NUMBER),
                        NumberedCases.read(NumberedCases.open(file.killed())),
                        "what others do leaves it executed");
            }
            return new Outcome(told);
        }

        /** Sees what the change does to this pool. */
        void learn(SimPoolFile file) {
            PoolNamespace dry = NumberedCases.open(file.killed());
            before = NumberedCases.shown(dry);
            assertEquals(Status.OK, tested.change().on(dry));
            after = NumberedCases.shown(dry);
            assertNotEquals(before, after, "a change that changes nothing proves nothing");
        }

        void change(SimPoolFile file) {
            learn(file);
            PoolNamespace n = NumberedCases.open(file);
            file.pmem().beforeEachEvent(() -> look(file, false));
            assertEquals(Status.OK, NumberedCases.numbered(n, tested.change()));
            file.pmem().beforeEachEvent(null);
            look(file, true);
        }

        private void look(SimPoolFile file, boolean answered) {
            if (!answered && !sample.takes()) {
                return;
            }
            sampled |= !tree.explore(file, tested.isBatched() ? LIMIT_OF_BATCHED : LIMIT, (outcome, image) -> {
                assertTrue(!answered || !outcome.executed.isEmpty(), () -> "answered, image " + image);
                count(outcome);
                if (random.nextInt(AGAIN) == 0) {
                    again(file.crashed(image), outcome);
                }
            });
        }

        private void count(Outcome outcome) {
            executed += outcome.executed.isEmpty() ? 0 : 1;
            open += outcome.executed.isEmpty() ? 1 : 0;
        }

        /** Loses power before events of the start, and of the change that is made again. What was told once stays true. */
        private void again(SimPoolFile file, Outcome first) {
            boolean[] told = new boolean[1];
            file.pmem().beforeEachEvent(() -> {
                if (random.nextInt(AGAIN) == 0) {
                    Outcome second = start(file.crashed(random, IMAGES_AGAIN));
                    starts++;
                    if (told[0]) {
                        assertEquals(first.executed, second.executed, "told once");
                    }
                }
            });
            PoolNamespace n = NumberedCases.open(file);
            assertEquals(first.executed, NumberedCases.read(n));
            told[0] = true;
            n.scanInBackground();
            told[0] = false;
            if (first.executed.isEmpty() && random.nextInt(AGAIN) == 0) {
                assertEquals(Status.OK, NumberedCases.numbered(n, tested.change()));
            }
            file.pmem().beforeEachEvent(null);
        }
    }

    @ParameterizedTest
    @MethodSource("io.hmfs.core.NumberedCases#cases")
    void theRecordSaysWhatIsThere(NumberedCases.Case tested) {
        run(tested, true);
    }

    @ParameterizedTest
    @MethodSource("io.hmfs.core.NumberedCases#cases")
    void theChangeAgainMeetsWhatWasCutOff(NumberedCases.Case tested) {
        run(tested, false);
    }

    private static void run(NumberedCases.Case tested, boolean looksFirst) {
        Explorer explorer = new Explorer(tested, looksFirst);
        explorer.change(NumberedCases.prepare());
        System.out.println(tested + ": " + explorer.tree.runs() + " starts that differ, " + explorer.starts
                + " after another one, " + explorer.executed
                + " found it executed, " + explorer.open + " not");
        assertTrue(explorer.executed > 0 && explorer.open > 0, "both were met");
        assertTrue(tested.isBatched() || !explorer.sampled, "moments that were not explored to their end");
    }

    /** What was made and went gives its slot to another, which the power cuts off before it is linked: that says nothing of the first. */
    @Test
    void anotherOneThatIsCutOffInTheSlot() {
        SimPoolFile file = NumberedCases.prepare();
        PoolNamespace n = NumberedCases.open(file);
        assertEquals(Status.OK, NumberedCases.numbered(n, each -> create(each, "new")));
        long slot = OutcomeRecord.object(file.pmem(), OutcomeRing.record(NumberedCases.ring(n), NumberedCases.NUMBER));
        assertEquals(Status.OK, n.delete(Namespace.ROOT_ID, Name.of("new"), new Attributes()));
        n.sweep(Namespace.ROOT_ID);
        int[] cutOff = new int[1];
        file.pmem().beforeEachEvent(() -> {
            if (EntryRecord.state(file.pmem(), slot) == SlotState.CREATING) {
                cutOff[0]++;
                file.pmem().images(LIMIT, 3, image -> {
                    PoolNamespace next = NumberedCases.open(file.crashed(image));
                    assertEquals(List.of(NumberedCases.NUMBER), NumberedCases.read(next), () -> "image " + image);
                });
            }
        });
        for (int i = 0; i < REUSED; i++) {
            assertEquals(Status.OK, create(n, "other" + i));
        }
        file.pmem().beforeEachEvent(null);
        assertTrue(cutOff[0] > 0, "the slot was not taken again");
    }

    private static Status create(Namespace n, String name) {
        return n.create(Namespace.ROOT_ID, Name.of(name), 0600, 3, 4, new Attributes());
    }
}
