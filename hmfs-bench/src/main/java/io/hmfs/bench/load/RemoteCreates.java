package io.hmfs.bench.load;

import io.hmfs.client.CreateOptions;
import io.hmfs.client.HmfsClient;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** Creates new files through a client, each round in a directory of its own. */
public final class RemoteCreates {
    private static final long PER_MILLI = 400;
    private static final int SPARE = 64; // requests that are answered at once are asked again
    private static final CreateOptions OPTIONS = new CreateOptions(0644, false, false, 0755);

    private final HmfsClient client;
    private final String root;
    private int directories;

    /** Makes files below this directory, which is made. */
    public RemoteCreates(HmfsClient client, String root) throws IOException {
        this.client = client;
        this.root = root;
        client.mkdir(root, 0755, true);
    }

    /** Most files that a round makes, whatever the machine: what is to be in the pool has an end. */
    public static long most(long millis, int inFlight) {
        return PER_MILLI * millis + inFlight + SPARE;
    }

    /** The path of a file of a round; all have the same length. */
    private String path(int directory, long file) {
        return "%s/r%03d/part-%011d".formatted(root, directory, file);
    }

    /** Bytes of a create and of its answer on the wire. */
    public FrameSizes sizes(int port) throws IOException {
        int directory = newDirectory();
        return FrameSizes.of(port, (counted, number) -> counted.create(path(directory, number), OPTIONS));
    }

    private int newDirectory() throws IOException {
        int directory = directories++;
        client.mkdir(root + "/r%03d".formatted(directory), 0755, true);
        return directory;
    }

    /** Creates per second; the paths are made before the time runs. */
    public double perSecond(int inFlight, long millis) throws IOException, InterruptedException {
        int directory = newDirectory();
        String[] paths = new String[Math.toIntExact(most(millis, inFlight))];
        for (int i = 0; i < paths.length; i++) {
            paths[i] = path(directory, i);
        }
        Supplier<CompletableFuture<?>> request = new Supplier<>() {
            private int next;

            @Override
            public CompletableFuture<?> get() {
                return client.createAsync(paths[next++], OPTIONS);
            }
        };
        return ClosedLoop.throughput(request, inFlight, millis * 1_000_000, PER_MILLI * millis);
    }
}
