package io.hmfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.client.ClientOptions;
import io.hmfs.client.CreateOptions;
import io.hmfs.client.FileInfo;
import io.hmfs.client.HmfsClient;
import io.hmfs.client.HmfsException;
import io.hmfs.client.ListingCursor;
import io.hmfs.client.ResultCode;
import io.hmfs.core.pmem.Persistence;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: an overwriting create is one step for all clients that look, also when the server dies in it. Method: readers that look all the time while
 * files are overwritten, at a server that lives and at one that is killed again and again; then the objects that are left.
 */
@Timeout(300)
class OverwriteTest {
    private static final CreateOptions OVERWRITE = new CreateOptions(0644, true, false, 0755);
    private static final Duration LONG = Duration.ofSeconds(200);
    private static final Duration SOON = Duration.ofMillis(1);
    private static final int READERS = 3;
    private static final int FILES = 4;
    private static final int OVERWRITES = 2_000;
    private static final int KILLS = Integer.getInteger("hmfs.kills", 5);

    @TempDir
    private Path directory;

    private volatile boolean over;

    private static String path(int file) {
        return "/d/f" + file;
    }

    /** Opens files until the end; how often one had another inode than before. */
    private long read(HmfsClient client) throws Exception {
        long[] last = new long[FILES];
        Set<Long> seen = new HashSet<>();
        long changes = 0;
        while (!over) {
            for (int i = 0; i < FILES; i++) {
                long inode = client.open(path(i), true, false).info().id(); // NOT_FOUND: it was not there
                if (inode != last[i]) {
                    assertTrue(seen.add(inode), "inode " + inode + " is there again, or under another name");
                    last[i] = inode;
                    changes++;
                }
            }
        }
        return changes;
    }

    private static FileInfo overwrite(HmfsClient client, int file) throws Exception {
        return LeasedFiles.of(client, path(file), OVERWRITE, new byte[10 + file]);
    }

    @Test
    void readersAlwaysFindAFileAndNeverOneThatWasReplaced() throws Exception {
        try (ServerFixture server = new ServerFixture(directory);
                HmfsClient client = server.client();
                ExecutorService threads = Executors.newFixedThreadPool(READERS)) {
            client.mkdir("/d", 0755, false);
            for (int i = 0; i < FILES; i++) {
                overwrite(client, i);
            }
            List<Future<Long>> readers = new ArrayList<>();
            for (int i = 0; i < READERS; i++) {
                readers.add(threads.submit(() -> {
                    try (HmfsClient reader = server.client()) {
                        return read(reader);
                    }
                }));
            }
            try {
                for (int i = 0; i < OVERWRITES && readers.stream().noneMatch(Future::isDone); i++) {
                    int file = i % FILES;
                    long before = client.stat(path(file)).id();
                    assertFalse(overwrite(client, file).id() == before);
                }
            } finally {
                over = true;
            }
            for (Future<Long> reader : readers) {
                assertTrue(reader.get() > FILES, "a reader saw no change");
            }
            assertNothingElse(client, server.dataDirectory());
        }
    }

    /** What is there has an object of its size, and nothing else has. */
    private static void assertNothingElse(HmfsClient client, Path data) throws Exception {
        TreeSet<String> live = new TreeSet<>();
        for (FileInfo each : client.list("/d", ListingCursor.START, 0).entries()) {
            live.add(Long.toHexString(each.id()) + "-0");
        }
        assertEquals(FILES, live.size());
        Await.until("only objects of " + live, () -> ObjectFiles.in(data).equals(List.copyOf(live)));
    }

    @ParameterizedTest
    @EnumSource(names = {"PROCESS", "LOGGED"})
    void aServerThatIsKilledHasTheOldFileOrTheNewOne(Persistence persistence) throws Exception {
        Path pool = directory.resolve("pool");
        ClientOptions options = new ClientOptions("alice", LONG, LONG, 64, SOON, SOON);
        AtomicLong done = new AtomicLong();
        try (ServerChild server = ServerChild.onNewPool(directory, persistence);
                ExecutorService threads = Executors.newFixedThreadPool(READERS + 1);
                HmfsClient client = HmfsClient.connect("127.0.0.1", server.port(), options)) {
            client.mkdir("/d", 0755, false);
            for (int i = 0; i < FILES; i++) {
                overwrite(client, i);
            }
            List<Future<Long>> others = new ArrayList<>();
            for (int i = 0; i < READERS; i++) {
                others.add(threads.submit(() -> {
                    try (HmfsClient reader = HmfsClient.connect("127.0.0.1", server.port(), options)) {
                        return read(reader);
                    }
                }));
            }
            others.add(threads.submit(() -> {
                while (!over) {
                    int file = (int) (done.get() % FILES);
                    FileInfo made = overwrite(client, file);
                    assertEquals(made.id(), client.stat(path(file)).id(), "it was executed again");
                    done.incrementAndGet();
                }
                return done.get();
            }));
            try {
                for (int i = 0; i < KILLS; i++) {
                    long until = done.get() + 20 + i;
                    Await.until(
                            "overwrites",
                            () -> done.get() >= until || others.stream().anyMatch(Future::isDone));
                    server.killAndRestart(false);
                }
            } finally {
                over = true;
            }
            for (Future<Long> each : others) {
                assertTrue(each.get() > 0);
            }
            assertNothingElse(
                    client, ServerChild.config(pool, persistence).build().dataDirectory());
        }
    }

    @Test
    void whoeverOverwritesAtOnceOneOfThemIsLast() throws Exception {
        try (ServerFixture server = new ServerFixture(directory);
                HmfsClient client = server.client();
                HmfsClient other = server.client()) {
            client.mkdir("/d", 0755, false);
            List<CompletableFuture<FileInfo>> made = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                made.add((i % 2 == 0 ? client : other).createAsync("/d/f", OVERWRITE));
            }
            Set<Long> ids = new HashSet<>();
            for (CompletableFuture<FileInfo> each : made) {
                assertTrue(ids.add(each.get().id()));
            }
            List<FileInfo> left = client.list("/d", ListingCursor.START, 0).entries();
            assertEquals(1, left.size());
            assertTrue(ids.contains(left.get(0).id()));
        }
    }

    @Test
    void aFullPoolKeepsTheOldFile() throws Exception {
        try (ServerFixture server = new ServerFixture(directory);
                HmfsClient client = server.client()) {
            client.mkdir("/d", 0755, false);
            FileInfo old = client.create("/d/f", OVERWRITE);
            client.mkdir("/fill", 0755, false);
            fill(client);
            ResultCode code = assertThrows(HmfsException.class, () -> client.create("/d/f", OVERWRITE))
                    .code();
            assertEquals(ResultCode.NO_SPACE, code);
            assertEquals(old, client.stat("/d/f"));
            for (int i = 0; i < 20; i++) {
                client.delete("/fill/s" + i);
            }
            assertFalse(client.create("/d/f", OVERWRITE).id() == old.id());
        }
    }

    /** With long names until there is no room for one, then with short ones. */
    private static void fill(HmfsClient client) throws Exception {
        for (String prefix : new String[] {"n".repeat(200), "s"}) {
            boolean full = false;
            for (int i = 0; !full; ) {
                List<CompletableFuture<FileInfo>> made = new ArrayList<>();
                for (int end = i + 1_000; i < end; i++) {
                    made.add(client.createAsync("/fill/" + prefix + i, OVERWRITE));
                }
                for (CompletableFuture<FileInfo> each : made) {
                    full |= each.handle((_, failure) -> failure != null).join();
                }
            }
        }
    }
}
