package io.hmfs.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.check.CheckReport;
import io.hmfs.core.check.PoolCheck;
import io.hmfs.core.check.Progress;
import io.hmfs.core.layout.PoolHeader;
import io.hmfs.core.pmem.PoolException;
import io.hmfs.core.recovery.Superblock;
import io.hmfs.core.sim.SimPmem;
import io.hmfs.core.sim.SimPoolFile;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Status;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: an older HMFS that does not know what stands in a pool says that it is of another version, whatever cut a start short, and no
 * pool is lost by that. Method: pools of older versions, opened; the power fails at each event, or the process dies there and the power
 * fails after the next start.
 */
final class RaisedPoolTest {
    private static final Path SIM = Path.of("sim");

    private final Attributes out = new Attributes();

    private static SimPoolFile older(int version) {
        SimPoolFile file = new SimPoolFile(16 << 10, 12);
        FreshPool.open(file).close();
        SimPmem pmem = file.pmem();
        pmem.set(PoolHeader.VERSION_OFFSET, version);
        pmem.set(PoolHeader.CHECKSUM_OFFSET, PoolHeader.checksum(pmem, 0));
        return file.killed();
    }

    private static PoolNamespace open(SimPoolFile file) {
        try {
            Superblock.check(SIM, file);
        } catch (PoolException e) {
            throw new AssertionError(e);
        }
        return new PoolNamespace("sim", file, false);
    }

    private static long version(SimPoolFile file) {
        return file.pmem().get(PoolHeader.VERSION_OFFSET);
    }

    private static void isSound(SimPoolFile file, String image) {
        try {
            CheckReport report = PoolCheck.check(SIM, file, Progress.NONE);
            assertEquals(0, report.damage(), () -> image + ": " + report.findings());
        } catch (PoolException e) {
            throw new AssertionError(image, e);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void aPoolOfEachOlderVersionIsRaisedWhateverCutsThatShort(int version) {
        SimPoolFile file = older(version);
        isSound(file, "as it was");
        Set<Long> seen = new TreeSet<>();
        Set<Boolean> fits = new TreeSet<>();
        file.pmem()
                .beforeEachEvent(() -> file.pmem().images(20, 1, image -> {
                    SimPoolFile after = file.crashed(image);
                    seen.add(version(after));
                    fits.add(
                            PoolHeader.checksum(after.pmem(), 0) == after.pmem().get(PoolHeader.CHECKSUM_OFFSET));
                    isSound(after, image.toString());
                    PoolNamespace next = open(after);
                    assertEquals(
                            PoolHeader.checksum(after.pmem(), 0), after.pmem().get(PoolHeader.CHECKSUM_OFFSET));
                    assertEquals(PoolHeader.VERSION, next.poolStatus().formatVersion());
                }));
        PoolNamespace namespace = open(file);
        file.pmem().beforeEachEvent(null);
        assertEquals(Set.of((long) version, (long) PoolHeader.VERSION), seen);
        assertEquals(Set.of(false, true), fits, "a raising that was cut short");
        isRaised(file, namespace);
    }

    private void isRaised(SimPoolFile file, PoolNamespace namespace) {
        assertEquals(Status.OK, namespace.limbo(true, out));
        int[] images = new int[1];
        file.pmem().images(50, 1, image -> {
            SimPoolFile after = file.crashed(image);
            assertEquals(PoolHeader.VERSION, version(after), image::toString);
            isSound(after, image.toString());
            images[0]++;
        });
        assertTrue(images[0] > 0);
        namespace.scanInBackground();
        assertEquals(List.of(), namespace.problems());
    }

    /** The next start finds the version raised, and must not believe that it is so durably. */
    @Test
    void theProcessMayDieThereAndThePowerFailLater() {
        SimPoolFile closed = older(3);
        int deaths = 0;
        for (boolean dies = true; dies; deaths++) {
            SimPoolFile file = closed.killed();
            int[] left = {deaths};
            file.pmem().beforeEachEvent(() -> {
                if (left[0]-- == 0) {
                    throw new IllegalStateException("the process dies");
                }
            });
            dies = false;
            try {
                open(file);
            } catch (IllegalStateException _) {
                dies = true;
                file.pmem().processDied();
            }
            file.pmem().beforeEachEvent(null);
            isRaised(file, open(file));
        }
        assertTrue(deaths > 8, "deaths: " + deaths);
    }

    /** A version is no version with another's checksum, but for one that was raised. */
    @Test
    void noOtherVersionIsTakenWithAChecksumOfAnother() {
        for (long[] pair : new long[][] {{2, 3}, {3, 2}, {3, 4}, {2, 4}}) {
            SimPoolFile file = older((int) pair[1]);
            file.pmem().set(PoolHeader.VERSION_OFFSET, pair[0]);
            PoolException refused = assertThrows(PoolException.class, () -> Superblock.check(SIM, file));
            assertEquals(PoolException.Reason.BAD_CHECKSUM, refused.reason());
            ClosedPools.repair(file);
            assertEquals(pair[1], version(file));
        }
    }
}
