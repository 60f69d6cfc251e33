package io.hmfs.core.engine;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.hmfs.core.StressPool;
import io.hmfs.core.alloc.Summary;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.SlotState;
import io.hmfs.core.pmem.Pmem;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.RemovedFile;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/**
 * Goal: the slot of a removed file is handed to the reaper once and freed once, whichever comes first of the end of its list (a sweep, or the scan of
 * a start) and the end of its data. Method: each two of sweep, scan and reaper on one slot, by the calls that {@code ChildList.letGo},
 * {@code BackgroundScan.checkDeleted} and {@code Reaper} make; afterwards what is left on record is handed out, and what was freed is counted. A state has a stack
 * of removed files for itself: with one for all, a reaper would take the slots of other states.
 */
public final class RemovedDataStress {
    private static final Engine ENGINE = StressPool.engine();
    private static final Pmem PMEM = ENGINE.pmem;
    private static final Name NAME = Name.of("removed");

    private RemovedDataStress() {}

    /** A removed file that is on its list still, and what is done to it. */
    private static final class Dead {
        private final AtomicInteger freed = new AtomicInteger();
        private final AtomicInteger handedOut = new AtomicInteger();
        private final RemovedData removed =
                new RemovedData(PMEM, ENGINE.keys, ENGINE.regions, Summary.none(), true, this::retire);
        private final long at = ENGINE.entrySlots.allocate();

        Dead() {
            if (at == Pmem.NULL) {
                throw new AssertionError("the pool is full: some state does not give its slots back");
            }
            long id = ENGINE.ids.next();
            int check = EntryRecord.check(ENGINE.keys.ofEntry(1, NAME), id);
            EntryRecord.init(PMEM, at, EntryRecord.KIND_FILE, id, check, 1, NAME, ENGINE.clock.next(), 0, 0);
            ENGINE.setFate(at, SlotState.DELETED, ENGINE.clock.next());
        }

        private boolean retire(long slot, long status) {
            boolean won = ENGINE.retireDead(slot, status);
            if (won) {
                freed.incrementAndGet();
            }
            return won;
        }

        void unlist() {
            int pin = ENGINE.epochs.pin();
            removed.unlisted(at);
            ENGINE.epochs.unpin(pin);
        }

        /** As {@code BackgroundScan.checkDeleted} does to a file that an earlier start has removed. */
        void scan() {
            int pin = ENGINE.epochs.pin();
            if (!EntryRecord.unlisted(EntryRecord.status(PMEM, at))) {
                removed.unlisted(at);
            }
            removed.add(at);
            ENGINE.epochs.unpin(pin);
        }

        /** What the reaper is handed out; 0 if that is nothing. */
        long take() {
            RemovedFile file = new RemovedFile();
            int pin = ENGINE.epochs.pin();
            boolean there = removed.next(file);
            ENGINE.epochs.unpin(pin);
            if (there) {
                handedOut.incrementAndGet();
            }
            return there ? file.token : 0;
        }

        void done(long token) {
            int pin = ENGINE.epochs.pin();
            removed.done(token);
            ENGINE.epochs.unpin(pin);
        }

        /** Ends the data of all that is handed out by now. */
        void reap() {
            for (long token = take(); token != 0; token = take()) {
                done(token);
            }
        }

        /** How often it was handed out, how often freed, and what is on record. */
        void count(III_Result result) {
            reap();
            result.r1 = handedOut.get();
            result.r2 = freed.get();
            result.r3 = (int) removed.count();
        }
    }

    /** A file of this start, which the reaper has when a sweep takes it off its list. */
    @JCStressTest
    @Outcome(id = "1, 1, 0", expect = ACCEPTABLE, desc = "handed out once, freed once")
    @Outcome(expect = FORBIDDEN, desc = "a slot freed twice, or never, or a record that stays")
    @State
    public static class SweepAndReaper {
        private final Dead file = new Dead();
        private final long token;

        public SweepAndReaper() {
            file.removed.add(file.at);
            token = file.take();
        }

        @Actor
        public void sweep() {
            file.unlist();
        }

        @Actor
        public void reap() {
            file.done(token);
        }

        @Arbiter
        public void after(III_Result result) {
            file.count(result);
        }
    }

    /** A file of an earlier start, which the scan finds and the reaper waits for. */
    @JCStressTest
    @Outcome(id = "1, 1, 0", expect = ACCEPTABLE, desc = "handed out once, freed once")
    @Outcome(expect = FORBIDDEN, desc = "a slot freed twice, or never, or a record that stays or is lost")
    @State
    public static class ScanAndReaper {
        private final Dead file = new Dead();

        @Actor
        public void scan() {
            file.scan();
        }

        @Actor
        public void reap() {
            file.reap();
        }

        @Arbiter
        public void after(III_Result result) {
            file.count(result);
        }
    }

    /** A file of an earlier start, which a sweep takes off its list while the scan hands it out; its data ends at once. */
    @JCStressTest
    @Outcome(id = "1, 1, 0", expect = ACCEPTABLE, desc = "handed out once, freed once")
    @Outcome(expect = FORBIDDEN, desc = "a slot freed twice, or never, or a record that stays or is lost")
    @State
    public static class SweepAndScan {
        private final Dead file = new Dead();

        @Actor
        public void sweep() {
            file.unlist();
        }

        @Actor
        public void scanAndReap() {
            file.scan();
            file.reap();
        }

        @Arbiter
        public void after(III_Result result) {
            file.count(result);
        }
    }

    /** Two files that two threads put on record at once, on one stack. */
    @JCStressTest
    @Outcome(id = "2, 2, 0", expect = ACCEPTABLE, desc = "both handed out once and freed once")
    @Outcome(expect = FORBIDDEN, desc = "a record that is lost, or a slot freed twice, or never")
    @State
    public static class ScanAndRemoval {
        private final Dead scanned = new Dead();
        private final Dead removed = new Dead();

        @Actor
        public void scan() {
            scanned.scan();
        }

        @Actor
        public void remove() {
            scanned.removed.add(removed.at);
            scanned.reap();
        }

        @Arbiter
        public void after(III_Result result) {
            int pin = ENGINE.epochs.pin();
            scanned.removed.unlisted(removed.at);
            ENGINE.epochs.unpin(pin);
            scanned.count(result);
        }
    }
}
