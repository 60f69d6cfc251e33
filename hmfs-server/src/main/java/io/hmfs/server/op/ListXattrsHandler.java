package io.hmfs.server.op;

import io.hmfs.core.type.Status;
import io.hmfs.server.path.PathResolver;
import io.hmfs.server.request.Request;
import io.hmfs.wire.ListXattrsDecoder;
import io.hmfs.wire.Wire;
import java.util.LinkedHashMap;
import java.util.Map;

/** ListXattrs: the names of an object's extended attributes, for users that may pass the directories above. */
public final class ListXattrsHandler implements Handler {
    private static final byte[] NO_VALUE = {};

    private final ListXattrsDecoder decoder = new ListXattrsDecoder();
    private final ChangeTarget target = new ChangeTarget();

    @Override
    public void execute(Request request) {
        request.checkBlock(ListXattrsDecoder.BLOCK_LENGTH);
        decoder.wrap(request.in(), Wire.HEADER_SIZE, request.blockLength(), request.version());
        int length = decoder.pathLength();
        int at = decoder.limit() + ListXattrsDecoder.pathHeaderLength();
        PathResolver path = request.path();
        Map<String, byte[]> found = new LinkedHashMap<>();
        Status outcome = ChangeTarget.resolve(request, decoder.baseId(), at, length);
        if (outcome == Status.OK) {
            outcome = target.look(request);
        }
        if (outcome == Status.OK) {
            outcome = request.namespace()
                    .readXattrs(
                            path.parentId,
                            path.name,
                            (name, _) -> XattrNames.addIfVisible(request, found, name, NO_VALUE));
        }
        if (outcome == Status.OK) {
            request.reply().xattrs(found);
        } else {
            request.reply().status(path.seen(outcome));
        }
    }
}
