package io.hmfs.server.op;

import io.hmfs.client.ListDetail;
import io.hmfs.client.ResultCode;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.server.access.Access;
import io.hmfs.server.request.Request;
import io.hmfs.server.tree.TreeWalk;
import io.hmfs.wire.ListTreeDecoder;
import io.hmfs.wire.Wire;
import org.jspecify.annotations.Nullable;

/** ListTree: one page of all that is below a directory, from where the last page ended (docs/adr/0126). */
public final class ListTreeHandler implements Handler {
    private static final byte[] NOTHING = {};

    private final ListTreeDecoder list = new ListTreeDecoder();
    private final PathTarget target = new PathTarget();
    private final EntryPage page = new EntryPage();
    private final byte[] shown = new byte[Wire.PATH_MAX];

    /**
     * One request's part of the walk. A directory is shown when it has been found that it may be entered: so what was met before it is
     * told, and the next part begins with its refusal.
     */
    private final class Part extends TreeWalk {
        private final Request request;
        private @Nullable Attributes pending; // a directory that is still to be shown
        private long parentId;
        private Name name = Name.of("");
        private int shownLength;

        Part(Request request) {
            super(request.namespace(), request.path().whole());
            this.request = request;
        }

        @Override
        public boolean isFull() {
            return page.isFull();
        }

        @Override
        public boolean descends(Name directory) {
            return !isTooDeep(directory);
        }

        @Override
        public Status entry(Level level, Name entryName, Attributes entry) {
            shownLength = below(entryName, shown);
            if (shownLength < 0) {
                return Status.NAME_TOO_LONG; // no request could name it
            }
            parentId = level.directory.id;
            name = entryName;
            if (entry.isDirectory() && descends(entryName)) {
                pending = entry;
            } else {
                page.add(request, parentId, entryName, entry, shown, shownLength, true);
            }
            return Status.OK;
        }

        @Override
        public Status enter(Attributes directory, Access.Where where) {
            Status status = request.access().check(directory, Access.READ | Access.EXECUTE, where);
            if (status == Status.OK && pending != null) {
                page.add(request, parentId, name, pending, shown, shownLength, false);
            }
            pending = null;
            return status;
        }
    }

    @Override
    public void execute(Request request) {
        request.checkBlock(ListTreeDecoder.BLOCK_LENGTH);
        list.wrap(request.in(), Wire.HEADER_SIZE, request.blockLength(), request.version());
        ListDetail detail = ListDetail.of(list.detail());
        if (detail == null) {
            request.reply().failure(ResultCode.INVALID_ARGUMENT, EntryPage.NO_DETAIL);
            return;
        }
        int length = list.pathLength();
        int at = list.limit() + ListTreeDecoder.pathHeaderLength();
        Status outcome = target.resolve(request, list.baseId(), at, length);
        if (outcome == Status.OK) {
            outcome = target.object().isDirectory() ? writePage(request, detail) : Status.NOT_DIRECTORY;
        }
        if (outcome != Status.OK) {
            request.reply().status(request.path().seen(outcome));
        }
    }

    private Status writePage(Request request, ListDetail detail) {
        list.skipPath();
        int length = list.fromLength();
        request.in().check(list.limit() + ListTreeDecoder.fromHeaderLength(), length);
        byte[] from = new byte[length];
        list.getFrom(from, 0, length);
        Attributes top = target.object();
        Part part = new Part(request);
        Status status = from.length == 0 ? part.begin(top) : part.read(top, from);
        if (status != Status.OK) {
            return status;
        }
        page.open(request, top.id, detail, list.entriesMax(), list.bytesMax());
        status = part.run(Long.MAX_VALUE);
        if (status != Status.OK && page.isEmpty()) {
            if (status == Status.DAMAGED) {
                request.reply().damagedIn(part.path());
                return Status.OK;
            }
            return status;
        }
        page.close(request, part.isAtEnd() ? NOTHING : part.write());
        return Status.OK;
    }
}
