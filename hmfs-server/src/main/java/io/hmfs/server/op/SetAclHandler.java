package io.hmfs.server.op;

import io.hmfs.server.access.AclRules;
import io.hmfs.server.request.Request;
import io.hmfs.wire.SetAclDecoder;
import io.hmfs.wire.Wire;

/** SetAcl: replaces the access list, the default list, or both; no entries: takes all out, as in HDFS. */
public final class SetAclHandler implements Handler {
    private final SetAclDecoder decoder = new SetAclDecoder();
    private final AclChange acl = new AclChange();

    @Override
    public void execute(Request request) {
        request.checkBlock(SetAclDecoder.BLOCK_LENGTH);
        decoder.wrap(request.in(), Wire.HEADER_SIZE, request.blockLength(), request.version());
        int length = decoder.pathLength();
        int at = decoder.limit() + SetAclDecoder.pathHeaderLength();
        decoder.skipPath();
        String entries = decoder.entries();
        AclRules.Change change = entries.isEmpty() ? (existing, _) -> AclRules.removeAll(existing) : AclRules::replace;
        acl.execute(request, decoder.baseId(), at, length, entries, true, change);
    }
}
