package io.hmfs.core.sim;

import io.hmfs.core.type.FileType;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.core.type.XattrMode;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What a namespace means, in plain Java maps: the model that the engine is compared with. One thread; ids come from the engine.
 * Times are modelled only as far as a user has set them.
 */
public final class ReferenceNamespace {
    private static final long ROOT = 1;
    private static final int MODE_MAX = 07777;
    private static final int SYMLINK_MODE = 0777;
    private static final int KEEP = -1;
    private static final int NO_TIME = -1;

    private final Map<Long, Node> directories = new TreeMap<>();

    /** An object; a directory has children. */
    public static final class Node {
        public final long id;
        public final FileType type;
        private final Map<String, Node> children = new TreeMap<>();
        private long parent;
        private int mode;
        private int uid;
        private int gid;
        private long size;
        private int names = 1;
        private long userMtime = NO_TIME;
        private String target = "";
        private String acl = "";
        private final Map<String, String> attributes = new TreeMap<>();

        Node(long id, FileType type, long parent, int mode, int uid, int gid) {
            this.id = id;
            this.type = type;
            this.parent = parent;
            this.mode = mode;
            this.uid = uid;
            this.gid = gid;
        }

        Node(Node other) {
            this(other.id, other.type, other.parent, other.mode, other.uid, other.gid);
            size = other.size;
            names = other.names;
            userMtime = other.userMtime;
            target = other.target;
            acl = other.acl;
            attributes.putAll(other.attributes);
        }

        public boolean isDirectory() {
            return type == FileType.DIRECTORY;
        }

        /** How many names it has. */
        public int nlink() {
            return names;
        }

        /** As the tests' snapshot of the engine writes it. */
        public String text() {
            return type + " id=" + id + " mode=" + Integer.toOctalString(mode) + " owner=" + uid + ":" + gid + " size="
                    + size + (names == 1 ? "" : " nlink=" + names) + (userMtime == NO_TIME ? "" : " mtime=" + userMtime)
                    + target + extended();
        }

        private String extended() {
            StringBuilder text = new StringBuilder();
            attributes.forEach(
                    (name, value) -> text.append(' ').append(name).append('=').append(value));
            return text + acl;
        }
    }

    /** An empty root directory. */
    public ReferenceNamespace() {
        directories.put(ROOT, new Node(ROOT, FileType.DIRECTORY, 0, 0755, 0, 0));
    }

    /** A copy of its own. */
    public ReferenceNamespace(ReferenceNamespace other) {
        other.directories.forEach((id, node) -> directories.put(id, new Node(node)));
        IdentityHashMap<Node, Node> files = new IdentityHashMap<>(); // one for all names
        other.directories.forEach((id, node) -> node.children.forEach((name, child) -> {
            Node copy =
                    child.isDirectory() ? directories.get(child.id) : files.computeIfAbsent(child, c -> new Node(c));
            existing(id).children.put(name, copy);
        }));
    }

    /** The object under a name, or null. */
    public @Nullable Node child(long directory, String name) {
        Node parent = directories.get(directory);
        return parent == null ? null : parent.children.get(name);
    }

    public boolean hasDirectory(long id) {
        return directories.containsKey(id);
    }

    /** The names in a directory. */
    public Iterable<String> names(long directory) {
        Node node = directories.get(directory);
        return node == null ? java.util.List.of() : node.children.keySet();
    }

    public int size() {
        return directories.values().stream().mapToInt(d -> d.children.size()).sum();
    }

    /** Everything, as text by path. */
    public Map<String, String> snapshot() {
        Map<String, String> entries = new TreeMap<>();
        collect(ROOT, "", entries);
        return entries;
    }

    private void collect(long directory, String path, Map<String, String> entries) {
        existing(directory).children.forEach((name, node) -> {
            entries.put(path + "/" + name, node.text());
            if (node.isDirectory()) {
                collect(node.id, path + "/" + name, entries);
            }
        });
    }

    public Status stat(long directory, String name) {
        return child(directory, name) == null ? Status.NOT_FOUND : Status.OK;
    }

    public Status statDirectory(long directory) {
        return hasDirectory(directory) ? Status.OK : Status.NO_SUCH_DIRECTORY;
    }

    /** create and mkdir; on OK the object gets {@code id}. */
    public Status make(FileType type, long directory, String name, int mode, int uid, int gid, long id) {
        Status valid = Name.of(name).check();
        if (valid != Status.OK) {
            return valid;
        }
        if (mode < 0 || mode > MODE_MAX || gid < 0 || uid < 0) {
            return Status.INVALID_ARGUMENT;
        }
        Node parent = directories.get(directory);
        if (parent == null) {
            return Status.NO_SUCH_DIRECTORY;
        }
        if (parent.children.containsKey(name)) {
            return Status.EXISTS;
        }
        Node node = new Node(id, type, directory, mode, uid, gid);
        parent.children.put(name, node);
        if (node.isDirectory()) {
            directories.put(id, node);
        }
        return Status.OK;
    }

    public Status link(long directory, String name, long target, String newName) {
        for (String each : new String[] {name, newName}) {
            Status valid = Name.of(each).check();
            if (valid != Status.OK) {
                return valid;
            }
        }
        if (!hasDirectory(directory) || !hasDirectory(target)) {
            return Status.NO_SUCH_DIRECTORY;
        }
        Node node = child(directory, name);
        if (node == null) {
            return Status.NOT_FOUND;
        }
        if (node.isDirectory()) {
            return Status.IS_DIRECTORY;
        }
        if (child(target, newName) != null) {
            return Status.EXISTS;
        }
        existing(target).children.put(newName, node);
        node.names++;
        return Status.OK;
    }

    public Status delete(long directory, String name) {
        Status valid = Name.of(name).check();
        if (valid != Status.OK) {
            return valid;
        }
        if (!hasDirectory(directory)) {
            return Status.NO_SUCH_DIRECTORY;
        }
        Node node = child(directory, name);
        if (node == null) {
            return Status.NOT_FOUND;
        }
        if (node.isDirectory()) {
            return Status.IS_DIRECTORY;
        }
        existing(directory).children.remove(name);
        node.names--;
        return Status.OK;
    }

    public Status rmdir(long directory, String name) {
        Status valid = Name.of(name).check();
        if (valid != Status.OK) {
            return valid;
        }
        if (!hasDirectory(directory)) {
            return Status.NO_SUCH_DIRECTORY;
        }
        Node node = child(directory, name);
        if (node == null) {
            return Status.NOT_FOUND;
        }
        if (!node.isDirectory()) {
            return Status.NOT_DIRECTORY;
        }
        if (!node.children.isEmpty()) {
            return Status.NOT_EMPTY;
        }
        existing(directory).children.remove(name);
        directories.remove(node.id);
        return Status.OK;
    }

    public Status rename(long source, String name, long target, String newName, boolean replace) {
        for (String each : new String[] {name, newName}) {
            Status valid = Name.of(each).check();
            if (valid != Status.OK) {
                return valid;
            }
        }
        if (!hasDirectory(source) || !hasDirectory(target)) {
            return Status.NO_SUCH_DIRECTORY;
        }
        Node moving = child(source, name);
        if (moving == null) {
            return Status.NOT_FOUND;
        }
        if (source == target && name.equals(newName)) {
            return Status.OK;
        }
        for (long id = target; moving.isDirectory() && id != 0; id = existing(id).parent) {
            if (id == moving.id) {
                return Status.LOOP;
            }
        }
        Node victim = child(target, newName);
        if (victim != null) {
            Status refused = refuse(moving, victim, replace);
            if (refused != Status.OK) {
                return refused;
            }
            directories.remove(victim.id);
        }
        if (victim == moving) {
            return Status.OK; // two names of one file
        }
        if (victim != null) {
            victim.names--;
        }
        existing(source).children.remove(name);
        existing(target).children.put(newName, moving);
        moving.parent = target;
        return Status.OK;
    }

    private static Status refuse(Node moving, Node victim, boolean replace) {
        if (!replace) {
            return Status.EXISTS;
        }
        if (moving.isDirectory() != victim.isDirectory()) {
            return victim.isDirectory() ? Status.IS_DIRECTORY : Status.NOT_DIRECTORY;
        }
        return victim.children.isEmpty() ? Status.OK : Status.NOT_EMPTY;
    }

    public Status symlink(long directory, String name, byte[] target, int uid, int gid, long id) {
        Status made = make(FileType.SYMLINK, directory, name, SYMLINK_MODE, uid, gid, id);
        Node node = child(directory, name);
        if (made == Status.OK && node != null) {
            node.size = target.length;
            node.target = " target=" + Values.text(target);
        }
        return made;
    }

    public Status setXattr(long directory, String name, String attribute, byte[] value, XattrMode mode) {
        Node node = child(directory, name);
        if (node == null) {
            return Status.NOT_FOUND;
        }
        boolean there = node.attributes.containsKey(attribute);
        if (there && mode == XattrMode.CREATE) {
            return Status.EXISTS;
        }
        if (!there && mode == XattrMode.REPLACE) {
            return Status.NO_ATTRIBUTE;
        }
        node.attributes.put(attribute, Values.text(value));
        return Status.OK;
    }

    public Status setAcl(long directory, String name, int mode, long[] acl) {
        Node node = child(directory, name);
        if (node != null) {
            node.acl = acl.length == 0 ? "" : " acl=" + SimAcls.text(acl);
        }
        return chmod(directory, name, mode);
    }

    public Status removeXattr(long directory, String name, String attribute) {
        Node node = child(directory, name);
        if (node == null) {
            return Status.NOT_FOUND;
        }
        return node.attributes.remove(attribute) == null ? Status.NO_ATTRIBUTE : Status.OK;
    }

    public Status chmod(long directory, String name, int mode) {
        Node node = child(directory, name);
        if (mode < 0 || mode > MODE_MAX) {
            return Status.INVALID_ARGUMENT;
        }
        if (node == null) {
            return Status.NOT_FOUND;
        }
        node.mode = mode;
        return Status.OK;
    }

    public Status chown(long directory, String name, int uid, int gid) {
        Node node = child(directory, name);
        if (uid < KEEP || gid < KEEP) {
            return Status.INVALID_ARGUMENT;
        }
        if (node == null) {
            return Status.NOT_FOUND;
        }
        node.uid = uid == KEEP ? node.uid : uid;
        node.gid = gid == KEEP ? node.gid : gid;
        return Status.OK;
    }

    public Status setMtime(long directory, String name, long mtime) {
        Node node = child(directory, name);
        if (mtime < KEEP) {
            return Status.INVALID_ARGUMENT;
        }
        if (node == null) {
            return Status.NOT_FOUND;
        }
        node.userMtime = mtime == KEEP ? node.userMtime : mtime;
        return Status.OK;
    }

    public Status append(long directory, String name, long id, long size) {
        Node node = child(directory, name);
        if (node != null && size >= 0 && node.id != id) {
            return Status.STALE;
        }
        return resize(node, size, node == null ? 0 : Math.max(size, node.size));
    }

    public Status truncate(long directory, String name, long size) {
        return resize(child(directory, name), size, size);
    }

    private static Status resize(@Nullable Node node, long asked, long size) {
        if (asked < 0 || (node != null && node.type == FileType.SYMLINK)) {
            return Status.INVALID_ARGUMENT;
        }
        if (node == null) {
            return Status.NOT_FOUND;
        }
        if (node.isDirectory()) {
            return Status.IS_DIRECTORY;
        }
        node.size = size;
        node.userMtime = NO_TIME;
        return Status.OK;
    }

    private Node existing(long directory) {
        return Objects.requireNonNull(directories.get(directory), () -> "no directory " + directory);
    }
}
