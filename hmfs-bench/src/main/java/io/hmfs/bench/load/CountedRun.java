package io.hmfs.bench.load;

import io.hmfs.core.FormatOptions;
import io.hmfs.core.Hmfs;
import io.hmfs.core.pmem.Backing;
import io.hmfs.core.pmem.Persistence;
import io.hmfs.core.pmem.PoolFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.LongConsumer;

/**
 * How many fences and lines an operation takes in mode {@code pmem}, counted at the memory: one thread, nothing in the background,
 * and not the run that is timed. Splits of the index and new regions are in the means, as they are in the work.
 */
final class CountedRun {
    private static final int FILES = 60_000;
    private static final int OTHERS = 10_000;

    private final CountingPmem pmem;

    private CountedRun(CountingPmem pmem) {
        this.pmem = pmem;
    }

    static void run(Path pool) throws IOException {
        Hmfs.format(pool, new FormatOptions(PoolSize.of(2 * FILES), Backing.MAPPED, true));
        CountingFile file = new CountingFile(PoolFiles.open(pool, Persistence.PMEM, true));
        try (Bed bed = new Bed(Hmfs.open(pool, file, false))) {
            new CountedRun(file.pmem()).operations(bed);
        }
    }

    private void operations(Bed bed) {
        Bed.Hand hand = new Bed.Hand();
        long directory = bed.directory("counted");
        long target = bed.directory("target");
        count("Create", FILES, i -> {
            Bed.require(bed.namespace.create(directory, hand.name(i), Bed.FILE_MODE, 0, 0, hand.out));
        });
        count("Mkdir", OTHERS, i -> {
            Bed.require(bed.namespace.mkdir(target, hand.name(i), Bed.DIRECTORY_MODE, 0, 0, hand.out));
        });
        count("Append", OTHERS, i -> {
            Bed.require(bed.namespace.stat(directory, hand.name(i), hand.out));
            Bed.require(bed.namespace.append(directory, hand.name(i), hand.out.id, i + 1));
        });
        count("Rename", OTHERS, i -> {
            Bed.require(bed.namespace.rename(directory, hand.name(i), target, hand.other(FILES + i), false, hand.out));
        });
        count("Delete", OTHERS, i -> {
            Bed.require(bed.namespace.delete(directory, hand.name(OTHERS + i), hand.out));
        });
        count("Rmdir", OTHERS, i -> Bed.require(bed.namespace.rmdir(target, hand.name(i))));
        long before = pmem.indexLines;
        for (long i = 3L * OTHERS; i < FILES; i++) {
            pmem.begin();
            Bed.require(bed.namespace.stat(directory, hand.name(i), hand.out));
        }
        FoundLines.count("indexLinesPerHit", (pmem.indexLines - before) / (double) (FILES - 3 * OTHERS));
    }

    private void count(String operation, int steps, LongConsumer step) {
        long fences = pmem.fences;
        long lines = pmem.linesWrittenBack;
        for (int i = 0; i < steps; i++) {
            step.accept(i);
        }
        FoundLines.count("fencesPer" + operation, (pmem.fences - fences) / (double) steps);
        FoundLines.count("linesPer" + operation, (pmem.linesWrittenBack - lines) / (double) steps);
    }
}
