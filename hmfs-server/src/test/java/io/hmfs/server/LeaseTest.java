package io.hmfs.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.client.ClientOptions;
import io.hmfs.client.CreateOptions;
import io.hmfs.client.FileInfo;
import io.hmfs.client.FileVersion;
import io.hmfs.client.HmfsClient;
import io.hmfs.client.HmfsException;
import io.hmfs.client.OpenedFile;
import io.hmfs.client.ResultCode;
import io.hmfs.core.pmem.Persistence;
import io.hmfs.server.setting.ServerSetting;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: a client that lost a file writes and commits nothing more, also after the server was killed; and a version of a file is replaced by one
 * only. Method: clients of a real server, and of a server process that is killed.
 */
@Timeout(300)
class LeaseTest {
    private static final CreateOptions PLAIN = new CreateOptions(0644, false, true, 0755);
    private static final CreateOptions OVERWRITE = new CreateOptions(0644, true, false, 0755);
    private static final Duration LONG = Duration.ofSeconds(200);
    private static final Duration SOON = Duration.ofMillis(1);

    @TempDir
    private Path directory;

    private static void assertCode(ResultCode code, Executable call) {
        assertEquals(code, assertThrows(HmfsException.class, call).code());
    }

    private static OpenedFile create(HmfsClient client, String path) throws IOException {
        return client.createAndOpen(path, PLAIN.leased(client.leases().next()));
    }

    private static OpenedFile append(HmfsClient client, String path) throws IOException {
        return client.open(path, false, true, client.leases().next());
    }

    private static void write(HmfsClient client, OpenedFile file, long at, String text) throws IOException {
        try {
            byte[] bytes = text.getBytes(java.nio.charset.StandardCharsets.US_ASCII);
            client.writeBlockAsync(file.grant(), file.info().id(), 0, at, bytes, 0, bytes.length)
                    .join();
        } catch (CompletionException e) {
            throw (IOException) e.getCause();
        }
    }

    private static void commit(HmfsClient client, OpenedFile file, long size, boolean last) throws IOException {
        client.append(file.info(), size, file.grant(), last);
    }

    private static void assertContent(HmfsClient client, String path, String expected) throws IOException {
        FileInfo info = client.stat(path);
        byte[] bytes = new byte[(int) info.size()];
        client.readBlock(info.id(), 0, 0, bytes, 0, bytes.length);
        assertEquals(expected, new String(bytes, java.nio.charset.StandardCharsets.US_ASCII));
    }

    @Test
    void aClientThatLostAFileWritesAndCommitsNothingMore() throws IOException {
        try (ServerFixture server = new ServerFixture(directory);
                HmfsClient one = server.client();
                HmfsClient other = server.client()) {
            OpenedFile first = create(one, "/f");
            write(one, first, 0, "abcdef");
            commit(one, first, 3, false);
            assertFalse(other.leases().isClosed("/f"));
            other.leases().recover("/f");
            assertTrue(other.leases().isClosed("/f"));
            assertCode(ResultCode.LEASE_LOST, () -> write(one, first, 0, "xxx"));
            assertCode(ResultCode.LEASE_LOST, () -> commit(one, first, 6, false));
            assertContent(other, "/f", "abc");
            OpenedFile second = append(other, "/f");
            assertEquals(3, second.info().size());
            write(other, second, 3, "DEF");
            assertCode(ResultCode.LEASE_LOST, () -> write(one, first, 3, "xxx"));
            commit(other, second, 6, true);
            assertContent(one, "/f", "abcDEF");
            assertTrue(one.leases().isClosed("/f"));
            assertCode(ResultCode.LEASE_LOST, () -> commit(other, second, 7, false));
        }
    }

    @Test
    void aSecondWriterIsToldTheNameOfTheFirst() throws IOException {
        try (ServerFixture server = new ServerFixture(directory);
                HmfsClient one = server.client();
                HmfsClient other = server.client()) {
            OpenedFile first = create(one, "/d/f");
            write(one, first, 0, "abc");
            HmfsException refused = assertThrows(HmfsException.class, () -> append(other, "/d/f"));
            assertEquals(ResultCode.LEASED, refused.code());
            assertTrue(
                    refused.reason()
                            .matches(
                                    "Failed to APPEND_FILE /d/f for HMFSClient_[0-9a-f]+ on 127.0.0.1 because this file"
                                            + " lease is currently owned by HMFSClient_[0-9a-f]+ on 127.0.0.1"),
                    refused.reason());
            assertCode(ResultCode.LEASED, () -> append(one, "/d/f"));
            HmfsException cut = assertThrows(HmfsException.class, () -> other.truncate("/d/f", 0));
            assertTrue(cut.reason().startsWith("Failed to TRUNCATE_FILE /d/f for "), cut.reason());
            other.rename("/d/f", "/d/g", false);
            assertCode(ResultCode.LEASED, () -> append(other, "/d/g"));
            FileInfo there = other.stat("/d/g");
            one.append(there, 3, first.grant(), true);
            append(other, "/d/g");
            FileInfo made = other.create("/d/g", OVERWRITE);
            assertFalse(made.id() == first.info().id());
            assertTrue(one.leases().isClosed("/d/g"), "the one that was written is gone");
            other.delete("/d/g");
        }
    }

    @Test
    void recoveryIsForUsersThatMayWrite() throws IOException {
        try (ServerFixture server = new ServerFixture(directory);
                HmfsClient alice = server.client();
                HmfsClient eve = server.client("eve")) {
            OpenedFile file = create(alice, "/f");
            assertCode(ResultCode.ACCESS_DENIED, () -> eve.leases().recover("/f"));
            assertFalse(eve.leases().isClosed("/f"));
            commit(alice, file, 1, false);
            assertCode(ResultCode.NOT_FOUND, () -> alice.leases().recover("/none"));
            assertCode(ResultCode.NOT_FOUND, () -> alice.leases().isClosed("/none"));
            assertCode(ResultCode.IS_DIRECTORY, () -> alice.leases().recover("/"));
            assertCode(ResultCode.IS_DIRECTORY, () -> alice.leases().isClosed("/"));
        }
    }

    @Test
    void aClientThatHasWrittenNothingLetsGoWithoutACommit() throws Exception {
        try (ServerFixture server = new ServerFixture(directory);
                HmfsClient one = server.client()) {
            for (int i = 0; i < 100; i++) {
                OpenedFile file = create(one, "/f" + i);
                var _ = one.leases().end(file.info().id(), file.grant());
                OpenedFile again = append(one, "/f" + i); // of one connection, in its order
                one.leases().end(again.info().id(), again.grant()).get();
                assertTrue(one.leases().isClosed("/f" + i));
            }
        }
    }

    /** A client that appends finds the size that no other client can change any more, whatever the last writer has just done. */
    @Test
    void aClientThatGetsALeaseBeginsBehindTheLastCommit() throws Exception {
        try (ServerFixture server = new ServerFixture(directory);
                HmfsClient one = server.client();
                HmfsClient other = server.client()) {
            for (int i = 0; i < 300; i++) {
                String path = "/f" + i;
                OpenedFile first = create(one, path);
                CompletableFuture<Void> last = CompletableFuture.runAsync(() -> {
                    try {
                        commit(one, first, 10, true);
                    } catch (IOException e) {
                        throw new java.io.UncheckedIOException(e);
                    }
                });
                OpenedFile next = null;
                while (next == null) {
                    try {
                        next = append(other, path);
                    } catch (HmfsException e) {
                        assertEquals(ResultCode.LEASED, e.code());
                    }
                }
                assertEquals(10, next.info().size(), "round " + i);
                last.get();
            }
        }
    }

    @Test
    void aClientRenewsWhileItHasLeasesAndNotAfter() throws Exception {
        try (ServerFixture server = new ServerFixture(directory);
                HmfsClient idle = server.client();
                HmfsClient client = server.client()) {
            OpenedFile file = create(client, "/f");
            client.leases().begun();
            long begun = System.nanoTime();
            Await.until("a renewal", () -> renewals(idle) == 1);
            assertTrue(System.nanoTime() - begun < Duration.ofSeconds(30).toNanos(), "before it may be displaced");
            client.leases().end(file.info().id(), file.grant()).get();
            Await.until("one more, which ends it", () -> renewals(idle) == 2);
        }
    }

    private static long renewals(HmfsClient client) throws IOException {
        return client.metrics()
                .lines()
                .filter(line -> line.startsWith("hmfs_request_duration_seconds_count") && line.contains("renew_leases"))
                .mapToLong(line -> (long) Double.parseDouble(line.substring(line.lastIndexOf(' '))))
                .sum();
    }

    @ParameterizedTest
    @CsvSource({"PROCESS,false", "LOGGED,false", "LOGGED,true"})
    void afterAKillAClientThatHadAFileHasItAndOneThatLostItHasLostIt(Persistence persistence, boolean withMachine)
            throws Exception {
        ClientOptions options = new ClientOptions("alice", LONG, LONG, 64, SOON, SOON);
        try (ServerChild server = ServerChild.onNewPool(directory, persistence);
                HmfsClient one = HmfsClient.connect("127.0.0.1", server.port(), options);
                HmfsClient other = HmfsClient.connect("127.0.0.1", server.port(), options)) {
            OpenedFile kept = create(one, "/kept");
            OpenedFile lost = create(one, "/lost");
            OpenedFile over = create(one, "/over");
            write(one, kept, 0, "abc");
            write(one, lost, 0, "abc");
            commit(one, lost, 3, false);
            commit(one, over, 1, true);
            other.leases().recover("/lost");
            server.killAndRestart(withMachine);
            assertCode(ResultCode.LEASE_LOST, () -> write(one, lost, 0, "xxx"));
            assertCode(ResultCode.LEASE_LOST, () -> commit(one, lost, 6, false));
            assertContent(other, "/lost", "abc");
            assertCode(ResultCode.LEASED, () -> append(other, "/kept"));
            OpenedFile theirs = append(other, "/over");
            write(one, kept, 3, "def");
            commit(one, kept, 6, false);
            server.killAndRestart(withMachine);
            assertCode(ResultCode.LEASE_LOST, () -> commit(one, over, 2, false));
            commit(other, theirs, 2, true);
            commit(one, kept, 6, true);
            assertContent(other, "/kept", "abcdef");
            assertTrue(other.leases().isClosed("/kept"));
            assertArrayEquals(new long[] {6, 3, 2}, new long[] {
                other.stat("/kept").size(),
                other.stat("/lost").size(),
                other.stat("/over").size()
            });
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"PROCESS", "LOGGED"})
    void aVersionIsReplacedOrCommittedToAndNeverBoth(Persistence persistence) throws Exception {
        try (ServerFixture server = new ServerFixture(
                        directory,
                        config -> persistence == Persistence.LOGGED
                                ? config.set(ServerSetting.PERSISTENCE, persistence)
                                        .set(ServerSetting.EMULATE_PMEM, true)
                                        .set(ServerSetting.LOG_DIRECTORY, directory.resolve("log"))
                                : config);
                HmfsClient one = server.client();
                HmfsClient other = server.client()) {
            int replaced = 0;
            int rounds = 1_000;
            for (int i = 0; i < rounds; i++) {
                String path = "/f" + i % 7;
                FileInfo file = one.create(path, OVERWRITE);
                CreateOptions condition = OVERWRITE.replacing(FileVersion.of(file));
                CompletableFuture<Boolean> commit =
                        CompletableFuture.supplyAsync(() -> succeeds(() -> one.append(file, 10)));
                boolean won = succeeds(() -> other.create(path, condition));
                assertTrue(won != commit.get(), "round " + i + ": replaced " + won + ", committed " + commit.get());
                replaced += won ? 1 : 0;
            }
            assertTrue(replaced > 0 && replaced < rounds, replaced + " of " + rounds);
        }
    }

    /** False: it is another version by now. */
    private static boolean succeeds(Executable call) {
        try {
            call.execute();
            return true;
        } catch (HmfsException e) {
            assertEquals(ResultCode.STALE, e.code());
            return false;
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void anotherVersionIsNotReplaced() throws IOException {
        try (ServerFixture server = new ServerFixture(directory);
                HmfsClient client = server.client();
                HmfsClient eve = server.client("eve")) {
            client.mkdir("/d", 0777, false);
            FileInfo file = client.create("/d/f", PLAIN);
            FileVersion version = FileVersion.of(file);
            CreateOptions condition = OVERWRITE.replacing(version);
            client.append(file, 10);
            assertCode(ResultCode.STALE, () -> client.create("/d/f", condition));
            FileInfo now = client.stat("/d/f");
            CreateOptions right = OVERWRITE.replacing(FileVersion.of(now));
            assertCode(ResultCode.ACCESS_DENIED, () -> eve.create("/d/f", right));
            assertCode(ResultCode.NOT_FOUND, () -> client.create("/d/none", right));
            CreateOptions withParents = new CreateOptions(0644, true, true, 0755).replacing(version);
            assertCode(ResultCode.NOT_FOUND, () -> client.create("/new/f", withParents));
            assertCode(ResultCode.NOT_FOUND, () -> client.stat("/new"));
            client.chmod("/d/f", 0600);
            client.rename("/d/f", "/d/g", false);
            FileInfo made = client.create("/d/g", right);
            assertFalse(made.id() == file.id());
            assertCode(ResultCode.STALE, () -> client.create("/d/g", right));
            assertEquals(made.id(), client.stat("/d/g").id());
            client.setTimes("/d/g", 5, -1);
            assertCode(ResultCode.STALE, () -> client.create("/d/g", OVERWRITE.replacing(FileVersion.of(made))));
            client.mkdir("/d/sub", 0755, false);
            assertCode(ResultCode.IS_DIRECTORY, () -> client.create("/d/sub", right));
        }
    }
}
