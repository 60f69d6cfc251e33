package io.hmfs.core;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hmfs.core.check.CheckReport;
import io.hmfs.core.check.PoolCheck;
import io.hmfs.core.pmem.PoolException;
import io.hmfs.core.sim.CrashImage;
import io.hmfs.core.sim.CrashTree;
import io.hmfs.core.sim.SimPoolFile;
import io.hmfs.core.type.Progress;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.BiConsumer;

/**
 * What is there after power failures: after every image of a moment, and after another failure within some of the recoveries. What
 * each leaves is recovered, scanned and checked (I3 to I5), and what was shown once stays true. The checks read more than a recovery does;
 * they look at one of the images that no recovery can tell apart, and at another one now and then.
 */
final class Recoveries {
    /** A recovery that was met before is cut off again in one of so many cases: the same words may not be all that the next one reads. */
    private static final int CUT_OFF_AGAIN = 100;

    /** The scan does the same over and over: the power fails before one of so many times as many of its events. */
    private static final int AGAIN_IN_SCAN = 20;

    /** The offline check reads the whole pool: before one of so many recoveries. */
    private static final int OFFLINE_CHECKS = 4;

    /** What a recovery has shown. */
    private static final class Outcome {
        private final Map<String, String> shown;
        private boolean met;

        Outcome(Map<String, String> shown) {
            this.shown = shown;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Outcome outcome && outcome.shown.equals(shown);
        }

        @Override
        public int hashCode() {
            return shown.hashCode();
        }

        @Override
        public String toString() {
            return shown.toString();
        }
    }

    private final CrashTree<Outcome> tree;
    private final Random random;
    private final int limit;
    private final int again;
    private final Map<Map<String, String>, Map<String, String>> different = new HashMap<>();
    private long moments;
    private long sampled;
    private long secondMoments;
    private long secondSampled;

    /**
     * With {@code limit} new recoveries of one moment; of what a moment with more can lead to, a part is looked at. A recovery loses power
     * before one of {@code again} of its events.
     */
    Recoveries(Random random, int limit, int again) {
        this.random = random;
        this.limit = limit;
        this.again = again;
        tree = new CrashTree<>(this::recover, random);
    }

    /** Recoveries that were run; no two of them have read the same. */
    int runs() {
        return tree.runs();
    }

    long moments() {
        return moments;
    }

    /** Moments that would have taken more new recoveries than the limit. */
    long sampled() {
        return sampled;
    }

    /** Moments within recoveries at which power failed again. */
    long secondMoments() {
        return secondMoments;
    }

    /** Such as "33 moments, 0 of them sampled; …". */
    @Override
    public String toString() {
        return moments + " moments, " + sampled + " of them sampled; " + secondMoments + " within recoveries, "
                + secondSampled + " of them sampled; " + runs() + " recoveries that differ";
    }

    /** Hands out what can be there after a power failure now, or after it and another, with an image of it. */
    void explore(SimPoolFile running, BiConsumer<Map<String, String>, CrashImage> verdict) {
        moments++;
        boolean all = tree.explore(running, limit, (outcome, image) -> {
            judge(verdict, outcome.shown, image, "");
            if (!outcome.met || random.nextInt(CUT_OFF_AGAIN) == 0) {
                outcome.met = true;
                cutOff(
                        running.crashed(image),
                        outcome,
                        (second, secondImage) -> judge(verdict, second.shown, image, ", then " + secondImage));
            }
        });
        sampled += all ? 0 : 1;
    }

    private static void judge(
            BiConsumer<Map<String, String>, CrashImage> verdict,
            Map<String, String> seen,
            CrashImage image,
            String then) {
        try {
            verdict.accept(seen, image);
        } catch (AssertionError e) {
            throw new AssertionError("image " + image + then + ": " + e.getMessage(), e);
        }
    }

    /** Loses power before events of the recovery. */
    private void cutOff(SimPoolFile file, Outcome first, BiConsumer<Outcome, CrashImage> verdict) {
        before(file, again, verdict);
        PoolNamespace namespace = open(file);
        assertEquals(first.shown, Snapshot.of(namespace), "what recovery shows depends on what it reads");
        before(
                file,
                again * AGAIN_IN_SCAN,
                (second, image) -> assertEquals(
                        first.shown, second.shown, () -> "what the first recovery showed stays true, image " + image));
        namespace.scanInBackground();
        file.pmem().beforeEachEvent(null);
        assertEquals(List.of(), namespace.problems());
    }

    private void before(SimPoolFile file, int oneOf, BiConsumer<Outcome, CrashImage> look) {
        file.pmem().beforeEachEvent(() -> {
            if (random.nextInt(oneOf) == 0) {
                secondMoments++;
                secondSampled += tree.explore(file, limit, look) ? 0 : 1;
            }
        });
    }

    private Outcome recover(SimPoolFile file) {
        if (random.nextInt(OFFLINE_CHECKS) == 0) {
            file.pmem().aside(() -> check(file));
        }
        PoolNamespace namespace = open(file);
        Map<String, String> shown = Snapshot.of(namespace);
        namespace.scanInBackground();
        file.pmem().aside(() -> assertEquals(List.of(), namespace.problems()));
        assertEquals(shown, Snapshot.of(namespace), "what the first look said stays true");
        assertEquals(shown, Snapshot.of(open(file.killed())), "and after another start");
        Map<String, String> same = different.putIfAbsent(shown, shown);
        return new Outcome(same == null ? shown : same);
    }

    private static void check(SimPoolFile file) {
        try {
            CheckReport report = PoolCheck.check(Path.of("image"), file, Progress.NONE);
            assertEquals(0, report.damage(), () -> "what a crash leaves is no damage: " + report.findings());
        } catch (PoolException e) {
            throw new AssertionError(e);
        }
    }

    private static PoolNamespace open(SimPoolFile file) {
        return new PoolNamespace("sim", file, false);
    }
}
