package io.hmfs.server.op;

import io.hmfs.client.ResultCode;
import io.hmfs.core.type.ListCursor;
import io.hmfs.core.type.Status;
import io.hmfs.server.data.BuiltinData;
import io.hmfs.server.partition.Partition;
import io.hmfs.server.request.Request;
import io.hmfs.server.tree.CensusPage;
import io.hmfs.wire.CensusDecoder;
import io.hmfs.wire.Wire;
import java.nio.ByteBuffer;

/** Census: one part of all the files that there are, for a superuser that looks for objects of no file (docs/adr/0124). */
public final class CensusHandler implements Handler {
    private static final int DIRECTORIES_MAX = 1_024;

    private final CensusRun run;
    private final CensusDecoder census = new CensusDecoder();
    private final ListCursor cursor = new ListCursor();

    /** {@code incarnation}: tells this start of the server from all others; not 0. */
    public CensusHandler(long incarnation) {
        run = new CensusRun(incarnation);
    }

    @Override
    public void execute(Request request) {
        request.checkBlock(CensusDecoder.BLOCK_LENGTH);
        census.wrap(request.in(), Wire.HEADER_SIZE, request.blockLength(), request.version());
        int at = census.limit() + CensusDecoder.directoriesHeaderLength();
        ByteBuffer directories = CensusRun.bytes(request, at, census.directoriesLength());
        if (run.refuses(request, census.incarnation())) {
            return;
        }
        if (directories.remaining() > DIRECTORIES_MAX * Long.BYTES || directories.remaining() % Long.BYTES != 0) {
            request.reply().failure(ResultCode.INVALID_ARGUMENT, "at most " + DIRECTORIES_MAX + " ids of 8 bytes each");
            return;
        }
        Partition partition = request.partition();
        CensusPage page = new CensusPage(partition.namespace(), partition.orphans());
        Status status = write(partition, page, directories);
        if (status == Status.STALE) {
            request.reply().failure(ResultCode.STALE, "more was moved than the server remembers: begin again");
        } else if (status != Status.OK) {
            request.reply().status(status);
        } else {
            partition.awaitDurable(); // a file that is gone must not come back with the loss of the machine
            request.reply()
                    .census(
                            run.incarnation(),
                            page.position(),
                            page.listed(),
                            cursor,
                            page.files(),
                            page.directories());
        }
    }

    private Status write(Partition partition, CensusPage page, ByteBuffer directories) {
        if (census.incarnation() != CensusRun.BEGIN) {
            cursor.birth = census.cursorBirth();
            cursor.at = census.cursorAt();
            cursor.start = census.cursorStart();
            return page.goOn(directories, cursor, census.renamePosition());
        }
        cursor.birth = 0;
        cursor.at = 0;
        cursor.start = 0;
        BuiltinData data = partition.data();
        if (data != null) {
            CensusRun.watchRemoved(data);
        }
        return page.begin();
    }
}
