package io.hmfs.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hmfs.client.CreateOptions;
import io.hmfs.client.FileInfo;
import io.hmfs.client.Grant;
import io.hmfs.client.HmfsClient;
import io.hmfs.client.HmfsException;
import io.hmfs.client.OpenedFile;
import io.hmfs.client.ResultCode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/**
 * Goal: no user reads or writes data without a grant of their own for that file and that use, and a grant holds as long as it should.
 * Method: several users on one real server; grants with each bit turned, lent, moved, and older than the server's start.
 */
class GrantTest extends UsersOfOneServer {
    private static String deniedAsync(CompletableFuture<?> reply) {
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
        Grant writing = LeasedFiles.append(bob, "/home/bob/secret").grant();
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

    private static CompletableFuture<Void> write(HmfsClient client, OpenedFile file, int length) {
        return client.writeBlockAsync(file.grant(), file.info().id(), 0, 0, new byte[length], 0, length);
    }

    private static void code(ResultCode expected, CompletableFuture<?> reply) {
        CompletionException thrown = assertThrows(CompletionException.class, reply::join);
        HmfsException refused = assertInstanceOf(HmfsException.class, thrown.getCause());
        assertEquals(expected, refused.code(), refused.getMessage());
    }

    private void assertSecret(FileInfo file) throws IOException {
        byte[] text = new byte[6];
        assertEquals(6, admin.readBlock(file.id(), 0, 0, text, 0, 6));
        assertArrayEquals("secret".getBytes(StandardCharsets.UTF_8), text);
        assertEquals(6, admin.statAsync("/home/bob/secret").join().size());
    }

    @Test
    void aFormerOwnerWritesNothingMoreAlsoAfterARestart() throws IOException {
        FileInfo file = secretOfBob();
        OpenedFile writing = LeasedFiles.append(bob, "/home/bob/secret");
        Grant reading = bob.open("/home/bob/secret", true, false).grant();
        admin.chown("/home/bob/secret", "alice", null);
        admin.chmod("/home/bob/secret", 0400);
        for (int start = 0; start < 2; start++) {
            deniedAsync(write(bob, writing, 6));
            deniedAsync(bob.syncBlockAsync(writing.grant(), file.id(), 0));
            denied(() -> bob.append(file, 7, writing.grant()));
            deniedAsync(bob.readBlockAsync(reading, file.id(), 0, 0, new byte[6], 0, 6));
            assertSecret(file);
            fixture.restart();
        }
    }

    /** The three ways in which a right of others may go. */
    @Test
    void aGrantEndsWithWhatMayTakeTheRightAway() throws IOException {
        FileInfo file = secretOfBob();
        Map<String, Executable> ends = Map.of(
                "mode", () -> bob.chmod("/home/bob/secret", 0644),
                "group", () -> admin.chown("/home/bob/secret", null, "others"),
                "list", () -> bob.acls().set("/home/bob/secret", List.of("user::rw-", "group::rw-", "other::r--")));
        for (Map.Entry<String, Executable> each : ends.entrySet()) {
            bob.chmod("/home/bob/secret", 0666);
            OpenedFile writing = LeasedFiles.append(eve, "/home/bob/secret");
            eve.syncBlockAsync(writing.grant(), file.id(), 0).join();
            assertDoesNotThrow(each.getValue());
            deniedAsync(write(eve, writing, 6));
            denied(() -> eve.append(file, 7, writing.grant()));
            assertSecret(file);
            bob.leases().recover("/home/bob/secret");
        }
    }

    @Test
    void aChangeThatTakesNoRightAwayEndsNoGrant() throws IOException {
        FileInfo file = secretOfBob();
        bob.chmod("/home/bob/secret", 0666);
        OpenedFile writing = LeasedFiles.append(eve, "/home/bob/secret");
        bob.chmod("/home/bob/secret", 0777);
        bob.chmod("/home/bob/secret", 0666); // x is nothing that a grant is for
        admin.chown("/home/bob/secret", "bob", null);
        bob.setTimes("/home/bob/secret", 5, 5);
        bob.rename("/home/bob/secret", "/home/bob/moved", false);
        write(eve, writing, 6).join();
        eve.append(bob.stat("/home/bob/moved"), 7, writing.grant());
        assertEquals(file.id(), bob.stat("/home/bob/moved").id());
    }

    /** The owner can give itself the right at any time, and makes files that others only read. */
    @Test
    void anOwnersGrantOutlivesItsModeTheNameAndTheServer() throws IOException {
        CreateOptions readOnly = new CreateOptions(0444, false, false, 0755);
        OpenedFile made = LeasedFiles.create(bob, "/home/bob/f", readOnly);
        Grant reading = bob.open("/home/bob/f", true, false).grant();
        write(bob, made, 6).join();
        bob.chmod("/home/bob/f", 0);
        fixture.restart();
        bob.rename("/home/bob/f", "/home/bob/moved", false);
        write(bob, made, 6).join();
        bob.append(bob.stat("/home/bob/moved"), 6, made.grant());
        assertEquals(
                6,
                bob.readBlockAsync(reading, made.info().id(), 0, 0, new byte[6], 0, 6)
                        .join());
        denied(() -> bob.open("/home/bob/moved", true, false));
    }

    @Test
    void bytesAreWrittenUnderALeaseOnly() throws IOException {
        FileInfo file = secretOfBob();
        Grant unleased = bob.open("/home/bob/secret", false, true).grant();
        code(ResultCode.LEASE_LOST, bob.writeBlockAsync(unleased, file.id(), 0, 0, new byte[6], 0, 6));
        code(ResultCode.LEASE_LOST, admin.writeBlockAsync(Grant.NONE, file.id(), 0, 0, new byte[6], 0, 6));
        OpenedFile writing = LeasedFiles.append(bob, "/home/bob/secret");
        code(ResultCode.LEASE_LOST, bob.writeBlockAsync(unleased, file.id(), 0, 0, new byte[6], 0, 6));
        code(ResultCode.LEASED, bob.appendAsync(file, 7, unleased));
        code(ResultCode.LEASED, admin.appendAsync(file, 7, Grant.NONE));
        Grant foreign =
                new Grant(unleased.grant(), unleased.seal(), writing.grant().lease() + 1);
        code(ResultCode.LEASE_LOST, bob.appendAsync(file, 7, foreign));
        assertSecret(file);
        bob.append(file, 6, writing.grant(), true);
        admin.append(file, 7); // nobody writes it
        assertEquals(7, bob.stat("/home/bob/secret").size());
    }

    /** Whoever recovers a file relies on its size. */
    @Test
    void aRecoveryEndsGrantsToWrite() throws IOException {
        FileInfo file = secretOfBob();
        OpenedFile writing = LeasedFiles.append(bob, "/home/bob/secret");
        Grant reading = bob.open("/home/bob/secret", true, false).grant();
        admin.leases().recover("/home/bob/secret");
        Grant unleased = new Grant(writing.grant().grant(), writing.grant().seal());
        denied(() -> bob.append(file, 7, unleased));
        fixture.restart();
        denied(() -> bob.append(file, 7, unleased));
        bob.readBlockAsync(reading, file.id(), 0, 0, new byte[6], 0, 6).join();
        bob.append(file, 7, LeasedFiles.append(bob, "/home/bob/secret").grant(), true);
    }
}
