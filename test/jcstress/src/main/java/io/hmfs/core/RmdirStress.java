package io.hmfs.core;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import java.util.concurrent.atomic.AtomicLong;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LLLLL_Result;

/**
 * Goal: of an rmdir and a create in that directory exactly one succeeds, and the other's answer fits. Method: both answers, then what
 * a stat says of the directory, by name and by id, and of the child.
 */
@JCStressTest
@Outcome(
        id = "OK, NO_SUCH_DIRECTORY, NOT_FOUND, NO_SUCH_DIRECTORY, NOT_FOUND",
        expect = ACCEPTABLE,
        desc = "the directory went before the child came")
@Outcome(id = "NOT_EMPTY, OK, OK, OK, OK", expect = ACCEPTABLE, desc = "the child came before the directory could go")
@Outcome(expect = FORBIDDEN, desc = "both, neither, or an answer that does not fit")
@State
public class RmdirStress {
    private static final Namespace NAMESPACE = StressPool.namespace();
    private static final AtomicLong NUMBER = new AtomicLong();
    private static final Name CHILD = Name.of("child");

    private final Name name = Name.of("directory" + NUMBER.getAndIncrement());
    private final Attributes created = new Attributes();
    private final long directory;

    public RmdirStress() {
        Attributes made = new Attributes();
        Status status = NAMESPACE.mkdir(Namespace.ROOT_ID, name, 0755, 0, 0, made);
        if (status != Status.OK) {
            throw new AssertionError("mkdir says " + status);
        }
        directory = made.id;
    }

    @Actor
    public void rmdir(LLLLL_Result result) {
        result.r1 = NAMESPACE.rmdir(Namespace.ROOT_ID, name);
    }

    @Actor
    public void create(LLLLL_Result result) {
        result.r2 = NAMESPACE.create(directory, CHILD, 0644, 0, 0, created);
    }

    @Arbiter
    public void after(LLLLL_Result result) {
        result.r3 = NAMESPACE.stat(Namespace.ROOT_ID, name, created);
        result.r4 = NAMESPACE.statDirectory(directory, created);
        result.r5 = NAMESPACE.stat(directory, CHILD, created);
        NAMESPACE.delete(directory, CHILD, created);
        NAMESPACE.rmdir(Namespace.ROOT_ID, name);
    }
}
