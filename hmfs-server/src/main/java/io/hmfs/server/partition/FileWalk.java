package io.hmfs.server.partition;

import io.hmfs.core.Namespace;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.server.access.Access;
import io.hmfs.server.tree.TreeWalk;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;

/** A walk over all files of the tree, some at a time. For one thread. */
final class FileWalk extends TreeWalk {
    /** A file, where it was met, and when it had changed last. */
    record Met(String path, long inode, long size, boolean dense, long directory, Name name, long ctimeNanos) {}

    private final int max;
    private List<Met> met = new ArrayList<>();
    private final BiConsumer<String, Long> damaged;

    /** {@code max}: files at a time. {@code damaged}: told path and id of each directory of which not all is walked, for an entry of it is damaged. */
    FileWalk(Namespace namespace, int max, BiConsumer<String, Long> damaged) {
        super(namespace, "/");
        this.max = max;
        this.damaged = damaged;
        Attributes root = Attributes.withAcl();
        root.id = Namespace.ROOT_ID;
        begin(root);
    }

    /** The next files; it may be none although more follow. */
    List<Met> next() {
        met = new ArrayList<>();
        run(Long.MAX_VALUE);
        return met;
    }

    @Override
    public Status enter(Attributes directory, Access.Where where) {
        return Status.OK;
    }

    @Override
    public Status damaged(Level level) {
        damaged.accept(path(), level.directory.id);
        return Status.OK;
    }

    @Override
    public boolean isFull() {
        return met.size() >= max;
    }

    @Override
    public Status entry(Level level, Name name, Attributes entry) {
        if (!entry.isDirectory() && !entry.isSymlink()) {
            Name copy = new Name();
            copy.set(name.buffer(), 0, name.length());
            met.add(new Met(path(name), entry.id, entry.size, entry.dense, level.directory.id, copy, entry.ctimeNanos));
        }
        return Status.OK;
    }
}
