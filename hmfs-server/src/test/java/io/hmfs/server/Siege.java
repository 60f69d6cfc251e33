package io.hmfs.server;

import io.hmfs.client.ClientOptions;
import io.hmfs.client.CreateOptions;
import io.hmfs.client.HmfsClient;
import io.hmfs.core.FormatOptions;
import io.hmfs.core.Hmfs;
import io.hmfs.core.pmem.Backing;
import io.hmfs.core.pmem.Persistence;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A server with a heap of 128 MB in a process of its own, hostile users in another, and neighbours who do no harm here: first the neighbours
 * alone, then all of them. The enemies' process yields the processor to the others, as if it stood on another machine.
 */
final class Siege implements AutoCloseable {
    static final String EVE = "eve";
    static final String MALLORY = "mallory";
    static final String OPEN = "/open";
    static final String MANY = OPEN + "/many";
    static final CreateOptions PLAIN = new CreateOptions(0644, false, false, 0755);

    private static final List<String> NEIGHBOURS = List.of("bob", "carol");
    private static final int MANY_FILES = 1_000;
    private static final long NAMES = 30_000;
    private static final long BYTES = 1L << 30;
    private static final long POOL = 128L << 20;
    /** Heap and buffers of 128 MB each, and what a JVM has beside them. */
    private static final long RESIDENT_MAX = POOL + (640L << 20);

    private final Path directory;
    private final long seed;
    private final ServerChild server;
    private final ExecutorService threads = Executors.newCachedThreadPool();

    /**
     * What was seen.
     *
     * @param calm requests of the neighbours in a second before the siege
     * @param besieged the same during it
     * @param longestMillis the longest that a request of theirs has waited during it
     * @param residentMax most bytes of the server in memory
     * @param enemies what the enemies said at their end
     * @param wrong what must not be, or null
     */
    record Verdict(
            double calm,
            double besieged,
            double longestMillis,
            long residentMax,
            String enemies,
            @Nullable String wrong) {}

    Siege(Path directory, long seed, ServerChild.Jvm jvm) throws IOException {
        this.directory = directory;
        this.seed = seed;
        Path pool = directory.resolve("pool");
        Hmfs.format(pool, new FormatOptions(POOL, Backing.MAPPED, false, null));
        server = new ServerChild(pool, Persistence.PROCESS, jvm);
        prepare();
    }

    static String home(SiegeAttack attack) {
        return OPEN + "/" + attack;
    }

    private HmfsClient superuser() throws IOException {
        return HmfsClient.connect(
                "127.0.0.1", server.port(), ClientOptions.defaults().withUser("alice"));
    }

    private void prepare() throws IOException {
        try (HmfsClient client = superuser()) {
            for (String each : NEIGHBOURS) {
                client.mkdir("/" + each, 0700, false);
                client.chown("/" + each, each, null);
            }
            client.mkdir(OPEN, 0755, false);
            for (SiegeAttack each : SiegeAttack.values()) {
                client.mkdir(home(each), 0777, 0777, false);
                client.chmod(home(each), 0777);
                client.trees().setQuota(home(each), NAMES, BYTES);
            }
            client.mkdir(MANY, 0755, false);
            for (int i = 0; i < MANY_FILES; i++) {
                client.create(MANY + "/" + "n".repeat(200) + i, PLAIN);
            }
        }
    }

    /** So long without enemies, and so long with them; all of them, or some. */
    Verdict run(long calmMillis, long siegeMillis, SiegeAttack... attacks) throws Exception {
        List<SiegeNeighbour> neighbours = new ArrayList<>();
        List<Future<Void>> running = new ArrayList<>();
        CountDownLatch anyEnded = new CountDownLatch(1);
        for (String each : NEIGHBOURS) {
            SiegeNeighbour neighbour = new SiegeNeighbour(server.port(), each, seed + neighbours.size());
            neighbours.add(neighbour);
            running.add(threads.submit(() -> {
                try {
                    return neighbour.call();
                } finally {
                    anyEnded.countDown();
                }
            }));
        }
        double calm = rate(neighbours, calmMillis, anyEnded);
        neighbours.forEach(SiegeNeighbour::longestMillis);
        Process enemies = enemies(siegeMillis, attacks);
        double besieged = rate(neighbours, siegeMillis, anyEnded);
        String said = new String(enemies.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        int code = enemies.waitFor();
        double longest = neighbours.stream()
                .mapToDouble(SiegeNeighbour::longestMillis)
                .max()
                .orElse(0);
        neighbours.forEach(SiegeNeighbour::stop);
        String wrong = code == 0 ? null : "an enemy got what it must not";
        for (Future<Void> each : running) {
            try {
                each.get(100, TimeUnit.SECONDS);
            } catch (ExecutionException e) {
                wrong = "a neighbour failed: " + e.getCause();
            }
        }
        long resident = residentMax();
        if (!server.isAlive()) {
            wrong = "the server ended: " + Files.readString(directory.resolve("server.log"));
        } else if (resident > RESIDENT_MAX) {
            wrong = "the server had " + resident + " bytes in memory, of " + RESIDENT_MAX;
        }
        return new Verdict(calm, besieged, longest, resident, said, wrong);
    }

    /** Requests a second of all neighbours, for a time, or until one of them fails. */
    private static double rate(List<SiegeNeighbour> neighbours, long millis, CountDownLatch anyEnded)
            throws InterruptedException {
        long before = neighbours.stream().mapToLong(SiegeNeighbour::requests).sum();
        long start = System.nanoTime();
        boolean hasEnded = anyEnded.await(millis, TimeUnit.MILLISECONDS);
        long after = neighbours.stream().mapToLong(SiegeNeighbour::requests).sum();
        return hasEnded ? 0 : (after - before) * 1e9 / (System.nanoTime() - start);
    }

    private Process enemies(long millis, SiegeAttack... attacks) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                "nice",
                "-n",
                "15",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-ea",
                "-Xmx256m",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                SiegeEnemy.class.getName(),
                Integer.toString(server.port()),
                Long.toString(seed),
                Long.toString(millis)));
        for (SiegeAttack each : attacks) {
            command.add(each.name());
        }
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.to(
                        directory.resolve("enemies.log").toFile()))
                .start();
    }

    /** The most that the server ever had in memory, as the system tells; 0 where it does not. */
    private long residentMax() throws IOException {
        Path status = Path.of("/proc", Long.toString(server.pid()), "status");
        if (!Files.exists(status)) {
            return 0;
        }
        try (Stream<String> lines = Files.lines(status)) {
            return 1024
                    * lines.filter(line -> line.startsWith("VmHWM:"))
                            .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                            .sum();
        }
    }

    @Override
    public void close() throws IOException {
        threads.shutdownNow();
        server.close();
    }
}
