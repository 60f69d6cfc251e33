package io.hmfs.server.op;

import io.hmfs.client.ResultCode;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.core.type.XattrMode;
import io.hmfs.server.path.PathResolver;
import io.hmfs.server.request.Request;
import io.hmfs.wire.SetXattrDecoder;
import io.hmfs.wire.Wire;

/** SetXattr: creates an extended attribute, or replaces its value. No hot path: names and values are objects. */
public final class SetXattrHandler implements Handler {
    private static final int VALUE_MAX = 1 << 16;

    private final SetXattrDecoder decoder = new SetXattrDecoder();
    private final XattrChange change = new XattrChange();

    @Override
    public void execute(Request request) {
        request.checkBlock(SetXattrDecoder.BLOCK_LENGTH);
        decoder.wrap(request.in(), Wire.HEADER_SIZE, request.blockLength(), request.version());
        int length = decoder.pathLength();
        int at = decoder.limit() + SetXattrDecoder.pathHeaderLength();
        decoder.skipPath();
        String attribute = decoder.attribute();
        int valueLength = decoder.valueLength();
        request.in().check(decoder.limit() + SetXattrDecoder.valueHeaderLength(), valueLength);
        boolean create = decoder.flags().create();
        boolean replace = decoder.flags().replace();
        if (!XattrNames.mayUse(request, attribute)) {
            return;
        }
        if (!create && !replace) {
            request.reply()
                    .failure(
                            ResultCode.INVALID_ARGUMENT, "a setting that may neither create nor replace the attribute");
            return;
        }
        if (valueLength > VALUE_MAX) {
            request.reply().status(Status.VALUE_TOO_LARGE);
            return;
        }
        byte[] value = new byte[valueLength];
        decoder.getValue(value, 0, valueLength);
        XattrMode mode = !create ? XattrMode.REPLACE : replace ? XattrMode.CREATE_OR_REPLACE : XattrMode.CREATE;
        Name name = Name.of(attribute);
        PathResolver path = request.path();
        change.execute(
                request,
                attribute,
                decoder.baseId(),
                at,
                length,
                () -> request.namespace().setXattr(path.parentId, path.name, name, value, mode, request.change()));
    }
}
