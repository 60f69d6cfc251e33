package io.hmfs.trials.soak;

import io.hmfs.core.FormatOptions;
import io.hmfs.core.Hmfs;
import io.hmfs.core.pmem.Backing;
import io.hmfs.core.pmem.log.LogOptions;
import io.hmfs.server.admin.Exposition;
import io.hmfs.server.admin.Main;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** {@code hmfs server} as a user runs it, in mode logged with its settings as they are by default, and how to look into it from outside. */
public final class SoakServer implements AutoCloseable {
    private static final Pattern ADDRESS = Pattern.compile("(?m)^ *address +hmfs://[^\\s]*:(\\d+)");
    private static final Pattern METRICS = Pattern.compile("(?m)^ *metrics +(http://[^,\\s]+)");
    private static final Pattern PRIVATE = Pattern.compile("(?m)^RssAnon:\\s+(\\d+) kB");
    private static final String LABEL_AREA = "area";
    private static final double MIB = 1 << 20;
    private static final int START_SECONDS = 60;
    private static final int STOP_SECONDS = 30;

    private final Process process;
    private final Path directory;
    private final HttpClient http;
    private final int port;
    private final URI metrics;

    /**
     * Makes a pool and serves it.
     *
     * @param poolDirectory an empty one for the pool, in memory
     * @param directory an empty one for everything else, on a disk
     * @param poolSize bytes of the pool
     */
    public SoakServer(Path poolDirectory, Path directory, long poolSize) throws IOException, InterruptedException {
        this.directory = directory;
        Path pool = poolDirectory.resolve("pool");
        LogOptions log = LogOptions.in(directory.resolve("log")).withOnVolatile(true);
        Hmfs.format(pool, new FormatOptions(poolSize, Backing.MAPPED, false, log));
        ProcessBuilder builder = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-Xmx512m", // this and the next as bin/hmfs says
                "-XX:MaxGCPauseMillis=10",
                "-Xlog:gc*,safepoint:file=" + gcLog() + ":uptime,level,tags:filecount=0",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                "server",
                "--pool",
                pool.toString(),
                "--log-directory",
                directory.resolve("log").toString(),
                "--port",
                "0",
                "--admin-port",
                "0",
                "--emulate-pmem", // the directory for temporary files may be in memory
                "true");
        builder.environment().keySet().removeIf(name -> name.startsWith("HMFS_"));
        process = builder.redirectOutput(out().toFile())
                .redirectError(errors().toFile())
                .start();
        try {
            port = Integer.parseInt(awaitLine(ADDRESS));
            metrics = URI.create(awaitLine(METRICS));
            http = HttpClient.newHttpClient(); // last: a start that fails leaves none
        } catch (IOException | InterruptedException | RuntimeException e) {
            process.destroyForcibly();
            throw e;
        }
    }

    private Path out() {
        return directory.resolve("server.out");
    }

    private Path errors() {
        return directory.resolve("server.err");
    }

    private Path gcLog() {
        return directory.resolve("gc.log");
    }

    private String awaitLine(Pattern line) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
        while (process.isAlive() && System.nanoTime() < deadline) {
            Matcher matcher = line.matcher(Files.readString(out()));
            if (matcher.find()) {
                return matcher.group(1);
            }
            process.waitFor(50, TimeUnit.MILLISECONDS);
        }
        throw new IOException("the server did not start: " + Files.readString(errors()));
    }

    public int port() {
        return port;
    }

    /** One look at all gauges but the live heap. */
    public void look(Samples samples, double seconds) throws IOException, InterruptedException {
        Exposition told = scrape();
        samples.add(Gauge.HEAP, seconds, heap(told));
        samples.add(Gauge.NETTY, seconds, sum(told, "hmfs_netty_direct_bytes") / MIB);
        samples.add(
                Gauge.DIRECT,
                seconds,
                sum(told, "jvm_buffer_memory_used_bytes", labels -> "direct".equals(labels.get("id"))) / MIB);
        samples.add(Gauge.THREADS, seconds, sum(told, "jvm_threads_live_threads"));
        samples.add(Gauge.POOL, seconds, sum(told, "hmfs_pool_used_bytes") / MIB);
        Path proc = Path.of("/proc", Long.toString(process.pid()));
        try (Stream<Path> open = Files.list(proc.resolve("fd"))) {
            samples.add(Gauge.DESCRIPTORS, seconds, (double) open.count());
        }
        Matcher own = PRIVATE.matcher(Files.readString(proc.resolve("status")));
        if (!own.find()) {
            throw new IOException("this system does not tell the private memory of a process");
        }
        samples.add(Gauge.PRIVATE, seconds, Long.parseLong(own.group(1)) / 1024.0);
    }

    private static double heap(Exposition told) throws IOException {
        return sum(told, "jvm_memory_used_bytes", labels -> "heap".equals(labels.get(LABEL_AREA))) / MIB;
    }

    private static double sum(Exposition told, String name) throws IOException {
        return sum(told, name, _ -> true);
    }

    /** The sum of a metric's samples with such labels; of a name that is not there nothing would ever grow. */
    static double sum(Exposition told, String name, Predicate<Map<String, String>> labels) throws IOException {
        if (!told.has(name, labels)) {
            throw new IOException("the server's metrics have no " + name);
        }
        return told.sum(name, labels);
    }

    private Exposition scrape() throws IOException, InterruptedException {
        HttpResponse<String> answer =
                http.send(HttpRequest.newBuilder(metrics).build(), HttpResponse.BodyHandlers.ofString());
        if (answer.statusCode() != 200) {
            throw new IOException(metrics + " answered " + answer.statusCode());
        }
        return Exposition.parse(answer.body());
    }

    /** Has all garbage collected, and looks at what is left. */
    public void lookAtLiveHeap(Samples samples, double seconds) throws IOException, InterruptedException {
        Process collect = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
                        Long.toString(process.pid()),
                        "GC.run")
                .redirectErrorStream(true)
                .start();
        String said = new String(collect.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (collect.waitFor() != 0) {
            throw new IOException("the server's garbage could not be collected: " + said);
        }
        samples.add(Gauge.LIVE_HEAP, seconds, heap(scrape()));
    }

    /** How long its JVM has run, which is the clock of its pauses. */
    public double uptimeSeconds() throws IOException, InterruptedException {
        return sum(scrape(), "process_uptime_seconds");
    }

    /** Pauses until now. */
    public Pauses pauses() throws IOException {
        return Pauses.of(Files.readAllLines(gcLog()));
    }

    /** What it has logged. */
    public List<String> messages() throws IOException {
        return Files.readAllLines(errors());
    }

    /** Stops it; one that does not end well is an IOException. */
    @Override
    public void close() throws IOException {
        http.close();
        process.destroy();
        try {
            if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
                throw new IOException("the server did not stop within " + STOP_SECONDS + " s of SIGTERM");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            process.destroyForcibly();
        }
        if (process.exitValue() != 0) {
            throw new IOException(
                    "the server ended with exit code " + process.exitValue() + ": " + String.join("; ", messages()));
        }
    }
}
