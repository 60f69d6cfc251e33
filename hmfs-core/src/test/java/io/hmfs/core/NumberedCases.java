package io.hmfs.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.sim.SimAcls;
import io.hmfs.core.sim.SimPoolFile;
import io.hmfs.core.sim.Values;
import io.hmfs.core.type.Acl;
import io.hmfs.core.type.AppendBatch;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Change;
import io.hmfs.core.type.ChangeOutcome;
import io.hmfs.core.type.CreateBatch;
import io.hmfs.core.type.DeleteBatch;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.core.type.XattrMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Changes that tests number, the pool that they are made in, and what its ring says of them. */
public final class NumberedCases {
    static final long NUMBER = 5;

    private static final long ROOT = Namespace.ROOT_ID;
    private static final long CLIENT = 0x77;
    private static final long USER = 0x55;

    private NumberedCases() {}

    /** A change, and what others do to its object afterwards. */
    record Case(String name, NamespaceCrashTest.Action change, List<NamespaceCrashTest.Action> others) {
        Case(String name, NamespaceCrashTest.Action change, NamespaceCrashTest.Action... others) {
            this(name, change, List.of(others));
        }

        boolean isBatched() {
            return name.equals("batched create");
        }

        @Override
        public String toString() {
            return name;
        }
    }

    private static long id(ServerNamespace n, String name) {
        Attributes out = new Attributes();
        assertEquals(Status.OK, n.stat(ROOT, Name.of(name), out));
        return out.id;
    }

    private static Status delete(ServerNamespace n, long directory, String name) {
        return n.delete(directory, Name.of(name), new Attributes());
    }

    private static Status create(ServerNamespace n, long directory, String name) {
        return n.create(directory, Name.of(name), 0600, 3, 4, new Attributes());
    }

    private static Status rename(ServerNamespace n, long from, String name, long to, String newName) {
        return n.rename(from, Name.of(name), to, Name.of(newName), true, new Attributes());
    }

    /** Frees slots and takes them again. */
    private static Status churn(ServerNamespace n) {
        for (int i = 0; i < 5; i++) {
            assertEquals(Status.OK, create(n, ROOT, "churn" + i));
        }
        for (int i = 0; i < 5; i++) {
            assertEquals(Status.OK, delete(n, ROOT, "churn" + i));
        }
        ((PoolNamespace) n).sweep(ROOT);
        return Status.OK;
    }

    private static Status createBoth(ServerNamespace n) {
        CreateBatch batch = new CreateBatch(2);
        batch.addFile(ROOT, Name.of("first"), 0644, 1, 2);
        batch.addFile(ROOT, Name.of("new"), 0644, 1, 2);
        boolean numbered = n.numbered().find(ring(n), NUMBER, new ChangeOutcome());
        assertTrue(!numbered, "it is made only where it was not executed");
        batch.change(1).set(ring(n), NUMBER);
        n.createAll(batch);
        return batch.status(1);
    }

    /** One alone: those of a batch come to be one by one. */
    private static Status deleteBatched(ServerNamespace n) {
        DeleteBatch batch = new DeleteBatch(1);
        batch.add(ROOT, Name.of("f"));
        batch.change(0).set(ring(n), NUMBER);
        n.deleteAll(batch);
        return batch.status(0);
    }

    private static Status appendBatched(ServerNamespace n) {
        AppendBatch batch = new AppendBatch(1);
        batch.add(ROOT, Name.of("f"), id(n, "f"), 4096);
        batch.change(0).set(ring(n), NUMBER);
        n.appendAll(batch);
        return batch.status(0);
    }

    static Stream<Case> cases() {
        Attributes out = new Attributes();
        return Stream.of(
                new Case(
                        "create",
                        n -> n.create(ROOT, Name.of("new"), 0644, 1, 2, out),
                        n -> rename(n, ROOT, "new", ROOT, "f"),
                        n -> delete(n, ROOT, "f"),
                        NumberedCases::churn),
                new Case(
                        "batched create", NumberedCases::createBoth, n -> delete(n, ROOT, "new"), NumberedCases::churn),
                new Case(
                        "batched delete",
                        NumberedCases::deleteBatched,
                        n -> create(n, ROOT, "f"),
                        n -> delete(n, ROOT, "f"),
                        NumberedCases::churn),
                new Case("batched append", NumberedCases::appendBatched, NumberedCases::undoSize),
                new Case(
                        "mkdir",
                        n -> n.mkdir(ROOT, Name.of("new"), 0755, 1, 2, out),
                        n -> n.rmdir(ROOT, Name.of("new")),
                        NumberedCases::churn),
                new Case(
                        "symlink",
                        n -> n.symlink(ROOT, Name.of("new"), Values.target(30, 1), 1, 2, out),
                        n -> delete(n, ROOT, "new"),
                        NumberedCases::churn),
                new Case(
                        "delete",
                        n -> delete(n, ROOT, "f"),
                        n -> create(n, ROOT, "f"),
                        n -> delete(n, ROOT, "f"),
                        NumberedCases::churn),
                new Case(
                        "delete of one of several names",
                        n -> delete(n, ROOT, "two"),
                        n -> n.link(ROOT, Name.of("one"), ROOT, Name.of("two"), out),
                        n -> delete(n, ROOT, "one")),
                new Case(
                        "rmdir",
                        n -> n.rmdir(ROOT, Name.of("empty")),
                        n -> n.mkdir(ROOT, Name.of("empty"), 0755, 1, 2, out),
                        NumberedCases::churn),
                new Case(
                        "rename",
                        n -> rename(n, ROOT, "f", id(n, "d"), "new"),
                        n -> rename(n, id(n, "d"), "new", ROOT, "f"),
                        NumberedCases::churn,
                        n -> rename(n, ROOT, "f", id(n, "d"), "new")),
                new Case(
                        "rename over a file",
                        n -> rename(n, ROOT, "f", id(n, "d"), "a"),
                        n -> rename(n, id(n, "d"), "a", ROOT, "f"),
                        NumberedCases::churn),
                new Case(
                        "rename of a directory",
                        n -> rename(n, ROOT, "d", id(n, "empty"), "new"),
                        n -> rename(n, id(n, "empty"), "new", ROOT, "d")),
                new Case(
                        "rename over a directory",
                        n -> rename(n, ROOT, "d", ROOT, "empty"),
                        n -> rename(n, ROOT, "empty", ROOT, "d")),
                new Case("append", n -> n.append(ROOT, Name.of("f"), id(n, "f"), 4096), NumberedCases::undoSize),
                new Case("truncate", n -> n.truncate(ROOT, Name.of("f"), 1), NumberedCases::undoSize),
                new Case(
                        "truncate by one of several names",
                        n -> n.truncate(ROOT, Name.of("two"), 1),
                        n -> delete(n, ROOT, "two"),
                        n -> delete(n, ROOT, "one")),
                new Case(
                        "times",
                        n -> n.setTimes(ROOT, Name.of("f"), 77, 66),
                        n -> n.setTimes(ROOT, Name.of("f"), 5, Namespace.KEEP),
                        n -> rename(n, ROOT, "f", id(n, "d"), "new")),
                new Case(
                        "time of access",
                        n -> n.setTimes(ROOT, Name.of("f"), Namespace.KEEP, 66),
                        n -> n.link(ROOT, Name.of("f"), ROOT, Name.of("other"), out),
                        n -> n.setTimes(ROOT, Name.of("f"), Namespace.KEEP, 7)),
                new Case(
                        "times by one of several names",
                        n -> n.setTimes(ROOT, Name.of("two"), 77, 66),
                        n -> n.setTimes(ROOT, Name.of("one"), 5, 6),
                        n -> delete(n, ROOT, "two"),
                        n -> delete(n, ROOT, "one"),
                        NumberedCases::churn),
                new Case(
                        "first attribute",
                        n -> setXattr(n, "f", "user.first", 10),
                        n -> n.removeXattr(ROOT, Name.of("f"), Name.of("user.first")),
                        n -> n.link(ROOT, Name.of("f"), ROOT, Name.of("other"), out),
                        n -> setXattr(n, "f", "user.first", 1)),
                new Case(
                        "attribute more",
                        n -> setXattr(n, "a one", "user.b", 10),
                        n -> n.removeXattr(ROOT, Name.of("a one"), Name.of("user.b")),
                        n -> n.removeXattr(ROOT, Name.of("a one"), Name.of("user.a")),
                        n -> setXattr(n, "a one", "user.a", 10),
                        n -> delete(n, ROOT, "a one"),
                        NumberedCases::churn),
                new Case(
                        "last attribute removed",
                        n -> n.removeXattr(ROOT, Name.of("a one"), Name.of("user.a")),
                        n -> setXattr(n, "a one", "user.a", 10),
                        n -> rename(n, ROOT, "a one", id(n, "d"), "new"),
                        NumberedCases::churn),
                new Case(
                        "attribute by one of several names",
                        n -> setXattr(n, "two", "user.a", 700),
                        n -> n.chmod(ROOT, Name.of("one"), 0600),
                        n -> n.removeXattr(ROOT, Name.of("one"), Name.of("user.a")),
                        n -> delete(n, ROOT, "two"),
                        n -> delete(n, ROOT, "one"),
                        NumberedCases::churn),
                new Case(
                        "ACL",
                        n -> n.changeAcl(ROOT, Name.of("f"), SimAcls.set(0660, SimAcls.of(2, false, 1))),
                        n -> n.chmod(ROOT, Name.of("f"), 0640),
                        n -> n.changeAcl(ROOT, Name.of("f"), SimAcls.set(0600, Acl.NONE)),
                        n -> delete(n, ROOT, "f")),
                new Case(
                        "attribute beside an ACL",
                        n -> setXattr(n, "f", "user.a", 10),
                        n -> n.changeAcl(ROOT, Name.of("f"), SimAcls.set(0660, SimAcls.of(2, false, 1))),
                        n -> n.removeXattr(ROOT, Name.of("f"), Name.of("user.a"))),
                new Case("chmod", n -> n.chmod(ROOT, Name.of("f"), 0644), n -> n.chmod(ROOT, Name.of("f"), 0640)),
                new Case(
                        "chown",
                        n -> n.chown(ROOT, Name.of("d"), 7, 8),
                        n -> n.chown(ROOT, Name.of("d"), 0, 0),
                        n -> rename(n, ROOT, "d", id(n, "empty"), "new")));
    }

    private static Status setXattr(ServerNamespace n, String name, String attribute, int length) {
        return n.setXattr(ROOT, Name.of(name), Name.of(attribute), new byte[length], XattrMode.CREATE_OR_REPLACE);
    }

    private static Status undoSize(ServerNamespace n) {
        assertEquals(Status.OK, n.truncate(ROOT, Name.of("f"), 100));
        return delete(n, ROOT, "f");
    }

    static SimPoolFile prepare() {
        SimPoolFile file = FreshPool.repeatable(128 << 10, 10);
        PoolNamespace n = open(file);
        Attributes out = new Attributes();
        assertEquals(Status.OK, n.mkdir(ROOT, Name.of("d"), 0755, 0, 0, out));
        assertEquals(Status.OK, create(n, out.id, "a"));
        assertEquals(Status.OK, n.mkdir(ROOT, Name.of("empty"), 0755, 0, 0, out));
        assertEquals(Status.OK, create(n, ROOT, "one"));
        assertEquals(Status.OK, n.link(ROOT, Name.of("one"), ROOT, Name.of("two"), out));
        assertEquals(Status.OK, create(n, ROOT, "a one"));
        assertEquals(Status.OK, setXattr(n, "a one", "user.a", 20));
        assertEquals(Status.OK, create(n, ROOT, "f"));
        assertEquals(Status.OK, n.append(ROOT, Name.of("f"), id(n, "f"), 100));
        // The ring was another client's before, and what that client did under this number is known to be executed.
        Change change = new Change();
        change.set(n.numbered().hold(CLIENT + 1, USER, 1, NumberedChanges.From.ANYBODY), NUMBER);
        assertEquals(Status.OK, create(NumberedNamespace.of(n, change), ROOT, "early"));
        n.close();
        file = file.killed();
        n = open(file);
        assertEquals(List.of(), read(n));
        n.close();
        return file.killed();
    }

    static PoolNamespace open(SimPoolFile file) {
        return new PoolNamespace("sim", file, false);
    }

    static long ring(ServerNamespace n) {
        return n.numbered().hold(CLIENT, USER, 1, NumberedChanges.From.ANYBODY);
    }

    public static Status numbered(ServerNamespace n, NamespaceCrashTest.Action change) {
        Change numbered = new Change();
        numbered.set(ring(n), NUMBER);
        return change.on(NumberedNamespace.of(n, numbered));
    }

    public static List<Long> read(ServerNamespace n) {
        List<Long> numbers = new ArrayList<>();
        n.numbered().read(ring(n), numbers::add);
        return numbers;
    }

    /** What the namespace shows, with the times of access that changes here set. */
    static Map<String, String> shown(ServerNamespace n) {
        Map<String, String> shown = Snapshot.of(n);
        Attributes out = new Attributes();
        for (String name : List.of("f", "two")) {
            if (n.stat(ROOT, Name.of(name), out) == Status.OK && out.atimeNanos < Snapshot.SET_BY_A_TEST) {
                shown.merge("/" + name, " atime=" + out.atimeNanos, String::concat);
            }
        }
        return shown;
    }
}
