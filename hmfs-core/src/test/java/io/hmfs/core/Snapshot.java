package io.hmfs.core;

import io.hmfs.core.sim.SimAcls;
import io.hmfs.core.sim.Values;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Bytes;
import io.hmfs.core.type.ListCursor;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;

/** All that a namespace shows, as text by path; listing and stat must agree on each entry. */
public final class Snapshot {
    /** Times that tests set are small, in nanoseconds; those of the clock are not. */
    static final long SET_BY_A_TEST = 1_000_000_000L;

    private Snapshot() {}

    public static Map<String, String> of(ServerNamespace namespace) {
        Map<String, String> entries = new TreeMap<>();
        Count listed = new Count();
        collect(namespace, Namespace.ROOT_ID, "", entries, listed);
        String counted = Count.in(namespace, Namespace.ROOT_ID).toString();
        if (!counted.equals(listed.toString())) {
            throw new AssertionError("counted: " + counted + "; listed: " + listed);
        }
        return entries;
    }

    /** The same as another thread sees it, whose fences say nothing of what this one has written back. */
    static Map<String, String> byAnother(ServerNamespace namespace) {
        return CompletableFuture.supplyAsync(() -> of(namespace), task -> new Thread(task).start())
                .join();
    }

    private static void collect(
            ServerNamespace namespace, long directory, String path, Map<String, String> entries, Count all) {
        Map<String, Long> directories = new TreeMap<>();
        Attributes byName = new Attributes();
        ListCursor cursor = new ListCursor();
        Map<String, String> children = new TreeMap<>();
        Status listed = namespace.list(directory, cursor, (name, attributes) -> {
            String child = path + "/" + name;
            if (children.put(child, text(attributes)) != null) {
                throw new AssertionError(child + " is listed twice");
            }
            all.add(attributes);
            if (attributes.isDirectory()) {
                directories.put(child, attributes.id);
            }
            return true;
        });
        if (listed != Status.OK) {
            throw new AssertionError("listing of " + path + "/ says " + listed);
        }
        for (Map.Entry<String, String> child : children.entrySet()) {
            Name name = Name.of(child.getKey().substring(path.length() + 1));
            Status found = namespace.stat(directory, name, byName);
            if (found != Status.OK || !text(byName).equals(child.getValue())) {
                throw new AssertionError(child.getKey() + " is listed as " + child.getValue() + ", stat says " + found
                        + " " + text(byName));
            }
            child.setValue(child.getValue() + extended(namespace, directory, name, byName));
        }
        entries.putAll(children);
        directories.forEach((child, id) -> collect(namespace, id, child, entries, all));
    }

    /** Target, extended attributes and ACL. */
    private static String extended(ServerNamespace namespace, long directory, Name name, Attributes attributes) {
        StringBuilder text = new StringBuilder();
        Bytes value = new Bytes();
        if (attributes.isSymlink()) {
            ok(namespace.readlink(directory, name, value), name);
            text.append(" target=").append(Values.text(value.value));
        }
        List<Name> names = new ArrayList<>();
        ok(namespace.listXattrs(directory, name, names), name);
        names.sort(Comparator.comparing(Name::toString));
        for (Name each : names) {
            ok(namespace.getXattr(directory, name, each, value), each);
            text.append(' ').append(each).append('=').append(Values.text(value.value));
        }
        Attributes found = Attributes.withAcl();
        ok(namespace.stat(directory, name, found), name);
        if (found.hasAcl != found.acl.length > 0) {
            throw new AssertionError(name + " has an ACL: " + found.hasAcl + ", of " + found.acl.length + " entries");
        }
        if (found.hasAcl) {
            text.append(" acl=").append(SimAcls.text(found.acl));
        }
        return text.toString();
    }

    private static void ok(Status status, Name name) {
        if (status != Status.OK) {
            throw new AssertionError(name + " says " + status);
        }
    }

    private static String text(Attributes a) {
        return a.type + " id=" + a.id + " mode=" + Integer.toOctalString(a.mode) + " owner=" + a.uid + ":" + a.gid
                + " size=" + a.size + (a.dense ? " dense" : "") + (a.nlink == 1 ? "" : " nlink=" + a.nlink)
                + (a.mtimeNanos < SET_BY_A_TEST ? " mtime=" + a.mtimeNanos : "");
    }

    /** Path by path, for a failure. */
    static String difference(Map<String, String> model, Map<String, String> engine) {
        TreeSet<String> paths = new TreeSet<>(model.keySet());
        paths.addAll(engine.keySet());
        paths.removeIf(path -> Objects.equals(model.get(path), engine.get(path)));
        StringBuilder text = new StringBuilder();
        paths.forEach(path -> text.append(path + ": model " + model.get(path) + ", engine " + engine.get(path) + "; "));
        return text.toString();
    }
}
