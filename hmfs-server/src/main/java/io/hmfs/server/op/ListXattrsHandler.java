package io.hmfs.server.op;

import io.hmfs.core.type.Status;
import io.hmfs.server.request.Request;
import io.hmfs.wire.ListXattrsDecoder;
import io.hmfs.wire.Wire;
import java.util.LinkedHashMap;
import java.util.Map;

/** ListXattrs: the names of an object's extended attributes, for users that may read the object. */
public final class ListXattrsHandler implements Handler {
    private static final byte[] NO_VALUE = {};

    private final ListXattrsDecoder decoder = new ListXattrsDecoder();
    private final ReadableXattrs readable = new ReadableXattrs();

    @Override
    public void execute(Request request) {
        request.checkBlock(ListXattrsDecoder.BLOCK_LENGTH);
        decoder.wrap(request.in(), Wire.HEADER_SIZE, request.blockLength(), request.version());
        int length = decoder.pathLength();
        int at = decoder.limit() + ListXattrsDecoder.pathHeaderLength();
        Map<String, byte[]> found = new LinkedHashMap<>();
        Status outcome = readable.read(request, decoder.baseId(), at, length, found);
        if (outcome == Status.OK) {
            found.replaceAll((_, _) -> NO_VALUE);
            request.reply().xattrs(found);
        } else {
            request.reply().status(request.path().seen(outcome));
        }
    }
}
