package io.hmfs.core;

import io.hmfs.core.pmem.Persistence;
import io.hmfs.core.pmem.PoolException;
import io.hmfs.core.recovery.Superblock;
import io.hmfs.core.sim.SimPoolFile;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import java.nio.file.Path;
import java.util.UUID;
import org.jetbrains.lincheck.datastructures.ManagedStrategyGuaranteeKt;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.junit.jupiter.api.Test;

/**
 * Goal: the operations on a few names of one directory are linearizable. Method: Lincheck runs small programs of two threads over
 * simulated memory, whose words it sees because they are elements of a Java array, and looks for an order of each outcome
 * among all orders of the same program in one thread.
 */
public final class NamespaceLincheckTest {
    private static final long ROOT = Namespace.ROOT_ID;
    private static final int ITERATIONS = Integer.getInteger("hmfs.iterations", 2);
    private static final SimPoolFile PREPARED = prepare();

    private final Namespace namespace = new PoolNamespace("sim", PREPARED.killed(), false);

    private static SimPoolFile prepare() {
        SimPoolFile file = new SimPoolFile(16 << 10, 10, Persistence.PROCESS);
        try {
            Superblock.format(Path.of("sim"), file, new UUID(1, 2), 42, 2);
        } catch (PoolException e) {
            throw new AssertionError(e);
        }
        PoolNamespace namespace = new PoolNamespace("sim", file, false);
        namespace.create(ROOT, Name.of("a"), 0644, 0, 0, new Attributes());
        namespace.close();
        return file.killed();
    }

    @Operation
    public String createB() {
        return namespace
                .create(ROOT, Name.of("b"), 0644, 0, 0, new Attributes())
                .toString();
    }

    @Operation
    public String deleteA() {
        return namespace.delete(ROOT, Name.of("a"), new Attributes()).toString();
    }

    @Operation
    public String moveAToB() {
        return namespace
                .rename(ROOT, Name.of("a"), ROOT, Name.of("b"), true, new Attributes())
                .toString();
    }

    @Operation
    public String statA() {
        return namespace.stat(ROOT, Name.of("a"), new Attributes()).toString();
    }

    @Operation
    public String statB() {
        return namespace.stat(ROOT, Name.of("b"), new Attributes()).toString();
    }

    @Test
    void modelChecked() {
        new ModelCheckingOptions()
                .iterations(ITERATIONS)
                .invocationsPerIteration(60)
                .threads(2)
                .actorsPerThread(2)
                .actorsBefore(0)
                .actorsAfter(1)
                // Read by one thread only, through views of a byte array that Lincheck 3.7 does not know.
                .addGuarantee(ManagedStrategyGuaranteeKt.forClasses(Name.class.getName())
                        .allMethods()
                        .ignore())
                .check(NamespaceLincheckTest.class);
    }

    @Test
    void stressed() {
        new StressOptions()
                .iterations(ITERATIONS)
                .invocationsPerIteration(100)
                .threads(2)
                .actorsPerThread(2)
                .actorsBefore(0)
                .actorsAfter(1)
                .check(NamespaceLincheckTest.class);
    }
}
