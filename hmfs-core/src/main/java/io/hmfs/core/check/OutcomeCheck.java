package io.hmfs.core.check;

import io.hmfs.core.layout.OutcomeRecord;
import io.hmfs.core.layout.OutcomeRing;
import io.hmfs.core.layout.PoolHeader;
import io.hmfs.core.layout.RegionKind;
import io.hmfs.core.pmem.Pmem;
import io.hmfs.core.pmem.PoolFile;

/**
 * Rings of outcomes. Nothing else in a pool tells what belongs there, so what is damaged is forgotten: clients hear of their changes
 * that it is not known what became of them.
 */
final class OutcomeCheck {
    private static final String RINGS = "rings of outcomes";

    private final PoolView view;
    private final Pmem pmem;

    private OutcomeCheck(PoolView view) {
        this.view = view;
        this.pmem = view.pmem;
    }

    static void run(PoolView view) {
        OutcomeCheck check = new OutcomeCheck(view);
        for (int region = 0; region < view.regions(); region++) {
            if (view.kind(region) == RegionKind.OUTCOMES) {
                long end = view.regionAt(region) + view.regionSize;
                for (long at = view.regionAt(region); at + OutcomeRing.SIZE <= end; at += OutcomeRing.SIZE) {
                    check.ring(at);
                }
            }
        }
    }

    private void ring(long at) {
        long magic = OutcomeRing.magic(pmem, at);
        long since = OutcomeRing.since(pmem, at);
        if (magic != OutcomeRing.MAGIC && (magic != 0 || since != 0)) {
            view.findings.damage(
                    at,
                    RINGS,
                    "the head of a ring, or zeros",
                    "0x" + Long.toHexString(magic),
                    "forget what the ring knows",
                    () -> {
                        forget(pmem, at);
                        view.store(at + OutcomeRing.MAGIC_OFFSET, OutcomeRing.MAGIC);
                    });
            return;
        }
        for (int i = 0; since != 0 && i < OutcomeRing.RECORDS; i++) {
            long record = OutcomeRing.record(at, i);
            if (OutcomeRecord.time(pmem, record) > since && !isRecord(record, i)) {
                view.findings.damage(
                        record,
                        RINGS,
                        "a record, or none",
                        "0x" + Long.toHexString(OutcomeRecord.number(pmem, record)),
                        "forget what the ring knows",
                        () -> forget(pmem, at));
                return;
            }
        }
        view.findings.count(RINGS, since == 0 ? 0 : 1);
    }

    private boolean isRecord(long record, int place) {
        long number = OutcomeRecord.number(pmem, record);
        int phase = OutcomeRecord.phase(number);
        int evidence = OutcomeRecord.evidence(pmem, record);
        return number == 0
                || ((phase == OutcomeRecord.WRITTEN || phase == OutcomeRecord.EXECUTED)
                        && (OutcomeRecord.sequence(number) & (OutcomeRing.RECORDS - 1)) == place
                        && evidence >= OutcomeRecord.MADE
                        && evidence <= OutcomeRecord.CHAINED
                        && view.isEntry(OutcomeRecord.object(pmem, record)));
    }

    /** Called before the pool opens again: after a repair, what is there does not tell what was executed. */
    static void forgetAll(PoolFile file) {
        Pmem pmem = file.pmem();
        long table = file.header() + PoolHeader.REGION_TABLE_OFFSET;
        for (int i = 0; i < Math.min(file.regionsMax(), PoolHeader.REGIONS_MAX); i++) {
            long word = pmem.get(table + 8L * i);
            if ((word & RegionKind.MASK) == RegionKind.OUTCOMES.code()) {
                long start = word & ~RegionKind.MASK;
                for (long at = start; at + OutcomeRing.SIZE <= start + file.regionSize(); at += OutcomeRing.SIZE) {
                    forget(pmem, at);
                }
            }
        }
    }

    private static void forget(Pmem pmem, long at) {
        pmem.setRelease(at + OutcomeRing.SINCE_OFFSET, 0);
        pmem.persist(at, OutcomeRing.HEAD_SIZE);
    }
}
