package io.hmfs.core;

import io.hmfs.core.sim.ReferenceNamespace;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.FileType;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** Draws the operations of a {@link Simulation}: on few names, in directories that it knows, some of which are gone. */
final class SimulatedChoice {
    private static final long ROOT = Namespace.ROOT_ID;
    private static final int OBJECTS = 60;
    private static final String[] NAMES = {"a", "b", "c", "d", "e", "f", "n".repeat(64), "n".repeat(65), "m".repeat(255)
    };

    private final Random random;
    private final Attributes out;
    private final List<Long> known = new ArrayList<>(List.of(ROOT));

    /** The operations write what they find to {@code out}. */
    SimulatedChoice(Random random, Attributes out) {
        this.random = random;
        this.out = out;
    }

    /** From now on a directory like others. */
    void know(long directory) {
        known.add(directory);
    }

    /** Those known, for a look only. */
    List<Long> directories() {
        return Collections.unmodifiableList(known);
    }

    static List<String> names() {
        return List.of(NAMES);
    }

    /** A story with the long names cut short. */
    static String told(String text) {
        return text.replace(NAMES[6], "n64").replace(NAMES[7], "n65").replace(NAMES[8], "m255");
    }

    /** An operation on what the model shows, or does not. */
    Step next(ReferenceNamespace model) {
        if (known.size() > 12) {
            known.removeIf(id -> id != ROOT && (!model.hasDirectory(id) && random.nextInt(3) > 0));
        }
        boolean crowded = model.size() > OBJECTS;
        if (random.nextInt(20) == 0) {
            return sweep(directory());
        }
        int what = random.nextInt(115);
        if (what >= 100) {
            long d = directory();
            boolean make = what < 103 && !crowded;
            return make ? ChainSteps.symlink(random, d, name(), out) : ChainSteps.change(random, d, nameIn(model, d));
        }
        return what < 50
                ? change(model, what, crowded)
                : what < 58 ? link(model) : what < 72 ? rename(model) : attribute(model, what);
    }

    private long directory() {
        return known.get(random.nextInt(known.size()));
    }

    private String name() {
        return NAMES[random.nextInt(NAMES.length)];
    }

    /** More often than not one that is there. */
    private String nameIn(ReferenceNamespace model, long directory) {
        String name = name();
        for (int tries = 0; tries < 3 && model.child(directory, name) == null; tries++) {
            name = name();
        }
        return name;
    }

    private Step sweep(long d) {
        return new Step(
                "sweep " + d,
                e -> {
                    e.sweep(d);
                    return Status.OK;
                },
                (_, _) -> Status.OK,
                false);
    }

    private Step change(ReferenceNamespace model, int what, boolean crowded) {
        long d = directory();
        String n = what < 28 ? name() : nameIn(model, d);
        Name name = Name.of(n);
        int mode = random.nextInt(010000);
        int owner = random.nextInt(100);
        String at = " " + d + " " + n + " ";
        if (what < 20 && !crowded) {
            return new Step(
                    "create" + at,
                    e -> e.create(d, name, mode, owner, owner, out),
                    (m, id) -> m.make(FileType.FILE, d, n, mode, owner, owner, id),
                    true);
        } else if (what < 28 && !crowded) {
            return new Step(
                    "mkdir" + at,
                    e -> e.mkdir(d, name, mode, owner, owner, out),
                    (m, id) -> m.make(FileType.DIRECTORY, d, n, mode, owner, owner, id),
                    true);
        } else if (what < 42) {
            return new Step("delete" + at, e -> e.delete(d, name, out), (m, id) -> m.delete(d, n), false);
        }
        return new Step("rmdir" + at, e -> e.rmdir(d, name), (m, id) -> m.rmdir(d, n), false);
    }

    private Step link(ReferenceNamespace model) {
        long d = directory();
        long to = directory();
        String n = nameIn(model, d);
        String newName = name();
        Name name = Name.of(n);
        Name target = Name.of(newName);
        return new Step(
                "link " + d + " " + n + " as " + to + " " + newName,
                e -> e.link(d, name, to, target, out),
                (m, id) -> m.link(d, n, to, newName),
                false);
    }

    private Step rename(ReferenceNamespace model) {
        long d = directory();
        long to = random.nextInt(3) == 0 ? d : directory();
        String n = nameIn(model, d);
        String newName = name();
        boolean replace = random.nextInt(4) > 0;
        Name name = Name.of(n);
        Name target = Name.of(newName);
        Attributes replaced = new Attributes();
        return new Step(
                "rename " + d + " " + n + " to " + to + " " + newName + (replace ? " replacing" : ""),
                e -> e.rename(d, name, to, target, replace, replaced),
                (m, id) -> m.rename(d, n, to, newName, replace),
                false);
    }

    private Step attribute(ReferenceNamespace model, int what) {
        long d = directory();
        String n = nameIn(model, d);
        Name name = Name.of(n);
        long size = random.nextInt(1000) - 1L;
        int value = random.nextInt(0100000);
        String at = " " + d + " " + n + " " + value + " " + size;
        ReferenceNamespace.Node node = model.child(d, n);
        long id = node == null ? 7 : node.id;
        boolean isFile = node != null && node.type == FileType.FILE;
        return switch (what % 8) {
            case 0 -> new Step("chmod" + at, e -> e.chmod(d, name, value), (m, _) -> m.chmod(d, n, value), false);
            case 1 ->
                new Step("chown" + at, e -> e.chown(d, name, value, -1), (m, _) -> m.chown(d, n, value, -1), false);
            case 2 ->
                new Step(
                        "append" + at + " to " + id,
                        e -> e.append(d, name, id, size),
                        (m, _) -> m.append(d, n, id, size),
                        false);
            case 3 ->
                new Step("truncate" + at, e -> e.truncate(d, name, size), (m, _) -> m.truncate(d, n, size), false);
            case 4 -> Step.list(d, random);
            case 5 -> new Step("statDirectory " + d, e -> e.statDirectory(d, out), (m, _) -> m.statDirectory(d), false);
            // A directory's mtime moves with its children and with an rmdir that is undone: not modelled.
            case 6 ->
                isFile
                        ? new Step(
                                "setTimes" + at,
                                e -> e.setTimes(d, name, size, size),
                                (m, _) -> m.setMtime(d, n, size),
                                false)
                        : Step.list(d, random);
            default ->
                (value & 1) == 0
                        ? new Step("stat" + at, e -> e.stat(d, name, out), (m, _) -> m.stat(d, n), false)
                        : new Step("statAll" + at, e -> BatchedStat.of(e, d, name, out), (m, _) -> m.stat(d, n), false);
        };
    }
}
