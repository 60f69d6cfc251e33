package io.hmfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.client.CreateOptions;
import io.hmfs.client.FileInfo;
import io.hmfs.client.Grant;
import io.hmfs.client.HmfsClient;
import io.hmfs.client.HmfsException;
import io.hmfs.client.ListingCursor;
import io.hmfs.client.ResultCode;
import io.hmfs.server.setting.ServerSetting;
import io.hmfs.wire.EntryDecoder;
import io.hmfs.wire.FailureDecoder;
import io.hmfs.wire.HelloDecoder;
import io.hmfs.wire.MessageHeaderDecoder;
import io.hmfs.wire.MkdirEncoder;
import io.hmfs.wire.PageDecoder;
import io.hmfs.wire.WelcomeDecoder;
import io.hmfs.wire.Wire;
import io.hmfs.wire.WireBuffer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: no user gets at what that user may not have, in any way: names, ids, old protocol, requests that arrive together, races. Data and
 * forged grants: {@link GrantTest}. Method: several users on one real server; where the client is too honest, bytes made by hand.
 */
class PermissionsTest extends UsersOfOneServer {
    @Test
    void newRootIsTheSuperusersAndStaysAsItIsMade() throws IOException {
        assertEquals("alice", admin.stat("/").owner());
        assertEquals("supergroup", admin.stat("/").group());
        admin.chown("/", "root", "root");
        fixture.restart();
        try (HmfsClient again = fixture.client()) {
            assertEquals("root", again.stat("/").owner());
        }
    }

    @Test
    void denialsReadAsThoseOfHdfs() throws IOException {
        assertEquals(
                "Permission denied: user=eve, access=WRITE, inode=\"/home/bob\":bob:staff:drwxr-xr-x",
                denied(() -> eve.create("/home/bob/f", PLAIN)));
        assertEquals(
                "Permission denied: user=bob, access=WRITE, inode=\"/\":alice:supergroup:drwxr-xr-x",
                denied(() -> bob.mkdir("/new", 0755, false)));
        bob.create("/home/bob/f", PLAIN);
        assertEquals(
                "Permission denied: user=eve, access=READ, inode=\"/home/bob/f\":bob:staff:-rw-r-----",
                denied(() -> eve.open("/home/bob/f", true, false)));
        assertEquals(
                "Permission denied. user=eve is not the owner of inode=/home/bob/f",
                denied(() -> eve.chmod("/home/bob/f", 0777)));
        assertEquals(
                "User bob is not a super user (non-super user cannot change owner).",
                denied(() -> bob.chown("/home/bob/f", "eve", null)));
        assertEquals("User bob does not belong to wheel", denied(() -> bob.chown("/home/bob/f", null, "wheel")));
        admin.mkdir("/tmp", 01777, false);
        bob.create("/tmp/f", PLAIN);
        assertEquals(
                "Permission denied by sticky bit: user=eve, path=\"/tmp/f\":bob:supergroup:-rw-r-----,"
                        + " parent=\"/tmp\":alice:supergroup:drwxrwxrwt",
                denied(() -> eve.delete("/tmp/f")));
    }

    @Test
    void everyDirectoryOfAPathMustBePassable() throws IOException {
        admin.mkdir("/a/b/c", 0777, true);
        admin.create("/a/b/c/f", PLAIN);
        admin.stat("/a/b/c/f");
        admin.chmod("/a/b", 0776);
        assertEquals(
                "Permission denied: user=eve, access=EXECUTE, inode=\"/a/b\":alice:supergroup:drwxrwxrw-",
                denied(() -> eve.stat("/a/b/c/f")));
        eve.stat("/a/b");
        denied(() -> eve.stat("/a/b/nothing"));
        denied(() -> eve.rename("/a/b/c/f", "/a/f", false));
        admin.chmod("/", 0700);
        denied(() -> bob.stat("/home"));
        bob.stat("/");
        admin.chmod("/", 0711);
        bob.stat("/home");
        denied(() -> bob.list("/", ListingCursor.START, 0));
        admin.chmod("/", 0755);
        bob.list("/", ListingCursor.START, 0);
    }

    @Test
    void parentsMadeOnTheWayLetTheirOwnerThrough() throws IOException {
        bob.mkdir("/home/bob/a/b/c", 0, true);
        assertEquals(0300, bob.stat("/home/bob/a/b").mode());
        assertEquals(0, bob.stat("/home/bob/a/b/c").mode());
        assertEquals("staff", bob.stat("/home/bob/a/b/c").group());
        denied(() -> eve.mkdir("/home/bob/x/y", 0755, true));
        assertEquals(ResultCode.NOT_FOUND, code(() -> admin.stat("/home/bob/x")));
    }

    private static ResultCode code(Executable call) {
        return assertThrows(HmfsException.class, call).code();
    }

    @Test
    void membersOfTheSupergroupAreSuperusers() throws IOException {
        try (HmfsClient dave = fixture.client("dave")) {
            dave.mkdir("/dave", 0700, false);
            dave.chown("/dave", "eve", "wheel");
        }
    }

    @Test
    void nothingIsCheckedWherePermissionsAreOff(@TempDir Path other) throws IOException {
        try (ServerFixture open =
                        new ServerFixture(other, builder -> builder.set(ServerSetting.PERMISSIONS_ENABLED, false));
                HmfsClient unchecked = open.client("eve")) {
            admin.stat("/");
            LeasedFiles.of(unchecked, "/f", new CreateOptions(0, false, false, 0755), new byte[5]);
            unchecked.chown("/f", "bob", "wheel");
        }
    }

    // ---- ids

    @Test
    void idOfAnInnerDirectoryDoesNotSkipTheDirectoriesAboveIt() throws IOException {
        admin.mkdir("/home/bob/private", 0700, false);
        admin.chown("/home/bob/private", "bob", "staff");
        FileInfo open = bob.mkdir("/home/bob/private/open", 0777, false);
        FileInfo file = bob.create("/home/bob/private/open/f", new CreateOptions(0666, false, false, 0755));
        String why = "Permission denied: user=eve, access=EXECUTE, inode=\"/home/bob/private\":bob:staff:drwx------";
        try (RawPeer peer = new RawPeer(fixture.port())) {
            peer.greet(); // as eve
            for (String path : new String[] {"f", "", "nothing"}) {
                peer.send(based(RawPeer.stat(1, path.getBytes(StandardCharsets.UTF_8)), open.id()));
                RawPeer.Failure failure = peer.readFailure();
                assertEquals(ResultCode.ACCESS_DENIED, failure.code(), path);
                assertEquals(why, failure.message());
            }
            peer.send(based(RawPeer.stat(1, "f".getBytes(StandardCharsets.UTF_8)), file.id())); // no directory
            assertEquals(ResultCode.NO_SUCH_DIRECTORY, peer.readFailure().code());
            bob.chmod("/home/bob/private", 0711);
            peer.send(based(RawPeer.stat(9, "f".getBytes(StandardCharsets.UTF_8)), open.id()));
            EntryDecoder entry = new EntryDecoder().wrapAndApplyHeader(peer.read(), 0, new MessageHeaderDecoder());
            assertEquals(file.id(), entry.inode());
            assertEquals(0, entry.grant());
            bob.chmod("/home/bob/private/open", 0666);
            peer.send(based(RawPeer.stat(1, "f".getBytes(StandardCharsets.UTF_8)), open.id()));
            assertTrue(peer.readFailure().message().contains("inode=\"/home/bob/private/open\":"));
        }
    }

    private static byte[] based(byte[] stat, long base) {
        ByteBuffer.wrap(stat)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(Wire.LENGTH_SIZE + Wire.HEADER_SIZE + Long.BYTES, base);
        return stat;
    }

    @Test
    void pageOfAListingIsCheckedEachTime() throws IOException {
        for (int i = 0; i < 5; i++) {
            bob.create("/home/bob/f" + i, PLAIN);
        }
        ListingCursor next = Objects.requireNonNull(
                eve.list("/home/bob", ListingCursor.START, 2).next());
        bob.chmod("/home/bob", 0711);
        denied(() -> eve.list("/home/bob", next, 2));
        assertEquals(5, bob.list("/home/bob", ListingCursor.START, 0).entries().size());
    }

    // ---- handshake

    @Test
    void aHelloWhoseBlockIsShorterThanTheFirstVersionsIsRefused() throws IOException {
        try (RawPeer peer = new RawPeer(fixture.port())) {
            byte[] hello = RawPeer.hello(Wire.MAGIC, Wire.PROTOCOL_VERSION, 0, "bob");
            ByteBuffer.wrap(hello).order(ByteOrder.LITTLE_ENDIAN).putShort(Wire.LENGTH_SIZE, (short)
                    (HelloDecoder.BLOCK_LENGTH - 1));
            peer.send(hello);
            RawPeer.Failure refused = peer.readFailure();
            assertEquals(ResultCode.BAD_REQUEST, refused.code());
            assertEquals(
                    "message " + HelloDecoder.TEMPLATE_ID + " has a block of " + (HelloDecoder.BLOCK_LENGTH - 1)
                            + " bytes instead of " + HelloDecoder.BLOCK_LENGTH,
                    refused.message());
        }
    }

    private static int template(WireBuffer frame) {
        int id = new MessageHeaderDecoder().wrap(frame, 0).templateId();
        if (id == FailureDecoder.TEMPLATE_ID) {
            throw new AssertionError(new FailureDecoder()
                    .wrapAndApplyHeader(frame, 0, new MessageHeaderDecoder())
                    .message());
        }
        assertFalse(id == PageDecoder.TEMPLATE_ID);
        return id;
    }

    @Test
    void unknownAuthenticationMethodIsRefused() throws IOException {
        byte[] hello = RawPeer.hello(Wire.MAGIC, 1, 0, "bob");
        hello[Wire.LENGTH_SIZE + Wire.HEADER_SIZE + 44] = 2;
        try (RawPeer peer = new RawPeer(fixture.port())) {
            peer.send(hello);
            RawPeer.Failure failure = peer.readFailure();
            assertEquals(ResultCode.ACCESS_DENIED, failure.code());
            assertTrue(failure.message().contains("method 2"), failure.message());
            assertTrue(peer.isClosedByServer());
        }
    }

    @Test
    void framesBehindTheHelloWaitForTheUsersGroups() throws IOException {
        byte[] hello = RawPeer.hello(Wire.MAGIC, 1, 0, "somebody-new");
        byte[] stat = RawPeer.stat(11, "/home".getBytes(StandardCharsets.UTF_8));
        ByteBuffer both = ByteBuffer.allocate(hello.length + stat.length);
        try (RawPeer peer = new RawPeer(fixture.port())) {
            peer.send(both.put(hello).put(stat).array());
            assertEquals(WelcomeDecoder.TEMPLATE_ID, template(peer.read()));
            assertEquals(EntryDecoder.TEMPLATE_ID, template(peer.read()));
        }
    }

    // ---- requests that arrive together

    @Test
    void createsThatArriveTogetherAreCheckedOneByOne() throws IOException {
        admin.mkdir("/open", 0777, false);
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (int i = 0; i < 20; i += 2) {
            all.write(RawPeer.create(i, "/open/f" + i));
            all.write(RawPeer.create(i + 1, "/home/bob/f" + i));
        }
        try (RawPeer peer = new RawPeer(fixture.port())) {
            peer.greet(); // as eve
            peer.send(all.toByteArray());
            for (int i = 0; i < 20; i += 2) {
                EntryDecoder made = new EntryDecoder().wrapAndApplyHeader(peer.read(), 0, new MessageHeaderDecoder());
                assertEquals(i, made.correlationId());
                Grant grant = new Grant(made.grant(), made.seal());
                eve.syncBlockAsync(grant, made.inode(), 0).join();
                RawPeer.Failure failure = peer.readFailure();
                assertEquals(ResultCode.ACCESS_DENIED, failure.code());
                assertEquals(
                        "Permission denied: user=eve, access=WRITE, inode=\"/home/bob\":bob:staff:drwxr-xr-x",
                        failure.message());
            }
        }
        assertEquals(
                0, admin.list("/home/bob", ListingCursor.START, 0).entries().size());
    }

    @Test
    void malformedMkdirLeavesNothingForTheNextRequest() throws IOException {
        admin.mkdir("/open", 0777, false);
        byte[] mkdir = RawPeer.mkdir(1, "/open/a/b");
        int lengthAt = Wire.LENGTH_SIZE + Wire.HEADER_SIZE + MkdirEncoder.BLOCK_LENGTH;
        ByteBuffer.wrap(mkdir).order(ByteOrder.LITTLE_ENDIAN).putShort(lengthAt, (short) 5000);
        try (RawPeer peer = new RawPeer(fixture.port())) {
            peer.greet();
            peer.send(mkdir);
            assertEquals(ResultCode.BAD_REQUEST, peer.readFailure().code());
            peer.send(RawPeer.stat(2, "/open/made/x".getBytes(StandardCharsets.UTF_8)));
            assertEquals(ResultCode.NOT_FOUND, peer.readFailure().code());
        }
        assertEquals(0, admin.list("/open", ListingCursor.START, 0).entries().size());
    }

    // ---- races

    @Test
    void ownerOfANameCannotChangeWhatAnotherUserMovesThere() throws Exception {
        admin.mkdir("/shared", 0777, false);
        admin.create("/shared/victim", PLAIN);
        AtomicBoolean ended = new AtomicBoolean();
        Thread changer = Thread.ofPlatform().start(() -> {
            try (HmfsClient other = fixture.client("eve")) {
                while (!ended.get()) {
                    try {
                        other.chmod("/shared/mine", 0777);
                    } catch (HmfsException e) {
                        // not there, or not eve's at this moment
                    }
                }
            } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        });
        try {
            for (int i = 0; i < 100; i++) {
                eve.create("/shared/mine", PLAIN);
                eve.rename("/shared/victim", "/shared/mine", true);
                assertEquals(0640, admin.stat("/shared/mine").mode());
                eve.rename("/shared/mine", "/shared/victim", false);
            }
        } finally {
            ended.set(true);
            changer.join();
        }
    }
}
