package io.hmfs.core.check;

import java.util.List;
import java.util.Map;

/**
 * What a check has found.
 *
 * @param wasClosed whether the pool had been closed cleanly, not left by a crash
 * @param damage things that are damaged now
 * @param lost those of them that a repair can do nothing about
 * @param pending things that the next start settles
 * @param repaired things that were damaged and are not any more
 * @param findings the first ones of each kind, {@link #FINDINGS_MAX} at most
 * @param counted what the pool holds: files, directories, free slots, …, in the order to be shown
 */
public record CheckReport(
        boolean wasClosed,
        long damage,
        long lost,
        long pending,
        long repaired,
        List<Finding> findings,
        Map<String, Long> counted) {
    /** Findings kept; all are counted. */
    public static final int FINDINGS_MAX = 1000;

    /** Whether nothing is damaged now. */
    public boolean isSound() {
        return damage == 0;
    }
}
