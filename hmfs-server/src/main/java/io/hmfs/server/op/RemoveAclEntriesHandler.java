package io.hmfs.server.op;

import io.hmfs.server.access.AclRules;
import io.hmfs.server.request.Request;
import io.hmfs.wire.RemoveAclEntriesDecoder;
import io.hmfs.wire.Wire;

/** RemoveAclEntries: takes entries out of an ACL. */
public final class RemoveAclEntriesHandler implements Handler {
    private final RemoveAclEntriesDecoder decoder = new RemoveAclEntriesDecoder();
    private final AclChange acl = new AclChange();

    @Override
    public void execute(Request request) {
        request.checkBlock(RemoveAclEntriesDecoder.BLOCK_LENGTH);
        decoder.wrap(request.in(), Wire.HEADER_SIZE, request.blockLength(), request.version());
        int length = decoder.pathLength();
        int at = decoder.limit() + RemoveAclEntriesDecoder.pathHeaderLength();
        decoder.skipPath();
        acl.execute(request, decoder.baseId(), at, length, decoder.entries(), false, AclRules::remove);
    }
}
