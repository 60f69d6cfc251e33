package io.hmfs.bench.load;

import io.hmfs.core.Hmfs;
import io.hmfs.core.layout.DirContentRecord;
import io.hmfs.core.layout.EntryRecord;
import io.hmfs.core.layout.PoolHeader;
import io.hmfs.core.layout.RegionKind;
import io.hmfs.core.layout.SlotState;
import io.hmfs.core.pmem.Pmem;
import io.hmfs.core.pmem.PoolFile;
import io.hmfs.core.pmem.PoolFiles;
import io.hmfs.core.type.Status;
import java.io.IOException;
import java.util.Arrays;
import java.util.Random;

/**
 * stat of an object whose create a crash has cut off, in a directory of as many files as the run has, 20,000 to 100,000, beside a
 * plain stat. All in one opened pool, so that both run compiled code: an object of an earlier start gets the state back that it had before its create was
 * over, and is asked for; for the plain stat the same object gets the state that it has, so that the caches know it as well. Many
 * other stats run between two that are timed.
 *
 * <p>The cases: creates that were never linked; the newest child; one in the middle of the list; the same where directories were
 * filled in turns, so that the neighbouring slots are of others; and all files at once that are newer than the middle one, as a power failure
 * leaves them, all of them asked for in random order.
 */
final class CutOffRun {
    private static final int FILES_MIN = 20_000;
    private static final int FILES_MAX = 100_000;
    private static final int SAMPLES = 2_000;
    private static final int WARM = 2_000;
    private static final int BETWEEN = 16;

    private static final int DIRECTORIES = 18;

    private static final long SEED = 7;

    private final OperationOptions options;
    private final int size; // of a directory
    private final Bed.Hand hand = new Bed.Hand();
    private final Random random = new Random(SEED);
    private long alone;
    private long inTurns;

    private CutOffRun(OperationOptions options) {
        this.options = options;
        size = Math.clamp(options.files(), FILES_MIN, FILES_MAX);
    }

    static void run(OperationOptions options) throws IOException {
        new CutOffRun(options).run();
    }

    private void run() throws IOException {
        try (Bed bed = Bed.make(options.pool(), (DIRECTORIES + 1L) * size, 16, options.mode())) {
            alone = bed.directory("alone");
            for (int i = 0; i < size; i++) {
                Bed.require(bed.namespace.create(alone, hand.name(i), Bed.FILE_MODE, 0, 0, hand.out));
            }
            long[] directories = new long[DIRECTORIES];
            for (int d = 0; d < DIRECTORIES; d++) {
                directories[d] = bed.directory("in turns " + d);
            }
            inTurns = directories[0];
            for (int i = 0; i < size; i++) {
                for (long directory : directories) {
                    Bed.require(bed.namespace.create(directory, hand.name(i), Bed.FILE_MODE, 0, 0, hand.out));
                }
            }
        }
        for (int round = 0; round < options.rounds(); round++) {
            measure();
        }
        FoundLines.progress("cut off");
    }

    private void measure() throws IOException {
        PoolFile file = PoolFiles.open(options.pool(), options.mode(), true);
        Pmem pmem = file.pmem();
        long[] files = children(pmem, content(pmem, alone));
        unlink(pmem, content(pmem, alone), files, WARM + SAMPLES);
        try (Bed bed = new Bed(Hmfs.open(options.pool(), file, false))) {
            Directory first = new Directory(bed, pmem, alone, files);
            Directory second = new Directory(bed, pmem, inTurns, children(pmem, content(pmem, inTurns)));
            int last = size - 1 - WARM - SAMPLES;
            double plain = first.measure("in the middle", WARM, SAMPLES, size / 4, size / 2);
            first.neverLinked(plain);
            first.measure("newest", WARM, SAMPLES, last, 1);
            second.measure("in the middle, directories in turns", WARM, SAMPLES, size / 4, size / 2);
            first.many(last);
            for (int i = last + 1; i < size; i++) {
                Bed.require(bed.namespace.create(alone, hand.name(i), Bed.FILE_MODE, 0, 0, hand.out));
            }
        }
    }

    private static long content(Pmem pmem, long directory) {
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

    /** The files of a directory by number, the oldest being 0. */
    private long[] children(Pmem pmem, long content) {
        long[] files = new long[size];
        long at = DirContentRecord.childHead(pmem, content);
        for (int i = size - 1; i >= 0; i--) {
            files[i] = at;
            at = EntryRecord.sibling(pmem, at);
        }
        return files;
    }

    /** Takes the newest off the list, as if a crash had come before they were linked. */
    private static void unlink(Pmem pmem, long content, long[] files, int count) {
        for (int i = files.length - count; i < files.length; i++) {
            EntryRecord.setState(pmem, files[i], SlotState.CREATING);
        }
        long mtime = DirContentRecord.mtime(pmem, content);
        long head = files[files.length - 1 - count];
        long birth = EntryRecord.birth(pmem, head);
        if (!pmem.cas16(content + DirContentRecord.CHILD_HEAD_OFFSET, files[files.length - 1], mtime, head, birth)) {
            throw new IllegalStateException("the directory has changed");
        }
    }

    /** One directory of an opened pool. */
    private final class Directory {
        private final Bed bed;
        private final Pmem pmem;
        private final long id;
        private final long[] files;

        Directory(Bed bed, Pmem pmem, long id, long[] files) {
            this.bed = bed;
            this.pmem = pmem;
            this.id = id;
            this.files = files;
        }

        private long time(int file, Status expected) {
            hand.name(file);
            long before = System.nanoTime();
            Status status = bed.namespace.stat(id, hand.name, hand.out);
            long nanos = System.nanoTime() - before;
            if (status != expected) {
                throw new IllegalStateException("a stat was answered " + status + ", not " + expected);
            }
            return nanos;
        }

        private void others() {
            for (int i = 0; i < BETWEEN; i++) {
                time(random.nextInt(size / 8), Status.OK);
            }
        }

        private long timeAs(int state, int file) {
            others();
            EntryRecord.setState(pmem, files[file], state);
            return time(file, Status.OK);
        }

        /** Some of the files from one on, each cut off by itself. Gives the time of a plain stat. */
        double measure(String which, int warm, int samples, int from, int count) {
            long[] plain = new long[samples];
            long[] cutOff = new long[samples];
            for (int i = -warm; i < samples; i++) {
                int file = from + random.nextInt(count);
                long asCutOff = timeAs(SlotState.CREATING, file);
                long asIs = timeAs(SlotState.NORMAL, from + random.nextInt(count));
                if (i >= 0) {
                    cutOff[i] = asCutOff;
                    plain[i] = asIs;
                }
            }
            report(which, median(cutOff), median(plain));
            return median(plain);
        }

        void neverLinked(double plain) {
            long[] cutOff = new long[SAMPLES];
            for (int i = -WARM; i < SAMPLES; i++) {
                int file = size - SAMPLES + i;
                others();
                EntryRecord.setState(pmem, files[file], SlotState.CREATING);
                long nanos = time(file, Status.NOT_FOUND);
                if (i >= 0) {
                    cutOff[i] = nanos;
                }
            }
            report("never linked", median(cutOff), plain);
        }

        /** All files up to {@code last} that are newer than the one in the middle, at once: means, for the first one pays for others. */
        void many(int last) {
            int[] order = random.ints(size / 2, last).distinct().limit(size / 4).toArray();
            double plain = all(order);
            for (int file = size / 2; file <= last; file++) {
                EntryRecord.setState(pmem, files[file], SlotState.CREATING);
            }
            report("many at once, each", all(order), plain);
        }

        private double all(int[] order) {
            long total = 0;
            for (int file : order) {
                total += time(file, Status.OK);
            }
            return (double) total / order.length;
        }
    }

    private static double median(long[] samples) {
        long[] sorted = samples.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }

    private static void report(String which, double cutOff, double plain) {
        FoundLines.round("stat of a create cut off, " + which, "ns", cutOff);
        FoundLines.round("statCutOff/stat, " + which, "ratio", cutOff / plain);
    }
}
