package io.hmfs.server.exec;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hmfs.core.FormatOptions;
import io.hmfs.core.Hmfs;
import io.hmfs.core.Namespace;
import io.hmfs.core.OpenOptions;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.NameBatch;
import io.hmfs.core.type.StatBatch;
import io.hmfs.server.metrics.Meters;
import io.hmfs.server.metrics.Observation;
import io.hmfs.server.metrics.ServerMetrics;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: as many requests join as their batch holds, whatever its size.
 * Method: the largest batch that there can be, filled; each request must be answered and counted.
 */
class JoinedRequestsTest {
    @TempDir
    private Path directory;

    @Test
    void theLargestBatchCanBeFilled() throws IOException {
        Path pool = directory.resolve("p.pool");
        Hmfs.format(pool, FormatOptions.ofSize(FormatOptions.SIZE_MIN));
        Meters meters = new Meters();
        BareSession session = new BareSession(Unpooled.buffer(1 << 20)) {
            @Override
            public ByteBuf room(int bytes) {
                return replies.ensureWritable(bytes);
            }
        };
        try (Namespace namespace = Hmfs.open(pool, OpenOptions.process());
                ServerMetrics metrics = new ServerMetrics(meters, namespace, "test")) {
            Observation observation = new Observation(meters, metrics, null, Long.MAX_VALUE);
            Worker worker =
                    BareService.greeted(namespace, directory.resolve("key"), "u", List.of(), observation, session);
            JoinedStats stats = new JoinedStats(worker, new StatBatch(NameBatch.CAPACITY_MAX));
            session.replies.clear();
            for (int i = 0; i < NameBatch.CAPACITY_MAX; i++) {
                stats.add(session, Namespace.ROOT_ID, Namespace.ROOT_ID, Name.of("f" + i));
            }
            stats.execute();
            int answers = 0;
            while (session.replies.isReadable()) {
                session.replies.skipBytes(session.replies.readIntLE());
                answers++;
            }
            assertEquals(NameBatch.CAPACITY_MAX, answers);
        }
    }
}
