package io.hmfs.core.recovery;

import io.hmfs.core.alloc.Summary;
import io.hmfs.core.engine.Engine;
import io.hmfs.core.layout.PoolHeader;
import io.hmfs.core.layout.SummaryRecord;
import io.hmfs.core.pmem.Pmem;

/** The end of a start that nothing went wrong in, when no thread uses the pool any more: so the next one need not look for anything. */
public final class CleanClose {
    private CleanClose() {}

    /**
     * {@code knowsFree}: whether the allocators know all the free slots, so that the next start can be told; so it is unless removed files were handed
     * out whose data is not gone.
     */
    public static void run(Engine engine, long header, boolean knowsFree) {
        Pmem pmem = engine.pmem;
        engine.clock.close();
        engine.ids.close();
        long removed = engine.removed.gather();
        if (knowsFree && removed >= 0) {
            engine.slots().forEach(slots -> slots.summarize(header));
            Summary.write(pmem, header, engine.dead.left(), engine.removed.isKept(), removed, engine.removed.count());
            pmem.fence(); // of use to a log: the lines below are compared with those that threads have not logged yet
            // [close.1] † What operations leave to a recovery, as that a create is NORMAL or a slot FREE, and the
            // batches.
            for (int i = 0; i < engine.regions.count(); i++) {
                pmem.writeBack(engine.regions.at(i), engine.regions.size());
            }
            pmem.writeBack(header + PoolHeader.SUMMARY_OFFSET, SummaryRecord.SIZE);
            // [close.2] † The summary is whole, and all that it tells of is durable, before the pool says that it was
            // closed.
            pmem.fence();
        }
        // [close.3] The commit. A start takes it back durably before it does anything else.
        pmem.setRelease(header + PoolHeader.STATE_OFFSET, PoolHeader.CLEAN);
        pmem.persist(header + PoolHeader.STATE_OFFSET, 8);
    }
}
