package io.hmfs.core.op;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.hmfs.core.StressPool;
import io.hmfs.core.dir.ChildList;
import io.hmfs.core.engine.Engine;
import io.hmfs.core.layout.Ctime;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.Owner;
import io.hmfs.core.layout.SlotState;
import io.hmfs.core.pmem.Pmem;
import io.hmfs.core.recovery.Recovery;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJJJ_Result;

/**
 * Goal: what a stat shows of (mode, owner) and of (mtime, size) stood there, both at one moment. Method: one thread steps the two units on
 * in turns by cas16, no word ever coming back; the other reads them as every stat does.
 */
@JCStressTest
@Outcome(
        id = {"(\\d), \\1, \\1, \\1", "1, 1, 0, 0", "2, 2, 1, 1", "3, 3, 2, 2"},
        expect = ACCEPTABLE,
        desc = "mode with its owner, mtime with its size, and the pairs of one moment")
@Outcome(expect = FORBIDDEN, desc = "what never was")
@State
public class AttributeReaderStress {
    private static final Engine ENGINE = StressPool.engine();
    private static final Pmem PMEM = ENGINE.pmem;
    private static final AttributeReader READER =
            new AttributeReader(ENGINE, new Recovery(ENGINE, new ChildList(ENGINE)));
    private static final Name NAME = Name.of("file");
    private static final int STEPS = 3;

    private final long time = ENGINE.clock.next();
    private final long at = ENGINE.entrySlots.allocate();
    private final Attributes out = new Attributes();

    public AttributeReaderStress() {
        EntryRecord.init(PMEM, at, EntryRecord.KIND_FILE, 2, EntryRecord.NO_CHECK, 1, NAME, time, 0, 0);
        EntryRecord.setState(PMEM, at, SlotState.NORMAL);
    }

    private long ctime(int step) {
        return Ctime.of(time + step * Ctime.UNIT, step);
    }

    @Actor
    public void writer() {
        for (int i = 0; i < STEPS; i++) {
            long owner = Owner.of(i, i);
            PMEM.cas16(at + EntryRecord.CTIME_OFFSET, ctime(i), owner, ctime(i + 1), Owner.of(i + 1, i + 1));
            PMEM.cas16(at + EntryRecord.MTIME_OFFSET, time + i, i, time + i + 1, i + 1);
        }
    }

    @Actor
    public void reader(JJJJ_Result result) {
        READER.read(at, EntryRecord.status(PMEM, at), out);
        result.r1 = out.mode;
        result.r2 = out.uid;
        result.r3 = out.mtimeNanos - time;
        result.r4 = out.size;
    }

    @Arbiter
    public void after(JJJJ_Result result) {
        EntryRecord.setState(PMEM, at, SlotState.FREE);
        ENGINE.entrySlots.release(at);
    }
}
