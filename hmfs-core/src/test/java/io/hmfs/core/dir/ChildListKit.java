package io.hmfs.core.dir;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.alloc.Epochs;
import io.hmfs.core.alloc.Regions;
import io.hmfs.core.alloc.Summary;
import io.hmfs.core.engine.Clock;
import io.hmfs.core.engine.Engine;
import io.hmfs.core.engine.IdSource;
import io.hmfs.core.engine.IndexSegments;
import io.hmfs.core.engine.Keys;
import io.hmfs.core.index.HashIndex;
import io.hmfs.core.layout.DirContentRecord;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.PoolHeader;
import io.hmfs.core.layout.SlotState;
import io.hmfs.core.pmem.Pmem;
import io.hmfs.core.pmem.PoolException;
import io.hmfs.core.recovery.Superblock;
import io.hmfs.core.sim.SimPmem;
import io.hmfs.core.sim.SimPoolFile;
import io.hmfs.core.type.Name;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.BeforeEach;

/** The child list of the root directory of a small pool in simulated memory, with objects made by hand. */
abstract class ChildListKit {
    static final long ROOT = 1;

    private final SimPoolFile file = new SimPoolFile(32 << 10, 14);
    final SimPmem pmem = file.pmem();
    final Engine engine = engineOf(file);
    final ChildList lists = new ChildList(engine);
    long content;

    private static Engine engineOf(SimPoolFile file) {
        Pmem pmem = file.pmem();
        try {
            Superblock.format(Path.of("sim"), file, new UUID(1, 2), 42, 2);
        } catch (PoolException e) {
            throw new AssertionError(e);
        }
        Regions regions = new Regions(file);
        Keys keys = new Keys(pmem, 42);
        HashIndex index =
                HashIndex.open(pmem, PoolHeader.INDEX_ROOT_OFFSET, keys::ofObject, new IndexSegments(pmem, regions));
        return new Engine(
                pmem,
                regions,
                index,
                keys,
                new Epochs(),
                new Clock(pmem, 0),
                new IdSource(pmem, 0),
                Summary.none(),
                false);
    }

    @BeforeEach
    void find() {
        content = engine.findContent(ROOT);
    }

    long object(String name) {
        long at = engine.entrySlots.allocate();
        long time = engine.clock.next();
        EntryRecord.init(
                pmem,
                at,
                EntryRecord.KIND_FILE,
                engine.ids.next(),
                EntryRecord.NO_CHECK,
                ROOT,
                Name.of(name),
                time,
                0,
                0);
        return at;
    }

    long child(String name) {
        long at = object(name);
        assertTrue(lists.link(content, at, engine.clock.next()));
        EntryRecord.setState(pmem, at, SlotState.NORMAL);
        return at;
    }

    List<Long> children() {
        List<Long> all = new ArrayList<>();
        for (long at = DirContentRecord.childHead(pmem, content); at != Pmem.NULL; at = EntryRecord.sibling(pmem, at)) {
            all.add(at);
        }
        return all;
    }

    void kill(long at) {
        engine.setFate(at, SlotState.DELETED, engine.clock.next());
    }

    /** Runs {@code other} before one load or event of {@code operation}, each in turn, until there are no more. */
    void atEachMoment(Runnable operation, Runnable other, Runnable check) {
        for (int moment = 0; moment < 200; moment++) {
            int[] left = {moment};
            Runnable hook = () -> {
                if (left[0]-- == 0) {
                    other.run();
                }
            };
            pmem.beforeEachEvent(hook);
            pmem.beforeEachLoad(hook);
            operation.run();
            pmem.beforeEachEvent(null);
            pmem.beforeEachLoad(null);
            if (left[0] >= 0) {
                assertTrue(moment > 3, "moments: " + moment);
                return;
            }
            check.run();
        }
        throw new AssertionError("an operation has no end");
    }

    private static final class Death extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    /** Runs what dies before the first event for which the hook says so. */
    void dies(BooleanSupplier before, Runnable operation) {
        pmem.beforeEachEvent(() -> {
            if (before.getAsBoolean()) {
                throw new Death();
            }
        });
        assertThrows(Death.class, operation::run);
        pmem.beforeEachEvent(null);
    }
}
