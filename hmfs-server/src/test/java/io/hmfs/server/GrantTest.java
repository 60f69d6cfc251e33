package io.hmfs.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hmfs.client.FileInfo;
import io.hmfs.client.Grant;
import io.hmfs.client.HmfsClient;
import io.hmfs.client.HmfsException;
import io.hmfs.client.ResultCode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/**
 * Goal: no user reads or writes data without a grant of their own for that file and that use, and a grant holds as long as it should.
 * Method: several users on one real server; grants with each bit turned, lent, moved, and older than the server's start.
 */
class GrantTest extends UsersOfOneServer {
    private static String deniedAsync(java.util.concurrent.CompletableFuture<?> reply) {
        CompletionException thrown = assertThrows(CompletionException.class, reply::join);
        HmfsException refused = assertInstanceOf(HmfsException.class, thrown.getCause());
        assertEquals(ResultCode.ACCESS_DENIED, refused.code(), refused.getMessage());
        return refused.reason();
    }

    @Test
    void dataNeedsTheGrantOfAnOpen() throws IOException {
        FileInfo file = secretOfBob();
        byte[] target = new byte[6];
        Grant reading = bob.open("/home/bob/secret", true, false).grant();
        assertEquals(
                6, bob.readBlockAsync(reading, file.id(), 0, 0, target, 0, 6).join());
        assertArrayEquals("secret".getBytes(StandardCharsets.UTF_8), target);
        deniedAsync(bob.writeBlockAsync(reading, file.id(), 0, 0, target, 0, 6));
        deniedAsync(bob.syncBlockAsync(reading, file.id(), 0));
        denied(() -> bob.append(file, 7, reading));
        Grant writing = bob.open("/home/bob/secret", false, true).grant();
        bob.writeBlockAsync(writing, file.id(), 0, 0, target, 0, 6).join();
        bob.syncBlockAsync(writing, file.id(), 0).join();
        bob.append(file, 6, writing);
        deniedAsync(bob.readBlockAsync(writing, file.id(), 0, 0, target, 0, 6));
    }

    @Test
    void grantsCannotBeForgedNorLentNorMoved() throws IOException {
        FileInfo file = secretOfBob();
        byte[] target = new byte[6];
        Grant real = bob.open("/home/bob/secret", true, false).grant();
        deniedAsync(eve.readBlockAsync(Grant.NONE, file.id(), 0, 0, target, 0, 6));
        deniedAsync(eve.readBlockAsync(real, file.id(), 0, 0, target, 0, 6)); // another user
        deniedAsync(bob.readBlockAsync(real, file.id() + 1, 0, 0, target, 0, 6)); // another file
        for (int bit = 0; bit < 64; bit++) {
            Grant grant = new Grant(real.grant() ^ 1L << bit, real.seal());
            Grant seal = new Grant(real.grant(), real.seal() ^ 1L << bit);
            deniedAsync(bob.readBlockAsync(grant, file.id(), 0, 0, target, 0, 6));
            deniedAsync(bob.readBlockAsync(seal, file.id(), 0, 0, target, 0, 6));
        }
        deniedAsync(eve.writeBlockAsync(Grant.NONE, file.id(), 0, 0, target, 0, 6));
        denied(() -> eve.append(file, 7, Grant.NONE));
    }

    @Test
    void grantsOutliveTheServerAndTheName() throws IOException {
        FileInfo file = secretOfBob();
        Grant real = bob.open("/home/bob/secret", true, false).grant();
        bob.chmod("/home/bob/secret", 0);
        bob.rename("/home/bob/secret", "/home/bob/moved", false);
        fixture.restart();
        try (HmfsClient again = fixture.client("bob")) {
            assertEquals(
                    6,
                    again.readBlockAsync(real, file.id(), 0, 0, new byte[6], 0, 6)
                            .join());
            denied(() -> again.open("/home/bob/moved", true, false));
        }
    }
}
