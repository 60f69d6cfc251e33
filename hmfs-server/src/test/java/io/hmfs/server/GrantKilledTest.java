package io.hmfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hmfs.client.ClientOptions;
import io.hmfs.client.CreateOptions;
import io.hmfs.client.HmfsClient;
import io.hmfs.client.HmfsException;
import io.hmfs.client.OpenedFile;
import io.hmfs.client.ResultCode;
import io.hmfs.core.pmem.Persistence;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Goal: a grant that had ended when the server was killed is not good again after the start, and one that had not is. Method: a server process
 * that is killed behind the answer to a change of the owner, with and without its machine.
 */
@Timeout(300)
class GrantKilledTest {
    private static final CreateOptions PLAIN = new CreateOptions(0644, false, false, 0755);
    private static final Duration LONG = Duration.ofSeconds(200);
    private static final Duration SOON = Duration.ofMillis(1);

    @TempDir
    private Path directory;

    private static HmfsClient client(ServerChild server, String user) throws Exception {
        return HmfsClient.connect("127.0.0.1", server.port(), new ClientOptions(user, LONG, LONG, 64, SOON, SOON));
    }

    @ParameterizedTest
    @CsvSource({"PROCESS,false", "LOGGED,false", "LOGGED,true"})
    void whatHadEndedHasEndedAndTheRestGoesOn(Persistence persistence, boolean withMachine) throws Exception {
        try (ServerChild server = ServerChild.onNewPool(directory, persistence);
                HmfsClient alice = client(server, "alice");
                HmfsClient bob = client(server, "bob")) {
            alice.mkdir("/d", 0777, false);
            OpenedFile given = LeasedFiles.create(bob, "/d/given", PLAIN);
            OpenedFile kept = LeasedFiles.create(bob, "/d/kept", PLAIN);
            alice.chown("/d/given", "alice", null);
            server.killAndRestart(withMachine);
            HmfsException refused =
                    assertThrows(HmfsException.class, () -> LeasedFiles.write(bob, given, 0, 0, new byte[3]));
            assertEquals(ResultCode.ACCESS_DENIED, refused.code(), refused.getMessage());
            refused = assertThrows(HmfsException.class, () -> LeasedFiles.close(bob, given, 3));
            assertEquals(ResultCode.ACCESS_DENIED, refused.code(), refused.getMessage());
            LeasedFiles.write(bob, kept, 0, 0, new byte[3]);
            LeasedFiles.close(bob, kept, 3);
            assertEquals(0, alice.stat("/d/given").size());
            assertEquals(3, alice.stat("/d/kept").size());
        }
    }
}
