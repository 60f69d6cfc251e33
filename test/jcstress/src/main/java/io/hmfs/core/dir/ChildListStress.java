package io.hmfs.core.dir;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.hmfs.core.StressPool;
import io.hmfs.core.engine.Engine;
import io.hmfs.core.layout.DirContentRecord;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.SlotState;
import io.hmfs.core.pmem.Pmem;
import io.hmfs.core.type.Name;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.L_Result;

/**
 * Goal: a child that is linked while a sweep takes dead ones off the same head stays, the dead go, the rest stays. Method: a list of
 * two dead, one alive and one dead; afterwards it is walked.
 */
@JCStressTest
@Outcome(id = "new alive", expect = ACCEPTABLE, desc = "whole")
@Outcome(expect = FORBIDDEN, desc = "a child lost, a dead one left, or no list any more")
@State
public class ChildListStress {
    private static final Engine ENGINE = StressPool.engine();
    private static final Pmem PMEM = ENGINE.pmem;
    private static final ChildList LISTS = new ChildList(ENGINE);
    private static final Name NAME = Name.of("child");
    private static final int WALK_MAX = 8;

    private final long content = ENGINE.contentSlots.allocate();
    private final long id = ENGINE.ids.next();
    private final long alive;
    private final long fresh;

    public ChildListStress() {
        DirContentRecord.init(PMEM, content, id, Pmem.NULL, ENGINE.clock.next());
        child(SlotState.DELETED);
        alive = child(SlotState.NORMAL);
        child(SlotState.DELETED);
        child(SlotState.DELETED);
        fresh = object();
    }

    private long object() {
        long at = ENGINE.entrySlots.allocate();
        if (at == Pmem.NULL) {
            throw new AssertionError("the pool is full: some state does not give its slots back");
        }
        EntryRecord.init(
                PMEM,
                at,
                EntryRecord.KIND_FILE,
                ENGINE.ids.next(),
                EntryRecord.NO_CHECK,
                id,
                NAME,
                ENGINE.clock.next(),
                0,
                0);
        return at;
    }

    private long child(int state) {
        long at = object();
        LISTS.link(content, at, EntryRecord.birth(PMEM, at));
        ENGINE.setFate(at, state, ENGINE.clock.next());
        return at;
    }

    @Actor
    public void link() {
        LISTS.link(content, fresh, EntryRecord.birth(PMEM, fresh));
        EntryRecord.setState(PMEM, fresh, SlotState.NORMAL);
    }

    @Actor
    public void sweep() {
        int pin = ENGINE.epochs.pin();
        LISTS.sweep(content, ChildList.Sweep.ALL);
        ENGINE.epochs.unpin(pin);
    }

    @Arbiter
    public void after(L_Result result) {
        result.r1 = walk();
        if (result.r1.equals("new alive")) {
            ENGINE.setFate(fresh, SlotState.DELETED, ENGINE.clock.next());
            ENGINE.setFate(alive, SlotState.DELETED, ENGINE.clock.next());
            sweep();
        }
        ENGINE.dropContent(content, id);
    }

    private String walk() {
        StringBuilder found = new StringBuilder();
        long at = DirContentRecord.childHead(PMEM, content);
        for (int i = 0; i < WALK_MAX && at != Pmem.NULL; i++) {
            found.append(i == 0 ? "" : " ").append(at == fresh ? "new" : at == alive ? "alive" : "dead");
            at = EntryRecord.sibling(PMEM, at);
        }
        return found.toString();
    }
}
