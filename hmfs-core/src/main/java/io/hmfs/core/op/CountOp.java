package io.hmfs.core.op;

import io.hmfs.core.engine.Engine;
import io.hmfs.core.layout.DirContentRecord;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.SlotState;
import io.hmfs.core.pmem.Pmem;
import io.hmfs.core.recovery.Recovery;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.ListVisitor;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.core.type.TreeCount;
import org.jspecify.annotations.Nullable;

/**
 * count: adds up what is below directories. The next entry of a list is known only when the one before has come from memory, so several lists
 * are walked in turn, one step each: the processor waits for all of them together. Of a plain file at rest two lines are read; whatever else is met is
 * left to {@link ListOp}, for one entry.
 */
final class CountOp {
    /** Lists that are walked at once: as many as help, measured. */
    private static final int LANES = 8;

    /** Entries that are counted under one pin. */
    private static final int ENTRIES_PER_PIN = 1 << 13;

    private static final int FILE =
            (int) EntryRecord.status(SlotState.NORMAL, EntryRecord.KIND_FILE, 0); // the length of the name stands above

    private static final int STATE_AND_KIND = 0xffff;

    private final Engine engine;
    private final Pmem pmem;
    private final Recovery recovery;
    private final ListOp list;

    CountOp(Engine engine, Recovery recovery, ListOp list) {
        this.engine = engine;
        this.pmem = engine.pmem;
        this.recovery = recovery;
        this.list = list;
    }

    Status run(TreeCount count, long entriesMax) {
        Pass pass = new Pass(count);
        Status status = Status.OK;
        for (long left = entriesMax; left > 0 && status == Status.OK && !count.isAtEnd(); left -= pass.counted) {
            status = pass.run(Math.min(left, ENTRIES_PER_PIN));
        }
        return status;
    }

    /** A list on its way. */
    private static final class Lane {
        TreeCount.@Nullable Level level;
        ListOp.@Nullable Walk walk;

        /** The next node of the list. */
        long at;
    }

    /** What is done under one pin. */
    private final class Pass implements ListVisitor {
        private final TreeCount count;
        private final Lane[] lanes = new Lane[LANES];
        private final Attributes attributes = Attributes.withAcl();
        private final Name name = new Name();
        private int busy;
        private long counted;
        private Status status = Status.OK;
        private TreeCount.@Nullable Level from;
        private TreeCount.@Nullable Level met;

        Pass(TreeCount count) {
            this.count = count;
            for (int i = 0; i < LANES; i++) {
                lanes[i] = new Lane();
            }
        }

        Status run(long max) {
            counted = 0;
            int pin = engine.epochs.pin();
            try {
                do {
                    fill();
                    turn();
                } while (busy > 0 && counted < max && status == Status.OK);
                while (busy > 0) {
                    leave(--busy);
                }
            } finally {
                engine.epochs.unpin(pin);
            }
            return status;
        }

        private void fill() {
            while (busy < Math.min(LANES, count.width())) {
                TreeCount.Level level = count.pop();
                if (level == null) {
                    return;
                }
                enter(lanes[busy], level);
                if (lanes[busy].at != Pmem.NULL) {
                    busy++;
                }
            }
        }

        /** A directory that has gone is at its end. */
        private void enter(Lane lane, TreeCount.Level level) {
            long content = recovery.openContent(level.directory);
            lane.level = level;
            lane.walk =
                    content == Pmem.NULL ? null : list.walk(level.directory, content, level.cursor, attributes, name);
            lane.at = lane.walk == null ? Pmem.NULL : lane.walk.first(this);
        }

        /** The list goes on another time. */
        private void leave(int number) {
            if (lanes[number].level != null) {
                count.push(lanes[number].level);
            }
            lanes[number].level = null;
        }

        private void turn() {
            for (int i = 0; i < busy && status == Status.OK; i++) {
                Lane lane = lanes[i];
                long at = lane.at;
                if (at != Pmem.NULL && at != DirContentRecord.CLOSED) {
                    long entry = EntryRecord.status(pmem, at);
                    long length = pmem.getAcquire(at + EntryRecord.LENGTH_OFFSET);
                    long birth = EntryRecord.birth(pmem, at);
                    if (((int) entry & STATE_AND_KIND) != FILE || length < 0 || lane.level == null) {
                        look(lane);
                    } else {
                        count.files++;
                        count.bytes = TreeCount.sum(count.bytes, EntryRecord.size(length));
                        counted++;
                        lane.level.cursor.birth = birth;
                        lane.level.cursor.at = at;
                        lane.at = EntryRecord.sibling(pmem, at);
                        continue;
                    }
                    at = lane.at;
                }
                if (at == Pmem.NULL || at == DirContentRecord.CLOSED) { // the last lane stands here from now on
                    lanes[i] = lanes[--busy];
                    lanes[busy] = lane;
                    lane.level = null;
                    i--;
                }
            }
        }

        /** The next entry as a listing shows it. If it is a directory the lane goes on in there. */
        private void look(Lane lane) {
            TreeCount.Level level = lane.level;
            ListOp.Walk walk = lane.walk;
            long at = lane.at;
            lane.at = Pmem.NULL;
            if (level == null || walk == null) {
                return;
            }
            from = level;
            met = null;
            long next = walk.showOne(at, this);
            if (walk.isDamaged()) {
                status = count.damaged(level);
                return;
            }
            lane.at = next;
            if (met != null) {
                if (lane.at != Pmem.NULL) {
                    count.push(level);
                }
                enter(lane, met);
            }
        }

        @Override
        public boolean visit(Name called, Attributes found) {
            counted++;
            count.add(found);
            if (found.isDirectory()) {
                met = new TreeCount.Level(from, found.id, called.toBytes());
                status = count.admit(met, found);
            }
            return true;
        }
    }
}
