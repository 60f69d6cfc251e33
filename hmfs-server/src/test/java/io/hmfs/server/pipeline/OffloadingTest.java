package io.hmfs.server.pipeline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.FormatOptions;
import io.hmfs.core.Hmfs;
import io.hmfs.core.Namespace;
import io.hmfs.core.OpenOptions;
import io.hmfs.core.ServerNamespace;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.server.ServerConfig;
import io.hmfs.server.access.AccessConfig;
import io.hmfs.server.access.Callers;
import io.hmfs.server.data.BuiltinData;
import io.hmfs.server.metrics.Meters;
import io.hmfs.server.metrics.Observation;
import io.hmfs.server.metrics.ServerMetrics;
import io.hmfs.server.quota.Quota;
import io.hmfs.server.setting.ServerSetting;
import io.hmfs.wire.MessageHeaderEncoder;
import io.hmfs.wire.ReadBlockEncoder;
import io.hmfs.wire.RenameEncoder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: what must be on the disk before the namespace changes, or may take long, is not executed by a thread that serves connections; what need
 * not be does not pay for it. Method: a service with durable data whose other threads are a queue.
 */
class OffloadingTest {
    private static final int CHUNK_SIZE = 256 << 10;

    @TempDir
    private Path directory;

    private final ArrayDeque<Runnable> disk = new ArrayDeque<>();
    private final LateSession session = new LateSession();
    private ServerNamespace namespace;
    private ServerMetrics metrics;
    private BuiltinData data;
    private Pipeline worker;

    @BeforeEach
    void open() throws IOException {
        Path pool = directory.resolve("p.pool");
        Hmfs.format(pool, FormatOptions.ofSize(FormatOptions.SIZE_MIN));
        namespace = Hmfs.openForServer(pool, OpenOptions.process().keepingDataElsewhere());
        ServerNamespace logged = (ServerNamespace) Proxy.newProxyInstance(
                OffloadingTest.class.getClassLoader(),
                new Class<?>[] {ServerNamespace.class},
                (_, method, arguments) -> logged(method, arguments));
        Meters meters = new Meters();
        metrics = new ServerMetrics(meters, namespace, "test");
        AccessConfig access = ServerConfig.builder(Path.of("p"))
                .set(ServerSetting.SUPERUSER, "root")
                .build()
                .access();
        Callers callers = new Callers(logged, access, _ -> List.of("staff"), Runnable::run, 1, System::nanoTime);
        data = BuiltinData.open(directory.resolve("data"), namespace, 1 << 20, true);
        Observation observation = new Observation(meters, metrics, null, Long.MAX_VALUE);
        Path key = directory.resolve("key");
        Service service = BareService.service(logged, key, callers, observation, disk::add, data, true, CHUNK_SIZE);
        service.partition.recover();
        worker = new Pipelines(service).newPipeline();
        BareService.greet(worker, "root", session);
        session.replies.clear();
        for (String name : List.of("f", "g", "h")) {
            assertEquals(Status.OK, namespace.create(Namespace.ROOT_ID, Name.of(name), 0644, 0, 0, new Attributes()));
        }
    }

    @AfterEach
    void close() throws IOException {
        metrics.close();
        data.close();
        namespace.close();
    }

    /** The namespace as if a log had to have what was done. */
    private @Nullable Object logged(Method method, Object[] arguments) throws Throwable {
        switch (method.getName()) {
            case "logPosition" -> {
                return 1L;
            }
            case "whenDurable" -> {
                ((Runnable) arguments[1]).run();
                return null;
            }
            default -> {
                try {
                    return method.invoke(namespace, arguments);
                } catch (InvocationTargetException e) {
                    throw e.getCause();
                }
            }
        }
    }

    /** Whether it is left to another thread, which then executes it. */
    private boolean isLeft(String source, String target, boolean replace) {
        ByteBuf frame = Unpooled.buffer(BareService.FRAME_MAX);
        RenameEncoder rename = new RenameEncoder()
                .wrapAndApplyHeader(BareService.window(frame), 0, new MessageHeaderEncoder())
                .correlationId(7)
                .sourceBaseId(Namespace.ROOT_ID)
                .targetBaseId(Namespace.ROOT_ID);
        rename.flags().clear().replace(replace);
        int length = rename.source(source).target(target).limit();
        worker.frame(session, frame, 0, length);
        worker.endBatch();
        boolean left = !disk.isEmpty();
        while (!disk.isEmpty()) {
            disk.remove().run();
        }
        Name there = Name.of(target.substring(1));
        assertEquals(Status.OK, namespace.stat(Namespace.ROOT_ID, there, new Attributes()));
        return left;
    }

    /** The pool remembers what has to be removed: nothing waits for the disk. */
    @Test
    void noRenameGoesElsewhere() {
        assertFalse(isLeft("/f", "/a", false));
        assertFalse(isLeft("/a", "/g", true));
        assertFalse(isLeft("/g", "/new", true));
    }

    /** What moves from below one quota to below another is summed up. */
    @Test
    void aRenameGoesElsewhereOnlyFromBelowOneQuotaToBelowAnother() {
        Attributes limited = new Attributes();
        assertEquals(Status.OK, namespace.mkdir(Namespace.ROOT_ID, Name.of("d"), 0755, 0, 0, limited));
        assertEquals(Status.OK, namespace.create(limited.id, Name.of("x"), 0644, 0, 0, new Attributes()));
        assertEquals(Status.OK, worker.service.partition.quotas().set(limited.id, 100, Quota.NONE));
        assertFalse(isLeft("/f", "/a", false));
        assertTrue(isLeft("/d/x", "/b", false));
        assertEquals(Status.OK, worker.service.partition.quotas().set(Namespace.ROOT_ID, 100, Quota.NONE));
        assertFalse(isLeft("/a", "/c", false));
    }

    /** A client may have 2 MiB of requests and their replies waiting. */
    @Test
    void readsWaitWithWhatTheyAskForAndNotWithAChunkEach() {
        for (int i = 0; i < 100; i++) {
            assertTrue(worker.mayProceed(session), "read " + i);
            ByteBuf frame = Unpooled.buffer(BareService.FRAME_MAX);
            int length = new ReadBlockEncoder()
                    .wrapAndApplyHeader(BareService.window(frame), 0, new MessageHeaderEncoder())
                    .correlationId(7)
                    .inode(2)
                    .length(4 << 10)
                    .limit();
            worker.frame(session, frame, 0, length);
        }
        assertEquals(100, worker.service.diskRequests());
    }
}
