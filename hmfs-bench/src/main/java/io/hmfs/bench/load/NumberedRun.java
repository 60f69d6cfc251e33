package io.hmfs.bench.load;

import io.hmfs.core.FormatOptions;
import io.hmfs.core.Hmfs;
import io.hmfs.core.Namespace;
import io.hmfs.core.NumberedChanges;
import io.hmfs.core.pmem.Backing;
import io.hmfs.core.pmem.Persistence;
import io.hmfs.core.pmem.PoolFiles;
import io.hmfs.core.type.Acl;
import io.hmfs.core.type.Change;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.LongConsumer;

/**
 * What the record of a numbered change costs a create and a delete: its fences and lines, counted at the memory in mode {@code pmem}, and
 * ratios of rates, numbered beside unnumbered, each on a new pool, in turns.
 */
final class NumberedRun {
    private static final long CLIENT = 1;
    private static final long USER = 1;
    private static final int COUNTED = 10_000;
    private static final long STEPS_MAX = 300_000;
    private static final int UNTIMED = 1 << 30;

    private final Bed bed;
    private final Change change = new Change();
    private final long ring;
    private final Bed.Hand hand = new Bed.Hand();

    /** The last number; a ring forgets what is older than its length, as a client's does. */
    private long number;

    private NumberedRun(Bed bed, boolean numbered) {
        this.bed = bed;
        ring = numbered
                ? bed.namespace.numbered().hold(CLIENT, USER, 1, NumberedChanges.From.ANYBODY)
                : NumberedChanges.NONE;
        if (numbered && ring == NumberedChanges.NONE) {
            throw new IllegalStateException("a new pool has no ring for its first client");
        }
    }

    static void run(OperationOptions options) throws IOException, InterruptedException {
        count(options.pool());
        long steps = Math.min(options.files(), STEPS_MAX);
        for (int round = -1; round < options.rounds(); round++) { // the first is for the compiler
            double[] numbered = rates(options, steps, true);
            double[] plain = rates(options, steps, false);
            if (round >= 0) {
                FoundLines.round("createNumbered/create", "ratio", numbered[0] / plain[0]);
                FoundLines.round("deleteNumbered/delete", "ratio", numbered[1] / plain[1]);
                FoundLines.round("create time", "ns", 1e9 / plain[0]);
                FoundLines.round("createNumbered time", "ns", 1e9 / numbered[0]);
                FoundLines.round("delete time", "ns", 1e9 / plain[1]);
                FoundLines.round("deleteNumbered time", "ns", 1e9 / numbered[1]);
            }
            FoundLines.progress("numbered, round " + (round + 1) + " of " + options.rounds());
        }
    }

    /** Creates a second, then deletes of the same files. */
    private static double[] rates(OperationOptions options, long steps, boolean numbered)
            throws IOException, InterruptedException {
        Latencies[] none = {new Latencies()};
        try (Bed bed = Bed.make(options.pool(), steps, 16, options.mode())) {
            NumberedRun run = new NumberedRun(bed, numbered);
            double creates = Bed.run(1, steps, _ -> run::create, none, UNTIMED);
            double deletes = Bed.run(1, steps, _ -> run::delete, none, UNTIMED);
            return new double[] {creates, deletes};
        }
    }

    private void create(long i) {
        change.set(ring, ++number);
        Bed.require(
                bed.namespace.create(Namespace.ROOT_ID, hand.name(i), Bed.FILE_MODE, 0, 0, Acl.NONE, change, hand.out));
    }

    private void delete(long i) {
        change.set(ring, ++number);
        Bed.require(bed.namespace.delete(Namespace.ROOT_ID, hand.name(i), change, hand.out));
    }

    private static void count(Path pool) throws IOException {
        long[][] plain = counted(pool, false);
        long[][] numbered = counted(pool, true);
        String[] operations = {"Create", "Delete"};
        for (int i = 0; i < operations.length; i++) {
            double lines = (numbered[i][0] - plain[i][0]) / (double) COUNTED;
            double fences = (numbered[i][1] - plain[i][1]) / (double) COUNTED;
            FoundLines.count("linesPerRecordOf" + operations[i], lines);
            FoundLines.count("fencesPerRecordOf" + operations[i], fences);
        }
    }

    /** Lines and fences of creates, and of the deletes of what they made. */
    private static long[][] counted(Path pool, boolean numbered) throws IOException {
        Hmfs.format(pool, new FormatOptions(PoolSize.of(2 * COUNTED), Backing.MAPPED, true));
        CountingFile file = new CountingFile(PoolFiles.open(pool, Persistence.PMEM, true));
        try (Bed bed = new Bed(Hmfs.open(pool, file, false))) {
            NumberedRun run = new NumberedRun(bed, numbered);
            return new long[][] {counted(file.pmem(), run::create), counted(file.pmem(), run::delete)};
        }
    }

    private static long[] counted(CountingPmem pmem, LongConsumer step) {
        long lines = pmem.linesWrittenBack;
        long fences = pmem.fences;
        for (int i = 0; i < COUNTED; i++) {
            step.accept(i);
        }
        return new long[] {pmem.linesWrittenBack - lines, pmem.fences - fences};
    }
}
