package io.hmfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hmfs.client.ClientOptions;
import io.hmfs.client.CreateOptions;
import io.hmfs.client.HmfsClient;
import io.hmfs.client.HmfsException;
import io.hmfs.client.OpenedFile;
import io.hmfs.client.ResultCode;
import io.hmfs.server.setting.ServerSetting;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Goal: no lease outlives its file. Method: files that are written and go in each way that there is; the server's own count. */
@Timeout(300)
class LeaseEndsTest {
    private static final CreateOptions PLAIN = new CreateOptions(0644, false, true, 0755);

    @TempDir
    private Path directory;

    private static OpenedFile create(HmfsClient client, String path) throws IOException {
        return client.createAndOpen(path, PLAIN.leased(client.leases().next()));
    }

    private static long leases(HmfsClient client) throws IOException {
        return client.metrics()
                .lines()
                .filter(line -> line.startsWith("hmfs_leases "))
                .mapToLong(line -> (long) Double.parseDouble(line.substring(line.lastIndexOf(' '))))
                .sum();
    }

    /** The server tells what was so a moment ago. */
    private static void assertLeases(long expected, HmfsClient client) throws Exception {
        Await.until(expected + " leases", () -> leases(client) == expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {"builtin", "file:///elsewhere"})
    void aFileThatGoesTakesItsLeaseWithIt(String dataStore) throws Exception {
        try (ServerFixture server =
                        new ServerFixture(directory, config -> config.set(ServerSetting.DATA_STORE, dataStore));
                HmfsClient client = server.client()) {
            OpenedFile deleted = create(client, "/deleted");
            create(client, "/replaced");
            create(client, "/target");
            create(client, "/source");
            assertLeases(4, client);
            client.delete("/deleted");
            assertLeases(3, client);
            client.create("/replaced", new CreateOptions(0644, true, false, 0755));
            assertLeases(2, client);
            client.rename("/source", "/target", true);
            assertLeases(1, client);
            client.delete("/target");
            assertLeases(0, client);
            HmfsException lost =
                    assertThrows(HmfsException.class, () -> client.append(deleted.info(), 3, deleted.grant(), false));
            assertEquals(ResultCode.LEASE_LOST, lost.code());
            List<CompletableFuture<Void>> all = new ArrayList<>();
            for (int i = 0; i < 500; i++) {
                create(client, "/many" + i);
            }
            assertLeases(500, client);
            for (int i = 0; i < 500; i++) {
                all.add(client.deleteAsync("/many" + i));
            }
            CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).get();
            assertLeases(0, client);
        }
    }

    @Test
    void aTreeThatGoesTakesTheLeasesBelowWithIt() throws Exception {
        try (ServerFixture server = new ServerFixture(directory);
                HmfsClient client = server.client()) {
            for (int i = 0; i < 100; i++) {
                create(client, "/tree/d" + i % 7 + "/f" + i);
            }
            create(client, "/kept");
            assertLeases(101, client);
            client.trees().remove("/tree");
            assertLeases(1, client);
        }
    }

    /** Its client goes on to renew: it has other files. */
    @Test
    void aLeaseThatEndsWhileTheServerIsAwayEndsWhenItIsBack() throws Exception {
        ClientOptions impatient = new ClientOptions(
                "alice",
                Duration.ofSeconds(60),
                Duration.ofMillis(500),
                64,
                Duration.ofMillis(1),
                Duration.ofMillis(1));
        try (ServerFixture server = new ServerFixture(directory);
                HmfsClient client = server.client(impatient)) {
            OpenedFile closed = create(client, "/closed");
            client.leases().begun();
            create(client, "/open");
            client.leases().begun();
            server.server().close();
            assertThrows(
                    ExecutionException.class,
                    () -> client.leases()
                            .end(closed.info().id(), closed.grant())
                            .get());
            server.restart();
            try (HmfsClient other = server.client()) {
                assertFalse(other.leases().isClosed("/closed"), "no client knows yet");
                Await.until("it is closed", () -> other.leases().isClosed("/closed"));
                assertFalse(other.leases().isClosed("/open"));
            }
        }
    }
}
