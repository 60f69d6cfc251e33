package io.hmfs.server.op;

import io.hmfs.client.ListDetail;
import io.hmfs.client.ResultCode;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.ListCursor;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.server.access.Access;
import io.hmfs.server.path.PathResolver;
import io.hmfs.server.request.Request;
import io.hmfs.wire.ListDecoder;
import io.hmfs.wire.Wire;

/** List: one page of a directory's entries, from where the last page ended. */
public final class ListHandler implements Handler {
    private final ListDecoder list = new ListDecoder();
    private final Attributes found = Attributes.withAcl();
    private final ListCursor cursor = new ListCursor();
    private final EntryPage page = new EntryPage();

    @Override
    public void execute(Request request) {
        request.checkBlock(ListDecoder.BLOCK_LENGTH);
        list.wrap(request.in(), Wire.HEADER_SIZE, request.blockLength(), request.version());
        ListDetail detail = ListDetail.of(list.detail());
        if (detail == null) {
            request.reply().failure(ResultCode.INVALID_ARGUMENT, EntryPage.NO_DETAIL);
            return;
        }
        int length = list.pathLength();
        int at = list.limit() + ListDecoder.pathHeaderLength();
        PathResolver path = request.path();
        Status outcome = path.resolve(list.baseId(), request.in(), at, length);
        long directory = list.baseId();
        if (outcome == Status.OK && path.isBase && request.access().isLimited()) {
            outcome = path.may(path.parent(), Access.READ | Access.EXECUTE);
        } else if (outcome == Status.OK && !path.isBase) {
            outcome = find(request);
            directory = found.id;
        }
        if (outcome == Status.OK) {
            outcome = writePage(request, directory, detail);
        }
        if (outcome != Status.OK) {
            request.reply().status(path.seen(outcome));
        }
    }

    private Status find(Request request) {
        PathResolver path = request.path();
        Status outcome = request.namespace().stat(path.parentId, path.name, found);
        if (outcome == Status.OK && !found.isDirectory()) {
            return found.isSymlink() ? path.unresolved() : Status.NOT_DIRECTORY;
        }
        return outcome == Status.OK ? path.may(found, Access.READ | Access.EXECUTE) : outcome;
    }

    private Status writePage(Request request, long directory, ListDetail detail) {
        cursor.birth = list.cursorBirth();
        cursor.at = list.cursorAt();
        cursor.start = list.cursorStart();
        page.open(request, directory, detail, list.entriesMax(), list.bytesMax());
        Status outcome =
                request.namespace().list(directory, cursor, (name, entry) -> add(request, directory, name, entry));
        if (outcome == Status.OK) {
            page.close(request, cursor);
        }
        return outcome;
    }

    private boolean add(Request request, long directory, Name name, Attributes entry) {
        if (page.isFull()) {
            return false;
        }
        page.add(request, directory, name, entry, name.buffer(), name.length(), false);
        return true;
    }
}
