package io.hmfs.core;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hmfs.core.sim.CrashImage;
import io.hmfs.core.sim.Fingerprint;
import io.hmfs.core.sim.SimPoolFile;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * What is there after power failures. Each image is recovered twice, the first time not to its end if it loses power before that, and
 * checked (I3 to I5); one that leaves a memory that an earlier one left is known already.
 */
final class Recoveries {
    /** The first recovery is cut off within so many events, if it has them. */
    private static final int RECOVERY_EVENTS = 60;

    private static final int IMAGES = 6;

    private static final class PowerLoss extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    private final Map<Fingerprint, Map<String, String>> known = new HashMap<>();
    private final Map<Map<String, String>, Map<String, String>> different = new HashMap<>();
    private final Random random;
    private long images;

    Recoveries(Random random) {
        this.random = random;
    }

    /** Images asked for. */
    long images() {
        return images;
    }

    /** How many of them left a memory that no other has left. */
    int memories() {
        return known.size();
    }

    /** What is there after {@code image} of {@code running}; the same object for all that leave the same. */
    Map<String, String> after(SimPoolFile running, CrashImage image) {
        images++;
        Fingerprint memory = image.fingerprint();
        Map<String, String> after = known.get(memory);
        if (after == null) {
            after = recover(running.crashed(image));
            Map<String, String> same = different.putIfAbsent(after, after);
            after = same == null ? after : same;
            known.put(memory, after);
        }
        return after;
    }

    private Map<String, String> recover(SimPoolFile first) {
        int[] left = {random.nextInt(RECOVERY_EVENTS)};
        SimPoolFile[] second = new SimPoolFile[1];
        first.pmem().beforeEachEvent(() -> {
            if (left[0]-- == 0) {
                second[0] = first.crashed(random, IMAGES);
                throw new PowerLoss();
            }
        });
        Map<String, String> shown = null;
        try {
            PoolNamespace cutOff = open(first);
            shown = History.text(Snapshot.of(cutOff));
            cutOff.scanInBackground();
            second[0] = first.killed();
        } catch (PowerLoss e) {
            // as it should
        }
        PoolNamespace namespace = open(second[0]);
        Map<String, String> after = History.text(Snapshot.of(namespace));
        if (shown != null) {
            assertEquals(shown, after, "what the first recovery showed stays true");
        }
        namespace.scanInBackground();
        assertEquals(List.of(), namespace.problems());
        assertEquals(after, History.text(Snapshot.of(namespace)), "after the scan");
        return after;
    }

    private static PoolNamespace open(SimPoolFile file) {
        return new PoolNamespace("sim", file, false);
    }
}
