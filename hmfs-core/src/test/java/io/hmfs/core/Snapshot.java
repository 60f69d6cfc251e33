package io.hmfs.core;

import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.ListCursor;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import java.util.Map;
import java.util.TreeMap;

/** All that a namespace shows, as text by path; listing and stat must agree on each entry. */
final class Snapshot {
    private Snapshot() {}

    static Map<String, String> of(Namespace namespace) {
        Map<String, String> entries = new TreeMap<>();
        collect(namespace, Namespace.ROOT_ID, "", entries);
        return entries;
    }

    private static void collect(Namespace namespace, long directory, String path, Map<String, String> entries) {
        Map<String, Long> directories = new TreeMap<>();
        Attributes byName = new Attributes();
        ListCursor cursor = new ListCursor();
        Map<String, String> children = new TreeMap<>();
        Status listed = namespace.list(directory, cursor, (name, attributes) -> {
            String child = path + "/" + name;
            if (children.put(child, text(attributes)) != null) {
                throw new AssertionError(child + " is listed twice");
            }
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
        }
        entries.putAll(children);
        directories.forEach((child, id) -> collect(namespace, id, child, entries));
    }

    private static String text(Attributes a) {
        return a.type + " id=" + a.id + " mode=" + Integer.toOctalString(a.mode) + " owner=" + a.uid + ":" + a.gid
                + " size=" + a.size + (a.nlink == 1 ? "" : " nlink=" + a.nlink)
                + (a.mtimeNanos < 1_000_000_000L ? " mtime=" + a.mtimeNanos : "");
    }
}
