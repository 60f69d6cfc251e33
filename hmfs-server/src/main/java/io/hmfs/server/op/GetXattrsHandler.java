package io.hmfs.server.op;

import io.hmfs.core.type.Status;
import io.hmfs.server.request.Request;
import io.hmfs.wire.GetXattrsDecoder;
import io.hmfs.wire.Wire;
import java.util.LinkedHashMap;
import java.util.Map;

/** GetXattrs: extended attributes with their values, for users that may read the object: those that are named, or all. */
public final class GetXattrsHandler implements Handler {
    private final GetXattrsDecoder decoder = new GetXattrsDecoder();
    private final ReadableXattrs readable = new ReadableXattrs();

    @Override
    public void execute(Request request) {
        request.checkBlock(GetXattrsDecoder.BLOCK_LENGTH);
        decoder.wrap(request.in(), Wire.HEADER_SIZE, request.blockLength(), request.version());
        int length = decoder.pathLength();
        int at = decoder.limit() + GetXattrsDecoder.pathHeaderLength();
        decoder.skipPath();
        String text = decoder.attributes();
        String[] names = text.isEmpty() ? new String[0] : text.split("\0", -1);
        for (String name : names) {
            if (!XattrNames.mayUse(request, name)) {
                return;
            }
        }
        Map<String, byte[]> found = new LinkedHashMap<>();
        Status outcome = readable.read(request, decoder.baseId(), at, length, found);
        if (outcome == Status.OK) {
            answer(request, names, found);
        } else {
            request.reply().status(request.path().seen(outcome));
        }
    }

    private static void answer(Request request, String[] names, Map<String, byte[]> found) {
        if (names.length == 0) {
            request.reply().xattrs(found);
            return;
        }
        Map<String, byte[]> asked = new LinkedHashMap<>();
        for (String name : names) {
            byte[] value = found.get(name);
            if (value == null) {
                XattrNames.missing(request, name);
                return;
            }
            asked.put(name, value);
        }
        request.reply().xattrs(asked);
    }
}
