package io.hmfs.server.pipeline;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hmfs.core.FormatOptions;
import io.hmfs.core.Hmfs;
import io.hmfs.core.OpenOptions;
import io.hmfs.core.ServerNamespace;
import io.hmfs.server.ServerConfig;
import io.hmfs.server.access.Authenticators;
import io.hmfs.server.access.Callers;
import io.hmfs.server.access.Grants;
import io.hmfs.server.lease.Leases;
import io.hmfs.server.metrics.Meters;
import io.hmfs.server.metrics.Observation;
import io.hmfs.server.metrics.ServerMetrics;
import io.hmfs.server.partition.Partition;
import io.hmfs.server.partition.Partitions;
import io.hmfs.server.protocol.ReplyCompression;
import io.hmfs.server.protocol.WelcomeInfo;
import io.hmfs.server.request.Request;
import io.hmfs.server.request.Session;
import io.hmfs.server.share.FairQueue;
import io.hmfs.server.share.UserShares;
import io.hmfs.server.transport.ReplyChannel;
import io.hmfs.wire.MessageHeaderEncoder;
import io.hmfs.wire.StatusEncoder;
import io.hmfs.wire.WireBuffer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: what waited for the disk longer than the server did leaves nothing behind.
 * Method: a connection whose thread has ended; an allocator that counts.
 */
class OffloadedRequestTest {
    private static final int FRAME_MAX = 256;

    @TempDir
    private Path directory;

    private final UnpooledByteBufAllocator counting = new UnpooledByteBufAllocator(true);

    private final class EndedChannel implements ReplyChannel {
        @Override
        public ByteBuf room(int bytes) {
            throw new AssertionError("nothing is answered on the connection's thread");
        }

        @Override
        public void begin(int replyBytes) {}

        @Override
        public void end(ByteBuf reply, int replyBytes) {
            throw new AssertionError("the client is not there");
        }

        @Override
        public boolean identify(UserShares.Account user) {
            user.leave();
            return true;
        }

        @Override
        public void outOfMemory(OutOfMemoryError cause) {
            throw cause;
        }

        @Override
        public void closeWhenSent() {}

        @Override
        public void onThread(Runnable task) {
            throw new RejectedExecutionException("event executor terminated");
        }

        @Override
        public ByteBufAllocator allocator() {
            return counting;
        }

        @Override
        public @Nullable SocketAddress remote() {
            return null;
        }
    }

    @Test
    void aReplyThatNoClientTakesIsReleased() throws IOException {
        Path pool = directory.resolve("p.pool");
        Hmfs.format(pool, FormatOptions.ofSize(FormatOptions.SIZE_MIN));
        Meters meters = new Meters();
        try (ServerNamespace namespace = Hmfs.openForServer(pool, OpenOptions.process());
                ServerMetrics metrics = new ServerMetrics(meters, namespace, "test")) {
            WelcomeInfo info = new WelcomeInfo(
                    namespace.poolStatus().clusterId(),
                    1,
                    "test",
                    "process",
                    "file:///x",
                    1 << 20,
                    4096,
                    32 << 10,
                    false,
                    false);
            Service service = new Service(
                    new Partitions(List.of(new Partition(
                            namespace,
                            new Leases(
                                    namespace.records(),
                                    ServerConfig.of(Path.of("p")).leases(),
                                    new UserShares(Map.of())),
                            null,
                            0,
                            0,
                            new UserShares(Map.of())))),
                    info,
                    new ReplyCompression(0, false),
                    Authenticators.SIMPLE,
                    new Callers(
                            namespace,
                            ServerConfig.of(Path.of("p")).access(),
                            user -> List.of(),
                            Runnable::run,
                            1,
                            System::nanoTime),
                    Grants.open(directory.resolve("key"), new UUID(1, 2)),
                    new FairQueue(Runnable::run, 1, 1 << 20),
                    new Observation(meters, metrics, null, Long.MAX_VALUE),
                    cause -> {
                        throw new AssertionError(cause);
                    });
            ByteBuf frame = Unpooled.buffer(FRAME_MAX);
            int length = new StatusEncoder()
                    .wrapAndApplyHeader(new WireBuffer().wrap(frame, 0, FRAME_MAX), 0, new MessageHeaderEncoder())
                    .correlationId(1)
                    .limit();
            frame.setIndex(0, length);
            Session session = new Session(new EndedChannel());
            session.share(service.disk.join("u", 1));
            Pipeline ofDiskThread = new Pipelines(service).newPipeline(true);
            new OffloadedRequest(service.disk, ofDiskThread::executeOffloaded, session, frame, 0, Request.UNNUMBERED)
                    .start();
            assertEquals(0, frame.refCnt());
            assertEquals(0, service.diskRequests());
            assertEquals(
                    0, counting.metric().usedDirectMemory() + counting.metric().usedHeapMemory());
        }
    }
}
