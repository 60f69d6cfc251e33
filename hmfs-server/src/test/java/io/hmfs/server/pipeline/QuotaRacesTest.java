package io.hmfs.server.pipeline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.FormatOptions;
import io.hmfs.core.Hmfs;
import io.hmfs.core.Namespace;
import io.hmfs.core.OpenOptions;
import io.hmfs.core.ServerNamespace;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Change;
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
import io.hmfs.server.quota.Quotas;
import io.hmfs.server.setting.ServerSetting;
import io.hmfs.wire.DoneDecoder;
import io.hmfs.wire.MessageHeaderDecoder;
import io.hmfs.wire.MessageHeaderEncoder;
import io.hmfs.wire.RemoveTreeEncoder;
import io.hmfs.wire.WireBuffer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: limits and usage of quotas are right whatever comes in between. Method: workers on a real pool, with other people's changes between
 * two calls of the engine.
 */
class QuotaRacesTest {
    private static final long[] NO_ACL = {};

    @TempDir
    private Path directory;

    private final LateSession session = new LateSession();

    /** What happens once, after the next call of this method with this id or name. */
    private final Map<String, Runnable> after = new HashMap<>();

    /** Calls of {@code ServerNamespace.above} so far. Each climbs from a directory to the root. */
    private int climbs;

    private ServerNamespace namespace;
    private ServerMetrics metrics;
    private BuiltinData data;
    private Pipeline worker;
    private Quotas quotas;
    private long work;

    @BeforeEach
    void open() throws IOException {
        Path pool = directory.resolve("p.pool");
        Hmfs.format(pool, FormatOptions.ofSize(FormatOptions.SIZE_MIN));
        namespace = Hmfs.openForServer(pool, OpenOptions.process().keepingDataElsewhere());
        ServerNamespace hooked = (ServerNamespace) Proxy.newProxyInstance(
                QuotaRacesTest.class.getClassLoader(),
                new Class<?>[] {ServerNamespace.class},
                (proxy, method, arguments) -> call(method, arguments));
        Meters meters = new Meters();
        metrics = new ServerMetrics(meters, namespace, "test");
        Observation observation = new Observation(meters, metrics, null, Long.MAX_VALUE);
        AccessConfig access = ServerConfig.builder(Path.of("p"))
                .set(ServerSetting.SUPERUSER, "u")
                .build()
                .access();
        Callers callers = new Callers(hooked, access, _ -> List.of("staff"), Runnable::run, 1, System::nanoTime);
        data = BuiltinData.open(directory.resolve("data"), namespace, 1 << 20, false);
        Service service =
                BareService.service(hooked, directory.resolve("key"), callers, observation, Runnable::run, data);
        service.partition.recover();
        worker = new Pipelines(service).newPipeline();
        quotas = service.partition.quotas();
        BareService.greet(worker, "u", session);
        session.replies.clear();
        work = mkdir(Namespace.ROOT_ID, "w");
    }

    @AfterEach
    void close() {
        metrics.close();
        data.close();
        namespace.close();
    }

    private Object call(Method method, Object[] arguments) throws Throwable {
        climbs += method.getName().equals("above") ? 1 : 0;
        Object result;
        try {
            result = method.invoke(namespace, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
        if (arguments != null && arguments.length > 1) {
            Runnable step =
                    after.remove(method.getName() + " " + (arguments[1] instanceof Name name ? name : arguments[0]));
            if (step != null) {
                step.run();
            }
        }
        return result;
    }

    private long mkdir(long parent, String name) {
        Attributes made = new Attributes();
        assertEquals(Status.OK, namespace.mkdir(parent, Name.of(name), 0777, 0, 0, made));
        return made.id;
    }

    private void quota(long directory) {
        assertEquals(Status.OK, quotas.set(directory, 100, Quota.NONE));
    }

    private long counted(long directory) {
        Quota quota = quotas.usage(directory);
        assertNotNull(quota);
        return quota.usedNames;
    }

    private Pipeline another() {
        return new Pipelines(worker.service).newPipeline(true);
    }

    private static Status move(Pipeline by, long source, String sourceName, long target, String targetName) {
        Name from = Name.of(sourceName);
        Name to = Name.of(targetName);
        Status status = by.accounting().moves.begin(source, from, target, to, false);
        if (status == Status.OK) {
            status = by.service
                    .partition
                    .orphans()
                    .move(source, from, target, to, false, Change.NONE, new Attributes(), true);
        }
        by.accounting().moves.ended(status, source, from);
        return status;
    }

    @Test
    void aDirectoryKeepsItsLimitsWhenAnotherOneWithItsNameIsRemoved() {
        long limited = mkdir(work, "d");
        quota(limited);
        after.put("stat d", () -> {
            assertEquals(Status.OK, move(another(), work, "d", work, "elsewhere"));
            mkdir(work, "d");
        });
        assertEquals(Status.OK, another().accounting().rmdir(work, Name.of("d"), Change.NONE));
        assertTrue(after.isEmpty());
        assertEquals(1, quotas.size());
        assertEquals(100, quotas.limits(limited).names);
        assertEquals(Status.OK, another().accounting().rmdir(work, Name.of("elsewhere"), Change.NONE));
        assertEquals(0, quotas.size());
    }

    @Test
    void anIdThatIsNoneYetIsAskedForAgain() {
        quota(work);
        Pipeline one = another();
        Attributes made = new Attributes();
        assertEquals(Status.OK, one.accounting().mkdir(work, Name.of("before"), 0700, 0, 0, NO_ACL, Change.NONE, made));
        long next = made.id + 1;
        assertEquals(
                Status.NO_SUCH_DIRECTORY,
                one.accounting().mkdir(next, Name.of("f"), 0700, 0, 0, NO_ACL, Change.NONE, made));
        assertEquals(Status.OK, one.accounting().mkdir(work, Name.of("d"), 0700, 0, 0, NO_ACL, Change.NONE, made));
        assertEquals(next, made.id, "it was guessed");
        assertEquals(Status.OK, one.accounting().mkdir(next, Name.of("f"), 0700, 0, 0, NO_ACL, Change.NONE, made));
        assertEquals(4, counted(work));
    }

    /** A climb for each new directory would take time that grows with the square of the depth, on an event loop. */
    @Test
    void aPathOfNewDirectoriesIsClimbedOnce() {
        quota(work);
        assertEquals(1, counted(work), "itself");
        Pipeline one = another();
        Attributes made = new Attributes();
        made.id = work;
        climbs = 0;
        for (int level = 0; level < 90; level++) {
            Name name = Name.of("d");
            assertEquals(Status.OK, one.accounting().mkdir(made.id, name, 0700, 0, 0, NO_ACL, Change.NONE, made));
        }
        assertEquals(1, climbs);
        assertEquals(91, counted(work));
        quota(made.id);
        assertEquals(
                Status.OK,
                one.accounting().mkdir(made.id, Name.of("d"), 0700, 0, 0, NO_ACL, Change.NONE, new Attributes()));
        assertEquals(2, counted(made.id), "it was known without this quota before");
        assertEquals(92, counted(work));
    }

    @Test
    void whatIsHeldDoesNotMoveWithTheQuotaThatItWasBelow() {
        long inner = mkdir(work, "q");
        long tree = mkdir(inner, "T");
        mkdir(tree, "a");
        mkdir(tree, "b");
        long target = mkdir(Namespace.ROOT_ID, "m");
        quota(work);
        quota(inner);
        quota(target);
        assertEquals(5, counted(work));
        after.put(
                "mkdir " + Long.toHexString(inner) + "." + Long.toHexString(tree),
                () -> after.put(
                        "list " + tree, () -> assertEquals(Status.OK, move(another(), work, "q", target, "q"))));
        assertEquals(DoneDecoder.TEMPLATE_ID, removeTree("/w/q/T"));
        assertTrue(after.isEmpty());
        assertEquals(1, counted(work));
        assertEquals(2, counted(target));
        assertEquals(1, counted(inner));
    }

    private int removeTree(String path) {
        ByteBuf frame = Unpooled.buffer(BareService.FRAME_MAX);
        int bytes = new RemoveTreeEncoder()
                .wrapAndApplyHeader(BareService.window(frame), 0, new MessageHeaderEncoder())
                .correlationId(7)
                .baseId(Namespace.ROOT_ID)
                .path(path)
                .limit();
        worker.frame(session, frame, 0, bytes);
        worker.endBatch();
        int length = session.replies.readIntLE();
        WireBuffer reply = new WireBuffer().wrap(session.replies, session.replies.readerIndex(), length);
        return new MessageHeaderDecoder().wrap(reply, 0).templateId();
    }
}
