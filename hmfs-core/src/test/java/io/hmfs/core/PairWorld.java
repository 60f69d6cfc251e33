package io.hmfs.core;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hmfs.core.History.Call;
import io.hmfs.core.sim.ReferenceNamespace;
import io.hmfs.core.sim.SimPoolFile;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.FileType;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * A small tree, in a pool and in the model, and what two threads may do in it.
 */
final class PairWorld {
    private static final long REGION = 16 << 10;

    /** A recovery reads them all, so no more than what two operations need. */
    private static final int REGIONS = 8;

    /** What one of the two does; made anew for each run. */
    record Kind(String verb, String directory, String name, String target, String newName) {
        @Override
        public String toString() {
            return verb + " " + directory + "/" + name + (newName.isEmpty() ? "" : " " + target + "/" + newName);
        }
    }

    static final List<Kind> KINDS = List.of(
            new Kind("create", "p", "c", "", ""),
            new Kind("create", "s", "c", "", ""),
            new Kind("mkdir", "p", "c", "", ""),
            new Kind("createAll", "p", "c", "", "e"),
            new Kind("createAll", "s", "c", "", "e"),
            new Kind("delete", "p", "a", "", ""),
            new Kind("delete", "p", "b", "", ""),
            new Kind("rmdir", "p", "s", "", ""),
            new Kind("rename", "p", "a", "p", "c"),
            new Kind("rename", "p", "a", "p", "b"),
            new Kind("rename", "p", "b", "q", "y"),
            new Kind("rename", "q", "x", "p", "c"),
            new Kind("rename", "q", "x", "s", "c"),
            new Kind("rename", "p", "s", "p", "c"),
            new Kind("rename", "p", "s", "q", "y"),
            new Kind("chmod", "p", "a", "", ""),
            new Kind("append", "p", "a", "", ""),
            new Kind("truncate", "p", "b", "", ""),
            new Kind("times", "p", "b", "", ""),
            new Kind("list", "p", "a", "", ""),
            new Kind("stat", "p", "b", "", ""),
            new Kind("statAll", "p", "b", "", ""),
            new Kind("sweep", "p", "a", "", ""),
            new Kind("link", "p", "b", "q", "y"),
            new Kind("link", "q", "n", "p", "c"),
            new Kind("delete", "p", "m", "", ""),
            new Kind("delete", "q", "n", "", ""),
            new Kind("rename", "p", "m", "q", "y"),
            new Kind("rename", "q", "x", "q", "n"));

    private final SimPoolFile prepared;
    private final ReferenceNamespace model = new ReferenceNamespace();
    private final Map<String, Long> ids = new TreeMap<>();

    PairWorld() {
        SimPoolFile file = FreshPool.repeatable(REGION, REGIONS);
        PoolNamespace n = new PoolNamespace("sim", file, false);
        ids.put("/", Namespace.ROOT_ID);
        make(n, FileType.DIRECTORY, "/", "p", 01001);
        make(n, FileType.DIRECTORY, "/", "q", 01002);
        for (String name : List.of("dead1", "a", "dead2", "b", "dead3")) {
            make(n, FileType.FILE, "p", name, 01003 + name.charAt(0));
        }
        make(n, FileType.DIRECTORY, "p", "s", 01005);
        make(n, FileType.FILE, "q", "x", 01006);
        make(n, FileType.FILE, "p", "m", 01007);
        assertEquals(Status.OK, n.link(id("p"), Name.of("m"), id("q"), Name.of("n"), new Attributes()));
        assertEquals(Status.OK, model.link(id("p"), "m", id("q"), "n"));
        make(n, FileType.FILE, "p", "dead4", 01010); // at the head of the list
        for (String name : List.of("dead1", "dead2", "dead3", "dead4")) {
            assertEquals(Status.OK, n.delete(id("p"), Name.of(name), new Attributes()));
            assertEquals(Status.OK, model.delete(id("p"), name));
        }
        n.close();
        prepared = file.killed();
    }

    private long id(String directory) {
        return directory.isEmpty() ? 0 : Objects.requireNonNull(ids.get(directory));
    }

    private void make(PoolNamespace n, FileType type, String in, String name, int mode) {
        Attributes out = new Attributes();
        long directory = id(in);
        Name named = Name.of(name);
        Status status = type == FileType.FILE
                ? n.create(directory, named, mode, 0, 0, out)
                : n.mkdir(directory, named, mode, 0, 0, out);
        assertEquals(Status.OK, status);
        assertEquals(Status.OK, model.make(type, directory, name, mode, 0, 0, out.id));
        ids.put(name, out.id);
    }

    /** The pool, a copy of its own. */
    SimPoolFile pool() {
        return prepared.killed();
    }

    /** The model, a copy of its own. */
    ReferenceNamespace model() {
        return new ReferenceNamespace(model);
    }

    Call call(Kind kind, int number) {
        long target = kind.verb().equals("append") ? id(kind.name()) : id(kind.target());
        return new Call(kind.verb(), id(kind.directory()), kind.name(), target, kind.newName(), number);
    }
}
