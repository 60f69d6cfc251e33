package io.hmfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.client.AclInfo;
import io.hmfs.client.CreateOptions;
import io.hmfs.client.HmfsClient;
import io.hmfs.client.HmfsException;
import io.hmfs.client.ListingCursor;
import io.hmfs.client.ResultCode;
import io.hmfs.server.setting.ServerSetting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/**
 * Goal: ACLs decide which users may do what, over the wire and after a restart, and are there as soon as what they belong to. Method: several users
 * on one real server; lists drawn at random, with the rules of POSIX written down plainly beside them.
 */
class AclTest extends UsersOfOneServer {
    private static final String FILE = "/home/bob/f";
    private static final String WORK = "/home/bob/work";
    private static final int LISTS = 250;

    private static HmfsException refused(ResultCode code, Executable call) {
        HmfsException thrown = assertThrows(HmfsException.class, call);
        assertEquals(code, thrown.code(), thrown.getMessage());
        return thrown;
    }

    private static String text(AclInfo acl) {
        return Integer.toOctalString(acl.mode()) + " " + acl.owner() + ":" + acl.group() + " "
                + String.join(",", acl.entries());
    }

    @Test
    void whatIsSetIsShownAndStays() throws IOException {
        bob.create(FILE, PLAIN);
        assertFalse(bob.stat(FILE).acl());
        assertEquals("640 bob:staff ", text(bob.acls().get(FILE)));
        bob.acls().modify(FILE, List.of("user:eve:rw-", "group:engineers:r--"));
        String acl = "660 bob:staff user:eve:rw-,group::r--,group:engineers:r--";
        assertEquals(acl, text(eve.acls().get(FILE)));
        assertTrue(bob.stat(FILE).acl());
        assertEquals(
                List.of("f true"),
                bob.list("/home/bob", ListingCursor.START, 0).entries().stream()
                        .map(each -> each.name() + " " + each.acl())
                        .toList());
        fixture.restart();
        try (HmfsClient again = fixture.client("bob")) {
            assertEquals(acl, text(again.acls().get(FILE)));
            again.chmod(FILE, 0600);
            assertEquals(
                    "600 bob:staff user:eve:rw-,group::r--,group:engineers:r--",
                    text(again.acls().get(FILE)));
            again.acls().removeEntries(FILE, List.of("user:eve:"));
            assertEquals(
                    "640 bob:staff group::r--,group:engineers:r--",
                    text(again.acls().get(FILE)));
            again.acls().remove(FILE);
            assertEquals("640 bob:staff ", text(again.acls().get(FILE)));
            assertFalse(again.stat(FILE).acl());
        }
    }

    @Test
    void refusalsSayWhyAndLeaveNothing() throws IOException {
        bob.create(FILE, PLAIN);
        String path = " Path: " + FILE;
        assertEquals(
                "Invalid ACL: only directories may have a default ACL." + path,
                refused(ResultCode.INVALID_ACL, () -> bob.acls().modify(FILE, List.of("default:user:nobody1:rwx")))
                        .reason());
        assertEquals(
                "Invalid ACL: multiple entries with same scope, type and name." + path,
                refused(
                                ResultCode.INVALID_ACL,
                                () -> bob.acls().modify(FILE, List.of("user:nobody1:rwx", "user:nobody1:r--")))
                        .reason());
        refused(ResultCode.INVALID_ARGUMENT, () -> bob.acls().modify(FILE, List.of("user:eve:")));
        refused(ResultCode.INVALID_ARGUMENT, () -> bob.acls().modify(FILE, List.of("user:a/b:rwx")));
        refused(ResultCode.INVALID_ARGUMENT, () -> bob.acls().modify(FILE, List.of("eve:rwx")));
        refused(ResultCode.NOT_FOUND, () -> bob.acls().get(FILE + "2"));
        assertEquals(
                "Permission denied. user=eve is not the owner of inode=" + FILE,
                denied(() -> eve.acls().modify(FILE, List.of("user:nobody1:rwx"))));
        bob.symlink("/home/bob/link", "f", PLAIN);
        assertEquals(
                FILE,
                refused(ResultCode.UNRESOLVED_LINK, () -> bob.acls().modify("/home/bob/link", List.of("user:eve:r--")))
                        .reason());
        assertEquals("640 bob:staff ", text(bob.acls().get(FILE)));
        admin.mkdir("/home/bob/closed", 0700, false);
        denied(() -> bob.acls().get("/home/bob/closed/x"));
        assertEquals(
                "Permission denied: user=bob, access=EXECUTE, inode=\"/home/bob/closed\":alice:staff:drwx------",
                denied(() -> bob.acls().access("/home/bob/closed/x", 0)));
        admin.acls().modify("/home/bob/closed", List.of("user:bob:r--"));
        assertEquals(
                "Permission denied: user=bob, access=EXECUTE, inode=\"/home/bob/closed\":alice:staff:drwxr-----",
                denied(() -> bob.stat("/home/bob/closed/x")));
    }

    /** Everything that is made there has its list from the first moment, and the umask counts for nothing. */
    @Test
    void whatIsMadeInADirectoryHasItsDefaults() throws IOException {
        bob.mkdir(WORK, 0755, false);
        bob.acls().modify(WORK, List.of("default:user:eve:rwx", "default:group::r-x"));
        String directory =
                "bob:staff user:eve:rwx,group::r-x,default:user::rwx,default:user:eve:rwx,default:group::r-x,"
                        + "default:mask::rwx,default:other::r-x";
        CreateOptions masked = new CreateOptions(0600, false, false, 0700, 0666);
        bob.create(WORK + "/f", masked);
        assertEquals("664 bob:staff user:eve:rwx,group::r-x", text(bob.acls().get(WORK + "/f")));
        bob.mkdir(WORK + "/d", 0700, 0777, false);
        assertEquals("775 " + directory, text(bob.acls().get(WORK + "/d")));
        bob.mkdir(WORK + "/1/2", 0700, 0777, true);
        assertEquals("775 " + directory, text(bob.acls().get(WORK + "/1")));
        assertEquals("775 " + directory, text(bob.acls().get(WORK + "/1/2")));
        bob.create(WORK + "/3/4", new CreateOptions(0600, false, true, 0700, 0640));
        assertEquals("775 " + directory, text(bob.acls().get(WORK + "/3")));
        assertEquals("640 bob:staff user:eve:rwx,group::r-x", text(bob.acls().get(WORK + "/3/4")));
        bob.create(WORK + "/f", new CreateOptions(0600, true, false, 0700, 0777));
        assertEquals("775 bob:staff user:eve:rwx,group::r-x", text(bob.acls().get(WORK + "/f")), "over another");
        admin.create(WORK + "/d/supers", masked);
        assertEquals("664 alice:staff user:eve:rwx,group::r-x", text(bob.acls().get(WORK + "/d/supers")));
        List<CompletableFuture<?>> made = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            made.add(bob.createAsync(WORK + "/batched" + i, masked));
        }
        made.forEach(CompletableFuture::join);
        for (int i = 0; i < 50; i++) {
            assertEquals(
                    "664 bob:staff user:eve:rwx,group::r-x", text(bob.acls().get(WORK + "/batched" + i)));
        }
        bob.acls().removeDefault(WORK);
        assertFalse(bob.stat(WORK).acl());
        bob.create(WORK + "/plain", masked);
        assertEquals("600 bob:staff ", text(bob.acls().get(WORK + "/plain")));
        eve.acls().access(WORK + "/f", 6);
    }

    /** A listing does not show lists: a client that walks a tree looks at each directory that has one. */
    @Test
    void listsDecideOnWholeTreesToo() throws IOException {
        bob.mkdir(WORK + "/a/b", 0777, true);
        bob.create(WORK + "/a/b/f", PLAIN);
        assertEquals(1, eve.trees().summary(WORK).files());
        bob.acls().modify(WORK + "/a/b", List.of("user:eve:-wx"));
        assertEquals(
                "Permission denied: user=eve, access=READ_EXECUTE, inode=\"" + WORK + "/a/b\":bob:staff:drwxrwxrwx",
                denied(() -> eve.trees().summary(WORK)));
        bob.acls().modify("/home/bob", List.of("user:eve:rwx"));
        denied(() -> eve.trees().remove(WORK));
        bob.acls().modify(WORK + "/a/b", List.of("user:eve:rwx"));
        bob.acls().modify(WORK + "/a", List.of("user:eve:rwx"));
        bob.acls().modify(WORK, List.of("user:eve:rwx"));
        assertEquals(1, eve.trees().summary(WORK).files());
        eve.trees().remove(WORK);
        refused(ResultCode.NOT_FOUND, () -> bob.stat(WORK));
    }

    /** Of what a thread knows of a path, a list is a part. */
    @Test
    void aUserThatIsShutOutIsShutOutAtOnce() throws IOException {
        bob.mkdir(WORK + "/a", 0755, true);
        bob.create(WORK + "/a/f", PLAIN);
        for (int i = 0; i < 20; i++) {
            eve.stat(WORK + "/a/f");
            bob.acls().modify(WORK, List.of("user:eve:rw-"));
            denied(() -> eve.stat(WORK + "/a/f"));
            admin.stat(WORK + "/a/f");
            bob.acls().modify(WORK, List.of("user:eve:--x"));
            eve.stat(WORK + "/a/f");
            bob.chmod(WORK, 0706); // the mask takes it
            denied(() -> eve.stat(WORK + "/a/f"));
            bob.acls().remove(WORK);
            bob.chmod(WORK, 0755);
        }
    }

    /** A user, the user's groups, and what the rules say of the user. */
    private record Actor(String user, List<String> groups) {
        boolean may(String owner, String group, List<String> entries, int mask, int wanted) {
            List<Integer> ofGroups = new ArrayList<>();
            int named = -1; // of no entry
            int ofOwner = 0;
            int others = 0;
            for (String each : entries) {
                String[] parts = each.split(":", -1);
                int bits = "rwx"
                        .chars()
                        .map(l -> parts[2].indexOf(l) < 0 ? 0 : 4 >> "rwx".indexOf(l))
                        .sum();
                switch (parts[0]) {
                    case "user" -> {
                        ofOwner = parts[1].isEmpty() ? bits : ofOwner;
                        named = parts[1].equals(user) ? bits & mask : named;
                    }
                    case "group" -> {
                        if (groups.contains(parts[1].isEmpty() ? group : parts[1])) {
                            ofGroups.add(bits & mask);
                        }
                    }
                    case "other" -> others = bits;
                    default -> {}
                }
            }
            if (user.equals(owner)) {
                return (ofOwner & wanted) == wanted;
            }
            if (named >= 0) {
                return (named & wanted) == wanted;
            }
            return ofGroups.isEmpty()
                    ? (others & wanted) == wanted
                    : ofGroups.stream().anyMatch(each -> (each & wanted) == wanted);
        }
    }

    private static String bits(Random random) {
        int bits = random.nextInt(8);
        return ((bits & 4) == 0 ? "-" : "r") + ((bits & 2) == 0 ? "-" : "w") + ((bits & 1) == 0 ? "-" : "x");
    }

    @Test
    void everyListDecidesAsTheRulesSay() throws IOException {
        List<Actor> actors = List.of(
                new Actor("bob", List.of("staff", "engineers")),
                new Actor("carol", List.of("staff")),
                new Actor("eve", List.of()));
        Random random = new Random(11);
        int denied = 0;
        int allowed = 0;
        admin.mkdir("/t", 0777, false);
        admin.create("/t/f", PLAIN);
        try (HmfsClient carol = fixture.client("carol");
                HmfsClient dave = fixture.client("dave")) {
            List<HmfsClient> clients = List.of(bob, carol, eve);
            for (int i = 0; i < LISTS; i++) {
                String owner = List.of("bob", "zoe").get(random.nextInt(2));
                String group = List.of("staff", "engineers", "wheel").get(random.nextInt(3));
                admin.chown("/t/f", owner, group);
                List<String> entries = new ArrayList<>(
                        List.of("user::" + bits(random), "group::" + bits(random), "other::" + bits(random)));
                for (String each : List.of("user:bob:", "user:eve:", "user:zoe:", "group:staff:", "group:engineers:")) {
                    if (random.nextInt(3) == 0) {
                        entries.add(each + bits(random));
                    }
                }
                entries.add("mask::" + bits(random));
                admin.acls().set("/t/f", entries);
                int mask = admin.stat("/t/f").mode() >>> 3 & 7;
                for (int wanted = 0; wanted < 8; wanted++) {
                    dave.acls().access("/t/f", wanted);
                    for (int a = 0; a < actors.size(); a++) {
                        boolean may = actors.get(a).may(owner, group, entries, mask, wanted);
                        boolean was = may(clients.get(a), wanted);
                        String what = actors.get(a) + " " + wanted + " of " + owner + ":" + group + " " + entries;
                        assertEquals(may, was, what);
                        denied += was ? 0 : 1;
                        allowed += was ? 1 : 0;
                    }
                }
            }
        }
        assertTrue(denied > LISTS && allowed > LISTS, denied + " denied, " + allowed + " allowed");
    }

    private static boolean may(HmfsClient client, int wanted) throws IOException {
        boolean opens = (wanted & 1) == 0 && wanted != 0;
        try {
            client.acls().access("/t/f", wanted);
        } catch (HmfsException e) {
            assertEquals(ResultCode.ACCESS_DENIED, e.code());
            if (opens) {
                denied(() -> client.open("/t/f", (wanted & 4) != 0, (wanted & 2) != 0));
            }
            return false;
        }
        if (opens) {
            client.open("/t/f", (wanted & 4) != 0, (wanted & 2) != 0);
        }
        return true;
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
            client.acls().modify("/", List.of("user:eve:r--"));
            client.acls().removeEntries("/", List.of("user:eve:"));
            client.acls().removeDefault("/");
            client.acls().remove("/");
            client.acls().set("/", List.of("user::rwx", "group::r-x", "other::r-x"));
            client.acls().get("/");
            client.acls().access("/", 7);
            metrics = client.metrics();
        }
        List<String> told = Files.readAllLines(log).stream()
                .map(line -> line.replaceAll(".*cmd=(\\w+)\tsrc=(\\S+)\t.*status=(\\w+)", "$1 $2 $3"))
                .toList();
        assertEquals(
                List.of(
                        "modifyAclEntries / OK",
                        "removeAclEntries / OK",
                        "removeDefaultAcl / OK",
                        "removeAcl / OK",
                        "setAcl / OK",
                        "getAclStatus / OK",
                        "checkAccess / OK"),
                told);
        assertTrue(metrics.contains("modify_acl\",status=\"OK\"} 1.0\n"), metrics);
    }

    /** Two clients that change one list at once lose nothing of each other. */
    @Test
    void noneOfTwoChangesIsLost() {
        try {
            bob.create(FILE, PLAIN);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        List<CompletableFuture<Void>> both = new ArrayList<>();
        for (HmfsClient client : List.of(bob, admin)) {
            String name = client.equals(bob) ? "b" : "a";
            both.add(CompletableFuture.runAsync(() -> {
                for (int i = 0; i < 12; i++) {
                    String entry = "user:" + name + i + ":r--";
                    try {
                        client.acls().modify(FILE, List.of(entry));
                    } catch (IOException e) {
                        throw new AssertionError(e);
                    }
                }
            }));
        }
        both.forEach(CompletableFuture::join);
        try {
            assertEquals(25, bob.acls().get(FILE).entries().size());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
