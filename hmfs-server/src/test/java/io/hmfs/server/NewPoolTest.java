package io.hmfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.client.CreateOptions;
import io.hmfs.client.FileInfo;
import io.hmfs.client.Grant;
import io.hmfs.client.HmfsClient;
import io.hmfs.client.HmfsException;
import io.hmfs.client.ResultCode;
import io.hmfs.core.FormatOptions;
import io.hmfs.core.Hmfs;
import io.hmfs.core.pmem.Backing;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a pool that is made anew shows nothing of the pool that was in its place: neither by its data directory, nor by ids, nor by grants.
 * Method: real servers and clients; the second pool is made beside what the first has left.
 */
@Timeout(120)
class NewPoolTest {
    private static final CreateOptions PLAIN = new CreateOptions(0600, false, false, 0755);

    @TempDir
    private Path directory;

    private static void format(ServerFixture fixture) throws IOException {
        Hmfs.format(fixture.pool, new FormatOptions(FormatOptions.SIZE_MIN, Backing.MAPPED, true));
    }

    private static FileInfo fileOf(HmfsClient client, String path, String text) throws IOException {
        return LeasedFiles.of(client, path, PLAIN, text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void theDataOfTheOldOneIsRefused() throws IOException {
        try (ServerFixture fixture = new ServerFixture(directory)) {
            try (HmfsClient client = fixture.client()) {
                fileOf(client, "/f", "secret");
            }
            fixture.restart(); // its own directory is taken again
            fixture.server().close();
            format(fixture);
            IOException refused = assertThrows(IOException.class, () -> HmfsServer.start(fixture.config()));
            assertTrue(String.valueOf(refused.getMessage()).contains("is of cluster"), refused.getMessage());
            Files.delete(fixture.dataDirectory().resolve("cluster")); // as of an older HMFS
            refused = assertThrows(IOException.class, () -> HmfsServer.start(fixture.config()));
            assertTrue(String.valueOf(refused.getMessage()).contains("no file 'cluster'"), refused.getMessage());
        }
    }

    @Test
    void idsAndGrantsAreOthers() throws IOException {
        try (ServerFixture fixture = new ServerFixture(directory)) {
            FileInfo old;
            Grant grant;
            try (HmfsClient alice = fixture.client();
                    HmfsClient bob = fixture.client("bob")) {
                alice.mkdir("/open", 0777, false);
                old = fileOf(alice, "/f", "secret");
                bob.create("/open/of-bob", PLAIN);
                grant = bob.open("/open/of-bob", true, false).grant();
            }
            fixture.server().close();
            Files.move(fixture.dataDirectory(), directory.resolve("away"));
            format(fixture);
            fixture.restart();
            try (HmfsClient alice = fixture.client();
                    HmfsClient bob = fixture.client("bob")) {
                FileInfo fresh = fileOf(alice, "/f", "public");
                assertTrue(fresh.id() > old.id() + 1, () -> fresh.id() + " after " + old.id()); // of-bob has the next
                CompletionException denied = assertThrows(
                        CompletionException.class,
                        () -> bob.readBlockAsync(grant, old.id() + 1, 0, 0, new byte[6], 0, 6)
                                .join());
                assertEquals(
                        ResultCode.ACCESS_DENIED,
                        assertInstanceOf(HmfsException.class, denied.getCause()).code());
            }
        }
    }
}
