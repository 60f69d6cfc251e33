package io.hmfs.client;

import io.hmfs.wire.RenewLeasesEncoder;
import io.hmfs.wire.Wire;
import io.hmfs.wire.WireBuffer;
import java.io.IOException;

/** Makes the calls about leases. All of them may be sent again without harm. */
final class LeaseCalls {
    private LeaseCalls() {}

    static Call<Void> recover(String path) throws HmfsException {
        return new MetadataCalls.PathCall<>("recover lease", path) {
            @Override
            int encode(Requests requests, WireBuffer out) {
                return requests.recoverLease
                        .wrapAndApplyHeader(out, 0, requests.header)
                        .correlationId(correlationId)
                        .baseId(Wire.ROOT_ID)
                        .putPath(utf8, 0, utf8.length)
                        .limit();
            }

            @Override
            Void decode(Replies replies, WireBuffer in) throws IOException {
                return replies.done(in);
            }
        };
    }

    static Call<Boolean> isClosed(String path) throws HmfsException {
        return new MetadataCalls.PathCall<>("is closed", path) {
            @Override
            int encode(Requests requests, WireBuffer out) {
                return requests.isClosed
                        .wrapAndApplyHeader(out, 0, requests.header)
                        .correlationId(correlationId)
                        .baseId(Wire.ROOT_ID)
                        .putPath(utf8, 0, utf8.length)
                        .limit();
            }

            @Override
            Boolean decode(Replies replies, WireBuffer in) throws IOException {
                return replies.isClosed(in);
            }
        };
    }

    /** All leases of the client go on, but this one; 0: no other one. */
    static Call<Void> renew(long endedInode, long endedLease) {
        return new Call<>("renew leases", "") {
            @Override
            int bound() {
                return Wire.HEADER_SIZE + RenewLeasesEncoder.BLOCK_LENGTH;
            }

            @Override
            int encode(Requests requests, WireBuffer out) {
                return requests.renewLeases
                        .wrapAndApplyHeader(out, 0, requests.header)
                        .correlationId(correlationId)
                        .endedInode(endedInode)
                        .endedLease(endedLease)
                        .limit();
            }

            @Override
            Void decode(Replies replies, WireBuffer in) throws IOException {
                return replies.done(in);
            }
        };
    }
}
