package io.hmfs.trials.soak;

import io.hmfs.client.ClientOptions;
import io.hmfs.client.CreateOptions;
import io.hmfs.client.FileInfo;
import io.hmfs.client.HmfsClient;
import io.hmfs.client.ListPage;
import io.hmfs.client.ListingCursor;
import io.hmfs.client.OpenedFile;
import io.hmfs.client.XattrSetMode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * One client in a directory of its own. Each cycle makes, looks at, changes and removes files, and checks what it is answered; after it
 * the directory has as many files as before.
 */
public final class SteadyLoad implements AutoCloseable {
    /** Files that are always there. */
    public static final int RESIDENTS = 200;

    private static final int NEW = 32;
    private static final int RENAMED = 8;
    private static final int REPLACING = 2; // of the renamed, with data: onto a resident
    private static final int WITH_DATA = 4;
    private static final int WITH_XATTRS = 4;
    private static final int DATA_BYTES = 40_000;
    private static final String XATTR = "user.soak";
    private static final CreateOptions OPTIONS = new CreateOptions(0644, false, false, 0755);

    private final HmfsClient client;
    private final String directory;
    private final byte[] data = new byte[DATA_BYTES];
    private long cycles;

    /** Makes the directory and its residents. */
    public SteadyLoad(int port, String directory) throws IOException {
        this.directory = directory;
        client = HmfsClient.connect("127.0.0.1", port, ClientOptions.defaults());
        try {
            client.mkdir(directory, 0755, true);
            all(RESIDENTS, i -> client.createAsync(resident(i), OPTIONS));
        } catch (IOException | RuntimeException e) {
            client.close();
            throw e;
        }
    }

    /** Cycles until each resident is one with data: from then on the number of these stays too. */
    public void settle() throws IOException {
        for (int i = 0; i < RESIDENTS / REPLACING; i++) {
            cycle();
        }
    }

    private String resident(long i) {
        return "%s/resident-%04d".formatted(directory, i);
    }

    private String fresh(int i) {
        return "%s/new-%08d-%02d".formatted(directory, cycles, i);
    }

    private String renamed(int i) {
        return "%s/renamed-%08d-%02d".formatted(directory, cycles, i);
    }

    /** Each request at once; returns when all are answered. */
    private static void all(int count, IntFunction<CompletableFuture<?>> request) throws IOException {
        CompletableFuture<?>[] requests = new CompletableFuture<?>[count];
        Arrays.setAll(requests, request);
        try {
            CompletableFuture.allOf(requests).join();
        } catch (CompletionException e) {
            throw new IOException("a request failed: " + e.getCause(), e.getCause());
        }
    }

    /** One cycle, some 150 requests. An answer that is not right is an IOException. */
    public void cycle() throws IOException {
        all(NEW, i -> client.createAsync(fresh(i), OPTIONS));
        all(NEW, i -> client.statAsync(fresh(i)));
        for (int i = 0; i < WITH_DATA; i++) {
            writeAndRead(fresh(i));
        }
        for (int i = 0; i < WITH_XATTRS; i++) {
            client.xattrs().set(fresh(i), XATTR, Arrays.copyOf(data, 100 * (i + 1)), XattrSetMode.CREATE);
            check(client.xattrs().get(fresh(i), XATTR).length == 100 * (i + 1), "xattr of " + fresh(i));
        }
        client.xattrs().remove(fresh(0), XATTR);
        client.mkdir(directory + "/sub", 0755, false);
        client.symlink(directory + "/sub/link", "../resident-0000", OPTIONS);
        for (int i = 0; i < RENAMED; i++) {
            if (i < REPLACING) {
                client.rename(fresh(i), resident((cycles * REPLACING + i) % RESIDENTS), true);
            } else {
                client.rename(fresh(i), renamed(i), false);
            }
        }
        int there = count();
        check(there == RESIDENTS + NEW - REPLACING + 1, directory + " lists " + there + " entries in mid-cycle");
        all(NEW - RENAMED, i -> client.deleteAsync(fresh(RENAMED + i)));
        all(RENAMED - REPLACING, i -> client.deleteAsync(renamed(REPLACING + i)));
        client.delete(directory + "/sub/link");
        client.rmdir(directory + "/sub");
        cycles++;
    }

    private void writeAndRead(String path) throws IOException {
        Arrays.fill(data, (byte) cycles);
        OpenedFile written = client.open(path, true, true, client.leases().next());
        FileInfo file = written.info();
        try {
            client.writeBlockAsync(written.grant(), file.id(), 0, 0, data, 0, data.length)
                    .join();
            client.append(file, data.length, written.grant(), true);
            byte[] back = new byte[data.length];
            int length = client.readBlockAsync(written.grant(), file.id(), 0, 0, back, 0, back.length)
                    .join();
            check(length == data.length && Arrays.equals(data, back), "the data of " + path);
        } catch (CompletionException e) {
            throw new IOException("a request failed: " + e.getCause(), e.getCause());
        }
    }

    /** Entries of the directory, each listed once. */
    public int count() throws IOException {
        List<String> names = new ArrayList<>();
        for (@Nullable ListingCursor next = ListingCursor.START; next != null; ) {
            ListPage page = client.list(directory, next, 0);
            page.entries().forEach(entry -> names.add(entry.name()));
            next = page.next();
        }
        check(new TreeSet<>(names).size() == names.size(), directory + " lists a name twice");
        return names.size();
    }

    private static void check(boolean holds, String what) throws IOException {
        if (!holds) {
            throw new IOException("not as it should be: " + what);
        }
    }

    @Override
    public void close() {
        client.close();
    }
}
