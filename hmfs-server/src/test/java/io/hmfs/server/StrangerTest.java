package io.hmfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.client.CreateOptions;
import io.hmfs.client.Grant;
import io.hmfs.client.HmfsClient;
import io.hmfs.client.HmfsException;
import io.hmfs.client.OpenedFile;
import io.hmfs.client.ResultCode;
import io.hmfs.core.Hmfs;
import io.hmfs.core.Namespace;
import io.hmfs.core.OpenOptions;
import io.hmfs.server.transport.SocketKind;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: users of made-up names leave nothing in the pool, and yet have all that the mode bits give to all users.
 * Method: real clients of such names; afterwards the pool is opened and asked for the names.
 */
@ParameterizedClass
@EnumSource(
        value = SocketKind.class,
        names = {"EPOLL", "IO_URING", "NIO"})
class StrangerTest {
    private static final CreateOptions PLAIN = new CreateOptions(0644, false, false, 0755);
    private static final CreateOptions WITH_PARENTS = new CreateOptions(0644, false, true, 0755);

    @Parameter
    private SocketKind sockets = SocketKind.AUTO;

    @TempDir
    private Path directory;

    private ServerFixture server;

    @BeforeEach
    void start() throws IOException {
        server = ServerFixture.on(sockets, directory);
        try (HmfsClient client = server.client()) {
            client.mkdir("/private", 0755, false);
            client.mkdir("/tmp", 01777, false);
            LeasedFiles.of(client, "/private/f", PLAIN, new byte[] {7});
        }
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private static void denied(Executable act) {
        assertEquals(
                ResultCode.ACCESS_DENIED, assertThrows(HmfsException.class, act).code());
    }

    private List<String> remembered(String... names) throws IOException {
        server.close();
        try (Namespace namespace = Hmfs.open(server.pool, OpenOptions.process())) {
            return List.of(names).stream()
                    .filter(name -> namespace.knownPrincipalId(name) >= 0)
                    .toList();
        }
    }

    @Test
    void namesOfStrangersThatStoreNothingAreNotKept() throws IOException {
        try (HmfsClient stranger = server.client("stranger");
                HmfsClient bob = server.client("bob")) {
            denied(() -> stranger.create("/private/mine", PLAIN));
            denied(() -> stranger.create("/private/p/mine", WITH_PARENTS));
            denied(() -> stranger.mkdir("/private/d", 0755, true));
            denied(() -> stranger.chown("/private/f", "stranger", null));
            bob.create("/tmp/bobs", PLAIN);
            denied(() -> bob.chown("/tmp/bobs", "made-up-user", null));
            denied(() -> bob.chown("/tmp/bobs", null, "made-up-group"));
            bob.chown("/tmp/bobs", "bob", "engineers");
        }
        assertEquals(
                List.of("bob", "engineers"),
                remembered("stranger", "bob", "engineers", "made-up-user", "made-up-group"));
    }

    /** What was opened without a number stays open when its user gets one. */
    @Test
    void aStrangerReadsWhatAllUsersMayAndOwnsWhatItMakes() throws IOException {
        byte[] read = new byte[1];
        try (HmfsClient stranger = server.client("stranger");
                HmfsClient other = server.client("other")) {
            OpenedFile open = stranger.open("/private/f", true, false);
            Grant grant = open.grant();
            assertEquals(
                    1,
                    stranger.readBlockAsync(grant, open.info().id(), 0, 0, read, 0, 1)
                            .join());
            Throwable lent = assertThrows(
                            CompletionException.class,
                            () -> other.readBlockAsync(grant, open.info().id(), 0, 0, read, 0, 1)
                                    .join())
                    .getCause();
            assertEquals(
                    ResultCode.ACCESS_DENIED,
                    assertInstanceOf(HmfsException.class, lent).code());
            assertEquals(
                    "stranger", stranger.create("/tmp/a/b/mine", WITH_PARENTS).owner());
            assertEquals("stranger", stranger.stat("/tmp/a").owner());
            assertEquals(
                    1,
                    stranger.readBlockAsync(grant, open.info().id(), 0, 0, read, 0, 1)
                            .join());
            stranger.chmod("/tmp/a/b/mine", 0600);
            denied(() -> other.open("/tmp/a/b/mine", true, false));
        }
        assertEquals(List.of("stranger"), remembered("stranger", "other"));
    }

    @Test
    void aUserThatIsGivenSomethingOwnsItAtOnce() throws IOException {
        try (HmfsClient stranger = server.client("stranger");
                HmfsClient alice = server.client()) {
            denied(() -> stranger.chmod("/private/f", 0600));
            alice.chown("/private/f", "stranger", null);
            stranger.chmod("/private/f", 0600);
            assertTrue(stranger.open("/private/f", true, true).info().size() > 0);
        }
    }
}
