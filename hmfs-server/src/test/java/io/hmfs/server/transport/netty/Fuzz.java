package io.hmfs.server.transport.netty;

import io.hmfs.server.SampledPart;
import io.hmfs.server.transport.netty.FuzzSession.Part;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.LongPredicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Runs session after session until one fails, and shrinks that one. */
final class Fuzz {
    /** Then all begins anew on empty pools. */
    private static final int RENEWED_AFTER = 1_000;

    private static final int ATTEMPTS_MAX = 400;
    private static final Path MEMORY = Path.of("/dev/shm");

    private final Path directory;
    private final LogWatch log;
    private final FuzzTarget.Opener opener;
    private int made;
    private long sessions;
    private long frames;
    private long malformed;

    /** The number of the session that failed. */
    private long failed;

    Fuzz(Path directory, LogWatch log, FuzzTarget.Opener opener) {
        this.directory = directory;
        this.log = log;
        this.opener = opener;
    }

    /** A new directory, in memory where there is a place for that: on a disk most of the time goes into its files. */
    static Path place() throws IOException {
        return Files.isWritable(MEMORY)
                ? Files.createTempDirectory(MEMORY, "hmfs-fuzz")
                : Files.createTempDirectory("hmfs-fuzz");
    }

    /** What was done, in words. */
    String done() {
        return String.format(
                "%,d sessions, %,d frames, %,d of them malformed (%d %%)",
                sessions, frames, malformed, frames == 0 ? 0 : malformed * 100 / frames);
    }

    /** Divides so many sessions of a seed into thirds and runs the one of this run's part ({@link SampledPart}). Null, or what failed and how to repeat it. */
    @Nullable
    String runThird(long seed, long sessions) throws IOException {
        int third = SampledPart.of(3);
        long end = sessions * (third + 1) / 3;
        System.out.println("sessions " + sessions * third / 3 + " to " + end + " of seed " + seed);
        return run(seed, sessions * third / 3, number -> number < end);
    }

    /** Runs the sessions of a seed from number {@code begin} on as long as {@code more} says so of the next number. Null, or what failed and how to repeat it. */
    @Nullable
    String run(long seed, long begin, LongPredicate more) throws IOException {
        long number = begin;
        while (more.test(number)) {
            long first = number;
            String wrong = onServers("run", check -> {
                long next = first;
                for (; next < first + RENEWED_AFTER && more.test(next); next++) {
                    check.reset();
                    FuzzSession session = check.session(seed, next);
                    String found = check.run(session);
                    sessions++;
                    frames += check.takeFrames();
                    malformed += check.takeMalformed();
                    if (found != null) {
                        failed = next;
                        return found;
                    }
                }
                return null;
            });
            if (wrong != null) {
                return report(seed, failed, wrong);
            }
            number += RENEWED_AFTER;
        }
        return null;
    }

    private interface Use<T> {
        T with(FuzzTarget check) throws IOException;
    }

    /** Servers on empty pools, and a thread for them: what a server keeps for each thread goes with it. */
    private <T extends @Nullable Object> T onServers(String name, Use<T> use) throws IOException {
        Path place = directory.resolve(name + made++);
        FutureTask<T> task = new FutureTask<>(() -> {
            try (FuzzTarget check = opener.open(place, log)) {
                return use.with(check);
            }
        });
        Thread.ofPlatform().name("fuzz").start(task);
        try {
            return task.get();
        } catch (ExecutionException e) {
            throw new AssertionError(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } finally {
            remove(place);
        }
    }

    /** Runs one session on empty pools. Null, or what failed. */
    @Nullable
    String replay(FuzzSession session) throws IOException {
        return onServers("replay", check -> {
            check.reset();
            return check.run(session);
        });
    }

    private String report(long seed, long number, String wrong) throws IOException {
        String head = "seed " + seed + ", session " + number + ": " + wrong + "\n";
        FuzzSession session = again(seed, number);
        if (replay(session) == null) {
            return head + "(only after the sessions before it)";
        }
        FuzzSession least = shrink(session);
        Map<String, Long> kinds = least.parts().stream()
                .collect(Collectors.groupingBy(
                        part -> part.what() + (part.isMutated() ? " (changed)" : ""),
                        LinkedHashMap::new,
                        Collectors.counting()));
        return head + "shrunk: " + replay(least) + "\n" + kinds + "\nbin/dev fuzz replay " + least;
    }

    /** The session as it is on empty pools, where its replay will be. */
    private FuzzSession again(long seed, long number) throws IOException {
        return onServers("again", check -> {
            check.reset();
            return check.session(seed, number);
        });
    }

    // ---- shrinking

    private FuzzSession shrink(FuzzSession failing) throws IOException {
        int end = made + ATTEMPTS_MAX;
        FuzzSession least = failing;
        FuzzSession before;
        do {
            before = least;
            for (int size = Math.max(1, least.parts().size() / 2); size > 0; size /= 2) {
                for (int first = 0; first + size <= least.parts().size() && made < end; ) {
                    FuzzSession fewer = least.without(first, size);
                    if (replay(fewer) != null) {
                        least = fewer;
                    } else {
                        first += size;
                    }
                }
            }
            for (int i = 0; i < least.parts().size(); i++) {
                for (Part simpler : simpler(least.parts().get(i))) {
                    FuzzSession candidate = least.with(i, simpler);
                    if (made < end && replay(candidate) != null) {
                        least = candidate;
                        break;
                    }
                }
            }
        } while (!least.equals(before) && made < end);
        return least;
    }

    /** What is nearer to a valid frame in a read of its own; the simplest first. */
    private static List<Part> simpler(Part part) {
        List<Part> simpler = new ArrayList<>();
        if (part.isMutated()) {
            simpler.add(part.sending(part.valid()));
            if (part.sent().length == part.valid().length) {
                for (int size = part.sent().length / 2; size > 0; size /= 2) {
                    for (int at = 0; at + size <= part.sent().length; at += size) {
                        addReverted(simpler, part, at, size);
                    }
                }
            }
        }
        if (!part.isPlain()) {
            simpler.add(part.plain());
        }
        if (part.act() == FuzzAct.LONG) {
            simpler.add(part.by(FuzzAct.STREAM));
        }
        return simpler;
    }

    private static void addReverted(List<Part> simpler, Part part, int at, int size) {
        byte[] bytes = part.sent().clone();
        System.arraycopy(part.valid(), at, bytes, at, size);
        if (!Arrays.equals(bytes, part.sent())) {
            simpler.add(part.sending(bytes));
        }
    }

    static void remove(Path place) throws IOException {
        try (Stream<Path> all = Files.walk(place)) {
            for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
    }
}
