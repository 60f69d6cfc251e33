package io.hmfs.core.op;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.hmfs.core.Namespace;
import io.hmfs.core.StressPool;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import java.util.concurrent.atomic.AtomicLong;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * Goal: a stat never shows a mode beside an owner that were not there together, even when both come back to what they were. Method:
 * one thread takes mode and owner there and back and there again, such that the old mode never stands beside the new owner.
 */
@JCStressTest
@Outcome(
        id = {"1, 1", "2, 1", "2, 2"},
        expect = ACCEPTABLE,
        desc = "a pair that was")
@Outcome(expect = FORBIDDEN, desc = "a pair that never was")
@State
public class ChmodChownStress {
    private static final Namespace NAMESPACE = StressPool.namespace();
    private static final AtomicLong NUMBER = new AtomicLong();

    private final Name name = Name.of("file" + NUMBER.getAndIncrement());
    private final Attributes out = new Attributes();

    public ChmodChownStress() {
        Status status = NAMESPACE.create(Namespace.ROOT_ID, name, 1, 1, 1, new Attributes());
        if (status != Status.OK) {
            throw new AssertionError("create says " + status);
        }
    }

    @Actor
    public void changes() {
        mode(2);
        owner(2);
        owner(1);
        mode(1);
        mode(2);
        owner(2);
    }

    private void mode(int mode) {
        NAMESPACE.chmod(Namespace.ROOT_ID, name, mode);
    }

    private void owner(int uid) {
        NAMESPACE.chown(Namespace.ROOT_ID, name, uid, uid);
    }

    @Actor
    public void stat(II_Result result) {
        NAMESPACE.stat(Namespace.ROOT_ID, name, out);
        result.r1 = out.mode;
        result.r2 = out.uid;
    }

    @Arbiter
    public void after(II_Result result) {
        NAMESPACE.delete(Namespace.ROOT_ID, name, out);
    }
}
