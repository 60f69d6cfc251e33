package io.hmfs.client;

import io.hmfs.wire.Wire;
import io.hmfs.wire.WireBuffer;
import java.io.IOException;

/** Makes the calls on objects of the builtin data store, each of one chunk at most. */
final class DataCalls {
    private DataCalls() {}

    private static String subject(long inode, long block) {
        return Long.toHexString(inode) + "-" + block;
    }

    static Call<Integer> read(
            Grant grant, long inode, long block, long offset, byte[] target, int targetOffset, int length) {
        return new Call<>("read block", subject(inode, block)) {
            @Override
            int bound() {
                return Wire.DATA_OVERHEAD;
            }

            @Override
            int encode(Requests requests, WireBuffer out) {
                return requests.readBlock
                        .wrapAndApplyHeader(out, 0, requests.header)
                        .correlationId(correlationId)
                        .inode(inode)
                        .block(block)
                        .position(offset)
                        .length(length)
                        .grant(grant.grant())
                        .seal(grant.seal())
                        .limit();
            }

            @Override
            Integer decode(Replies replies, WireBuffer in) throws IOException {
                return replies.chunk(in, target, targetOffset, length);
            }
        };
    }

    static Call<Void> write(
            Grant grant, long inode, long block, long offset, byte[] source, int sourceOffset, int length) {
        return new Call<>("write block", subject(inode, block)) {
            @Override
            int bound() {
                return Wire.DATA_OVERHEAD + length;
            }

            @Override
            int encode(Requests requests, WireBuffer out) {
                return requests.writeBlock
                        .wrapAndApplyHeader(out, 0, requests.header)
                        .correlationId(correlationId)
                        .inode(inode)
                        .block(block)
                        .position(offset)
                        .grant(grant.grant())
                        .seal(grant.seal())
                        .lease(grant.lease())
                        .putPayload(source, sourceOffset, length)
                        .limit();
            }

            @Override
            Void decode(Replies replies, WireBuffer in) throws IOException {
                return replies.done(in);
            }
        };
    }

    static Call<Void> sync(Grant grant, long inode, long block) {
        return new Call<>("sync block", subject(inode, block)) {
            @Override
            int bound() {
                return Wire.DATA_OVERHEAD;
            }

            @Override
            int encode(Requests requests, WireBuffer out) {
                return requests.syncBlock
                        .wrapAndApplyHeader(out, 0, requests.header)
                        .correlationId(correlationId)
                        .inode(inode)
                        .block(block)
                        .grant(grant.grant())
                        .seal(grant.seal())
                        .limit();
            }

            @Override
            Void decode(Replies replies, WireBuffer in) throws IOException {
                return replies.done(in);
            }
        };
    }
}
