package io.hmfs.server.pipeline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

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
import io.hmfs.server.share.FairQueue;
import io.hmfs.server.share.UserShares;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a connection that ends waits for nothing any more, and one whose greeting fails ends.
 * Method: a service whose other threads are the test's; a greeting that fails.
 */
class ConnectionEndsTest {
    private static final int DISK_BYTES = 1 << 20;

    @TempDir
    private Path directory;

    private final ArrayDeque<Runnable> disk = new ArrayDeque<>();
    private final ArrayDeque<Runnable> lookups = new ArrayDeque<>();
    private final List<Throwable> failures = new ArrayList<>();
    private ServerNamespace namespace;

    private static final class EndingChannel extends BareChannel {
        private boolean closes;
        private @Nullable RuntimeException failure;

        EndingChannel() {
            super(Unpooled.buffer());
        }

        @Override
        public @Nullable SocketAddress remote() {
            if (failure != null) {
                throw failure;
            }
            return null;
        }

        @Override
        void late(ByteBuf reply) {
            replies.writeBytes(reply);
            reply.release();
        }

        @Override
        public void onThread(Runnable task) {
            task.run();
        }

        @Override
        public void closeWhenSent() {
            closes = true;
        }
    }

    @BeforeEach
    void open() throws IOException {
        Path pool = directory.resolve("p.pool");
        Hmfs.format(pool, FormatOptions.ofSize(FormatOptions.SIZE_MIN));
        namespace = Hmfs.openForServer(pool, OpenOptions.process());
    }

    @AfterEach
    void close() {
        namespace.close();
    }

    private Service service(Executor threads) throws IOException {
        Meters meters = new Meters();
        Observation observation =
                new Observation(meters, new ServerMetrics(meters, namespace, "test"), null, Long.MAX_VALUE);
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
        Callers callers = new Callers(
                namespace, ServerConfig.of(Path.of("p")).access(), _ -> List.of(), threads, 1, System::nanoTime);
        Grants grants = Grants.open(directory.resolve("key"), new UUID(1, 2));
        return new Service(
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
                callers,
                grants,
                new FairQueue(disk::add, 1, DISK_BYTES),
                observation,
                failures::add);
    }

    @Test
    void aClientThatLeavesIsNotHeldUpAnyMore() throws IOException {
        Service service = service(Runnable::run);
        BareSession session = new BareSession(new EndingChannel());
        BareService.greet(new Pipelines(service).newPipeline(), "u", session);
        FairQueue.Share share = service.disk.join("u", 1);
        service.disk.execute(share, new FairQueue.Work() {
            @Override
            public long bytes() {
                return DISK_BYTES;
            }

            @Override
            public void run() {
                service.disk.done(share, this);
            }
        });
        assertFalse(service.mayProceed(session));
        service.whenMayProceed(session, () -> {
            throw new AssertionError("the client is not there");
        });
        assertEquals(1, service.connectionsHeldUp());
        session.leave();
        assertEquals(0, service.connectionsHeldUp());
        disk.remove().run();
    }

    @Test
    void aGreetingThatFailsLateEndsTheConnectionAndTheService() throws IOException {
        Service service = service(lookups::add);
        EndingChannel channel = new EndingChannel();
        BareSession session = new BareSession(channel);
        RuntimeException failure = new IllegalStateException("as of a pool that is broken");
        BareService.introduce(new Pipelines(service).newPipeline(), "u", session, 0, 0);
        assertTrue(session.isGreeting());
        channel.failure = failure;
        lookups.remove().run();
        assertEquals(List.of(failure), failures);
        assertTrue(channel.closes);
        assertEquals(0, session.inFlight());
        assertEquals(0, session.replies.readableBytes());
    }
}
