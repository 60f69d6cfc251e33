package io.hmfs.trials.acknowledged;

import io.hmfs.client.ClientOptions;
import io.hmfs.client.CreateOptions;
import io.hmfs.client.FileInfo;
import io.hmfs.client.HmfsClient;
import io.hmfs.client.HmfsException;
import io.hmfs.client.ResultCode;
import io.hmfs.client.TreeCursor;
import io.hmfs.client.TreePage;
import io.hmfs.server.admin.Address;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code hmfs bench acknowledged}: whether all operations that were acknowledged are still there. */
@Command(
        name = "acknowledged",
        mixinStandardHelpOptions = true,
        description = "Whether a server that was killed still has all that it had acknowledged.",
        footer = {
            "",
            "With --load, 16 workers create, rename, replace and delete names until this process or the server is killed;"
                    + " how many operations of each were acknowledged is recorded, outside the server. A later call on the"
                    + " same counts lists what is there: exactly the names after that many operations, or after one more"
                    + " of a worker. Names of the last run are looked up one by one too.",
            "",
            "Exit code 0: nothing differs; 1: something does, or the load failed.",
            "",
            "Examples:",
            "  hmfs bench acknowledged --counts /var/tmp/counts --load",
            "  hmfs bench acknowledged --counts /var/tmp/counts",
        })
public final class AcknowledgedCommand implements Callable<Integer> {
    private static final int WORKERS = 16;
    private static final long LOOKED_UP_MAX = 180; // last operations of a worker whose names are looked up
    private static final String TOP = "/acknowledged";
    private static final CreateOptions OPTIONS = new CreateOptions(0644, false, false, 0755);

    @Option(names = "--server", paramLabel = "HOST:PORT", description = "The server (default ${DEFAULT-VALUE}).")
    private String server = "127.0.0.1:8930";

    @Option(names = "--counts", paramLabel = "DIR", required = true, description = "Where counts are kept.")
    private Path directory = Path.of("");

    @Option(names = "--load", description = "Go on with a new run after the check.")
    private boolean load;

    @Override
    public Integer call() throws IOException, InterruptedException {
        Address address = Address.parse(server);
        AcknowledgedCounts counts = new AcknowledgedCounts(directory);
        try (HmfsClient client = HmfsClient.connect(address.host(), address.port(), options())) {
            List<String> differences = check(client, counts);
            differences.forEach(difference -> System.out.println("DIFFERENT: " + difference));
            if (!differences.isEmpty()) {
                return 1;
            }
            if (load) {
                load(client, counts);
            }
            return 0;
        }
    }

    /** Under emulation a server that has just started may need longer for its first answer than the default. */
    private static ClientOptions options() {
        ClientOptions defaults = ClientOptions.defaults();
        return new ClientOptions(defaults.user(), Duration.ofMinutes(2), Duration.ofMinutes(2), defaults.inFlightMax());
    }

    private static List<String> check(HmfsClient client, AcknowledgedCounts counts) throws IOException {
        List<String> differences = new ArrayList<>();
        List<String> runs = counts.runs();
        long operations = 0;
        long names = 0;
        for (String run : runs) {
            Map<String, Set<String>> byWorker = names(client, TOP + "/" + run);
            for (int worker = 0; worker < WORKERS; worker++) {
                NameScript script = new NameScript(worker);
                long acknowledged = counts.acknowledged(run, worker);
                @Nullable Set<String> found = byWorker.remove(script.prefix());
                found = found == null ? Set.of() : found;
                operations += acknowledged;
                names += found.size();
                String difference = script.difference(acknowledged, found);
                if (difference != null) {
                    differences.add(run + ", " + difference);
                } else if (run.equals(runs.getLast())) {
                    lookUp(client, TOP + "/" + run, script, acknowledged, found, differences);
                }
            }
            byWorker.forEach((prefix, found) -> differences.add(run + " has names of no worker: " + found));
        }
        System.out.println("checked %d runs with %d acknowledged operations, which left %d names: %s"
                .formatted(runs.size(), operations, names, differences.isEmpty() ? "none differs" : "DIFFERENT"));
        return differences;
    }

    /** All names below a run's directories, by the prefix of their worker. */
    private static Map<String, Set<String>> names(HmfsClient client, String top) throws IOException {
        Map<String, Set<String>> names = new TreeMap<>();
        @Nullable TreeCursor next = TreeCursor.START;
        while (next != null) {
            TreePage page = client.trees().list(top, next, 0);
            for (FileInfo entry : page.entries()) {
                String path = entry.name();
                int slash = path.lastIndexOf('/');
                if (slash < 0) {
                    continue; // one of the shared directories
                }
                String prefix = path.substring(slash + 1, Math.min(path.length(), slash + 5));
                if (!names.computeIfAbsent(prefix, _ -> new TreeSet<>()).add(path)) {
                    throw new IOException(top + " lists " + path + " twice");
                }
            }
            next = page.next();
        }
        return names;
    }

    /** A listing follows the lists of children, a look-up the index: both must tell the same. */
    private static void lookUp(
            HmfsClient client,
            String top,
            NameScript script,
            long acknowledged,
            Set<String> found,
            List<String> differences)
            throws IOException {
        Set<String> paths = new TreeSet<>();
        for (long number = Math.max(0, acknowledged - LOOKED_UP_MAX); number <= acknowledged; number++) {
            NameScript.Step step = script.step(number);
            paths.add(step.path());
            if (!step.target().isEmpty()) {
                paths.add(step.target());
            }
        }
        for (String path : paths) {
            boolean there;
            try {
                client.stat(top + "/" + path);
                there = true;
            } catch (HmfsException e) {
                if (e.code() != ResultCode.NOT_FOUND) {
                    throw e;
                }
                there = false;
            }
            if (there != found.contains(path)) {
                differences.add(top + "/" + path + " is " + (there ? "" : "not ")
                        + "found by its path, but a listing says otherwise");
            }
        }
    }

    /** Returns only by an exception, unless the process is killed. */
    private static void load(HmfsClient client, AcknowledgedCounts counts) throws IOException, InterruptedException {
        String run = counts.next();
        String top = TOP + "/" + run;
        for (int i = 0; i < NameScript.DIRECTORIES; i++) {
            client.mkdir(top + "/d" + i, 0755, true);
        }
        counts.begin(run);
        CountDownLatch begun = new CountDownLatch(WORKERS);
        try (ExecutorService threads = Executors.newFixedThreadPool(WORKERS)) {
            ExecutorCompletionService<Void> workers = new ExecutorCompletionService<>(threads);
            for (int worker = 0; worker < WORKERS; worker++) {
                NameScript script = new NameScript(worker);
                FileChannel count = counts.open(run, worker);
                workers.submit(() -> work(client, top, script, count, begun));
            }
            begun.await();
            System.out.println("loading " + run);
            counts.loading(run);
            try {
                workers.take().get();
            } catch (ExecutionException e) {
                System.out.println("the load failed: " + e.getCause());
                System.out.flush();
                Runtime.getRuntime().halt(1); // the other workers may wait for a server that is gone
            }
        }
    }

    private static Void work(HmfsClient client, String top, NameScript script, FileChannel count, CountDownLatch begun)
            throws IOException {
        try (count) {
            for (long number = 0; ; number++) {
                execute(client, top, script.step(number));
                AcknowledgedCounts.write(count, number + 1);
                if (number == 0) {
                    begun.countDown();
                }
            }
        }
    }

    private static void execute(HmfsClient client, String top, NameScript.Step step) throws IOException {
        String path = top + "/" + step.path();
        switch (step.kind()) {
            case CREATE -> client.create(path, OPTIONS);
            case MKDIR -> client.mkdir(path, 0755, false);
            case DELETE -> client.delete(path);
            case RENAME -> client.rename(path, top + "/" + step.target(), false);
            case REPLACE -> client.rename(path, top + "/" + step.target(), true);
        }
    }
}
