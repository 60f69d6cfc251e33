package io.hmfs.server.op;

import io.hmfs.server.access.AclRules;
import io.hmfs.server.request.Request;
import io.hmfs.wire.RemoveDefaultAclDecoder;
import io.hmfs.wire.Wire;

/** RemoveDefaultAcl: takes all default entries out of an ACL. */
public final class RemoveDefaultAclHandler implements Handler {
    private final RemoveDefaultAclDecoder decoder = new RemoveDefaultAclDecoder();
    private final AclChange acl = new AclChange();

    @Override
    public void execute(Request request) {
        request.checkBlock(RemoveDefaultAclDecoder.BLOCK_LENGTH);
        decoder.wrap(request.in(), Wire.HEADER_SIZE, request.blockLength(), request.version());
        int length = decoder.pathLength();
        int at = decoder.limit() + RemoveDefaultAclDecoder.pathHeaderLength();
        decoder.skipPath();
        acl.execute(
                request, decoder.baseId(), at, length, "", false, (existing, _) -> AclRules.removeDefault(existing));
    }
}
