package io.hmfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.client.CreateOptions;
import io.hmfs.client.HmfsClient;
import io.hmfs.client.HmfsException;
import io.hmfs.client.ResultCode;
import io.hmfs.server.setting.ServerSetting;
import io.hmfs.server.transport.SocketKind;
import io.hmfs.wire.MessageHeaderDecoder;
import io.hmfs.wire.StatDecoder;
import io.hmfs.wire.Wire;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: whatever arrives on the port, the sender gets one clear error and all other clients are served on.
 * Method: raw sockets that send wrong bytes; after each, an ordinary client of the same server must still work.
 */
@ParameterizedClass
@EnumSource(value = SocketKind.class, mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
class BadInputTest {
    private static final CreateOptions PLAIN = new CreateOptions(0644, false, false, 0755);
    private static final int TEMPLATE_AT = Wire.LENGTH_SIZE + 2;
    private static final int SCHEMA_AT = Wire.LENGTH_SIZE + 4;
    private static final int VERSION_AT = Wire.LENGTH_SIZE + 6;
    private static final int GREETINGS_MAX = 50;

    @Parameter
    private SocketKind sockets = SocketKind.AUTO;

    @TempDir
    private Path directory;

    private ServerFixture fixture;
    private HmfsClient bystander;

    @BeforeEach
    void start() throws IOException {
        fixture = ServerFixture.on(sockets, directory);
        bystander = fixture.client();
        bystander.create("/kept", PLAIN);
    }

    @AfterEach
    void theServerGoesOn() throws IOException {
        assertEquals("kept", bystander.stat("/kept").name());
        try (HmfsClient newcomer = fixture.client()) {
            assertEquals("kept", newcomer.stat("/kept").name());
        }
        bystander.close();
        fixture.close();
    }

    private RawPeer peer() throws IOException {
        return new RawPeer(fixture.port());
    }

    /** A server that soon gives up on a peer that stops in the middle; the others wait for a minute, for a busy machine stops all peers. */
    private ServerFixture impatient() throws IOException {
        return new ServerFixture(
                Files.createDirectory(directory.resolve("impatient")),
                builder -> builder.set(ServerSetting.TRANSPORT, sockets)
                        .set(ServerSetting.IDLE_TIMEOUT, Duration.ofMillis(300)));
    }

    /** Welcome at such a server; where this machine was too slow for that, another tries. */
    private static RawPeer greeted(ServerFixture server) throws IOException {
        for (int attempt = 0; attempt < GREETINGS_MAX; attempt++) {
            RawPeer peer = new RawPeer(server.port());
            if (peer.tryToGreet()) {
                return peer;
            }
            peer.close();
        }
        throw new IOException("never welcome");
    }

    private static byte[] patched(byte[] frame, int at, int value) {
        ByteBuffer.wrap(frame).order(ByteOrder.LITTLE_ENDIAN).putShort(at, (short) value);
        return frame;
    }

    private static byte[] length(int value) {
        return ByteBuffer.allocate(4)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(value)
                .array();
    }

    @Test
    void anotherProtocolIsToldWhatThisIs() throws IOException {
        try (RawPeer peer = peer()) {
            peer.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            assertEquals(ResultCode.TOO_LARGE, peer.readFailure().code());
            assertTrue(peer.isClosedByServer());
        }
    }

    @Test
    void garbageEndsItsOwnConnectionOnly() throws IOException {
        for (int seed = 0; seed < 50; seed++) {
            byte[] garbage = new byte[5000];
            new Random(seed).nextBytes(garbage);
            try (RawPeer peer = peer()) {
                peer.send(garbage);
                peer.readFailure();
                assertTrue(peer.isClosedByServer(), "seed " + seed);
            }
        }
    }

    @Test
    void garbageAfterTheHandshakeIsAnsweredAndClosed() throws IOException {
        for (int seed = 0; seed < 50; seed++) {
            byte[] garbage = new byte[400];
            new Random(seed).nextBytes(garbage);
            ByteBuffer.wrap(garbage).order(ByteOrder.LITTLE_ENDIAN).putInt(0, garbage.length - Wire.LENGTH_SIZE);
            try (RawPeer peer = peer()) {
                peer.greet();
                peer.send(garbage);
                assertEquals(ResultCode.BAD_REQUEST, peer.readFailure().code());
                assertTrue(peer.isClosedByServer(), "seed " + seed);
            }
        }
    }

    @Test
    void garbageInsideAValidHeaderNeverHurts() throws IOException {
        try (RawPeer peer = peer()) {
            peer.greet();
            for (int template = 0; template < 128; template++) {
                byte[] garbage = new byte[300];
                new Random(template).nextBytes(garbage);
                ByteBuffer frame = ByteBuffer.wrap(garbage).order(ByteOrder.LITTLE_ENDIAN);
                frame.putInt(0, garbage.length - Wire.LENGTH_SIZE).putShort(4, (short) 60);
                frame.putShort(TEMPLATE_AT, (short) template);
                frame.putShort(SCHEMA_AT, (short) MessageHeaderDecoder.SCHEMA_ID);
                frame.putShort(VERSION_AT, (short) MessageHeaderDecoder.SCHEMA_VERSION);
                peer.send(garbage);
                peer.read(); // one reply for each, whatever it is
            }
        }
    }

    @Test
    void oversizedFrameIsRefused() throws IOException {
        try (RawPeer peer = peer()) {
            peer.greet();
            peer.send(length(ServerFixture.FRAME_MAX + 1));
            RawPeer.Failure failure = peer.readFailure();
            assertEquals(ResultCode.TOO_LARGE, failure.code());
            assertTrue(failure.message().contains(String.valueOf(ServerFixture.FRAME_MAX)), failure.message());
            assertTrue(peer.isClosedByServer());
        }
        try (RawPeer peer = peer()) {
            peer.greet();
            peer.send(length(-5));
            assertEquals(ResultCode.TOO_LARGE, peer.readFailure().code());
        }
        try (RawPeer peer = peer()) {
            peer.greet();
            peer.send(length(3));
            assertEquals(ResultCode.BAD_REQUEST, peer.readFailure().code());
            assertTrue(peer.isClosedByServer());
        }
    }

    @Test
    void halfSentFrameIsGivenUpAfterTheIdleTimeout() throws IOException {
        try (ServerFixture server = impatient();
                RawPeer peer = greeted(server)) {
            byte[] stat = RawPeer.stat(1, "/kept".getBytes(StandardCharsets.UTF_8));
            peer.send(java.util.Arrays.copyOf(stat, stat.length / 2));
            RawPeer.Failure failure = peer.readFailure();
            assertEquals(ResultCode.TIMEOUT, failure.code());
            assertTrue(peer.isClosedByServer());
        }
    }

    @Test
    void halfSentFrameOfAPeerThatLeavesIsForgotten() throws IOException {
        try (RawPeer peer = peer()) {
            peer.greet();
            peer.send(length(100));
        }
    }

    @Test
    void silenceInsteadOfAHandshakeIsGivenUp() throws IOException {
        try (ServerFixture server = impatient()) {
            awaitIdleTimeout(server);
        }
    }

    private static void awaitIdleTimeout(ServerFixture server) throws IOException {
        try (RawPeer peer = new RawPeer(server.port())) {
            assertEquals(ResultCode.TIMEOUT, peer.readFailure().code());
            assertTrue(peer.isClosedByServer());
        }
    }

    @Test
    void connectionThatIsMerelyIdleStaysOpen() throws IOException {
        try (ServerFixture server = impatient();
                RawPeer peer = greeted(server)) {
            awaitIdleTimeout(server); // twice: nothing is half done, so nothing is given up
            awaitIdleTimeout(server);
            peer.send(RawPeer.stat(5, "/".getBytes(StandardCharsets.UTF_8)));
            assertEquals(5, peer.read().getLong(Wire.HEADER_SIZE, ByteOrder.LITTLE_ENDIAN));
        }
    }

    @Test
    void frameInSingleBytesIsStillAFrame() throws IOException {
        try (RawPeer peer = peer()) {
            peer.greet();
            for (byte each : RawPeer.stat(5, "/kept".getBytes(StandardCharsets.UTF_8))) {
                peer.send(each);
            }
            assertEquals(5, peer.read().getLong(Wire.HEADER_SIZE, ByteOrder.LITTLE_ENDIAN));
        }
    }

    @Test
    void unknownMessageIsAnsweredAndTheConnectionStays() throws IOException {
        try (RawPeer peer = peer()) {
            peer.greet();
            byte[] stat = RawPeer.stat(11, "/kept".getBytes(StandardCharsets.UTF_8));
            peer.send(patched(stat, TEMPLATE_AT, 999));
            RawPeer.Failure failure = peer.readFailure();
            assertEquals(ResultCode.BAD_REQUEST, failure.code());
            assertEquals(11, failure.correlationId());
            peer.send(patched(stat, TEMPLATE_AT, StatDecoder.TEMPLATE_ID));
            assertEquals(11, peer.read().getLong(Wire.HEADER_SIZE, ByteOrder.LITTLE_ENDIAN));
        }
    }

    @Test
    void messageOfANewerSchemaIsToldBothVersionsAndTheConnectionStays() throws IOException {
        try (RawPeer peer = peer()) {
            peer.greet();
            byte[] stat = RawPeer.stat(12, "/kept".getBytes(StandardCharsets.UTF_8));
            peer.send(patched(stat, VERSION_AT, MessageHeaderDecoder.SCHEMA_VERSION + 1));
            RawPeer.Failure failure = peer.readFailure();
            assertEquals(ResultCode.UNSUPPORTED_VERSION, failure.code());
            assertEquals(12, failure.correlationId());
            assertEquals(
                    "the message has version " + (MessageHeaderDecoder.SCHEMA_VERSION + 1)
                            + " of the schema; this server knows versions up to " + MessageHeaderDecoder.SCHEMA_VERSION,
                    failure.message());
            peer.send(patched(stat, VERSION_AT, MessageHeaderDecoder.SCHEMA_VERSION));
            assertEquals(12, peer.read().getLong(Wire.HEADER_SIZE, ByteOrder.LITTLE_ENDIAN));
        }
    }

    @Test
    void peerOfAnotherProtocolVersionIsToldBothVersions() throws IOException {
        try (RawPeer peer = peer()) {
            peer.send(RawPeer.hello(Wire.MAGIC, 2, 0, "eve"));
            RawPeer.Failure failure = peer.readFailure();
            assertEquals(ResultCode.UNSUPPORTED_VERSION, failure.code());
            assertTrue(
                    failure.message().contains("version 1") && failure.message().contains("2"), failure.message());
            assertTrue(peer.isClosedByServer());
        }
    }

    @Test
    void peerOfANewerSchemaIsToldBothVersions() throws IOException {
        for (int version : new int[] {MessageHeaderDecoder.SCHEMA_VERSION + 1, 6, 0}) {
            try (RawPeer peer = peer()) {
                peer.send(patched(RawPeer.hello(Wire.MAGIC, Wire.PROTOCOL_VERSION, 0, "eve"), VERSION_AT, version));
                RawPeer.Failure failure = peer.readFailure();
                assertEquals(ResultCode.UNSUPPORTED_VERSION, failure.code());
                assertTrue(
                        failure.message()
                                .startsWith("the server knows versions up to " + MessageHeaderDecoder.SCHEMA_VERSION
                                        + " of the schema, the client sends " + version + ";"),
                        failure.message());
                assertTrue(peer.isClosedByServer());
            }
        }
    }

    @Test
    void wrongMagicClusterOrUserIsRefused() throws IOException {
        try (RawPeer peer = peer()) {
            peer.send(RawPeer.hello(Wire.MAGIC + 1, 1, 0, "eve"));
            assertEquals(ResultCode.BAD_REQUEST, peer.readFailure().code());
            assertTrue(peer.isClosedByServer());
        }
        try (RawPeer peer = peer()) {
            peer.send(RawPeer.hello(Wire.MAGIC, 1, 4711, "eve"));
            assertEquals(ResultCode.WRONG_CLUSTER, peer.readFailure().code());
            assertTrue(peer.isClosedByServer());
        }
        for (String user : new String[] {"", "a\0b", "u".repeat(256), "u".repeat(257), "u".repeat(900)}) {
            try (RawPeer peer = peer()) {
                peer.send(RawPeer.hello(Wire.MAGIC, 1, 0, user));
                assertEquals(ResultCode.BAD_REQUEST, peer.readFailure().code());
                assertTrue(peer.isClosedByServer());
            }
        }
    }

    @Test
    void requestBeforeTheHandshakeIsRefused() throws IOException {
        try (RawPeer peer = peer()) {
            peer.send(RawPeer.stat(1, "/kept".getBytes(StandardCharsets.UTF_8)));
            assertEquals(ResultCode.BAD_REQUEST, peer.readFailure().code());
            assertTrue(peer.isClosedByServer());
        }
    }

    @Test
    void secondHandshakeIsAnError() throws IOException {
        try (RawPeer peer = peer()) {
            peer.greet();
            peer.send(RawPeer.hello(Wire.MAGIC, 1, 0, "mallory"));
            assertEquals(ResultCode.BAD_REQUEST, peer.readFailure().code());
        }
    }

    @Test
    void lyingLengthInsideAFrameIsAnError() throws IOException {
        try (RawPeer peer = peer()) {
            peer.greet();
            byte[] stat = RawPeer.stat(13, "/kept".getBytes(StandardCharsets.UTF_8));
            int lengthAt = Wire.LENGTH_SIZE + Wire.HEADER_SIZE + StatDecoder.BLOCK_LENGTH;
            byte[] second = RawPeer.stat(14, "/kept".getBytes(StandardCharsets.UTF_8));
            peer.send(patched(stat, lengthAt, 40)); // reaches into the next frame
            peer.send(second);
            RawPeer.Failure failure = peer.readFailure();
            assertEquals(ResultCode.BAD_REQUEST, failure.code());
            assertEquals(13, failure.correlationId());
            assertEquals(14, peer.read().getLong(Wire.HEADER_SIZE, ByteOrder.LITTLE_ENDIAN));
        }
    }

    @Test
    void shortRootBlockIsAnError() throws IOException {
        try (RawPeer peer = peer()) {
            peer.greet();
            peer.send(patched(RawPeer.stat(15, "/kept".getBytes(StandardCharsets.UTF_8)), Wire.LENGTH_SIZE, 8));
            assertEquals(ResultCode.BAD_REQUEST, peer.readFailure().code());
        }
    }

    @Test
    void namesThatCannotBeAreRefusedByTheServer() throws IOException {
        assertCode(ResultCode.NAME_TOO_LONG, "/" + "x".repeat(256));
        assertCode(ResultCode.NAME_TOO_LONG, "/" + "ü".repeat(128));
        assertCode(ResultCode.INVALID_NAME, "//x");
        assertCode(ResultCode.INVALID_NAME, "/a\0b");
        assertCode(ResultCode.INVALID_NAME, "/.");
        assertCode(ResultCode.INVALID_NAME, "/../x");
        assertCode(ResultCode.INVALID_NAME, "relative");
        bystander.create("/" + "x".repeat(255), PLAIN);
    }

    @Test
    void parentsOfAnImpossibleNameAreNotMade() throws IOException {
        for (String path : new String[] {"/made/", "/made//x", "/made/..", "/made/" + "x".repeat(256)}) {
            assertThrows(HmfsException.class, () -> bystander.mkdir(path, 0755, true));
            assertThrows(HmfsException.class, () -> bystander.create(path, new CreateOptions(0644, false, true, 0755)));
        }
        assertEquals(
                1,
                bystander
                        .list("/", io.hmfs.client.ListingCursor.START, 0)
                        .entries()
                        .size());
    }

    private void assertCode(ResultCode code, String path) {
        HmfsException create = assertThrows(HmfsException.class, () -> bystander.create(path, PLAIN));
        assertEquals(code, create.code(), create.getMessage());
        HmfsException mkdir = assertThrows(HmfsException.class, () -> bystander.mkdir(path, 0755, true));
        assertEquals(code, mkdir.code(), mkdir.getMessage());
        HmfsException stat = assertThrows(HmfsException.class, () -> bystander.stat(path));
        assertEquals(code, stat.code(), stat.getMessage());
        HmfsException rename = assertThrows(HmfsException.class, () -> bystander.rename("/kept", path, true));
        assertEquals(code, rename.code(), rename.getMessage());
    }

    @Test
    void pathOfTenThousandCharactersIsRefusedOnBothSides() throws IOException {
        String path = "/123456789".repeat(1000);
        HmfsException thrown = assertThrows(HmfsException.class, () -> bystander.stat(path));
        assertEquals(ResultCode.NAME_TOO_LONG, thrown.code());
        try (RawPeer peer = peer()) {
            peer.greet();
            peer.send(RawPeer.stat(16, path.getBytes(StandardCharsets.UTF_8)));
            assertEquals(ResultCode.NAME_TOO_LONG, peer.readFailure().code());
        }
    }
}
