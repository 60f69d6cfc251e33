package io.hmfs.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.PoolHeader;
import io.hmfs.core.layout.RegionKind;
import io.hmfs.core.layout.SlotState;
import io.hmfs.core.pmem.Pmem;
import io.hmfs.core.pmem.PoolException;
import io.hmfs.core.recovery.Superblock;
import io.hmfs.core.sim.SimPmem;
import io.hmfs.core.sim.SimPoolFile;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.function.LongConsumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Goal: the rules of the protocol that say what is durable before a store are kept as they stand, also where the next operation
 * would make up for it. Method: simulated memory that asks at each change.
 */
final class NamespaceOrderTest {
    private static final long ROOT = Namespace.ROOT_ID;
    private static final Name A = Name.of("a");
    private static final Name B = Name.of("b");

    private final Attributes out = new Attributes();
    private SimPoolFile file = new SimPoolFile(16 << 10, 14);
    private PoolNamespace namespace;
    private long d;
    private int looks;

    @BeforeEach
    void prepare() throws PoolException {
        Superblock.format(Path.of("sim"), file, new UUID(1, 2), 42, 2);
        namespace = new PoolNamespace("sim", file, false);
        ok(namespace.mkdir(ROOT, Name.of("d"), 0755, 0, 0, out));
        d = out.id;
        ok(namespace.create(ROOT, A, 0644, 0, 0, out));
        ok(namespace.create(ROOT, B, 0644, 0, 0, out));
    }

    private static void ok(Status status) {
        assertEquals(Status.OK, status);
    }

    private SimPmem pmem() {
        return file.pmem();
    }

    private long slotOf(Name name) {
        return Unwritten.slots(file, RegionKind.ENTRY_SLOTS)
                .filter(at -> EntryRecord.state(pmem(), at) == SlotState.NORMAL)
                .filter(at -> EntryRecord.hasKey(pmem(), at, EntryRecord.status(pmem(), at), ROOT, name))
                .findFirst()
                .orElseThrow();
    }

    /** Runs an operation and asks at each change of a word. */
    private void ask(LongConsumer question, Runnable operation) {
        pmem().afterEachChangeOf(at -> {
            looks++;
            question.accept(at);
        });
        operation.run();
        pmem().afterEachChangeOf(null);
        assertTrue(looks > 0);
    }

    /** [delete.1] Recovery judges the state by the time, and takes the two for one. */
    @Test
    void aTimeOfDeathComesWithItsState() {
        long a = slotOf(A);
        long b = slotOf(B);
        LongConsumer isOne = _ -> {
            for (long at : new long[] {a, b}) {
                int state = EntryRecord.state(pmem(), at);
                boolean lives = state == SlotState.NORMAL;
                boolean hasDied = EntryRecord.death(pmem(), at) > EntryRecord.birth(pmem(), at);
                assertEquals(!lives, hasDied, () -> "state " + state);
            }
        };
        ask(isOne, () -> ok(namespace.rename(ROOT, A, ROOT, B, true, out)));
        long c = slotOf(B);
        ask(
                _ -> assertEquals(
                        EntryRecord.state(pmem(), c) != SlotState.NORMAL,
                        EntryRecord.death(pmem(), c) > EntryRecord.birth(pmem(), c)),
                () -> ok(namespace.delete(ROOT, B, out)));
    }

    /** [rename.1] What O leads to is there, and leads back. */
    @Test
    void aSuccessorIsDurableBeforeItsOriginLeadsToIt() {
        long origin = slotOf(A);
        long size = EntryRecord.filledSize(1);
        ask(
                at -> {
                    long link = EntryRecord.link(pmem(), origin);
                    assertTrue(at != origin + EntryRecord.LINK_OFFSET || link == 0 || pmem().isDurable(link, size));
                },
                () -> ok(namespace.rename(ROOT, A, d, B, true, out)));
    }

    /** Asks, whenever a word of the index is cleared, whether the line of an object is durable. */
    private static void expectDurableBeforeAWordGoes(SimPoolFile pool, long at, int[] cleared) {
        SimPmem pmem = pool.pmem();
        long[] segments = Unwritten.regions(pool, RegionKind.INDEX_SEGMENTS).toArray();
        pmem.afterEachChangeOf(word -> {
            boolean inIndex =
                    Arrays.stream(segments).anyMatch(start -> word >= start && word < start + pool.regionSize());
            if (inIndex && pmem.get(word) == 0) {
                cleared[0]++;
                assertTrue(pmem.isDurable(at, Pmem.LINE), "a word went first");
            }
        });
    }

    /** [rename.8] The target goes before the rename's own link. */
    @Test
    void anOriginIsBackDurablyBeforeItsSuccessorGoes() {
        long origin = slotOf(A);
        int[] cleared = new int[1];
        pmem().beforeEachEvent(() -> {
            if (EntryRecord.state(pmem(), origin) == SlotState.MOVING) {
                pmem().beforeEachEvent(null);
                ok(namespace.rmdir(ROOT, Name.of("d")));
                expectDurableBeforeAWordGoes(file, origin, cleared);
            }
        });
        assertEquals(Status.NO_SUCH_DIRECTORY, namespace.rename(ROOT, A, d, B, true, out));
        assertEquals(1, cleared[0]);
    }

    /** [recover.rename.undo] The same of a rename that was cut off, for O and T. */
    @Test
    void aRecoveryPutsBackBothNamesDurablyBeforeTheSuccessorGoes() {
        int[] cleared = new int[1];
        for (Name name : List.of(A, B)) {
            long at = slotOf(name);
            SimPoolFile before = file.killed();
            PoolNamespace cutOff = new PoolNamespace("sim", before, false);
            before.pmem()
                    .beforeEachEvent(() -> before.pmem().images(16, 1, image -> {
                        SimPoolFile after = before.crashed(image);
                        PoolNamespace next = new PoolNamespace("sim", after, false);
                        expectDurableBeforeAWordGoes(after, at, cleared);
                        next.stat(ROOT, name, new Attributes());
                    }));
            ok(cutOff.rename(ROOT, A, ROOT, B, true, out));
        }
        assertTrue(cleared[0] > 10, cleared[0] + " words cleared");
    }

    /** Whatever comes of a start, the next one knows that this one has been. */
    @Test
    void aStartSaysSoBeforeItStoresAnythingElse() {
        namespace.close();
        file = file.killed();
        long said = file.header() + PoolHeader.STARTS_OFFSET;
        ask(
                at -> assertTrue(
                        at == said || at == said + 8 || pmem().isDurable(said, 16), () -> "stored before: " + at),
                () -> new PoolNamespace("sim", file, false));
    }
}
