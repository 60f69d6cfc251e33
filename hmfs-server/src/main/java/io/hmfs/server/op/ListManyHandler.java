package io.hmfs.server.op;

import io.hmfs.client.ListDetail;
import io.hmfs.client.ResultCode;
import io.hmfs.server.request.Reply;
import io.hmfs.server.request.Request;
import io.hmfs.server.request.RequestedPaths;
import io.hmfs.wire.ListManyDecoder;
import io.hmfs.wire.Wire;

/**
 * ListMany: the first pages of several directories in one reply, each as List would answer, until the reply is full or
 * a directory goes on (docs/adr/0188).
 */
public final class ListManyHandler implements Handler {
    private final ListManyDecoder list = new ListManyDecoder();
    private final RequestedPaths paths = new RequestedPaths();
    private final DirectoryPage page = new DirectoryPage();

    @Override
    public void execute(Request request) {
        request.checkBlock(ListManyDecoder.BLOCK_LENGTH);
        list.wrap(request.in(), Wire.HEADER_SIZE, request.blockLength(), request.version());
        ListDetail detail = ListDetail.of(list.detail());
        if (detail == null) {
            request.reply().failure(ResultCode.INVALID_ARGUMENT, EntryPage.NO_DETAIL);
            return;
        }
        if (paths.open(request) > Wire.LIST_MANY_MAX) {
            request.reply()
                    .failure(
                            ResultCode.INVALID_ARGUMENT,
                            "more than " + Wire.LIST_MANY_MAX + " paths; ask for them in several requests");
            return;
        }
        Reply reply = request.reply();
        boolean complete = false;
        reply.openListings();
        try {
            answerEach(request, detail);
            complete = true;
        } finally {
            if (!complete) {
                reply.dropListings();
            }
        }
        reply.closeListings();
    }

    private void answerEach(Request request, ListDetail detail) {
        long entriesLeft = EntryPage.entriesMax(list.entriesMax());
        long bytesLeft = EntryPage.bytesMax(request.reply(), list.bytesMax());
        page.from(list.cursorBirth(), list.cursorAt(), list.cursorStart());
        while (entriesLeft > 0 && bytesLeft > 0 && paths.next()) {
            boolean listed = page.answer(
                    request, list.baseId(), paths.at(), paths.length(), detail, entriesLeft, bytesLeft, true);
            if (listed && !page.cursor.atEnd()) {
                return; // what follows in this directory comes before the next one
            }
            // What has no entries counts as one: a request is bounded by what it asks for, too.
            entriesLeft -= listed ? Math.max(1, page.size()) : 1;
            bytesLeft -= request.reply().frameLength();
            page.from(0, 0, 0);
        }
    }
}
