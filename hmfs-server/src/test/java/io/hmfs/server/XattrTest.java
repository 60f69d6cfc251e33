package io.hmfs.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.client.HmfsClient;
import io.hmfs.client.HmfsException;
import io.hmfs.client.ResultCode;
import io.hmfs.client.XattrSetMode;
import io.hmfs.server.setting.ServerSetting;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/**
 * Goal: extended attributes over the wire are those of the engine, within their bounds, for users that may use them; each refusal says
 * why. Method: several users on one real server. Which users may do what, in all combinations: {@link PermissionTableTest}.
 */
class XattrTest extends UsersOfOneServer {
    private static final XattrSetMode ANY = XattrSetMode.CREATE_OR_REPLACE;
    private static final int VALUE_MAX = 64 << 10;

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static HmfsException refused(ResultCode code, Executable call) {
        HmfsException thrown = assertThrows(HmfsException.class, call);
        assertEquals(code, thrown.code(), thrown.getMessage());
        return thrown;
    }

    private static List<String> shown(Map<String, byte[]> attributes) {
        List<String> shown = new ArrayList<>();
        attributes.forEach((name, value) -> shown.add(name + "=" + new String(value, StandardCharsets.UTF_8)));
        return shown;
    }

    @Test
    void whatIsSetIsThereUntilItIsRemoved() throws IOException {
        bob.create("/home/bob/f", PLAIN);
        for (String path : List.of("/home/bob/f", "/home/bob")) {
            bob.xattrs().set(path, "user.a", bytes("1"), XattrSetMode.CREATE);
            bob.xattrs().set(path, "user.ä/..", bytes(""), ANY);
            bob.xattrs().set(path, "user.a", bytes("two"), XattrSetMode.REPLACE);
            assertEquals(List.of("user.ä/..", "user.a"), bob.xattrs().list(path));
            assertEquals(List.of("user.ä/..=", "user.a=two"), shown(bob.xattrs().all(path)));
            assertEquals("two", new String(bob.xattrs().get(path, "user.a"), StandardCharsets.UTF_8));
            assertEquals(
                    List.of("user.a=two", "user.ä/..="),
                    shown(bob.xattrs().get(path, List.of("user.a", "user.ä/.."))),
                    "in the order that was asked for");
            bob.xattrs().remove(path, "user.a");
            assertEquals(List.of("user.ä/.."), bob.xattrs().list(path));
        }
        fixture.restart();
        try (HmfsClient again = fixture.client("bob")) {
            assertEquals(List.of("user.ä/.."), again.xattrs().list("/home/bob/f"));
        }
    }

    @Test
    void theRootHasThemToo() throws IOException {
        admin.xattrs().set("/", "user.a", bytes("1"), ANY);
        admin.xattrs().set("/", "trusted.b", bytes("2"), ANY);
        assertEquals(List.of("user.a=1", "trusted.b=2"), shown(admin.xattrs().all("/")));
        assertEquals(List.of("user.a=1"), shown(bob.xattrs().all("/")));
        denied(() -> bob.xattrs().remove("/", "user.a"));
        admin.xattrs().remove("/", "user.a");
        assertEquals(List.of("trusted.b"), admin.xattrs().list("/"));
    }

    @Test
    void modesSayWhatMayBeThere() throws IOException {
        bob.create("/home/bob/f", PLAIN);
        refused(
                ResultCode.NO_ATTRIBUTE,
                () -> bob.xattrs().set("/home/bob/f", "user.a", bytes("1"), XattrSetMode.REPLACE));
        bob.xattrs().set("/home/bob/f", "user.a", bytes("1"), XattrSetMode.CREATE);
        refused(ResultCode.EXISTS, () -> bob.xattrs().set("/home/bob/f", "user.a", bytes("2"), XattrSetMode.CREATE));
        assertEquals(List.of("user.a=1"), shown(bob.xattrs().all("/home/bob/f")));
    }

    @Test
    void whatIsNotThereIsSaidByName() throws IOException {
        bob.create("/home/bob/f", PLAIN);
        bob.xattrs().set("/home/bob/f", "user.a", bytes("1"), ANY);
        assertEquals(
                "no extended attribute user.b",
                refused(ResultCode.NO_ATTRIBUTE, () -> bob.xattrs().get("/home/bob/f", List.of("user.a", "user.b")))
                        .reason());
        assertEquals(
                "remove extended attribute user.b of /home/bob/f: no extended attribute user.b",
                refused(ResultCode.NO_ATTRIBUTE, () -> bob.xattrs().remove("/home/bob/f", "user.b"))
                        .getMessage());
        refused(ResultCode.NOT_FOUND, () -> bob.xattrs().list("/home/bob/g"));
        refused(ResultCode.NOT_FOUND, () -> bob.xattrs().all("/home/bob/g"));
        refused(ResultCode.NOT_FOUND, () -> bob.xattrs().set("/home/bob/g", "user.a", bytes(""), ANY));
        refused(ResultCode.NOT_DIRECTORY, () -> bob.xattrs().list("/home/bob/f/g"));
    }

    @Test
    void aNamespaceSaysWhichUsersMayUseTheName() throws IOException {
        bob.create("/home/bob/f", PLAIN);
        admin.xattrs().set("/home/bob/f", "trusted.a", bytes("t"), ANY);
        bob.xattrs().set("/home/bob/f", "user.a", bytes("u"), ANY);
        assertEquals(List.of("user.a=u"), shown(bob.xattrs().all("/home/bob/f")));
        assertEquals(List.of("user.a"), bob.xattrs().list("/home/bob/f"));
        assertEquals(List.of("trusted.a", "user.a"), admin.xattrs().list("/home/bob/f"));
        String trusted = "User doesn't have permission for xattr: trusted.a (trusted. is the superuser's)";
        assertEquals(trusted, denied(() -> bob.xattrs().get("/home/bob/f", "trusted.a")));
        assertEquals(trusted, denied(() -> bob.xattrs().set("/home/bob/f", "trusted.a", bytes("x"), ANY)));
        assertEquals(trusted, denied(() -> bob.xattrs().remove("/home/bob/f", "trusted.a")));
        assertEquals(
                "User doesn't have permission for xattr: security.a (no user may use security.)",
                denied(() -> admin.xattrs().set("/home/bob/f", "security.a", bytes("x"), ANY)));
        assertEquals(
                "User doesn't have permission for xattr: system.a (no user may use system.)",
                denied(() -> admin.xattrs().get("/home/bob/f", "system.a")));
        assertEquals(
                "User doesn't have permission for xattr: raw.a (raw. is below /.reserved/raw only, which this filesystem"
                        + " does not have)",
                denied(() -> admin.xattrs().set("/home/bob/f", "raw.a", bytes("x"), ANY)));
        for (String none : List.of("a", "other.a", "User.a", ".a")) {
            assertEquals(
                    "an extended attribute's name begins with user. or trusted., not so: " + none,
                    refused(ResultCode.INVALID_ARGUMENT, () -> admin.xattrs().set("/home/bob/f", none, bytes("x"), ANY))
                            .reason());
        }
        refused(ResultCode.INVALID_NAME, () -> admin.xattrs().set("/home/bob/f", "user.", bytes("x"), ANY));
        assertEquals(List.of("trusted.a=t", "user.a=u"), shown(admin.xattrs().all("/home/bob/f")));
    }

    @Test
    void denialsReadAsThoseOfHdfs() throws IOException {
        bob.create("/home/bob/f", PLAIN);
        bob.xattrs().set("/home/bob/f", "user.a", bytes("1"), ANY);
        assertEquals(
                "Permission denied: user=eve, access=WRITE, inode=\"/home/bob/f\":bob:staff:-rw-r-----",
                denied(() -> eve.xattrs().set("/home/bob/f", "user.a", bytes("2"), ANY)));
        assertEquals(
                "Permission denied: user=eve, access=READ, inode=\"/home/bob/f\":bob:staff:-rw-r-----",
                denied(() -> eve.xattrs().all("/home/bob/f")));
        denied(() -> eve.xattrs().list("/home/bob/f"));
        admin.mkdir("/tmp", 01777, false);
        assertEquals(
                "Permission denied. user=eve is not the owner of inode=/tmp",
                denied(() -> eve.xattrs().set("/tmp", "user.a", bytes("1"), ANY)));
    }

    @Test
    void boundsAreRefusedWithOneMessage() throws IOException {
        bob.create("/home/bob/f", PLAIN);
        byte[] largest = new byte[VALUE_MAX];
        Arrays.fill(largest, (byte) 7);
        String longest = "user." + "n".repeat(250);
        bob.xattrs().set("/home/bob/f", longest, largest, ANY);
        assertArrayEquals(largest, bob.xattrs().get("/home/bob/f", longest));
        assertEquals(
                "extended attribute user.a of /home/bob/f: its value has 65537 bytes; at most 65536",
                refused(
                                ResultCode.VALUE_TOO_LARGE,
                                () -> bob.xattrs().set("/home/bob/f", "user.a", new byte[VALUE_MAX + 1], ANY))
                        .getMessage());
        assertEquals(
                "extended attribute of /home/bob/f: its name has 256 bytes; at most 255",
                refused(
                                ResultCode.NAME_TOO_LONG,
                                () -> bob.xattrs().set("/home/bob/f", longest + "n", new byte[1], ANY))
                        .getMessage());
        refused(ResultCode.INVALID_NAME, () -> bob.xattrs().set("/home/bob/f", "user.a\0b", new byte[1], ANY));
        refused(ResultCode.INVALID_NAME, () -> bob.xattrs().get("/home/bob/f", ""));
        for (int i = 0; i < 2; i++) {
            bob.xattrs().set("/home/bob/f", "user." + i, largest, ANY);
        }
        HmfsException full =
                refused(ResultCode.VALUE_TOO_LARGE, () -> bob.xattrs().set("/home/bob/f", "user.more", largest, ANY));
        assertTrue(full.reason().contains("256 KiB"), full.reason());
        assertEquals(3, bob.xattrs().all("/home/bob/f").size(), "all of them in one answer");
    }

    @Test
    void theyMoveWithTheObjectAndGoWithIt() throws IOException {
        bob.mkdir("/home/bob/d", 0755, false);
        bob.create("/home/bob/f", PLAIN);
        bob.xattrs().set("/home/bob/f", "user.a", bytes("1"), ANY);
        bob.rename("/home/bob/f", "/home/bob/d/g", false);
        assertEquals(List.of("user.a=1"), shown(bob.xattrs().all("/home/bob/d/g")));
        bob.delete("/home/bob/d/g");
        bob.create("/home/bob/d/g", PLAIN);
        assertEquals(List.of(), bob.xattrs().list("/home/bob/d/g"));
    }

    @Test
    void eachRequestHasItsAuditLineAndIsCounted() throws IOException {
        Path log = directory.resolve("audit.log");
        Path pool = Files.createDirectory(directory.resolve("audited"));
        String metrics;
        try (ServerFixture audited = new ServerFixture(
                        pool,
                        builder -> builder.set(ServerSetting.AUDIT_LOG, log)
                                .set(ServerSetting.AUDIT_LOG_SIZE, 1L << 20)
                                .set(ServerSetting.AUDIT_LOG_FILES, 2));
                HmfsClient client = audited.client()) {
            client.xattrs().set("/", "user.a", bytes("1"), ANY);
            client.xattrs().get("/", "user.a");
            client.xattrs().list("/");
            client.xattrs().remove("/", "user.a");
            assertThrows(HmfsException.class, () -> client.xattrs().remove("/", "user.a"));
            metrics = client.metrics();
        }
        List<String> told = Files.readAllLines(log).stream()
                .map(line -> line.replaceAll(".*cmd=(\\w+)\tsrc=(\\S+)\t.*status=(\\w+)", "$1 $2 $3"))
                .toList();
        assertEquals(
                List.of(
                        "setXAttr / OK",
                        "getXAttrs / OK",
                        "listXAttrs / OK",
                        "removeXAttr / OK",
                        "removeXAttr / NO_ATTRIBUTE"),
                told);
        for (String counted : List.of("set_xattr\",status=\"OK", "remove_xattr\",status=\"NO_ATTRIBUTE")) {
            assertTrue(metrics.contains(counted + "\"} 1.0\n"), counted + " in " + metrics);
        }
    }
}
