package io.hmfs.server.op;

import io.hmfs.server.listing.Export;
import io.hmfs.server.listing.Exports;
import io.hmfs.server.request.Request;
import io.hmfs.server.transport.ReadableMemory;
import io.hmfs.wire.ExportDecoder;
import io.hmfs.wire.Wire;
import org.jspecify.annotations.Nullable;

/** Export: where the client of an RDMA connection reads the stats of a directory that every user may pass. */
public final class ExportHandler implements Handler {
    private final ExportDecoder export = new ExportDecoder();

    @Override
    public void execute(Request request) {
        request.checkBlock(ExportDecoder.BLOCK_LENGTH);
        export.wrap(request.in(), Wire.HEADER_SIZE, request.blockLength(), request.version());
        int length = export.pathLength();
        int at = export.limit() + ExportDecoder.pathHeaderLength();
        request.in().check(at, length);
        byte[] path = new byte[Math.min(length, Wire.PATH_MAX)];
        request.in().getBytes(at, path, 0, path.length);
        Exports exports = request.partition().exports();
        ReadableMemory memory = exports.isOn() ? request.session().channel().readable() : null;
        @Nullable
        Export made = memory == null || length > path.length ? null : exports.export(request.namespace(), path);
        if (memory == null || made == null) {
            request.reply().exported(0, 0, 0, 0);
        } else {
            request.reply().exported(made.number(), memory.address() + made.start(), memory.key(), Exports.SLOTS);
        }
    }
}
