package io.hmfs.bench.load;

import io.hmfs.bench.load.OperationLoad.Options;
import io.hmfs.core.Hmfs;
import io.hmfs.core.layout.DirContentRecord;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.PoolHeader;
import io.hmfs.core.layout.RegionKind;
import io.hmfs.core.layout.SlotState;
import io.hmfs.core.pmem.Pmem;
import io.hmfs.core.pmem.PoolFile;
import io.hmfs.core.type.Status;
import java.io.IOException;
import java.util.Arrays;

/**
 * stat of an object whose create a crash has cut off, in a directory of a hundred thousand files, beside stats of others: whoever
 * meets such an object looks for it on the list before the answer. What is cut off is the newest child, as the children of a crash
 * are; and, to see how far that carries, one that stands in the middle.
 */
final class CutOffRun {
    private static final int FILES = 100_000;
    private static final int WARM = 5_000;
    private static final int PLAIN = 1001;
    private static final int SAMPLES = 31;

    private final Options options;
    private final Bed.Hand hand = new Bed.Hand();
    private long directory;

    private CutOffRun(Options options) {
        this.options = options;
    }

    static void run(Options options) throws IOException {
        new CutOffRun(options).run();
    }

    private void run() throws IOException {
        try (Bed bed = Bed.make(options.pool(), FILES, 16, options.mode())) {
            directory = bed.directory("cut off");
            for (int i = 0; i < FILES; i++) {
                Bed.require(bed.namespace.create(directory, hand.name(i), Bed.FILE_MODE, 0, 0, hand.out));
            }
        }
        for (int round = 0; round < options.rounds(); round++) {
            measure("newest", 0);
            measure("in the middle", FILES / 2);
        }
        OperationLoad.progress("cut off");
    }

    private void measure(String which, int behind) throws IOException {
        long[] cutOff = new long[SAMPLES];
        long[] plain = new long[SAMPLES];
        for (int i = 0; i < SAMPLES; i++) {
            try (PoolFile file = PoolFile.open(options.pool(), options.mode(), true)) {
                cutOff(file.pmem(), behind);
                sample(new Bed(Hmfs.open(options.pool(), file, false)), FILES - 1 - behind, i, plain, cutOff);
                // Left as a crash would leave it: the next start finds times of an earlier one.
            }
        }
        Arrays.sort(cutOff);
        Arrays.sort(plain);
        OperationLoad.round("stat of a create cut off, " + which, "ns", (double) cutOff[SAMPLES / 2]);
        OperationLoad.round("statCutOff/stat, " + which, "ratio", (double) cutOff[SAMPLES / 2] / plain[SAMPLES / 2]);
    }

    private void sample(Bed bed, int file, int i, long[] plain, long[] cutOff) {
        for (int j = 0; j < WARM; j++) {
            time(bed, j * 7919 % (FILES / 4));
        }
        long[] others = new long[PLAIN];
        for (int j = 0; j < PLAIN; j++) {
            others[j] = time(bed, FILES / 4 + j * 17 % (FILES / 8));
        }
        Arrays.sort(others);
        plain[i] = others[PLAIN / 2];
        cutOff[i] = time(bed, file);
    }

    private long time(Bed bed, int file) {
        hand.name(file);
        long before = System.nanoTime();
        Status status = bed.namespace.stat(directory, hand.name, hand.out);
        long nanos = System.nanoTime() - before;
        Bed.require(status);
        return nanos;
    }

    /** Puts the state back that the object had before its create was over. */
    private void cutOff(Pmem pmem, int behind) {
        long at = DirContentRecord.childHead(pmem, content(pmem));
        for (int i = 0; i < behind; i++) {
            at = EntryRecord.sibling(pmem, at);
        }
        EntryRecord.setState(pmem, at, SlotState.CREATING);
    }

    private long content(Pmem pmem) {
        for (long word = PoolHeader.REGION_TABLE_OFFSET; pmem.get(word) != 0; word += 8) {
            long region = pmem.get(word) & ~RegionKind.MASK;
            if ((pmem.get(word) & RegionKind.MASK) == RegionKind.CONTENT_SLOTS.code()) {
                for (long at = region; at < region + PoolFile.REGION_SIZE; at += DirContentRecord.SIZE) {
                    if (DirContentRecord.id(pmem, at) == directory) {
                        return at;
                    }
                }
            }
        }
        throw new IllegalStateException("the directory has no content");
    }
}
