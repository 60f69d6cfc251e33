package io.hmfs.server.op;

import io.hmfs.core.type.Name;
import io.hmfs.server.path.PathResolver;
import io.hmfs.server.request.Request;
import io.hmfs.wire.RemoveXattrDecoder;
import io.hmfs.wire.Wire;

/** RemoveXattr: removes an extended attribute. */
public final class RemoveXattrHandler implements Handler {
    private final RemoveXattrDecoder decoder = new RemoveXattrDecoder();
    private final XattrChange change = new XattrChange();

    @Override
    public void execute(Request request) {
        request.checkBlock(RemoveXattrDecoder.BLOCK_LENGTH);
        decoder.wrap(request.in(), Wire.HEADER_SIZE, request.blockLength(), request.version());
        int length = decoder.pathLength();
        int at = decoder.limit() + RemoveXattrDecoder.pathHeaderLength();
        decoder.skipPath();
        String attribute = decoder.attribute();
        if (XattrNames.mayUse(request, attribute)) {
            Name name = Name.of(attribute);
            PathResolver path = request.path();
            change.execute(
                    request,
                    attribute,
                    decoder.baseId(),
                    at,
                    length,
                    () -> request.namespace().removeXattr(path.parentId, path.name, name, request.change()));
        }
    }
}
