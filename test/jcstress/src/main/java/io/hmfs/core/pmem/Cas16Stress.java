package io.hmfs.core.pmem;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.hmfs.core.StressPool.Units;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LLLL_Result;

/**
 * Goal: of two threads that swap one unit from the same value, one wins, and both words are the winner's. Method: what each was told,
 * and what stands there afterwards.
 */
@JCStressTest
@Outcome(id = "true, false, 1, 11", expect = ACCEPTABLE, desc = "the first won")
@Outcome(id = "false, true, 2, 12", expect = ACCEPTABLE, desc = "the second won")
@Outcome(expect = FORBIDDEN, desc = "two winners, none, or a torn unit")
@State
public class Cas16Stress {
    private final long at = Units.next(0, 10);

    @Actor
    public void first(LLLL_Result result) {
        result.r1 = Units.pmem().cas16(at, 0, 10, 1, 11);
    }

    @Actor
    public void second(LLLL_Result result) {
        result.r2 = Units.pmem().cas16(at, 0, 10, 2, 12);
    }

    @Arbiter
    public void after(LLLL_Result result) {
        result.r3 = Units.pmem().get(at);
        result.r4 = Units.pmem().get(at + 8);
    }
}
