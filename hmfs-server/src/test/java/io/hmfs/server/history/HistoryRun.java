package io.hmfs.server.history;

import io.hmfs.server.history.Histories.Network;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** {@code bin/dev histories}: rounds of every kind of trouble, each with the seed behind the last one's. */
public final class HistoryRun {
    private static final int EPOCHS = Integer.getInteger("hmfs.epochs", 30);

    private HistoryRun() {}

    /** Arguments: rounds, the first seed, and perhaps the kinds. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        long rounds;
        long first;
        List<Kind> kinds;
        try {
            rounds = Long.parseLong(arguments[0]);
            first = Long.parseLong(arguments[1]);
            kinds = arguments.length > 2
                    ? Arrays.stream(arguments).skip(2).map(Kind::valueOf).toList()
                    : List.of(Kind.values());
        } catch (IllegalArgumentException e) {
            System.err.println("no rounds, seed and kinds: " + String.join(" ", arguments) + "; the kinds are "
                    + Arrays.toString(Kind.values()));
            System.exit(2);
            return;
        }
        String obstacle = CutNetwork.obstacle();
        for (long seed = first; seed < first + rounds; seed++) {
            for (Kind kind : kinds) {
                if (kind.plan(0).network() == Network.CUT && !obstacle.isEmpty()) {
                    System.out.println(kind + " left out, for this cannot be had here: " + obstacle);
                } else if (!run(kind, seed)) {
                    System.exit(1);
                }
            }
        }
        System.exit(0); // whatever threads there are
    }

    private static boolean run(Kind kind, long seed) throws IOException, InterruptedException {
        Path disk = Files.createTempDirectory("hmfs-history");
        try {
            System.out.println(kind + ", seed " + seed + ": " + Histories.run(kind.plan(EPOCHS), seed, disk));
            return true;
        } catch (AssertionError e) {
            System.out.println(kind + ": " + e.getMessage());
            e.printStackTrace();
            return false;
        } finally {
            remove(disk);
        }
    }

    private static void remove(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path each : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
    }
}
