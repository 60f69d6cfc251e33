package io.hmfs.trials.soak;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Goal: pauses for collections are told from other safepoints, from collections that were asked for, and from waiting for a processor.
 * Method: lines of a real log, some of their figures replaced.
 */
class PausesTest {
    private static final List<String> LOG = List.of(
            "[5.867s][info][gc,start    ] GC(0) Pause Young (Normal) (G1 Evacuation Pause)",
            "[5.874s][info][gc,phases   ] GC(0)   Evacuate Collection Set: 5.96ms",
            "[5.874s][info][gc          ] GC(0) Pause Young (Normal) (G1 Evacuation Pause) 23M->4M(380M) 6.706ms",
            "[5.874s][info][gc,cpu      ] GC(0) User=0.00s Sys=0.00s Real=0.01s",
            "[5.874s][info][safepoint   ] Safepoint \"G1CollectForAllocation\", Time since last: 5824927963 ns,"
                    + " Reaching safepoint: 4396 ns, At safepoint: 6737159 ns, Leaving safepoint: 7431 ns, Total: 6748986"
                    + " ns, Threads: 0 runnable, 10 total",
            "[7.001s][info][gc          ] GC(1) Pause Young (Normal) (G1 Evacuation Pause) 123M->44M(380M) 347.031ms",
            "[7.001s][info][gc,cpu      ] GC(1) User=0.03s Sys=0.02s Real=0.35s",
            "[8.000s][info][gc          ] GC(2) Pause Full (Diagnostic Command) 50M->11M(380M) 61.5ms",
            "[8.000s][info][gc,cpu      ] GC(2) User=0.06s Sys=0.00s Real=0.06s",
            "[8.001s][info][safepoint   ] Safepoint \"G1CollectFull\", Time since last: 5 ns, Reaching safepoint: 4396"
                    + " ns, At safepoint: 6737159 ns, Leaving safepoint: 7431 ns, Total: 61600000 ns, Threads: 0 runnable,"
                    + " 10 total",
            "[9.000s][info][safepoint   ] Safepoint \"ICBufferFull\", Time since last: 5 ns, Reaching safepoint: 4396"
                    + " ns, At safepoint: 6737159 ns, Leaving safepoint: 7431 ns, Total: 1250000 ns, Threads: 0 runnable,"
                    + " 10 total",
            "[9.500s][info][gc          ] GC(3) Pause Remark 24.5ms",
            "[9.600s][info][gc          ] GC(3) Concurrent Mark Cycle 31.0ms");

    @Test
    void eachPauseHasItsLengthAndTheMostThatWasWork() {
        assertEquals(
                List.of(
                        new Pauses.Pause(5.874, "Young (Normal) (G1 Evacuation Pause)", 6.706, 6.706),
                        new Pauses.Pause(7.001, "Young (Normal) (G1 Evacuation Pause)", 347.031, 60),
                        new Pauses.Pause(9.5, "Remark", 24.5, 24.5)),
                Pauses.of(LOG).all());
    }

    @Test
    void longPausesAreThoseByTheClock() {
        assertEquals(
                List.of(7.001, 9.5),
                Pauses.of(LOG).over(20).stream().map(Pauses.Pause::atSeconds).toList());
    }

    @Test
    void otherSafepointsAreNoPauses() {
        assertEquals(new Pauses.Other("ICBufferFull", 1.25), Pauses.of(LOG).longestOther());
        assertEquals(new Pauses.Other("none", 0), Pauses.of(LOG.subList(0, 10)).longestOther());
    }
}
