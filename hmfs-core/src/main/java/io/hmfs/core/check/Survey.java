package io.hmfs.core.check;

import io.hmfs.core.layout.DirContentRecord;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.PoolHeader;
import io.hmfs.core.layout.RegionKind;
import io.hmfs.core.layout.SlotState;
import io.hmfs.core.pmem.Pmem;

/**
 * The two leases, by which everything that was issued is told from everything that was not. A lease below something in use is
 * raised. A time that is neither below the lease nor near the present is the object's fault, not the lease's.
 */
final class Survey {
    private static final long DAY_NANOS = 86_400_000_000_000L;

    /** Some times are rounded, and a lease may lag behind by less than this. */
    private static final long SLACK_NANOS = 1_000_000_000L;

    private final PoolView view;
    private final Pmem pmem;
    private final long lease;
    private final long soon = System.currentTimeMillis() * 1_000_000L + DAY_NANOS;
    private long timeMax;
    private long idMax;
    private long late;
    private long seen;

    private Survey(PoolView view) {
        this.view = view;
        this.pmem = view.pmem;
        this.lease = pmem.get(view.header + PoolHeader.CLOCK_LEASE_OFFSET);
    }

    static void run(PoolView view) {
        Survey survey = new Survey(view);
        view.eachEntry("times and ids", survey::entry);
        view.eachSlot("times and ids", RegionKind.CONTENT_SLOTS, survey::content);
        survey.clock();
        survey.ids();
    }

    private void entry(long at) {
        if (EntryRecord.holdsData(EntryRecord.status(pmem, at)) && PoolView.isIdNumber(EntryRecord.id(pmem, at))) {
            idMax = Math.max(idMax, EntryRecord.id(pmem, at)); // its data must not become another's
        }
        if (view.isEntryStatus(at) && EntryRecord.state(pmem, at) == SlotState.NORMAL) {
            time(EntryRecord.birth(pmem, at));
            time(pmem.get(at + EntryRecord.MTIME_OFFSET)); // a ctime may be ahead of the clock
            long id = EntryRecord.id(pmem, at);
            if (PoolView.isIdNumber(id)) {
                idMax = Math.max(idMax, id);
            }
        }
    }

    private void content(long at) {
        if (view.isLiveContent(at)) {
            time(DirContentRecord.mtime(pmem, at));
        }
    }

    private void time(long time) {
        seen++;
        if (time <= soon) {
            timeMax = Math.max(timeMax, time);
        } else if (time < lease) {
            late++;
        }
    }

    private void clock() {
        // A clock that was wrong by years leaves many such times; a damaged lease leaves none.
        boolean far = lease > soon && 2 * late < seen;
        boolean low = lease <= timeMax;
        long right = timeMax + 1;
        view.lease = far || low ? right : lease;
        view.future = view.lease + SLACK_NANOS;
        if (far || low) {
            store(PoolHeader.CLOCK_LEASE_OFFSET, "clock lease", lease, low ? "above " : "soon after ", timeMax, right);
        }
    }

    private void ids() {
        long found = pmem.get(view.header + PoolHeader.ID_LEASE_OFFSET);
        if (found <= idMax || !PoolView.isIdNumber(found)) {
            store(PoolHeader.ID_LEASE_OFFSET, "id lease", found, "above ", idMax, idMax + 1);
        }
    }

    private void store(long offset, String what, long found, String how, long max, long right) {
        view.findings.damage(
                view.header + offset,
                "superblock, " + what,
                how + max + ", the greatest in use",
                Long.toString(found),
                "store " + right,
                () -> view.store(view.header + offset, right));
    }
}
