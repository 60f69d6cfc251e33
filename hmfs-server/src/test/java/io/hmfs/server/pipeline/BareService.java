package io.hmfs.server.pipeline;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.ServerNamespace;
import io.hmfs.server.ServerConfig;
import io.hmfs.server.access.AccessConfig;
import io.hmfs.server.access.Authenticators;
import io.hmfs.server.access.Callers;
import io.hmfs.server.access.Grants;
import io.hmfs.server.data.BuiltinData;
import io.hmfs.server.lease.Leases;
import io.hmfs.server.metrics.Observation;
import io.hmfs.server.partition.Partition;
import io.hmfs.server.partition.Partitions;
import io.hmfs.server.protocol.ReplyCompression;
import io.hmfs.server.protocol.WelcomeInfo;
import io.hmfs.server.request.Session;
import io.hmfs.server.setting.ServerSetting;
import io.hmfs.server.share.FairQueue;
import io.hmfs.server.share.UserShares;
import io.hmfs.wire.HelloEncoder;
import io.hmfs.wire.MessageHeaderEncoder;
import io.hmfs.wire.Wire;
import io.hmfs.wire.WireBuffer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** A service with nothing around it: what it would hand to other threads runs on the one that asks. */
final class BareService {
    /** Bytes of the longest frame that a test makes. */
    static final int FRAME_MAX = 1024;

    private BareService() {}

    /**
     * A worker in a session in which the user "u" has said hello.
     *
     * @param key where the key of the grants stands, or comes to stand
     * @param groups those of every user
     */
    static Pipeline greeted(
            ServerNamespace namespace,
            Path key,
            String superuser,
            List<String> groups,
            Observation observation,
            BareSession session)
            throws IOException {
        return greeted(namespace, key, superuser, groups, observation, Runnable::run, session);
    }

    /** The same, with threads for what may wait. */
    static Pipeline greeted(
            ServerNamespace namespace,
            Path key,
            String superuser,
            List<String> groups,
            Observation observation,
            Executor disk,
            Session session)
            throws IOException {
        AccessConfig access = ServerConfig.builder(Path.of("p"))
                .set(ServerSetting.SUPERUSER, superuser)
                .build()
                .access();
        Callers callers = new Callers(namespace, access, _ -> groups, Runnable::run, 1, System::nanoTime);
        Pipeline worker = new Pipelines(service(namespace, key, callers, observation, disk)).newPipeline();
        greet(worker, "u", session);
        return worker;
    }

    /** A service whose users come when they are greeted. */
    static Service service(ServerNamespace namespace, Path key, Callers callers, Observation observation, Executor disk)
            throws IOException {
        return service(namespace, key, callers, observation, disk, null);
    }

    /** The same, with a data store or without. */
    static Service service(
            ServerNamespace namespace,
            Path key,
            Callers callers,
            Observation observation,
            Executor disk,
            @Nullable BuiltinData data)
            throws IOException {
        return service(namespace, key, callers, observation, disk, data, false);
    }

    /** The same; {@code durable}: both must survive the machine. */
    static Service service(
            ServerNamespace namespace,
            Path key,
            Callers callers,
            Observation observation,
            Executor disk,
            @Nullable BuiltinData data,
            boolean durable)
            throws IOException {
        return service(namespace, key, callers, observation, disk, data, durable, 4096);
    }

    /** The same, with chunks of this length. */
    static Service service(
            ServerNamespace namespace,
            Path key,
            Callers callers,
            Observation observation,
            Executor disk,
            @Nullable BuiltinData data,
            boolean durable,
            int chunkSize)
            throws IOException {
        WelcomeInfo info = new WelcomeInfo(
                namespace.poolStatus().clusterId(),
                1,
                "test",
                "process",
                "file:///x",
                1 << 20,
                chunkSize,
                32 << 10,
                durable,
                false);
        Grants grants = Grants.open(key, new UUID(1, 2));
        UserShares shares = new UserShares(Map.of());
        return new Service(
                new Partitions(List.of(new Partition(
                        namespace,
                        new Leases(
                                namespace.records(),
                                ServerConfig.of(Path.of("p")).leases(),
                                shares),
                        data,
                        1 << 20,
                        0,
                        shares))),
                info,
                new ReplyCompression(0, false),
                Authenticators.SIMPLE,
                callers,
                grants,
                new FairQueue(disk, Integer.MAX_VALUE, Math.max(1 << 20, 16 * chunkSize)),
                observation,
                cause -> {
                    throw new AssertionError(cause);
                });
    }

    /** A user says hello to a worker in a session. */
    static void greet(Pipeline worker, String user, Session session) {
        greet(worker, user, session, 0, 0);
    }

    /** The same as the client 1, which waits for these sequences. */
    static void greet(Pipeline worker, String user, Session session, long oldest, long next) {
        introduce(worker, user, session, oldest, next);
        assertTrue(session.isGreeted());
    }

    /** The same, which may be answered later. */
    static void introduce(Pipeline worker, String user, Session session, long oldest, long next) {
        ByteBuf hello = Unpooled.buffer(FRAME_MAX);
        HelloEncoder encoder = new HelloEncoder()
                .wrapAndApplyHeader(window(hello), 0, new MessageHeaderEncoder())
                .correlationId(0)
                .magic(Wire.MAGIC)
                .protocolVersion(Wire.PROTOCOL_VERSION);
        encoder.clusterId().high(0).low(0);
        encoder.clientId(1)
                .authMethod(Wire.AUTH_SIMPLE)
                .oldestSequence(oldest)
                .nextSequence(next)
                .user(user)
                .putToken(new byte[0], 0, 0)
                .realUser("");
        worker.frame(session, hello, 0, encoder.limit());
    }

    /** Where a frame is encoded. */
    static WireBuffer window(ByteBuf buffer) {
        return new WireBuffer().wrap(buffer, 0, FRAME_MAX);
    }
}
