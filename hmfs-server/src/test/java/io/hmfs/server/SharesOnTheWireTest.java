package io.hmfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.client.CreateOptions;
import io.hmfs.client.HmfsClient;
import io.hmfs.client.HmfsException;
import io.hmfs.client.ListingCursor;
import io.hmfs.client.ResultCode;
import io.hmfs.server.lease.Leases;
import io.hmfs.server.setting.ServerSetting;
import io.hmfs.wire.FailureDecoder;
import io.hmfs.wire.MessageHeaderDecoder;
import io.hmfs.wire.WireBuffer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: whatever a user makes the server hold, it is no more than the user's share, and other users and superusers get what they ask for.
 * Method: real sockets and small bounds; eve takes all that she gets of one resource, then bob and the superuser come.
 */
@Timeout(300)
class SharesOnTheWireTest {
    private static final CreateOptions PLAIN = new CreateOptions(0644, false, false, 0755);
    private static final int FRAME_MAX = ServerFixture.FRAME_MAX;
    private static final Pattern ACCEPTED =
            Pattern.compile("hmfs_connections_accepted_total(?:\\{[^}]*})? ([0-9.E+]+)");
    private static final Pattern VALUE = Pattern.compile("[^}]*\\} (\\S+)");

    @TempDir
    private Path directory;

    private @Nullable ServerFixture fixture;
    private final List<RawPeer> peers = new ArrayList<>();

    @AfterEach
    void stop() throws IOException {
        for (RawPeer each : peers) {
            each.close();
        }
        if (fixture != null) {
            fixture.close();
        }
    }

    private ServerFixture start(UnaryOperator<ServerConfig.Builder> change) throws IOException {
        ServerFixture started = new ServerFixture(directory, change);
        fixture = started;
        return started;
    }

    private RawPeer peer(ServerFixture server) throws IOException {
        RawPeer peer = new RawPeer(server.port());
        peers.add(peer);
        return peer;
    }

    /** One that is welcome as a client of this user. */
    private RawPeer peer(ServerFixture server, String user, long client, long next) throws IOException {
        RawPeer peer = peer(server);
        assertNull(peer.greet(user, client, next, next).failure());
        return peer;
    }

    private static long share(HmfsClient client, String what, String resource) throws IOException {
        String metrics = client.metrics();
        int at = metrics.indexOf("hmfs_share_" + what + "{resource=\"" + resource + "\"");
        assertTrue(at >= 0, metrics);
        Matcher value = VALUE.matcher(metrics.substring(at, metrics.indexOf('\n', at)));
        assertTrue(value.matches());
        return (long) Double.parseDouble(String.valueOf(value.group(1)));
    }

    private static long accepted(HmfsClient client) throws IOException {
        Matcher value = ACCEPTED.matcher(client.metrics());
        assertTrue(value.find());
        return (long) Double.parseDouble(String.valueOf(value.group(1)));
    }

    private static void assertServed(ServerFixture server, String user) throws IOException {
        try (HmfsClient client = server.client(user)) {
            assertTrue(client.stat("/").directory());
        }
    }

    @Test
    void connectionsOfOneUserLeaveSomeToOthers() throws Exception {
        ServerFixture server = start(builder -> builder.set(ServerSetting.CONNECTIONS_MAX, 40));
        int in = 0;
        for (int i = 0; i < 60; i++) {
            RawPeer.Failure refused = peer(server).greet("eve", i, 0, 0).failure();
            if (refused == null) {
                in++;
            } else {
                assertEquals(ResultCode.TOO_MANY_CONNECTIONS, refused.code());
                assertTrue(refused.message().contains("user eve"), refused.message());
                assertTrue(refused.message().contains("connections-max (40)"), refused.message());
            }
        }
        assertEquals(18, in, "half of what is left by an eighth of 40");
        for (int i = 0; i < 9; i++) {
            peer(server, "bob", i, 0);
        }
        assertNotNull(peer(server).greet("bob", 10, 0, 0).failure());
        for (int i = 0; i < 5; i++) {
            peer(server, "alice", i, 0); // the superuser
        }
        try (HmfsClient superuser = server.client()) {
            assertEquals(18, share(superuser, "largest", "connections"));
            assertEquals(43, share(superuser, "refusals_total", "connections"));
        }
        for (RawPeer each : peers) {
            each.close();
        }
        Await.until("eve has room again", () -> {
            try (RawPeer again = new RawPeer(server.port())) {
                return again.greet("eve", 1, 0, 0).failure() == null;
            }
        });
    }

    @Test
    void peersThatSayNothingKeepNobodyOut() throws Exception {
        ServerFixture server = start(builder -> builder.set(ServerSetting.CONNECTIONS_MAX, 20));
        RawPeer known = peer(server, "eve", 1, 0);
        try (HmfsClient superuser = server.client()) {
            long before = accepted(superuser);
            for (int i = 0; i < 100; i++) {
                peer(server);
            }
            // One that the server gets to after bob would be newer than bob.
            Await.until("the server to have got to all", () -> accepted(superuser) >= before + 100);
        }
        assertServed(server, "bob");
        assertServed(server, "alice");
        known.send(RawPeer.stat(3, new byte[] {'/'}));
        known.read();
    }

    /** Half-sent frames of one user do not take the memory for those of others. */
    @Test
    void halfSentFramesOfOneUserLeaveRoomToOthers() throws Exception {
        long bound = 8L * FRAME_MAX;
        ServerFixture server = start(builder -> builder.set(ServerSetting.REQUEST_BYTES_MAX, bound));
        byte[] half = Arrays.copyOf(RawPeer.padded(RawPeer.stat(1, new byte[] {'/'}), FRAME_MAX), FRAME_MAX / 2);
        try (HmfsClient superuser = server.client();
                HmfsClient bob = server.client("bob")) {
            superuser.mkdir("/b", 0777, false);
            for (int i = 0; i < 60; i++) {
                RawPeer peer = peer(server, "eve", i, 0);
                peer.send(half); // those that are not read keep it in the system's buffers
            }
            Await.until("no more is read", () -> share(superuser, "waiting", "request_bytes") > 0);
            assertTrue(share(superuser, "used", "request_bytes") <= bound);
            RawPeer other = peer(server, "carol", 1, 0);
            byte[] whole = RawPeer.padded(RawPeer.stat(1, new byte[] {'/'}), FRAME_MAX);
            other.send(Arrays.copyOf(whole, FRAME_MAX / 2));
            bob.create("/b/f", PLAIN);
            other.send(Arrays.copyOfRange(whole, FRAME_MAX / 2, FRAME_MAX));
            other.read();
            for (RawPeer each : peers) {
                each.close();
            }
            Await.until("all is given back", () -> share(superuser, "used", "request_bytes") == 0);
            assertEquals(0, share(superuser, "waiting", "request_bytes"));
        }
    }

    /** All wait for the rest of a frame, and each holds a part of the room: they get on one after the other. */
    @Test
    void connectionsThatWaitForRoomAreAllReadInTheEnd() throws Exception {
        ServerFixture server = start(builder -> builder.set(ServerSetting.REQUEST_BYTES_MAX, 8L * FRAME_MAX));
        byte[] whole = RawPeer.padded(RawPeer.stat(5, new byte[] {'/'}), FRAME_MAX);
        int senders = 8;
        ExecutorService threads = Executors.newFixedThreadPool(senders);
        try (HmfsClient superuser = server.client()) {
            for (int i = 0; i < senders; i++) {
                peer(server, "eve", i, 0).send(Arrays.copyOf(whole, 50_000));
            }
            Await.until("some wait", () -> share(superuser, "waiting", "request_bytes") > 0);
            List<Future<WireBuffer>> answers = new ArrayList<>();
            for (RawPeer each : peers) {
                answers.add(threads.submit(() -> {
                    each.send(Arrays.copyOfRange(whole, 50_000, FRAME_MAX));
                    return each.read();
                }));
            }
            for (Future<WireBuffer> each : answers) {
                assertTrue(isAnswered(each.get()));
            }
            Await.until("all is given back", () -> share(superuser, "used", "request_bytes") == 0);
        } finally {
            threads.shutdownNow();
        }
    }

    private static boolean isAnswered(WireBuffer frame) {
        return new MessageHeaderDecoder().wrap(frame, 0).templateId() != FailureDecoder.TEMPLATE_ID;
    }

    @Test
    void repliesThatOneUserDoesNotTakeMakeNoOtherWait() throws Exception {
        int files = 1_000;
        int pages = 40;
        ServerFixture server = start(builder -> builder.set(ServerSetting.REPLY_BYTES_MAX, 4L << 20));
        try (HmfsClient superuser = server.client();
                HmfsClient bob = server.client("bob")) {
            superuser.mkdir("/d", 0755, false);
            for (int i = 0; i < files; i++) {
                superuser.create("/d/" + "n".repeat(200) + i, PLAIN);
            }
            int ofAPage = bob.list("/d", ListingCursor.START, 0).size();
            for (int i = 0; i < 24; i++) {
                RawPeer peer = new RawPeer(server.port(), 64 << 10);
                peers.add(peer);
                assertNull(peer.greet("eve", i, 0, 0).failure());
                for (int page = 0; page < pages; page++) {
                    peer.send(RawPeer.list(100 + page, "/d"));
                }
            }
            long share = (4L << 20) * 7 / 16;
            Await.until("memory is scarce for eve", () -> share(superuser, "largest", "reply_bytes") >= share / 2);
            for (int i = 0; i < 10; i++) {
                assertEquals(ofAPage, bob.list("/d", ListingCursor.START, 0).size(), "pages are as long as before");
                assertTrue(share(superuser, "used", "reply_bytes") <= share + (1 << 20));
            }
        }
    }

    @Test
    void keptAnswersOfOneUserLeaveRoomToOthers() throws Exception {
        long bound = 2L << 20;
        ServerFixture server = start(builder -> builder.set(ServerSetting.ANSWER_BYTES_MAX, bound));
        try (HmfsClient superuser = server.client()) {
            RawPeer.Failure refused = null;
            String name = "system." + "x".repeat(200);
            for (int i = 1; refused == null; i++) {
                assertTrue(i < 100, "one of so many clients is refused");
                RawPeer peer = peer(server);
                refused = peer.greet("eve", i, 1, 1).failure();
                for (int sequence = 1; sequence <= 1_024 && refused == null; sequence++) {
                    peer.send(RawPeer.setXattr(i, sequence, "/", name));
                    assertEquals(ResultCode.ACCESS_DENIED, peer.readFailure().code());
                }
            }
            assertEquals(ResultCode.TOO_MANY_CONNECTIONS, refused.code());
            assertTrue(refused.message().contains("answer-bytes-max"), refused.message());
            assertTrue(share(superuser, "largest", "answer_bytes") <= bound * 7 / 16);
            RawPeer bob = peer(server, "bob", 1, 1);
            for (int again = 0; again < 2; again++) {
                bob.send(RawPeer.setXattr(1, 1, "/", name));
                assertEquals(ResultCode.ACCESS_DENIED, bob.readFailure().code(), "the answer is kept");
            }
        }
    }

    @Test
    void namesInTheListsOfOneUserLeaveRoomForThoseOfOthers() throws Exception {
        ServerFixture server = start(builder -> builder);
        try (HmfsClient superuser = server.client();
                HmfsClient bob = server.client("bob");
                HmfsClient eve = server.client("eve")) {
            superuser.mkdir("/d", 0777, false);
            superuser.chmod("/d", 0777);
            eve.create("/d/eve", PLAIN);
            bob.create("/d/bob", PLAIN);
            long max = share(superuser, "max", "principals");
            long half = (max - max / 8) / 2;
            HmfsException refused = null;
            for (int from = 0; refused == null; from += 25) {
                assertTrue(from < max, "some are refused");
                try {
                    eve.acls().modify("/d/eve", strangers("eve", from));
                    eve.acls().remove("/d/eve");
                } catch (HmfsException e) {
                    refused = e;
                }
            }
            assertEquals(ResultCode.TOO_LARGE, refused.code());
            assertTrue(String.valueOf(refused.getMessage()).contains("user eve is full"), refused.getMessage());
            long used = share(superuser, "largest", "principals");
            assertTrue(used <= half && used > half - 25, used + " names");
            eve.acls().modify("/d/eve", List.of("user:bob:r--", "user:eve0:r--")); // those that there are
            bob.acls().modify("/d/bob", strangers("bob", 0));
            superuser.acls().modify("/d/bob", List.of("group:new:r--"));
            eve.create("/d/more", PLAIN);
        }
    }

    private static List<String> strangers(String ofUser, int from) {
        return IntStream.range(from, from + 25)
                .mapToObj(i -> "user:" + ofUser + i + ":r--")
                .toList();
    }

    @Test
    void leasesOfOneUserLeaveSomeToOthers() throws Exception {
        ServerFixture server = start(builder -> builder);
        int share = Leases.MAX * 7 / 16;
        try (HmfsClient superuser = server.client();
                HmfsClient bob = server.client("bob")) {
            superuser.mkdir("/d", 0777, false);
            superuser.chmod("/d", 0777);
            RawPeer eve = peer(server, "eve", 5, 0);
            int batch = 64;
            ResultCode last = ResultCode.OK;
            int made = 0;
            for (int from = 1; last == ResultCode.OK; from += batch) {
                assertTrue(from < Leases.MAX, "some are refused");
                for (int i = from; i < from + batch; i++) {
                    eve.send(RawPeer.createLeased(5, i, "/d/" + i, i));
                }
                for (int i = 0; i < batch; i++) {
                    WireBuffer frame = eve.read();
                    if (isAnswered(frame)) {
                        made++;
                    } else {
                        FailureDecoder failure =
                                new FailureDecoder().wrapAndApplyHeader(frame, 0, new MessageHeaderDecoder());
                        last = ResultCode.of(failure.code());
                        String message = failure.message();
                        assertTrue(message.contains("user eve is full"), message);
                    }
                }
            }
            assertEquals(ResultCode.TOO_LARGE, last);
            assertTrue(made >= share && made < share + batch + 128, made + " leases");
            bob.createAndOpen("/d/ofBob", PLAIN);
            superuser.createAndOpen("/d/ofAlice", PLAIN);
        }
    }

    /** All rings have had an owner when the server starts again, and those of other users come first. */
    @Test
    void aRingOfOutcomesIsOfItsUserAlsoAfterAStart() throws Exception {
        ServerFixture server = start(builder -> builder);
        try (HmfsClient superuser = server.client()) {
            superuser.chmod("/", 0777);
        }
        RawPeer bob = peer(server, "bob", 1_000, 1); // has the oldest ring
        bob.send(RawPeer.mkdir(1_000, 1, "/made"));
        assertTrue(isAnswered(bob.read()));
        for (String user : List.of("eve", "u1", "u2", "u3", "u4", "u5", "alice")) {
            int with = 0;
            int client = 0;
            boolean survives = true;
            while (survives && client < 70) {
                RawPeer peer = peer(server);
                survives = peer.greet(user, ++client, 1, 1).survives();
                with += survives ? 1 : 0;
            }
            if (user.equals("eve")) {
                assertTrue(with >= 20 && with <= 28, with + " rings are eve's");
            }
        }
        for (RawPeer each : peers) {
            each.close();
        }
        server.restart();
        for (int i = 0; i < 70; i++) {
            peer(server).greet("eve", 5_000 + i, 1, 1); // other clients than before
        }
        RawPeer again = peer(server);
        assertTrue(again.greet("bob", 1_000, 1, 2).survives());
        again.send(RawPeer.mkdir(1_000, 1, "/made"));
        assertTrue(isAnswered(again.read()), "it was executed before the start, and is answered so");
    }
}
