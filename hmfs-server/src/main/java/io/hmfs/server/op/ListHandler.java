package io.hmfs.server.op;

import io.hmfs.client.ListDetail;
import io.hmfs.client.ResultCode;
import io.hmfs.server.request.Request;
import io.hmfs.wire.ListDecoder;
import io.hmfs.wire.Wire;

/** List: one page of a directory's entries, from a cursor on or from where the page of a request before ended (docs/adr/0196). */
public final class ListHandler implements Handler {
    private static final String NOT_KNOWN =
            "the page before is not known on this connection any more; list from the cursor of that page";

    private final ListDecoder list = new ListDecoder();
    private final DirectoryPage page = new DirectoryPage();

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
        list.skipPath();
        if (!page.filter.read(list)) {
            request.reply().failure(ResultCode.INVALID_ARGUMENT, EntryFilter.TOO_LONG);
            return;
        }
        page.from(list.cursorBirth(), list.cursorAt(), list.cursorStart());
        long behind = list.behind();
        if (behind != 0 && !request.session().places().find(behind, page.cursor)) {
            request.reply().failure(ResultCode.STALE, NOT_KNOWN);
            return;
        }
        boolean isFirst = page.cursor.birth == 0;
        boolean listed =
                page.answer(request, list.baseId(), at, length, detail, list.entriesMax(), list.bytesMax(), false);
        if (behind != 0) {
            request.session().places().used(behind);
        }
        // A client that has asked ahead asks behind the end, too; ahead of the first page it knows nothing yet.
        if (listed && !(isFirst && page.cursor.atEnd())) {
            request.session().places().keep(request.correlationId(), page.cursor);
        }
    }
}
