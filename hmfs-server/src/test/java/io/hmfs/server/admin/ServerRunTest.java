package io.hmfs.server.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hmfs.client.ClientOptions;
import io.hmfs.client.HmfsClient;
import io.hmfs.client.ListingCursor;
import io.hmfs.core.FormatOptions;
import io.hmfs.core.Hmfs;
import io.hmfs.core.pmem.PoolFile;
import io.hmfs.server.HmfsServer;
import io.hmfs.server.ServerConfig;
import io.hmfs.server.setting.ServerSetting;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: the exit code of a server's process tells how the server has ended.
 * Method: what a signal runs, on a server that serves, and on one that fails because its pool is written over under it.
 */
@Timeout(60)
class ServerRunTest {
    @TempDir
    private Path directory = Path.of("");

    private Path pool() throws IOException {
        Path pool = directory.resolve("p.pool");
        Hmfs.format(pool, FormatOptions.ofSize(FormatOptions.SIZE_MIN));
        return pool;
    }

    @Test
    void aSignalEndsAServerWithSuccess() throws IOException {
        HmfsServer server = HmfsServer.start(
                ServerConfig.builder(pool()).set(ServerSetting.PORT, 0).build());
        assertEquals(0, ServerRun.end(server));
    }

    @Test
    void aSignalOnTopOfAFailureDoesNotHideIt() throws Exception {
        Path pool = pool();
        HmfsServer server = HmfsServer.start(
                ServerConfig.builder(pool).set(ServerSetting.PORT, 0).build());
        CompletableFuture<?> asked;
        try (HmfsClient client =
                HmfsClient.connect("127.0.0.1", server.address().getPort(), ClientOptions.defaults())) {
            writeOver(pool);
            asked = client.listAsync("/", ListingCursor.START, 0); // the client would wait for another server
            assertEquals(HmfsServer.EXIT_FAILED, server.awaitStop());
            assertEquals(HmfsServer.EXIT_FAILED, ServerRun.end(server));
        }
        assertThrows(CompletionException.class, asked::join);
    }

    /** Nothing that stands in a region means anything then. */
    private static void writeOver(Path pool) throws IOException {
        byte[] garbage = new byte[(int) PoolFile.REGION_SIZE];
        Arrays.fill(garbage, (byte) 0x5A);
        try (FileChannel file = FileChannel.open(pool, StandardOpenOption.WRITE)) {
            for (long at = PoolFile.REGION_SIZE; at < file.size(); at += garbage.length) {
                file.write(ByteBuffer.wrap(garbage), at);
            }
        }
    }
}
