package io.hmfs.server.op;

import io.hmfs.core.type.Status;
import io.hmfs.server.access.AclRules;
import io.hmfs.server.request.Request;
import io.hmfs.wire.GetAclDecoder;
import io.hmfs.wire.Wire;

/** GetAcl: an object's list, for users that may pass the directories above. */
public final class GetAclHandler implements Handler {
    private final GetAclDecoder decoder = new GetAclDecoder();
    private final ChangeTarget target = new ChangeTarget();

    @Override
    public void execute(Request request) {
        request.checkBlock(GetAclDecoder.BLOCK_LENGTH);
        decoder.wrap(request.in(), Wire.HEADER_SIZE, request.blockLength(), request.version());
        int length = decoder.pathLength();
        int at = decoder.limit() + GetAclDecoder.pathHeaderLength();
        Status outcome = ChangeTarget.resolve(request, decoder.baseId(), at, length);
        if (outcome == Status.OK) {
            outcome = target.look(request);
        }
        if (outcome != Status.OK) {
            request.reply().status(request.path().seen(outcome));
            return;
        }
        StringBuilder entries = new StringBuilder();
        for (long entry : target.object().acl) {
            entries.append(entries.isEmpty() ? "" : "\0")
                    .append(AclRules.item(entry, request.namespace()::principalName));
        }
        request.reply().acl(target.object(), entries.toString());
    }
}
