package io.hmfs.server.op;

import io.hmfs.client.ListDetail;
import io.hmfs.client.ResultCode;
import io.hmfs.server.request.Request;
import io.hmfs.wire.ListDecoder;
import io.hmfs.wire.Wire;

/** List: one page of a directory's entries, from where the last page ended. */
public final class ListHandler implements Handler {
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
        page.answer(request, list.baseId(), at, length, detail, list.entriesMax(), list.bytesMax(), false);
    }
}
