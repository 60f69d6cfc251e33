package io.hmfs.server.exec;

import io.hmfs.core.Namespace;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.wire.ListTreeDecoder;
import io.hmfs.wire.Wire;
import org.jspecify.annotations.Nullable;

/** Lists all that is below a directory, in parts (docs/adr/0126). Executed where a thread may take its time. */
final class TreeListing {
    private static final byte[] NOTHING = {};

    private final Worker worker;
    private final Namespace namespace;
    private final EntryPage page;
    private final ListTreeDecoder list = new ListTreeDecoder();
    private final Attributes found = Attributes.withAcl();
    private final byte[] shown = new byte[Wire.PATH_MAX];

    TreeListing(Worker worker) {
        this.worker = worker;
        namespace = worker.namespace;
        page = new EntryPage(worker);
    }

    /**
     * One request's part of the walk. A directory is shown when it has been found that it may be entered: so what was met before it is
     * told, and the next part begins with its refusal.
     */
    private final class Part extends TreeWalk {
        private @Nullable Attributes pending; // a directory that is still to be shown
        private long parentId;
        private Name name = Name.of("");
        private int shownLength;

        Part(String top) {
            super(TreeListing.this.namespace, top);
        }

        @Override
        boolean isFull() {
            return page.isFull();
        }

        @Override
        boolean descends(Name directory) {
            return !isTooDeep(directory);
        }

        @Override
        Status entry(Level level, Name entryName, Attributes entry) {
            shownLength = below(entryName, shown);
            if (shownLength < 0) {
                return Status.NAME_TOO_LONG; // no request could name it
            }
            parentId = level.directory.id;
            name = entryName;
            if (entry.isDirectory() && descends(entryName)) {
                pending = entry;
            } else {
                page.add(parentId, entryName, entry, shown, shownLength, true);
            }
            return Status.OK;
        }

        @Override
        Status enter(Attributes directory, Access.Where where) {
            Status status = worker.access.check(directory, Access.READ | Access.EXECUTE, where);
            if (status == Status.OK && pending != null) {
                page.add(parentId, name, pending, shown, shownLength, false);
            }
            pending = null;
            return status;
        }
    }

    void list() {
        worker.checkBlock(ListTreeDecoder.BLOCK_LENGTH);
        list.wrap(worker.in, Wire.HEADER_SIZE, worker.header.blockLength(), worker.header.version());
        int length = list.pathLength();
        PathResolver path = worker.path;
        Status outcome =
                path.resolve(list.baseId(), worker.in, list.limit() + ListTreeDecoder.pathHeaderLength(), length);
        if (outcome == Status.OK) {
            outcome = TreeRequests.look(namespace, path, found);
        }
        if (outcome == Status.OK) {
            outcome = found.isDirectory() ? writePage(path) : Status.NOT_DIRECTORY;
        }
        if (outcome != Status.OK) {
            worker.reply.status(path.seen(outcome));
        }
    }

    private Status writePage(PathResolver path) {
        list.skipPath();
        int length = list.fromLength();
        worker.in.check(list.limit() + ListTreeDecoder.fromHeaderLength(), length);
        byte[] from = new byte[length];
        list.getFrom(from, 0, length);
        Part part = new Part(path.whole());
        Status status = from.length == 0 ? part.begin(found) : part.read(found, from);
        if (status != Status.OK) {
            return status;
        }
        page.open(found.id, list.entriesMax(), list.bytesMax());
        status = part.run(Long.MAX_VALUE);
        if (status != Status.OK && page.isEmpty()) {
            return status;
        }
        page.close(part.isAtEnd() ? NOTHING : part.write());
        return Status.OK;
    }
}
