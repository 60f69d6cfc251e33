package io.hmfs.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.alloc.Summary;
import io.hmfs.core.alloc.Summary.Found;
import io.hmfs.core.check.CheckReport;
import io.hmfs.core.check.PoolCheck;
import io.hmfs.core.layout.PoolHeader;
import io.hmfs.core.layout.RegionKind;
import io.hmfs.core.pmem.PoolException;
import io.hmfs.core.sim.SimPmem;
import io.hmfs.core.sim.SimPoolFile;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Progress;
import io.hmfs.core.type.Status;
import java.nio.file.Path;
import java.util.List;

/** Small pools without threads of their own that were closed cleanly, and what tests of that ask of them. */
final class ClosedPools {
    static final long ROOT = Namespace.ROOT_ID;
    static final long REGION = 16 << 10;
    static final int REGIONS = 14;
    private static final Path SIM = Path.of("sim");

    private ClosedPools() {}

    static Name name(int number) {
        return Name.of("file-" + number);
    }

    static Name longName(int number) {
        return Name.of("n".repeat(100) + number);
    }

    static Name directory(int number) {
        return Name.of("directory-" + number);
    }

    static PoolNamespace open(SimPoolFile file) {
        return new PoolNamespace("sim", file, false);
    }

    static Found found(SimPoolFile file) {
        return Summary.read(file.pmem(), 0).found();
    }

    static CheckReport check(SimPoolFile file) {
        try {
            return PoolCheck.check(SIM, file, Progress.NONE);
        } catch (PoolException e) {
            throw new AssertionError(e);
        }
    }

    static void repair(SimPoolFile file) {
        try {
            PoolCheck.repair(SIM, file, Progress.NONE);
        } catch (PoolException e) {
            throw new AssertionError(e);
        }
    }

    static Status create(PoolNamespace namespace, int number) {
        return namespace.create(ROOT, name(number), 0644, 0, 0, new Attributes());
    }

    /** Creates until there is no space; how many. */
    static int fill(PoolNamespace namespace, int from) {
        int made = 0;
        while (create(namespace, from + made) == Status.OK) {
            made++;
        }
        return made;
    }

    /** Full but for slots of each kind that were freed again. */
    static SimPoolFile full() {
        SimPoolFile file = new SimPoolFile(REGION, REGIONS);
        PoolNamespace namespace = FreshPool.open(file);
        for (int i = 0; i < 30; i++) {
            assertEquals(Status.OK, namespace.create(ROOT, longName(i), 0644, 0, 0, new Attributes()));
            assertEquals(Status.OK, namespace.mkdir(ROOT, directory(i), 0755, 0, 0, new Attributes()));
        }
        int files = fill(namespace, 0);
        assertTrue(files > 300, "files: " + files);
        for (int i = 0; i < files; i += 3) {
            assertEquals(Status.OK, namespace.delete(ROOT, name(i), new Attributes()));
        }
        for (int i = 0; i < 30; i += 2) {
            assertEquals(Status.OK, namespace.delete(ROOT, longName(i), new Attributes()));
            assertEquals(Status.OK, namespace.rmdir(ROOT, directory(i)));
        }
        namespace.sweep(ROOT);
        return closed(file, namespace);
    }

    /** One that has slots that have not been used yet, and free ones. */
    static SimPoolFile roomy() {
        SimPoolFile file = new SimPoolFile(REGION, REGIONS);
        PoolNamespace namespace = FreshPool.open(file);
        for (int i = 0; i < 100; i++) {
            assertEquals(Status.OK, create(namespace, i));
        }
        for (int i = 0; i < 90; i++) {
            assertEquals(Status.OK, namespace.delete(ROOT, name(i), new Attributes()));
        }
        namespace.sweep(ROOT);
        return closed(file, namespace);
    }

    static SimPoolFile closed(SimPoolFile file, PoolNamespace namespace) {
        namespace.scanInBackground();
        assertEquals(List.of(), namespace.problems());
        namespace.close();
        assertEquals(Found.VALID, found(file));
        CheckReport report = check(file);
        assertTrue(report.wasClosed());
        assertEquals(List.of(), report.findings());
        return file.killed();
    }

    /** The same as a start finds it that has to scan. */
    static SimPoolFile unclean(SimPoolFile closed) {
        SimPoolFile file = closed.killed();
        file.pmem().set(PoolHeader.STATE_OFFSET, 0);
        return file;
    }

    static boolean holdsSlots(SimPmem pmem, long at) {
        for (long word = PoolHeader.REGION_TABLE_OFFSET; pmem.get(word) != 0; word += 8) {
            long start = pmem.get(word) & ~RegionKind.MASK;
            if (at >= start && at < start + REGION) {
                return RegionKind.of(word, pmem.get(word)).slotSize() != 0;
            }
        }
        return false;
    }
}
