package io.hmfs.bench.load;

import io.hmfs.core.FormatOptions;
import io.hmfs.core.Hmfs;
import io.hmfs.core.OpenOptions;
import io.hmfs.core.pmem.Backing;
import io.hmfs.core.pmem.Persistence;
import io.hmfs.core.pmem.PoolException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongConsumer;

/** {@code FILES ROUNDS PATH…}: creates, stats and deletes in mode pmem on a pool at each place, in turns, all in one JVM. */
public final class PoolsLoad {
    /** What is measured, by the names of the lines that tell it. */
    static final List<String> OPERATIONS = List.of("create", "stat", "delete");

    private static final long SCATTER = 0x9E3779B97F4A7C15L;

    private final int files;
    private final List<Place> places = new ArrayList<>();

    /** A pool's place; {@code emulated}: its memory is not persistent, and mode pmem is emulated. */
    private record Place(Path path, boolean emulated) {}

    private PoolsLoad(int files) {
        this.files = files;
    }

    /** All of it. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        int rounds = Integer.parseInt(arguments[1]);
        List<Path> paths = Arrays.stream(arguments).skip(2).map(Path::of).toList();
        List<Path> files = paths.stream().filter(Files::notExists).toList();
        PoolsLoad load = new PoolsLoad(Integer.parseInt(arguments[0]));
        try {
            for (Path path : paths) {
                load.places.add(new Place(path, load.isEmulated(path)));
            }
            for (int round = 0; round <= rounds; round++) {
                for (Place place : load.places) {
                    load.round(place, round > 0);
                }
                FoundLines.progress("round " + round + " of " + rounds);
            }
        } finally {
            for (Path file : files) { // the others are devices
                Files.deleteIfExists(file);
            }
        }
    }

    private void format(Path path) throws IOException {
        Hmfs.format(path, new FormatOptions(PoolSize.of(files), Backing.MAPPED, true));
    }

    private boolean isEmulated(Path path) throws IOException {
        format(path);
        try {
            Hmfs.open(path, new OpenOptions(Persistence.PMEM, false)).close();
            FoundLines.progress(path + " is persistent memory");
            return false;
        } catch (PoolException e) {
            FoundLines.progress("mode pmem is emulated on " + path + ": " + e.getMessage());
            return true;
        }
    }

    private void round(Place place, boolean counts) throws IOException, InterruptedException {
        format(place.path);
        try (Bed bed = new Bed(Hmfs.openForServer(place.path, new OpenOptions(Persistence.PMEM, place.emulated)))) {
            long directory = bed.directory("files");
            Bed.Hand hand = new Bed.Hand();
            LongConsumer create =
                    i -> Bed.require(bed.namespace.create(directory, hand.name(i), Bed.FILE_MODE, 0, 0, hand.out));
            LongConsumer stat = i -> {
                long file = Math.unsignedMultiplyHigh((i + 1) * SCATTER, files);
                Bed.require(bed.namespace.stat(directory, hand.name(file), hand.out));
            };
            LongConsumer delete = i -> Bed.require(bed.namespace.delete(directory, hand.name(i), hand.out));
            List<LongConsumer> steps = List.of(create, stat, delete);
            for (int i = 0; i < steps.size(); i++) {
                LongConsumer step = steps.get(i);
                Latencies[] none = {new Latencies()};
                double rate = Bed.run(1, files, _ -> step, none, Integer.MAX_VALUE);
                if (counts) {
                    FoundLines.round(OPERATIONS.get(i), place.path.toString(), "ops/s", rate);
                }
            }
        }
    }
}
