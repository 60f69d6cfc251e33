package io.hmfs.server.pipeline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.hmfs.client.ResultCode;
import io.hmfs.core.FormatOptions;
import io.hmfs.core.Hmfs;
import io.hmfs.core.OpenOptions;
import io.hmfs.core.ServerNamespace;
import io.hmfs.core.type.NameBatch;
import io.hmfs.server.metrics.Meters;
import io.hmfs.server.metrics.Observation;
import io.hmfs.server.metrics.ServerMetrics;
import io.hmfs.wire.FailureDecoder;
import io.hmfs.wire.MessageHeaderDecoder;
import io.hmfs.wire.WireBuffer;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: requests that arrive in one event-loop batch are all answered, in their order, however many they are. Method: more stats than one
 * batch of the engine holds, of names that are not there; each must be answered once.
 */
class BatchedRequestsTest {
    private static final int COUNT = 3 * NameBatch.CAPACITY_MAX + 1;

    @TempDir
    private Path directory;

    @Test
    void eachRequestOfAFullBatchIsAnsweredInOrder() throws IOException {
        Path pool = directory.resolve("p.pool");
        Hmfs.format(pool, FormatOptions.ofSize(FormatOptions.SIZE_MIN));
        Meters meters = new Meters();
        BareSession session = new BareSession();
        try (ServerNamespace namespace = Hmfs.openForServer(pool, OpenOptions.process());
                ServerMetrics metrics = new ServerMetrics(meters, namespace, "test")) {
            Observation observation = new Observation(meters, metrics, null, Long.MAX_VALUE);
            Pipeline pipeline =
                    BareService.greeted(namespace, directory.resolve("key"), "u", List.of(), observation, session);
            session.replies.clear();
            for (int i = 0; i < COUNT; i++) {
                byte[] stat = BatchFrames.stat(i, "/f" + i);
                pipeline.frame(session, Unpooled.wrappedBuffer(stat), 0, stat.length);
            }
            pipeline.endBatch();
            for (int i = 0; i < COUNT; i++) {
                int length = session.replies.readIntLE();
                FailureDecoder failure = new FailureDecoder()
                        .wrapAndApplyHeader(
                                new WireBuffer().wrap(session.replies, session.replies.readerIndex(), length),
                                0,
                                new MessageHeaderDecoder());
                assertEquals(i, failure.correlationId());
                assertEquals(ResultCode.NOT_FOUND.code(), failure.code());
                session.replies.skipBytes(length);
            }
            assertFalse(session.replies.isReadable());
        }
    }
}
