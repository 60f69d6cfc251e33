package io.hmfs.server.op;

import io.hmfs.server.access.AclRules;
import io.hmfs.server.request.Request;
import io.hmfs.wire.ModifyAclDecoder;
import io.hmfs.wire.Wire;

/** ModifyAcl: adds entries to an ACL, or gives those that are there other permissions. */
public final class ModifyAclHandler implements Handler {
    private final ModifyAclDecoder decoder = new ModifyAclDecoder();
    private final AclChange acl = new AclChange();

    @Override
    public void execute(Request request) {
        request.checkBlock(ModifyAclDecoder.BLOCK_LENGTH);
        decoder.wrap(request.in(), Wire.HEADER_SIZE, request.blockLength(), request.version());
        int length = decoder.pathLength();
        int at = decoder.limit() + ModifyAclDecoder.pathHeaderLength();
        decoder.skipPath();
        acl.execute(request, decoder.baseId(), at, length, decoder.entries(), true, AclRules::modify);
    }
}
