package io.hmfs.core;

import io.hmfs.core.alloc.Epochs;
import io.hmfs.core.alloc.Regions;
import io.hmfs.core.alloc.Summary;
import io.hmfs.core.engine.Clock;
import io.hmfs.core.engine.Engine;
import io.hmfs.core.engine.IdSource;
import io.hmfs.core.engine.IndexSegments;
import io.hmfs.core.engine.Keys;
import io.hmfs.core.index.HashIndex;
import io.hmfs.core.layout.PoolHeader;
import io.hmfs.core.pmem.Backing;
import io.hmfs.core.pmem.Pmem;
import io.hmfs.core.pmem.PoolFile;
import io.hmfs.core.pmem.PoolFiles;
import io.hmfs.core.recovery.Superblock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Real mapped pools for the tests, one a JVM: a file in a temporary directory, unlinked as soon as it is mapped, because jcstress
 * ends its JVMs without asking. Tests make one state after the other, so what a state takes it must give back.
 */
public final class StressPool {
    private static final long SIZE = 256L << 20;
    private static final long UNITS = (SIZE - PoolFile.HEADER_SIZE) / Pmem.LINE;

    private StressPool() {}

    private interface Maker<T> {
        T make(Path path) throws IOException;
    }

    private static <T> T make(Maker<T> maker) {
        try {
            Path directory = Files.createTempDirectory("hmfs-jcstress");
            Path path = directory.resolve("pool");
            try {
                return maker.make(path);
            } finally {
                Files.deleteIfExists(path);
                Files.delete(directory);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A pool with nothing in it but units of one line each. */
    public static final class Units {
        private static final Pmem PMEM = make(path -> PoolFiles.create(path, SIZE, Backing.MAPPED, false))
                .pmem();
        private static final AtomicLong NEXT = new AtomicLong();

        private Units() {}

        public static Pmem pmem() {
            return PMEM;
        }

        /** A line whose first two words are these. Lines come round again after four million; jcstress holds 10,240 states at once. */
        public static long next(long low, long high) {
            long at = PoolFile.HEADER_SIZE + NEXT.getAndIncrement() % UNITS * Pmem.LINE;
            PMEM.set(at, low);
            PMEM.set(at + 8, high);
            return at;
        }
    }

    /** The parts of an engine on a fresh pool, as an open namespace has them. */
    public static Engine engine() {
        return make(path -> {
            PoolFile file = PoolFiles.create(path, SIZE, Backing.MAPPED, false);
            Superblock.format(path, file, new UUID(1, 2), 42, 2);
            Pmem pmem = file.pmem();
            long header = file.header();
            Regions regions = new Regions(file);
            Keys keys = new Keys(pmem, pmem.get(header + PoolHeader.SEED_OFFSET));
            HashIndex index = HashIndex.open(
                    pmem, header + PoolHeader.INDEX_ROOT_OFFSET, keys::ofObject, new IndexSegments(pmem, regions));
            return new Engine(
                    pmem,
                    regions,
                    index,
                    keys,
                    new Epochs(),
                    new Clock(pmem, header),
                    new IdSource(pmem, header),
                    Summary.none(),
                    false);
        });
    }

    /** An open namespace with all its background threads. */
    public static Namespace namespace() {
        return make(path -> {
            Hmfs.format(path, FormatOptions.ofSize(SIZE));
            return Hmfs.open(path, OpenOptions.process());
        });
    }
}
