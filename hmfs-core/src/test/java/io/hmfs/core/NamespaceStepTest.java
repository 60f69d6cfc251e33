package io.hmfs.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.SlotState;
import io.hmfs.core.pmem.PoolException;
import io.hmfs.core.recovery.Superblock;
import io.hmfs.core.sim.SimPmem;
import io.hmfs.core.sim.SimPoolFile;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/**
 * Goal: an operation itself leaves nothing behind that only a later start would clear away. Method: a fresh pool, of which all
 * that is free is known without a scan, is checked right after each operation.
 */
final class NamespaceStepTest {
    private static final long ROOT = Namespace.ROOT_ID;

    private final Attributes out = new Attributes();
    private final SimPoolFile file = new SimPoolFile(16 << 10, 14);
    private final PoolNamespace namespace = format(file);

    private static PoolNamespace format(SimPoolFile file) {
        try {
            Superblock.format(Path.of("sim"), file, new UUID(1, 2), 42);
        } catch (PoolException e) {
            throw new AssertionError(e);
        }
        return new PoolNamespace("sim", file, false);
    }

    private void ok(Status status) {
        assertEquals(Status.OK, status);
        assertEquals(List.of(), namespace.problems());
    }

    @Test
    void nothingIsLeftBehind() {
        ok(namespace.create(ROOT, Name.of("a"), 0644, 0, 0, out));
        ok(namespace.create(ROOT, Name.of("b"), 0644, 0, 0, out));
        ok(namespace.mkdir(ROOT, Name.of("d"), 0755, 0, 0, out));
        long d = out.id;
        ok(namespace.mkdir(ROOT, Name.of("e"), 0755, 0, 0, out));
        ok(namespace.rename(ROOT, Name.of("a"), ROOT, Name.of("c"), true, out));
        ok(namespace.rename(ROOT, Name.of("c"), ROOT, Name.of("b"), true, out));
        ok(namespace.rename(ROOT, Name.of("b"), d, Name.of("f"), true, out));
        ok(namespace.rename(ROOT, Name.of("e"), d, Name.of("g"), true, out));
        ok(namespace.delete(d, Name.of("f"), out));
        ok(namespace.rmdir(d, Name.of("g")));
        ok(namespace.rmdir(ROOT, Name.of("d")));
    }

    /** Deaths that nobody has cleared away hold no other names up. */
    @Test
    void aSlotIsUsedAgain() {
        int regions = namespace.poolStatus().regionsUsed();
        for (int i = 0; i < 2000; i++) {
            assertEquals(Status.OK, namespace.mkdir(ROOT, Name.of("d" + i), 0755, 0, 0, out));
            assertEquals(Status.OK, namespace.rmdir(ROOT, Name.of("d" + i)));
            namespace.sweep(ROOT);
        }
        assertTrue(
                namespace.poolStatus().regionsUsed() <= regions + 4,
                namespace.poolStatus().toString());
        assertEquals(List.of(), namespace.problems());
    }

    /** Whoever finds a state finds the object that it is about. */
    @Test
    void aSlotIsFreeUntilItIsFilled() {
        SimPmem pmem = new SimPmem(1024);
        pmem.beforeEachEvent(() -> assertEquals(SlotState.FREE, EntryRecord.state(pmem, 64)));
        EntryRecord.init(pmem, 64, EntryRecord.KIND_FILE, 5, 1, Name.of("x"), 10, 0644, 0);
        pmem.beforeEachEvent(null);
        assertEquals(SlotState.CREATING, EntryRecord.state(pmem, 64));
    }

    @Test
    void aSymlinkOfTwoNamesHasNoLengthToChange() {
        ok(namespace.symlink(ROOT, Name.of("s"), new byte[] {'t'}, 0, 0, out));
        ok(namespace.link(ROOT, Name.of("s"), ROOT, Name.of("t"), out));
        assertEquals(Status.INVALID_ARGUMENT, namespace.truncate(ROOT, Name.of("s"), 5));
        assertEquals(Status.INVALID_ARGUMENT, namespace.append(ROOT, Name.of("t"), out.id, 5));
    }
}
