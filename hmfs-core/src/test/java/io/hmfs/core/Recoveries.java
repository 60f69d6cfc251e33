package io.hmfs.core;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hmfs.core.check.CheckReport;
import io.hmfs.core.check.PoolCheck;
import io.hmfs.core.check.Progress;
import io.hmfs.core.pmem.PoolException;
import io.hmfs.core.sim.CrashImage;
import io.hmfs.core.sim.CrashTree;
import io.hmfs.core.sim.SimPoolFile;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.BiConsumer;

/**
 * What is there after power failures: after every image of a moment, and after another failure within the recovery of that. What
 * each leaves is recovered, scanned and checked (I3 to I5), and what was shown once stays true.
 */
final class Recoveries {
    /** The power fails again before one of so many events of a recovery. */
    private static final int AGAIN = Integer.getInteger("hmfs.again", 100);

    /** And of so many times as many events of the scan, which does the same over and over. */
    private static final int AGAIN_IN_SCAN = 20;

    /** The offline check reads the whole pool: before one of so many recoveries. */
    private static final int OFFLINE_CHECKS = 4;

    /** What a recovery has shown. */
    private static final class Outcome {
        private final Map<String, String> shown;

        /** What another has shown after this one was cut off, with an image of that. */
        private final Map<Map<String, String>, String> afterAnother = new LinkedHashMap<>();

        private boolean cutOff;

        Outcome(Map<String, String> shown) {
            this.shown = shown;
        }
    }

    private final CrashTree<Outcome> tree;
    private final Random random;
    private final int limit;
    private final Map<Map<String, String>, Map<String, String>> different = new HashMap<>();
    private long moments;
    private long sampled;

    /** With {@code limit} new recoveries of one moment; of what a moment with more can lead to, a part is looked at. */
    Recoveries(Random random, int limit) {
        this.limit = limit;
        this.random = random;
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

    /** Hands out what can be there after a power failure now, or after it and another, with an image of it. */
    void explore(SimPoolFile running, BiConsumer<Map<String, String>, CrashImage> verdict) {
        moments++;
        boolean all = tree.explore(running, limit, (outcome, image) -> {
            if (!outcome.cutOff) {
                outcome.cutOff = true;
                cutOff(running.crashed(image), outcome);
            }
            judge(verdict, outcome.shown, image, "");
            outcome.afterAnother.forEach((after, second) -> judge(verdict, after, image, ", then " + second));
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
    private void cutOff(SimPoolFile file, Outcome first) {
        before(file, AGAIN, (second, image) -> first.afterAnother.putIfAbsent(second.shown, image.toString()));
        PoolNamespace namespace = open(file);
        Snapshot.of(namespace);
        before(
                file,
                AGAIN * AGAIN_IN_SCAN,
                (second, image) -> assertEquals(
                        first.shown, second.shown, () -> "what the first recovery showed stays true, image " + image));
        namespace.scanInBackground();
        file.pmem().beforeEachEvent(null);
    }

    private void before(SimPoolFile file, int oneOf, BiConsumer<Outcome, CrashImage> look) {
        file.pmem().beforeEachEvent(() -> {
            if (random.nextInt(oneOf) == 0) {
                tree.explore(file, limit, look);
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
