package io.hmfs.client;

import io.hmfs.wire.MetricsEncoder;
import io.hmfs.wire.SafeModeEncoder;
import io.hmfs.wire.Wire;
import io.hmfs.wire.WireBuffer;
import java.io.IOException;

/** Calls about the server itself. */
final class AdminCalls {
    static final int SAFE_MODE_ASK = 0;
    static final int SAFE_MODE_ENTER = 1;
    static final int SAFE_MODE_LEAVE = 2;

    private AdminCalls() {}

    /** Does harm neither twice nor late: it may be sent again. */
    static Call<Boolean> safeMode(int action) {
        return new Call<>("safe mode", "") {
            @Override
            int bound() {
                return Wire.HEADER_SIZE + SafeModeEncoder.BLOCK_LENGTH;
            }

            @Override
            int encode(Requests requests, WireBuffer out) {
                return requests.safeMode
                        .wrapAndApplyHeader(out, 0, requests.header)
                        .correlationId(correlationId)
                        .action((short) action)
                        .limit();
            }

            @Override
            Boolean decode(Replies replies, WireBuffer in) throws IOException {
                return replies.safeMode(in);
            }
        };
    }

    static Call<String> metrics() {
        return new Call<>("metrics", "") {
            @Override
            int bound() {
                return Wire.HEADER_SIZE + MetricsEncoder.BLOCK_LENGTH;
            }

            @Override
            int encode(Requests requests, WireBuffer out) {
                return requests.metrics
                        .wrapAndApplyHeader(out, 0, requests.header)
                        .correlationId(correlationId)
                        .limit();
            }

            @Override
            String decode(Replies replies, WireBuffer in) throws IOException {
                return replies.metrics(in);
            }
        };
    }
}
