package io.hmfs.core.check;

import io.hmfs.core.check.Finding.Severity;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Gathers what one round of a check finds; when it repairs, it does so at once, so that the passes behind see the result. */
final class Findings {
    private final @Nullable Runnable beforeFirstRepair;
    private final List<Finding> kept = new ArrayList<>();
    private final Map<String, Long> counted = new LinkedHashMap<>();
    private boolean begun;
    private long damage;
    private long lost;
    private long pending;
    private long repaired;

    /** {@code beforeFirstRepair} is null for a look that changes nothing. */
    Findings(@Nullable Runnable beforeFirstRepair) {
        this.beforeFirstRepair = beforeFirstRepair;
    }

    boolean repairs() {
        return beforeFirstRepair != null;
    }

    /** Something that {@code repair} puts right; {@code action} says how. */
    void damage(long at, String object, String expected, String found, String action, Runnable repair) {
        if (beforeFirstRepair == null) {
            damage++;
            keep(Severity.DAMAGE, at, object, expected, found, action);
            return;
        }
        if (!begun) {
            begun = true;
            beforeFirstRepair.run();
        }
        repair.run();
        repaired++;
        keep(Severity.REPAIRED, at, object, expected, found, action);
    }

    /** Something that nothing in the pool tells how to put right. */
    void lost(long at, String object, String expected, String found, String action) {
        damage++;
        lost++;
        keep(Severity.LOST, at, object, expected, found, action);
    }

    /** Something that a crash leaves and the next start settles. */
    void pending(long at, String object, String expected, String found, String action) {
        pending++;
        keep(Severity.PENDING, at, object, expected, found, action);
    }

    private void keep(Severity severity, long at, String object, String expected, String found, String action) {
        if (kept.size() < CheckReport.FINDINGS_MAX) {
            kept.add(new Finding(severity, at, object, expected, found, action));
        }
    }

    void count(String what, long more) {
        counted.merge(what, more, Long::sum);
    }

    long counted(String what) {
        return counted.getOrDefault(what, 0L);
    }

    long repaired() {
        return repaired;
    }

    long pending() {
        return pending;
    }

    long damage() {
        return damage;
    }

    List<Finding> kept() {
        return kept;
    }

    /** This round's findings as the whole report, behind what earlier rounds have repaired. */
    CheckReport report(boolean wasClosed, List<Finding> before, long repairedBefore) {
        List<Finding> all = new ArrayList<>(before);
        all.addAll(kept);
        List<Finding> first = all.subList(0, Math.min(all.size(), CheckReport.FINDINGS_MAX));
        return new CheckReport(
                wasClosed, damage, lost, pending, repaired + repairedBefore, List.copyOf(first), counted);
    }
}
