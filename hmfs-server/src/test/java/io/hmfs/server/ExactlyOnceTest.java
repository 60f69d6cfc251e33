package io.hmfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.client.ClientOptions;
import io.hmfs.client.CreateOptions;
import io.hmfs.client.FileInfo;
import io.hmfs.client.HmfsClient;
import io.hmfs.client.HmfsException;
import io.hmfs.client.ListingCursor;
import io.hmfs.client.ResultCode;
import io.hmfs.client.XattrSetMode;
import io.hmfs.core.pmem.Persistence;
import io.hmfs.server.FrameProxy.Fate;
import io.hmfs.server.FrameProxy.Weather;
import io.hmfs.server.setting.ServerSetting;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: whatever the network does to a request or its reply, a change is executed once, and its caller hears how that went.
 * Method: a real client and a real server with a network between them that loses, doubles and cuts. That a change was executed twice, or
 * was answered with another one's answer, shows in the answers: a second create finds its file, a second delete or rename finds nothing.
 */
@Timeout(300)
class ExactlyOnceTest {
    private static final CreateOptions PLAIN = new CreateOptions(0644, false, false, 0755);
    private static final CreateOptions OVER = new CreateOptions(0644, true, true, 0755);
    private static final Duration LONG = Duration.ofSeconds(250);
    private static final Duration SOON = Duration.ofMillis(1);

    @TempDir
    private Path directory;

    private static HmfsClient through(FrameProxy proxy) throws IOException {
        return HmfsClient.connect("127.0.0.1", proxy.port(), new ClientOptions("alice", LONG, LONG, 64, SOON, SOON));
    }

    private static ResultCode codeOf(Executable call) {
        return assertThrows(HmfsException.class, call).code();
    }

    /** Each kind of change, each of which would be answered otherwise the second time, or would do something else. */
    private static void changeAll(HmfsClient client, String prefix) throws IOException {
        String d = prefix + "d";
        client.mkdir(d, 0755, false);
        FileInfo a = client.create(d + "/a", PLAIN);
        assertEquals(a.id(), client.stat(d + "/a").id());
        assertEquals(ResultCode.EXISTS, codeOf(() -> client.create(d + "/a", PLAIN)));
        client.rename(d + "/a", d + "/b", false);
        assertEquals(a.id(), client.stat(d + "/b").id());
        client.chmod(d + "/b", 0600);
        client.setTimes(d + "/b", 1_000, -1);
        client.truncate(d + "/b", 10);
        FileInfo b = client.stat(d + "/b");
        client.append(b, 20);
        assertEquals(20, client.stat(d + "/b").size());
        FileInfo over = client.create(d + "/b", OVER);
        assertNotEquals(b.id(), over.id());
        assertEquals(over.id(), client.stat(d + "/b").id(), "overwritten twice");
        client.delete(d + "/b");
        assertEquals(ResultCode.NOT_FOUND, codeOf(() -> client.delete(d + "/b")));
        client.mkdir(d + "/sub", 0755, false);
        client.rmdir(d + "/sub");
        client.rmdir(d);
        assertEquals(ResultCode.NOT_FOUND, codeOf(() -> client.rmdir(d)));
    }

    private void changeAllIn(Weather weather, int connectionsMin, UnaryOperator<ServerConfig.Builder> change)
            throws IOException {
        try (ServerFixture fixture = new ServerFixture(directory, change);
                FrameProxy proxy = new FrameProxy(fixture.port(), weather);
                HmfsClient client = through(proxy)) {
            for (int i = 0; i < 5; i++) {
                changeAll(client, "/" + i);
            }
            assertEquals(List.of(), client.list("/", ListingCursor.START, 0).entries());
            assertTrue(proxy.connections() >= connectionsMin, proxy.connections() + " connections");
        }
    }

    /** The first time that a request comes, it has this fate; then it passes. */
    private static Weather first(Fate fate) {
        return (number, _) -> number % 2 == 0 ? fate : Fate.PASS;
    }

    @Test
    void eachReplyIsLostOnce() throws IOException {
        changeAllIn(first(Fate.LOSE_REPLY), 50, config -> config);
    }

    @Test
    void eachReplyIsLostOnceWhereRequestsWaitForTheDisk() throws IOException {
        changeAllIn(
                first(Fate.LOSE_REPLY),
                50,
                config ->
                        config.set(ServerSetting.PERSISTENCE, Persistence.PMEM).set(ServerSetting.EMULATE_PMEM, true));
    }

    @Test
    void eachRequestIsLostOnce() throws IOException {
        changeAllIn(first(Fate.LOSE), 50, config -> config);
    }

    @Test
    void eachConnectionIsCutWhenTheRequestWasSent() throws IOException {
        changeAllIn(
                first(Fate.CUT),
                50,
                config ->
                        config.set(ServerSetting.PERSISTENCE, Persistence.PMEM).set(ServerSetting.EMULATE_PMEM, true));
    }

    @Test
    void eachRequestComesTwice() throws IOException {
        changeAllIn((_, _) -> Fate.DOUBLE, 1, config -> config);
    }

    @Test
    void eachReplyComesTwice() throws IOException {
        changeAllIn((_, _) -> Fate.DOUBLE_REPLY, 1, config -> config);
    }

    @Test
    void theReplyToTheLastRequestComesAgainBeforeEachReply() throws IOException {
        changeAllIn((_, _) -> Fate.OLD_REPLY, 1, config -> config);
    }

    @Test
    void anythingAtRandom() throws IOException {
        Random random = new Random(5);
        Fate[] fates = Fate.values();
        changeAllIn(
                (_, _) -> random.nextBoolean() ? Fate.PASS : fates[random.nextInt(fates.length)],
                10,
                config ->
                        config.set(ServerSetting.PERSISTENCE, Persistence.PMEM).set(ServerSetting.EMULATE_PMEM, true));
    }

    @Test
    void manyInFlightAreExecutedOnceEach() throws Exception {
        Random random = new Random(6);
        Weather weather = (_, _) -> random.nextInt(10) == 0 ? Fate.LOSE_REPLY : Fate.PASS;
        try (ServerFixture fixture = new ServerFixture(directory);
                FrameProxy proxy = new FrameProxy(fixture.port(), weather);
                HmfsClient client = through(proxy)) {
            List<CompletableFuture<FileInfo>> creates = new ArrayList<>();
            for (int i = 0; i < 2_000; i++) {
                creates.add(client.createAsync("/f" + i, PLAIN));
            }
            for (int i = 0; i < creates.size(); i++) {
                FileInfo made = creates.get(i).get();
                assertEquals("f" + i, made.name());
                assertEquals(made.id(), client.stat("/f" + i).id(), "another one's answer");
            }
        }
    }

    /** A server that stops cleanly answers what it has executed, so what it has not answered is executed by the next one. */
    @Test
    void whateverIsUnderWayAtACleanRestartIsExecutedOnce() throws Exception {
        try (ServerFixture fixture = new ServerFixture(
                        directory,
                        config -> config.set(ServerSetting.PERSISTENCE, Persistence.PMEM)
                                .set(ServerSetting.EMULATE_PMEM, true));
                HmfsClient client = fixture.client(new ClientOptions("alice", LONG, LONG, 64, SOON, SOON))) {
            for (int round = 0; round < 3; round++) {
                List<CompletableFuture<?>> changes = new ArrayList<>();
                for (int i = 0; i < 500; i++) {
                    String name = "/f" + i;
                    changes.add(client.createAsync(name, PLAIN).thenCompose(_ -> client.deleteAsync(name)));
                }
                changes.get(20).get();
                fixture.restart();
                for (CompletableFuture<?> change : changes) {
                    change.get();
                }
                assertEquals(List.of(), client.list("/", ListingCursor.START, 0).entries());
            }
        }
    }

    /** The reply was lost, and then the server ended: the next one knows, and executes nothing again. */
    @Test
    void whatWasLostBeforeARestartIsKnownAfterIt() throws Exception {
        try (ServerFixture fixture = new ServerFixture(directory)) {
            Weather weather = (number, _) -> number == 1 ? Fate.LOSE_REPLY : Fate.PASS;
            try (FrameProxy proxy = new FrameProxy(fixture.port(), weather, () -> restart(fixture));
                    HmfsClient client = through(proxy)) {
                client.create("/a", PLAIN);
                client.rename("/a", "/b", false);
                assertEquals("b", client.stat("/b").name(), "it was executed");
                client.rename("/b", "/c", false);
            }
        }
    }

    /** The same of times, attributes, and a size whose data the server cuts; what others have done meanwhile stays. */
    @Test
    void timesAttributesAndSizesAreKnownAfterARestart() throws Exception {
        Map<String, Change> changes = Map.of(
                "times", client -> client.setTimes("/f", 1_000, 2_000),
                "attribute", client -> client.xattrs().set("/f", "user.a", new byte[1], XattrSetMode.CREATE),
                "size", client -> client.truncate("/f", 10));
        for (Map.Entry<String, Change> each : changes.entrySet()) {
            Path place = Files.createDirectory(directory.resolve(each.getKey()));
            try (ServerFixture fixture = new ServerFixture(place)) {
                try (HmfsClient client = fixture.client()) {
                    LeasedFiles.of(client, "/f", PLAIN, new byte[1000]);
                }
                Weather weather = (number, _) -> number == 0 ? Fate.LOSE_REPLY : Fate.PASS;
                try (FrameProxy proxy = new FrameProxy(fixture.port(), weather, () -> restartAndUndo(fixture));
                        HmfsClient client = through(proxy)) {
                    each.getValue().on(client);
                    FileInfo now = client.stat("/f");
                    assertEquals(5_000, now.atimeMillis());
                    assertEquals(20, now.size());
                    assertEquals(List.of(), client.xattrs().list("/f"));
                }
            }
        }
    }

    /** A change whose reply is lost. */
    private interface Change {
        void on(HmfsClient client) throws IOException;
    }

    private static void restartAndUndo(ServerFixture fixture) {
        restart(fixture);
        try (HmfsClient other = fixture.client()) {
            other.setTimes("/f", 4_000, 5_000);
            for (String attribute : other.xattrs().list("/f")) {
                other.xattrs().remove("/f", attribute);
            }
            other.truncate("/f", 20);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void restart(ServerFixture fixture) {
        try {
            fixture.restart();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
