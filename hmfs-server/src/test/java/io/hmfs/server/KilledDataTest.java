package io.hmfs.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hmfs.client.ClientOptions;
import io.hmfs.client.CreateOptions;
import io.hmfs.client.FileInfo;
import io.hmfs.client.HmfsClient;
import io.hmfs.client.HmfsException;
import io.hmfs.client.ListingCursor;
import io.hmfs.client.OpenedFile;
import io.hmfs.client.ResultCode;
import io.hmfs.core.FormatOptions;
import io.hmfs.core.Hmfs;
import io.hmfs.core.pmem.Backing;
import io.hmfs.core.pmem.Persistence;
import io.hmfs.core.pmem.log.LogOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: in mode logged, with the builtin data store, each answered change, each committed byte and each lease survives the loss of the
 * memory, and no object of a removed file stays. Method: clients work on files of their own while the server process gets SIGKILL, loses pool
 * and ring, and starts again from its log; what each client was answered is compared with names, bytes, leases and the objects on the disk.
 *
 * <p>What the test proves: pool and ring are rebuilt from the log files with all that was answered, leases among it, and the reaper goes on where it
 * was. What it does not prove: that the log and the objects were synced, because SIGKILL leaves the page cache of the system as it is, and that has what was
 * written and never synced. {@code LogPowerTest} takes away what the log has not synced, {@code AppendHandlerTest} makes the sync of the data fail, and
 * {@code ReaperTest} holds the log back while a removal waits for it.
 */
@Timeout(300)
class KilledDataTest {
    private static final CreateOptions PLAIN = new CreateOptions(0644, false, false, 0755);
    private static final CreateOptions OVERWRITE = new CreateOptions(0644, true, false, 0755);
    private static final Duration LONG = Duration.ofSeconds(200);
    private static final Duration SOON = Duration.ofMillis(1);
    private static final int BLOCK = ServerChild.BLOCK_SIZE;
    private static final int WRITERS = 3;
    private static final int KILLS = Integer.getInteger("hmfs.kills", 2);
    private static final int ROUNDS_BETWEEN = 3; // of all writers together
    private static final int OPEN_MAX = 4;
    private static final int CLOSED_MAX = 4;
    private static final int PIECE_MAX = 40_000;
    private static final int IN_FLIGHT = 16; // of one client: the log is written once for so many
    private static final int FILES = 160; // that are removed around a kill
    private static final int REMOVED = 50; // before it
    private static final int SMALL = 100; // bytes of each

    @TempDir
    private Path directory;

    private final long seed = Long.getLong("hmfs.seed", 1);
    private final AtomicInteger rounds = new AtomicInteger();
    private volatile boolean over;

    private static HmfsClient connect(ServerChild server, int inFlightMax) throws IOException {
        return HmfsClient.connect(
                "127.0.0.1", server.port(), new ClientOptions("alice", LONG, LONG, inFlightMax, SOON, SOON));
    }

    private static byte[] read(HmfsClient client, FileInfo file) throws IOException {
        byte[] bytes = new byte[(int) file.size()];
        for (int at = 0; at < bytes.length; at += BLOCK) {
            client.readBlock(file.id(), at / BLOCK, 0, bytes, at, Math.min(BLOCK, bytes.length - at));
        }
        return bytes;
    }

    /** A file as its client was answered last. */
    private static final class Written {
        OpenedFile file;
        byte[] bytes = {};
        boolean open = true;

        Written(OpenedFile file) {
            this.file = file;
        }
    }

    /** A client that has a directory for itself. */
    private final class Writer implements AutoCloseable {
        private final HmfsClient client;
        private final String home;
        private final Random random;
        private final Map<String, Written> files = new TreeMap<>();
        private int names;

        Writer(ServerChild server, int number) throws IOException {
            client = connect(server, IN_FLIGHT);
            home = "/home" + number;
            random = new Random(seed * WRITERS + number);
            client.mkdir(home, 0755, false);
        }

        void work() throws Exception {
            while (!over) {
                changeAll();
                rounds.incrementAndGet();
            }
        }

        private void changeAll() throws Exception {
            create(newName(), PLAIN);
            for (String each : names(true)) {
                write(each, false);
            }
            rename(any(true), newName());
            while (names(true).size() > OPEN_MAX) {
                write(any(true), true);
            }
            if (names(false).size() > 1) {
                List<String> closed = names(false);
                rename(closed.getFirst(), closed.getLast());
                truncate(any(false));
                delete(any(true));
                if (!names(false).isEmpty()) {
                    create(any(false), OVERWRITE);
                }
            }
            while (names(false).size() > CLOSED_MAX) {
                delete(any(false));
            }
            if (!names(false).isEmpty()) {
                reopen(any(false));
            }
            assertRead(client, any(true));
        }

        private String path(String name) {
            return home + "/" + name;
        }

        private Written file(String name) {
            return Objects.requireNonNull(files.get(name), name);
        }

        private String newName() {
            return "f" + names++;
        }

        private List<String> names(boolean open) {
            return files.keySet().stream()
                    .filter(name -> file(name).open == open)
                    .toList();
        }

        private String any(boolean open) {
            List<String> names = names(open);
            return names.get(random.nextInt(names.size()));
        }

        private void create(String name, CreateOptions options) throws IOException {
            OpenedFile made = client.createAndOpen(
                    path(name), options.leased(client.leases().next()));
            client.leases().begun();
            files.put(name, new Written(made));
        }

        private void reopen(String name) throws IOException {
            Written file = file(name);
            file.file = client.open(path(name), false, true, client.leases().next());
            client.leases().begun();
            file.open = true;
            assertEquals(file.bytes.length, file.file.info().size(), path(name));
        }

        /** Adds bytes and commits them, under the lease that the stream has had since it began. */
        private void write(String name, boolean last) throws Exception {
            Written written = file(name);
            OpenedFile file = written.file;
            byte[] piece = new byte[1 + random.nextInt(PIECE_MAX)];
            random.nextBytes(piece);
            int before = written.bytes.length;
            for (int done = 0; done < piece.length; ) {
                int at = before + done;
                int count = Math.min(piece.length - done, BLOCK - at % BLOCK);
                client.writeBlockAsync(file.grant(), file.info().id(), at / BLOCK, at % BLOCK, piece, done, count)
                        .get();
                done += count;
            }
            byte[] all = Arrays.copyOf(written.bytes, before + piece.length);
            System.arraycopy(piece, 0, all, before, piece.length);
            client.append(file.info(), all.length, file.grant(), last);
            written.bytes = all;
            if (last) {
                closed(written);
            }
        }

        private void closed(Written file) {
            client.leases().ended();
            file.open = false;
        }

        private void rename(String name, String target) throws IOException {
            client.rename(path(name), path(target), true);
            Written file = file(name);
            files.remove(name);
            file.file = new OpenedFile(client.stat(path(target)), file.file.grant());
            files.put(target, file);
        }

        private void truncate(String name) throws IOException {
            Written file = file(name);
            int size = random.nextInt(file.bytes.length + 1);
            client.truncate(path(name), size);
            file.bytes = Arrays.copyOf(file.bytes, size);
        }

        private void delete(String name) throws IOException {
            client.delete(path(name));
            Written file = file(name);
            files.remove(name);
            if (file.open) {
                closed(file);
            }
        }

        private void assertRead(HmfsClient reader, String name) throws IOException {
            FileInfo there = reader.stat(path(name));
            Written file = file(name);
            assertEquals(file.file.info().id(), there.id(), path(name));
            assertEquals(file.bytes.length, there.size(), path(name));
            assertArrayEquals(file.bytes, read(reader, there), path(name));
        }

        /** What another client finds is what this one was answered, and its streams are its own. */
        void assertAll(HmfsClient other) throws IOException {
            Set<String> found = new TreeSet<>();
            other.list(home, ListingCursor.START, 0).entries().forEach(each -> found.add(each.name()));
            assertEquals(files.keySet(), found);
            for (Map.Entry<String, Written> each : files.entrySet()) {
                assertRead(other, each.getKey());
                String path = path(each.getKey());
                boolean open = each.getValue().open;
                assertEquals(!open, other.leases().isClosed(path), path);
                if (open) {
                    long lease = other.leases().next();
                    HmfsException refused =
                            assertThrows(HmfsException.class, () -> other.open(path, false, true, lease));
                    assertEquals(ResultCode.LEASED, refused.code());
                }
            }
        }

        void endAll() throws Exception {
            for (String each : names(true)) {
                write(each, true);
            }
        }

        /** The names of the objects that its files have. */
        void addObjects(Set<String> to) {
            for (Written each : files.values()) {
                for (int block = 0; block * BLOCK < each.bytes.length; block++) {
                    to.add(Long.toHexString(each.file.info().id()) + "-" + block);
                }
            }
        }

        @Override
        public void close() {
            client.close();
        }
    }

    private static String inDoubt(String home, int number) {
        return home + "/" + number;
    }

    private static <T> List<T> all(List<CompletableFuture<T>> futures) throws Exception {
        List<T> results = new ArrayList<>();
        for (CompletableFuture<T> each : futures) {
            results.add(each.get());
        }
        return results;
    }

    /** Files with data that are all committed. */
    private static List<FileInfo> makeFiles(HmfsClient client, String home, byte[] bytes) throws Exception {
        client.mkdir(home, 0755, false);
        List<FileInfo> made = new ArrayList<>();
        for (int i = 0; i < FILES; i++) {
            made.add(LeasedFiles.of(client, inDoubt(home, i), PLAIN, Arrays.copyOf(bytes, SMALL)));
        }
        return made;
    }

    /**
     * Kills the server while it removes files of a client that does not ask again. Each of these files is there afterwards with all its
     * bytes, or gone; and gone if the client was answered. Even ones are deleted, odd ones are overwritten by an empty file.
     */
    private static void killInRemovals(ServerChild server, HmfsClient other, int number) throws Exception {
        String home = "/doubt" + number;
        byte[] bytes = new byte[SMALL];
        new Random(number).nextBytes(bytes);
        List<FileInfo> made = makeFiles(other, home, bytes);
        List<CompletableFuture<@Nullable FileInfo>> removals = new ArrayList<>();
        try (HmfsClient client = connect(server, IN_FLIGHT)) {
            for (int i = 0; i < FILES; i++) {
                String path = inDoubt(home, i);
                removals.add(
                        i % 2 == 0
                                ? client.deleteAsync(path).thenApply(_ -> null)
                                : client.createAsync(path, OVERWRITE).thenApply(each -> each));
            }
            removals.get(REMOVED).get();
            server.kill();
        } // whatever is not answered by now never is
        server.restart(true);
        List<CompletableFuture<FileInfo>> stats = new ArrayList<>();
        for (int i = 0; i < FILES; i++) {
            stats.add(other.statAsync(inDoubt(home, i)));
        }
        List<CompletableFuture<Void>> deletes = new ArrayList<>();
        int answered = 0;
        for (int i = 0; i < FILES; i++) {
            String path = inDoubt(home, i);
            FileInfo there = foundOrNull(stats.get(i), path);
            CompletableFuture<@Nullable FileInfo> removal = removals.get(i);
            if (removal.isDone() && !removal.isCompletedExceptionally()) {
                FileInfo instead = removal.get();
                assertEquals(instead == null ? null : instead.id(), there == null ? null : there.id(), path);
                answered++;
            } else if (there != null && there.id() == made.get(i).id()) {
                assertArrayEquals(bytes, read(other, there), path);
            } else {
                assertEquals(i % 2 == 0, there == null, path);
            }
            if (there != null) {
                assertEquals(there.id() == made.get(i).id() ? SMALL : 0, there.size(), path);
                deletes.add(other.deleteAsync(path));
            }
        }
        all(deletes);
        other.rmdir(home);
        System.out.println("kill " + number + ": " + answered + " of " + FILES + " removals were answered");
    }

    private static @Nullable FileInfo foundOrNull(CompletableFuture<FileInfo> stat, String path) throws Exception {
        try {
            return stat.get();
        } catch (ExecutionException e) {
            HmfsException refused = assertInstanceOf(HmfsException.class, e.getCause(), path);
            assertEquals(ResultCode.NOT_FOUND, refused.code(), path);
            return null;
        }
    }

    /** Waits for the writers to have done so many rounds more; ends at once if one has failed. */
    private void awaitRounds(int count, List<Future<?>> working) throws Exception {
        int until = rounds.get() + count;
        Await.until("changes", () -> rounds.get() >= until || working.stream().anyMatch(Future::isDone));
        for (Future<?> each : working) {
            if (each.isDone()) {
                each.get();
            }
        }
    }

    private void work(ServerChild server, ExecutorService threads, List<Writer> writers, HmfsClient other)
            throws Exception {
        List<Future<?>> working = new ArrayList<>();
        for (Writer each : writers) {
            working.add(threads.submit(() -> {
                each.work();
                return null;
            }));
        }
        for (int i = 0; i < KILLS; i++) {
            awaitRounds(ROUNDS_BETWEEN, working);
            killInRemovals(server, other, i);
        }
        awaitRounds(WRITERS, working);
        over = true;
        for (Future<?> each : working) {
            each.get();
        }
        server.killAndRestart(true); // with streams that are open and have nothing under way
    }

    private static void assertObjects(Path data, List<Writer> writers, HmfsClient client) throws Exception {
        Await.until("the scan has found what is removed", () -> !client.status().recovering());
        Await.until(
                "the objects of what is removed have gone",
                () -> client.metrics().contains("\nhmfs_removals_recorded 0.0\n"));
        Set<String> live = new TreeSet<>();
        writers.forEach(each -> each.addObjects(live));
        assertNotEquals(Set.of(), live);
        assertEquals(List.copyOf(live), ObjectFiles.in(data));
    }

    @Test
    void whatWasAnsweredIsThereWithItsDataAfterTheMemoryIsLost() throws Exception {
        Path pool = directory.resolve("pool");
        LogOptions log = LogOptions.in(ServerChild.logOf(pool)).withOnVolatile(true);
        Hmfs.format(pool, new FormatOptions(FormatOptions.SIZE_MIN, Backing.MAPPED, false, log));
        Path data = ServerChild.config(pool, Persistence.LOGGED).build().dataDirectory();
        List<Writer> writers = new ArrayList<>();
        try (ServerChild server = new ServerChild(pool, Persistence.LOGGED);
                HmfsClient other = connect(server, FILES);
                ExecutorService threads = Executors.newFixedThreadPool(WRITERS)) {
            try {
                for (int i = 0; i < WRITERS; i++) {
                    writers.add(new Writer(server, i));
                }
                work(server, threads, writers, other);
                for (Writer each : writers) {
                    each.assertAll(other);
                    each.endAll(); // under the leases of before
                    each.assertAll(other);
                }
                assertObjects(data, writers, other);
                System.out.println(KILLS + " kills, " + rounds + " rounds, seed " + seed);
            } finally {
                over = true;
                threads.shutdownNow(); // none waits for a server that did not start again
                writers.forEach(Writer::close);
            }
        }
    }
}
