package io.hmfs.bench.load;

import io.hmfs.client.CreateOptions;
import io.hmfs.client.HmfsClient;
import java.io.IOException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;

/** Makes many files through a client, spread over directories. */
public final class RemoteFiles {
    private static final int IN_FLIGHT = 256;

    private final HmfsClient client;
    private final int directories;
    private int made;

    /** Makes the directories. */
    public RemoteFiles(HmfsClient client, int directories) throws IOException {
        this.client = client;
        this.directories = directories;
        for (int i = 0; i < directories; i++) {
            client.mkdir("/d" + i, 0755, true);
        }
    }

    /** The path of a file. */
    public String path(int file) {
        return "/d%d/part-%011d".formatted(file % directories, file);
    }

    /** Files made so far. */
    public int count() {
        return made;
    }

    /** Makes files until there are so many. */
    public void grow(int files) throws IOException, InterruptedException {
        CreateOptions options = new CreateOptions(0644, false, false, 0755);
        Semaphore room = new Semaphore(IN_FLIGHT);
        AtomicReference<Throwable> failure = new AtomicReference<>();
        for (; made < files && failure.get() == null; made++) {
            room.acquire();
            var _ = client.createAsync(path(made), options).whenComplete((_, problem) -> {
                if (problem != null) {
                    failure.set(problem);
                }
                room.release();
            });
        }
        room.acquire(IN_FLIGHT);
        Throwable problem = failure.get();
        if (problem != null) {
            throw new IOException("a file could not be created: " + problem.getMessage(), problem);
        }
    }
}
