package io.hmfs.server.op;

import io.hmfs.server.access.AclRules;
import io.hmfs.server.request.Request;
import io.hmfs.wire.RemoveAclDecoder;
import io.hmfs.wire.Wire;

/** RemoveAcl: takes all entries out of an ACL; the mode stays. */
public final class RemoveAclHandler implements Handler {
    private final RemoveAclDecoder decoder = new RemoveAclDecoder();
    private final AclChange acl = new AclChange();

    @Override
    public void execute(Request request) {
        request.checkBlock(RemoveAclDecoder.BLOCK_LENGTH);
        decoder.wrap(request.in(), Wire.HEADER_SIZE, request.blockLength(), request.version());
        int length = decoder.pathLength();
        int at = decoder.limit() + RemoveAclDecoder.pathHeaderLength();
        decoder.skipPath();
        acl.execute(request, decoder.baseId(), at, length, "", false, (existing, _) -> AclRules.removeAll(existing));
    }
}
