package io.hmfs.bench.load;

import io.hmfs.core.type.CreateBatch;
import io.hmfs.core.type.ListCursor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.function.LongConsumer;

/** The operations one after the other on one large pool. Each thread has a directory of its own, and files are numbered in it. */
final class OperationRun {
    private static final long REGION = 4L << 20;
    private static final long SCATTER = 0x9E3779B97F4A7C15L;
    private static final int SAMPLE = 8;
    static final int SMALL = 64_000;
    private static final int BATCH = 32;
    private static final int BATCHES = SMALL / BATCH;
    private static final long STEPS_MAX = 1_000_000;
    private static final int STREAM_PAGE = 1000;

    private final OperationOptions options;
    private final Bed bed;
    private final int threads;
    private final int rounds;
    private final long perThread;
    private final long[] directories;

    OperationRun(OperationOptions options, Bed bed) {
        this.options = options;
        this.bed = bed;
        this.threads = options.threads();
        this.rounds = options.rounds();
        this.perThread = options.files() / threads;
        this.directories = new long[threads];
        Arrays.setAll(directories, t -> bed.directory("d" + t));
    }

    void run() throws IOException, InterruptedException {
        fill();
        grown();
        stat();
        change();
        list();
    }

    private interface Step {
        void on(Bed.Hand hand, long directory, long number);
    }

    /** Times one operation in rounds, each of which goes on with the numbers where the one before ended. */
    private void measure(String name, long stepsPerRound, int sampleEvery, Step step) throws InterruptedException {
        Latencies all = new Latencies();
        for (int round = 0; round < rounds; round++) {
            long first = round * stepsPerRound;
            Latencies[] latencies = new Latencies[threads];
            Arrays.setAll(latencies, _ -> new Latencies());
            double rate =
                    Bed.run(threads, stepsPerRound, thread -> numbered(thread, first, step), latencies, sampleEvery);
            FoundLines.round(name, "ops/s", rate);
            for (Latencies one : latencies) {
                all.add(one);
            }
        }
        FoundLines.round(name + " p50", "ns", (double) all.perMille(500));
        FoundLines.round(name + " p99", "ns", (double) all.perMille(990));
        FoundLines.round(name + " p99.9", "ns", (double) all.perMille(999));
        FoundLines.round(name + " slowest", "ns", (double) all.max());
        FoundLines.progress(name);
    }

    private LongConsumer numbered(int thread, long first, Step step) {
        Bed.Hand hand = new Bed.Hand();
        return i -> step.on(hand, directories[thread], first + i);
    }

    /** Every create is timed: the slowest one during growth is of interest. */
    private void fill() throws InterruptedException {
        measure("create", perThread / rounds, 1, (hand, directory, i) -> {
            Bed.require(bed.namespace.create(directory, hand.name(i), Bed.FILE_MODE, 0, 0, hand.out));
        });
        long used = bed.namespace.poolStatus().regionsUsed() * REGION; // all of them: too many rather than too few
        FoundLines.count("files", perThread / rounds * rounds * threads);
        FoundLines.count("poolBytesPerFile", used / (double) (perThread / rounds * rounds * threads));
    }

    /** The same number of creates into the large pool and into a new one, in turns; one thread. */
    private void grown() throws IOException, InterruptedException {
        long directory = bed.directory("grown");
        Path small = options.pool().resolveSibling(options.pool().getFileName() + ".small");
        try {
            Latencies[] none = {new Latencies()};
            for (int round = 0; round < rounds; round++) {
                long first = (long) round * SMALL;
                long batched = (long) (rounds + round) * SMALL;
                double large = Bed.run(1, SMALL, _ -> creates(bed, directory, first), none, Integer.MAX_VALUE);
                double largeBatched =
                        Bed.run(1, BATCHES, _ -> batches(bed, directory, batched), none, Integer.MAX_VALUE);
                try (Bed fresh = Bed.make(small, SMALL, 16, options.mode())) {
                    long there = fresh.directory("grown");
                    double rate = Bed.run(1, SMALL, _ -> creates(fresh, there, first), none, Integer.MAX_VALUE);
                    FoundLines.round("create/create64k", "ratio", large / rate);
                }
                try (Bed fresh = Bed.make(small, SMALL, 16, options.mode())) {
                    long there = fresh.directory("grown");
                    double rate = Bed.run(1, BATCHES, _ -> batches(fresh, there, batched), none, Integer.MAX_VALUE);
                    FoundLines.round("createAll/createAll64k", "ratio", largeBatched / rate);
                }
            }
        } finally {
            Files.deleteIfExists(small);
        }
    }

    private static LongConsumer creates(Bed bed, long directory, long first) {
        Bed.Hand hand = new Bed.Hand();
        return i -> Bed.require(bed.namespace.create(directory, hand.name(first + i), Bed.FILE_MODE, 0, 0, hand.out));
    }

    /** The same creates in batches: a step is one batch. */
    private static LongConsumer batches(Bed bed, long directory, long first) {
        Bed.Hand hand = new Bed.Hand();
        CreateBatch batch = new CreateBatch(BATCH);
        return step -> {
            batch.clear();
            for (int i = 0; i < BATCH; i++) {
                batch.addFile(directory, hand.name(first + step * BATCH + i), Bed.FILE_MODE, 0, 0);
            }
            bed.namespace.createAll(batch);
            for (int i = 0; i < BATCH; i++) {
                Bed.require(batch.status(i));
            }
        };
    }

    private long steps() {
        return Math.clamp(perThread / rounds / 2, 1, STEPS_MAX);
    }

    private void stat() throws IOException, InterruptedException {
        long range = perThread / rounds * rounds;
        measure("stat", steps(), SAMPLE, (hand, directory, i) -> {
            long file = Math.unsignedMultiplyHigh((i + 1) * SCATTER, range);
            Bed.require(bed.namespace.stat(directory, hand.name(file), hand.out));
        });
        try (Chase chase = new Chase(options.pool())) {
            Latencies[] none = {new Latencies()};
            for (int round = 0; round < rounds; round++) {
                long first = round * steps();
                double stats = Bed.run(
                        1,
                        steps(),
                        _ -> {
                            Bed.Hand hand = new Bed.Hand();
                            return i -> {
                                long file = Math.unsignedMultiplyHigh((first + i + 7) * SCATTER, range);
                                Bed.require(bed.namespace.stat(directories[0], hand.name(file), hand.out));
                            };
                        },
                        none,
                        Integer.MAX_VALUE);
                double reads = Bed.run(1, steps(), _ -> chase.reader(), none, Integer.MAX_VALUE);
                FoundLines.round("stat time", "ns", 1e9 / stats);
                FoundLines.round("chase time", "ns", 1e9 / reads);
                FoundLines.round("stat/chase", "ratio", reads / stats);
            }
        }
    }

    private void change() throws InterruptedException {
        long steps = Math.clamp(perThread / rounds / 10, 1, STEPS_MAX / 4);
        measure("append", steps, SAMPLE, (hand, directory, i) -> {
            Bed.require(bed.namespace.stat(directory, hand.name(i), hand.out));
            Bed.require(bed.namespace.append(directory, hand.name(i), hand.out.id, i + 1));
        });
        long[] targets = new long[threads];
        Arrays.setAll(targets, t -> bed.directory("target" + t));
        measure("mkdir", steps, SAMPLE, (hand, directory, i) -> {
            Bed.require(bed.namespace.mkdir(directory, hand.name(-1 - i), Bed.DIRECTORY_MODE, 0, 0, hand.out));
        });
        measure("rmdir", steps, SAMPLE, (hand, directory, i) -> {
            Bed.require(bed.namespace.rmdir(directory, hand.name(-1 - i)));
        });
        long last = perThread / rounds * rounds - 1;
        measure("rename", steps, SAMPLE, (hand, directory, i) -> {
            Bed.require(bed.namespace.rename(
                    directory, hand.name(last - i), directory, hand.other(perThread + i), false, hand.out));
        });
        measure("delete", steps, SAMPLE, (hand, directory, i) -> {
            Bed.require(bed.namespace.delete(directory, hand.name(i), hand.out));
        });
    }

    /** Entries per second, page by page. */
    private void list() throws InterruptedException {
        long pages = Math.clamp(perThread / rounds / STREAM_PAGE / 2, 1, STEPS_MAX / STREAM_PAGE);
        ListCursor[] cursors = new ListCursor[threads];
        Arrays.setAll(cursors, _ -> new ListCursor());
        Latencies all = new Latencies();
        for (int round = 0; round < rounds; round++) {
            Latencies[] latencies = new Latencies[threads];
            Arrays.setAll(latencies, _ -> new Latencies());
            double rate = Bed.run(threads, pages, thread -> lister(thread, cursors[thread]), latencies, 1);
            FoundLines.round("list", "entries/s", rate * STREAM_PAGE);
            for (Latencies one : latencies) {
                all.add(one);
            }
        }
        FoundLines.round("list of 1000 p50", "ns", (double) all.perMille(500));
        FoundLines.round("list of 1000 p99", "ns", (double) all.perMille(990));
        FoundLines.progress("list");
    }

    private LongConsumer lister(int thread, ListCursor cursor) {
        return _ -> {
            int[] seen = {0};
            Bed.require(bed.namespace.list(directories[thread], cursor, (_, _) -> ++seen[0] < STREAM_PAGE));
        };
    }
}
