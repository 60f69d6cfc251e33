package io.hmfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.client.CreateOptions;
import io.hmfs.client.HmfsClient;
import io.hmfs.client.HmfsException;
import io.hmfs.client.ListingCursor;
import io.hmfs.client.ResultCode;
import io.hmfs.client.TreeCursor;
import io.hmfs.client.XattrSetMode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: every operation is allowed or denied as HDFS's rules say, whichever user asks and whatever the mode bits are.
 * Method: all operations × users × bits against a real server, each outcome beside that of the rules written down plainly here.
 * The classes of a mode that must not decide have the complement of the bits of the one that must.
 */
class PermissionTableTest {
    private static final CreateOptions PLAIN = new CreateOptions(0644, false, false, 0755);
    private static final CreateOptions OVERWRITE = new CreateOptions(0644, true, false, 0755);

    private static final byte[] NO_BYTES = {};

    /** The directory p is bob's and of the group staff, in which carol is. */
    private enum Actor {
        OWNER("bob", 6),
        GROUP("carol", 3),
        OTHER("eve", 0),
        SUPER("dave", 3);

        final String user;
        final int shift;

        Actor(String user, int shift) {
            this.user = user;
            this.shift = shift;
        }
    }

    /** One cell: bits of p and of p/f for the actor, whether p is sticky, whether p/f and p/d are the actor's. */
    private record Cell(Actor actor, int directoryBits, int fileBits, boolean sticky, boolean mine) {
        boolean superuser() {
            return actor == Actor.SUPER;
        }

        boolean directory(String access) {
            return superuser() || has(directoryBits, access);
        }

        boolean file(String access) {
            return superuser() || has(fileBits, access);
        }

        boolean mayTakeAway() {
            return directory("wx") && (superuser() || !sticky || actor == Actor.OWNER || mine);
        }

        boolean owns() {
            return superuser() || mine;
        }

        private static boolean has(int bits, String access) {
            return access.chars().allMatch(each -> (bits & 4 >> "rwx".indexOf(each)) != 0);
        }

        int directoryMode() {
            return mode(directoryBits, actor.shift) | (sticky ? 01000 : 0);
        }

        int fileMode() {
            return mode(fileBits, mine ? 6 : actor == Actor.OTHER ? 0 : 3);
        }

        private static int mode(int bits, int shift) {
            return ((0777 ^ 0111 * bits) & ~(7 << shift)) | (bits << shift);
        }
    }

    @FunctionalInterface
    private interface Act {
        void by(HmfsClient client, String base) throws IOException;
    }

    @FunctionalInterface
    private interface Rule {
        boolean allows(Cell cell);
    }

    private record Operation(String name, boolean onFile, Act act, Rule rule) {}

    private static final List<Operation> OPERATIONS = List.of(
            new Operation("stat", false, (c, at) -> c.stat(at + "/p/f"), cell -> cell.directory("x")),
            new Operation(
                    "list", false, (c, at) -> c.list(at + "/p", ListingCursor.START, 0), cell -> cell.directory("rx")),
            new Operation(
                    "list many",
                    false,
                    (c, at) -> {
                        HmfsException refusal = c.listMany(List.of(at + "/p"), ListingCursor.START, 0)
                                .getFirst()
                                .refusal();
                        if (refusal != null) {
                            throw refusal;
                        }
                    },
                    cell -> cell.directory("rx")),
            new Operation(
                    "list tree",
                    false,
                    (c, at) -> c.trees().list(at + "/p", TreeCursor.START, 0),
                    cell -> cell.directory("rx")),
            new Operation("sum up", false, (c, at) -> c.trees().summary(at + "/p"), cell -> cell.directory("rx")),
            new Operation("create", false, (c, at) -> c.create(at + "/p/new", PLAIN), cell -> cell.directory("wx")),
            new Operation("mkdir", false, (c, at) -> c.mkdir(at + "/p/new", 0755, false), cell -> cell.directory("wx")),
            new Operation(
                    "mkdir -p", false, (c, at) -> c.mkdir(at + "/p/new/er", 0, true), cell -> cell.directory("wx")),
            new Operation(
                    "mkdir -p of what is there",
                    false,
                    (c, at) -> c.mkdir(at + "/p/d", 0755, true),
                    cell -> cell.directory("x")),
            new Operation("delete", false, (c, at) -> c.delete(at + "/p/f"), Cell::mayTakeAway),
            new Operation(
                    "remove tree",
                    false,
                    (c, at) -> {
                        c.mkdir(at + "/t", 0755, false);
                        c.rename(at + "/p", at + "/t/p", false); // its own: what is asked is what is below
                        c.trees().remove(at + "/t");
                    },
                    cell -> cell.directory("r") && cell.mayTakeAway()),
            new Operation("rmdir", false, (c, at) -> c.rmdir(at + "/p/d"), Cell::mayTakeAway),
            new Operation("rename from", false, (c, at) -> c.rename(at + "/p/f", at + "/y", false), Cell::mayTakeAway),
            new Operation(
                    "rename into",
                    false,
                    (c, at) -> c.rename(at + "/x", at + "/p/new", true),
                    cell -> cell.directory("wx")),
            new Operation("rename over", false, (c, at) -> c.rename(at + "/x", at + "/p/f", true), Cell::mayTakeAway),
            new Operation(
                    "chmod", false, (c, at) -> c.chmod(at + "/p/f", 0600), cell -> cell.directory("x") && cell.owns()),
            new Operation(
                    "chgrp",
                    false,
                    (c, at) -> c.chown(at + "/p/f", null, "engineers"),
                    cell -> cell.directory("x") && cell.owns() && (cell.superuser() || cell.actor == Actor.OWNER)),
            new Operation("chown", false, (c, at) -> c.chown(at + "/p/f", "eric", null), Cell::superuser),
            new Operation(
                    "list xattrs",
                    true,
                    (c, at) -> c.xattrs().list(at + "/p/f"),
                    cell -> cell.directory("x") && cell.file("r")),
            new Operation(
                    "set trusted xattr",
                    false,
                    (c, at) -> c.xattrs().set(at + "/p/f", "trusted.a", NO_BYTES, XattrSetMode.CREATE),
                    Cell::superuser),
            new Operation(
                    "set xattr of a directory",
                    false,
                    (c, at) -> c.xattrs().set(at + "/p", "user.a", NO_BYTES, XattrSetMode.CREATE),
                    cell -> cell.sticky ? cell.superuser() || cell.actor == Actor.OWNER : cell.directory("w")),
            new Operation(
                    "set xattr",
                    true,
                    (c, at) -> c.xattrs().set(at + "/p/f", "user.a", NO_BYTES, XattrSetMode.REPLACE),
                    cell -> cell.directory("x") && cell.file("w")),
            new Operation(
                    "remove xattr",
                    true,
                    (c, at) -> c.xattrs().remove(at + "/p/f", "user.a"),
                    cell -> cell.directory("x") && cell.file("w")),
            new Operation(
                    "get xattrs",
                    true,
                    (c, at) -> c.xattrs().all(at + "/p/f"),
                    cell -> cell.directory("x") && cell.file("r")),
            new Operation(
                    "get xattr",
                    true,
                    (c, at) -> c.xattrs().get(at + "/p/f", "user.a"),
                    cell -> cell.directory("x") && cell.file("r")),
            new Operation(
                    "overwrite",
                    true,
                    (c, at) -> c.create(at + "/p/f", OVERWRITE),
                    cell -> cell.mayTakeAway() && cell.file("w")),
            new Operation(
                    "set times",
                    true,
                    (c, at) -> c.setTimes(at + "/p/f", 1, 1),
                    cell -> cell.directory("x") && cell.file("w")),
            new Operation(
                    "truncate",
                    true,
                    (c, at) -> c.truncate(at + "/p/f", 0),
                    cell -> cell.directory("x") && cell.file("w")),
            new Operation(
                    "open to read",
                    true,
                    (c, at) -> c.open(at + "/p/f", true, false),
                    cell -> cell.directory("x") && cell.file("r")),
            new Operation(
                    "open to write",
                    true,
                    (c, at) -> c.open(at + "/p/f", false, true),
                    cell -> cell.directory("x") && cell.file("w")));

    @TempDir
    private Path directory;

    private int cells;

    @Test
    void everyOperationFollowsTheRules() throws IOException {
        List<String> wrong = new ArrayList<>();
        Set<String> failed = new TreeSet<>();
        try (ServerFixture fixture = new ServerFixture(directory);
                HmfsClient admin = fixture.client()) {
            Map<Actor, HmfsClient> clients = new EnumMap<>(Actor.class);
            for (Actor actor : Actor.values()) {
                clients.put(actor, fixture.client(actor.user));
            }
            for (Operation operation : OPERATIONS) {
                for (Cell cell : cells(operation.onFile)) {
                    boolean allowed =
                            isAllowed(admin, Objects.requireNonNull(clients.get(cell.actor)), operation, cell);
                    if (allowed != operation.rule.allows(cell)) {
                        failed.add(operation.name);
                        wrong.add(operation.name + " was " + (allowed ? "allowed: " : "denied: ") + cell);
                    }
                }
            }
            clients.values().forEach(HmfsClient::close);
        }
        assertEquals(Set.of(), failed, String.join("\n", wrong.subList(0, Math.min(10, wrong.size()))));
        assertTrue(cells > 1_000, cells + " cells");
    }

    private static List<Cell> cells(boolean onFile) {
        List<Cell> cells = new ArrayList<>();
        for (Actor actor : Actor.values()) {
            for (int directoryBits : onFile ? new int[] {0, 1, 3} : new int[] {0, 1, 2, 3, 4, 5, 6, 7}) {
                for (int fileBits : onFile ? new int[] {0, 1, 2, 3, 4, 5, 6, 7} : new int[] {0}) {
                    for (boolean sticky : new boolean[] {false, true}) {
                        cells.add(new Cell(actor, directoryBits, fileBits, sticky, false));
                        cells.add(new Cell(actor, directoryBits, fileBits, sticky, true));
                    }
                }
            }
        }
        return cells;
    }

    private boolean isAllowed(HmfsClient admin, HmfsClient client, Operation operation, Cell cell) throws IOException {
        String base = "/" + cells++;
        String owner = cell.mine ? cell.actor.user : "zoe";
        admin.mkdir(base, 0777, false);
        admin.mkdir(base + "/p", 0777, false);
        admin.create(base + "/x", PLAIN);
        admin.create(base + "/p/f", PLAIN);
        admin.xattrs().set(base + "/p/f", "user.a", NO_BYTES, XattrSetMode.CREATE);
        admin.mkdir(base + "/p/d", 0777, false);
        admin.chown(base + "/p/f", owner, "staff");
        admin.chown(base + "/p/d", owner, "staff");
        admin.chmod(base + "/p/f", cell.fileMode());
        admin.chown(base + "/p", "bob", "staff");
        admin.chmod(base + "/p", cell.directoryMode());
        try {
            operation.act.by(client, base);
            return true;
        } catch (HmfsException e) {
            assertEquals(ResultCode.ACCESS_DENIED, e.code(), operation.name + " of " + cell + ": " + e.getMessage());
            return false;
        }
    }
}
