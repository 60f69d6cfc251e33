package io.hmfs.core.pmem;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.hmfs.core.StressPool.Units;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;

/**
 * Goal: two words read twice and found equal are a pair that stood there at one time, as long as no word comes back. Method: one
 * thread swaps the unit on, step by step; the other reads it as the engine does, by acquiring loads.
 */
@JCStressTest
@Outcome(id = "0, 10", expect = ACCEPTABLE, desc = "before the first step")
@Outcome(id = "1, 11", expect = ACCEPTABLE, desc = "after the first step")
@Outcome(id = "2, 12", expect = ACCEPTABLE, desc = "after the second step")
@Outcome(id = "3, 13", expect = ACCEPTABLE, desc = "after the last step")
@Outcome(expect = FORBIDDEN, desc = "a pair that never was")
@State
public class DoubleCollectStress {
    private static final int STEPS = 3;

    private final long at = Units.next(0, 10);

    @Actor
    public void writer() {
        for (int i = 0; i < STEPS; i++) {
            Units.pmem().cas16(at, i, 10 + i, 1 + i, 11 + i);
        }
    }

    @Actor
    public void reader(JJ_Result result) {
        Pmem pmem = Units.pmem();
        long low;
        long high;
        do {
            low = pmem.getAcquire(at);
            high = pmem.getAcquire(at + 8);
        } while (low != pmem.getAcquire(at) || high != pmem.getAcquire(at + 8));
        result.r1 = low;
        result.r2 = high;
    }
}
