package io.hmfs.core.alloc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.layout.RegionKind;
import io.hmfs.core.sim.SimPoolFile;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Goal: a region that a start has seen stays one, of its kind. Method: the process dies before each event of what takes a region, the
 * next one opens the table, and then the power goes.
 */
final class RegionsTest {
    private static final int REGIONS = 10; // their words stand in two lines

    private static final class Death extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    private static List<RegionKind> kinds(Regions regions) {
        List<RegionKind> kinds = new ArrayList<>();
        for (int i = 0; i < regions.count(); i++) {
            kinds.add(regions.kind(i));
        }
        return kinds;
    }

    private static void takeAll(SimPoolFile file) {
        Regions regions = new Regions(file);
        for (int i = 0; i < REGIONS; i++) {
            regions.acquire(i % 2 == 0 ? RegionKind.ENTRY_SLOTS : RegionKind.INDEX_SEGMENTS);
        }
    }

    @Test
    void aRegionThatADeadProcessTookIsThereAfterThePowerFailed() {
        int deaths = 0;
        for (boolean died = true; died; deaths++) {
            SimPoolFile file = new SimPoolFile(4096, REGIONS);
            int[] left = {deaths};
            file.pmem().beforeEachEvent(() -> {
                if (left[0]-- == 0) {
                    throw new Death();
                }
            });
            try {
                takeAll(file);
                died = false;
            } catch (Death e) {
                // the next process sees what it stored
            }
            file.pmem().processDied();
            List<RegionKind> seen = kinds(new Regions(file));
            String when = "dead before event " + deaths;
            file.pmem().images(64, 1, image -> assertEquals(seen, kinds(new Regions(file.crashed(image))), when));
        }
        assertTrue(deaths > 2 * REGIONS, "deaths: " + deaths);
    }
}
