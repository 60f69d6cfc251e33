package io.hmfs.server;

import io.hmfs.client.ClientOptions;
import io.hmfs.client.HmfsClient;
import io.hmfs.client.ListingCursor;
import io.hmfs.client.OpenedFile;
import java.io.IOException;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;

/** A user of a server who does no harm: makes, writes, reads, renames and removes files, and knows what each answer has to be. */
final class SiegeNeighbour implements Callable<Void> {
    private static final int KEPT = 20;
    private static final int BYTES = 5_000;

    private final int port;
    private final String user;
    private final long seed;
    private volatile boolean over;

    private final AtomicLong requests = new AtomicLong();
    private final AtomicLong longestNanos = new AtomicLong();

    SiegeNeighbour(int port, String user, long seed) {
        this.port = port;
        this.user = user;
        this.seed = seed;
    }

    /** One request. */
    private interface Asked<T> {
        T ask() throws IOException;
    }

    void stop() {
        over = true;
    }

    long requests() {
        return requests.get();
    }

    /** The longest that a request has waited since the last call. */
    double longestMillis() {
        return longestNanos.getAndSet(0) / 1e6;
    }

    private <T> T timed(Asked<T> asked) throws IOException {
        long start = System.nanoTime();
        T answer = asked.ask();
        longestNanos.accumulateAndGet(System.nanoTime() - start, Math::max);
        requests.incrementAndGet();
        return answer;
    }

    private static void check(boolean condition, String what) {
        if (!condition) {
            throw new AssertionError(what);
        }
    }

    private byte[] bytes(long file) {
        byte[] bytes = new byte[BYTES];
        new SplittableRandom(seed + file).nextBytes(bytes);
        return bytes;
    }

    /** Until it is stopped; fails with what was wrong. */
    @Override
    public Void call() throws Exception {
        String home = "/" + user;
        try (HmfsClient client =
                HmfsClient.connect("127.0.0.1", port, ClientOptions.defaults().withUser(user))) {
            for (long file = 0; !over; file++) {
                write(client, home + "/new", bytes(file));
                String path = home + "/" + file;
                timed(() -> {
                    client.rename(home + "/new", path, false);
                    return path;
                });
                if (file >= KEPT) {
                    long old = file - KEPT;
                    read(client, home + "/" + old, bytes(old));
                    timed(() -> {
                        client.delete(home + "/" + old);
                        return old;
                    });
                }
                int entries =
                        timed(() -> client.list(home, ListingCursor.START, 0).size());
                long expected = Math.min(file + 1, KEPT);
                check(entries == expected, home + " has " + entries + " entries, not " + expected);
            }
            clear(client, home);
        }
        return null;
    }

    private void write(HmfsClient client, String path, byte[] bytes) throws Exception {
        OpenedFile file = timed(() ->
                client.createAndOpen(path, Siege.PLAIN.leased(client.leases().next())));
        client.writeBlockAsync(file.grant(), file.info().id(), 0, 0, bytes, 0, bytes.length)
                .get();
        timed(() -> {
            client.append(file.info(), bytes.length, file.grant(), true);
            return path;
        });
    }

    private void read(HmfsClient client, String path, byte[] expected) throws Exception {
        OpenedFile file = timed(() -> client.open(path, true, false));
        check(
                file.info().size() == expected.length,
                path + " has " + file.info().size() + " bytes");
        byte[] found = new byte[expected.length];
        int count = client.readBlockAsync(file.grant(), file.info().id(), 0, 0, found, 0, found.length)
                .get();
        check(count == found.length && Arrays.equals(found, expected), path + " has other bytes");
    }

    private static void clear(HmfsClient client, String home) throws IOException {
        for (var each : client.list(home, ListingCursor.START, 0).entries()) {
            client.delete(home + "/" + each.name());
        }
    }
}
