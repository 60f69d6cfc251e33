package io.hmfs.client;

import io.hmfs.wire.MetricsEncoder;
import io.hmfs.wire.Wire;
import io.hmfs.wire.WireBuffer;
import java.io.IOException;

/** Calls about the server itself. */
final class AdminCalls {
    private AdminCalls() {}

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
