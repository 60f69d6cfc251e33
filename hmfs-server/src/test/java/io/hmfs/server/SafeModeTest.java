package io.hmfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.client.FileInfo;
import io.hmfs.client.Grant;
import io.hmfs.client.HmfsException;
import io.hmfs.client.ListingCursor;
import io.hmfs.client.ResultCode;
import io.hmfs.client.XattrSetMode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/**
 * Goal: in safe mode every change is refused and every question answered, and only a superuser decides about it.
 * Method: a real server; each change of the client's API, alone and many at once, before, in and after safe mode.
 */
class SafeModeTest extends UsersOfOneServer {
    private Map<String, Executable> changes(FileInfo file, Grant grant) {
        Map<String, Executable> all = new LinkedHashMap<>();
        all.put("create", () -> bob.create("/home/bob/new", PLAIN));
        all.put("mkdir", () -> bob.mkdir("/home/bob/dir", 0755, true));
        all.put("symlink", () -> bob.symlink("/home/bob/link", "secret", PLAIN));
        all.put("set mode", () -> bob.chmod("/home/bob/secret", 0600));
        all.put("set owner", () -> bob.chown("/home/bob/secret", null, "engineers"));
        all.put("set times", () -> bob.setTimes("/home/bob/secret", 1, 1));
        all.put("write", () -> {
            try {
                bob.writeBlockAsync(grant, file.id(), 0, 0, new byte[] {1}, 0, 1)
                        .join();
            } catch (CompletionException e) {
                throw e.getCause();
            }
        });
        all.put("append", () -> bob.append(file, 100, grant, true));
        all.put("truncate", () -> bob.truncate("/home/bob/secret", 1));
        all.put(
                "set xattr",
                () -> bob.xattrs().set("/home/bob/secret", "user.a", new byte[1], XattrSetMode.CREATE_OR_REPLACE));
        all.put("remove xattr", () -> bob.xattrs().remove("/home/bob/secret", "user.a"));
        all.put("rename", () -> bob.rename("/home/bob/secret", "/home/bob/moved", true));
        all.put("delete", () -> bob.delete("/home/bob/moved"));
        all.put("rmdir", () -> bob.rmdir("/home/bob/dir"));
        return all;
    }

    @Test
    void everyChangeIsRefusedAndEveryQuestionAnsweredUntilItEnds() throws Throwable {
        FileInfo file = secretOfBob();
        Grant grant =
                bob.open("/home/bob/secret", true, true, bob.leases().next()).grant();
        assertFalse(admin.isInSafeMode());
        admin.setSafeMode(true);
        assertTrue(bob.isInSafeMode());
        List<FileInfo> before = admin.list("/home/bob", ListingCursor.START, 0).entries();
        for (Map.Entry<String, Executable> change : changes(file, grant).entrySet()) {
            HmfsException refused = assertThrows(HmfsException.class, change.getValue(), change.getKey());
            assertEquals(ResultCode.SAFE_MODE, refused.code(), change.getKey());
        }
        assertEquals(before, admin.list("/home/bob", ListingCursor.START, 0).entries());
        byte[] read = new byte[6];
        assertEquals(6, bob.readBlockAsync(grant, file.id(), 0, 0, read, 0, 6).join());
        assertEquals('s', read[0], "what was refused was written");
        bob.open("/home/bob/secret", true, false);
        assertEquals(Map.of(), bob.xattrs().all("/home/bob/secret"));
        admin.status();
        admin.setSafeMode(false);
        assertFalse(bob.isInSafeMode());
        for (Executable change : changes(file, grant).values()) {
            change.execute();
        }
    }

    @Test
    void manyCreatesAtOnceAreRefusedToo() throws IOException {
        bob.create("/home/bob/first", PLAIN); // from now on bob's creates join
        admin.setSafeMode(true);
        List<CompletableFuture<FileInfo>> creates = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            creates.add(bob.createAsync("/home/bob/f" + i, PLAIN));
        }
        for (CompletableFuture<FileInfo> create : creates) {
            Throwable refused =
                    assertThrows(CompletionException.class, create::join).getCause();
            assertEquals(
                    ResultCode.SAFE_MODE,
                    assertInstanceOf(HmfsException.class, refused).code());
        }
        assertEquals(
                1, admin.list("/home/bob", ListingCursor.START, 0).entries().size());
    }

    @Test
    void aUserThatIsNoSuperuserMayOnlyAsk() throws IOException {
        assertEquals(
                "Access denied for user bob. Superuser privilege is required", denied(() -> bob.setSafeMode(true)));
        assertFalse(bob.isInSafeMode());
        admin.setSafeMode(true);
        denied(() -> bob.setSafeMode(false));
        assertTrue(bob.isInSafeMode());
    }

    @Test
    void aStartOfTheServerEndsIt() throws IOException {
        admin.setSafeMode(true);
        fixture.restart();
        assertFalse(admin.isInSafeMode());
    }
}
