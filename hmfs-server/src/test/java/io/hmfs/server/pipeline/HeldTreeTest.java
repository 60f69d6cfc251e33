package io.hmfs.server.pipeline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.client.ResultCode;
import io.hmfs.core.FormatOptions;
import io.hmfs.core.Hmfs;
import io.hmfs.core.Namespace;
import io.hmfs.core.OpenOptions;
import io.hmfs.core.ServerNamespace;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Change;
import io.hmfs.core.type.ListCursor;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.core.type.TreeCount;
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
import io.hmfs.server.tree.OrphanDirectory;
import io.hmfs.wire.FailureDecoder;
import io.hmfs.wire.MessageHeaderDecoder;
import io.hmfs.wire.MessageHeaderEncoder;
import io.hmfs.wire.RemoveTreeEncoder;
import io.hmfs.wire.RenameEncoder;
import io.hmfs.wire.WireBuffer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a user that may not remove all of a tree removes none of it, whatever comes in while it is looked at, and no request is ahead of the
 * removal that was answered after it. Method: a worker on a real pool, with other people's changes between two calls of the engine.
 */
class HeldTreeTest {
    @TempDir
    private Path directory;

    private final LateSession session = new LateSession();

    /** What happens once, after the next call of this method with this id or name. */
    private final Map<String, Runnable> after = new HashMap<>();

    private ServerNamespace namespace;
    private ServerMetrics metrics;
    private BuiltinData data;
    private Pipeline worker;
    private int eve;
    private int bob;
    private long work;
    private long tree;
    private long vault;
    private long secret;

    @BeforeEach
    void open() throws IOException {
        Path pool = directory.resolve("p.pool");
        Hmfs.format(pool, FormatOptions.ofSize(FormatOptions.SIZE_MIN));
        namespace = Hmfs.openForServer(pool, OpenOptions.process().keepingDataElsewhere());
        ServerNamespace hooked = (ServerNamespace) Proxy.newProxyInstance(
                HeldTreeTest.class.getClassLoader(),
                new Class<?>[] {ServerNamespace.class},
                (proxy, method, arguments) -> call(method, arguments));
        Meters meters = new Meters();
        metrics = new ServerMetrics(meters, namespace, "test");
        Observation observation = new Observation(meters, metrics, null, Long.MAX_VALUE);
        AccessConfig access = ServerConfig.builder(Path.of("p"))
                .set(ServerSetting.SUPERUSER, "root")
                .build()
                .access();
        Callers callers = new Callers(hooked, access, _ -> List.of("staff"), Runnable::run, 1, System::nanoTime);
        data = BuiltinData.open(directory.resolve("data"), namespace, 1 << 20, false);
        worker = new Pipelines(BareService.service(
                        hooked, directory.resolve("key"), callers, observation, Runnable::run, data))
                .newPipeline();
        worker.service.partition.recover();
        BareService.greet(worker, "u", session);
        session.replies.clear();
        eve = namespace.principalId("u");
        bob = namespace.principalId("bob");
        work = mkdir(Namespace.ROOT_ID, "w", 0777, 0);
        tree = mkdir(work, "T", 0700, eve);
        create(mkdir(tree, "inner", 0700, eve), "f", eve);
        vault = mkdir(work, "V", 0700, bob);
        secret = create(vault, "secret", bob);
    }

    @AfterEach
    void close() {
        metrics.close();
        data.close();
        namespace.close();
    }

    private Object call(Method method, Object[] arguments) throws Throwable {
        Object result;
        try {
            result = method.invoke(namespace, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
        if (arguments != null && arguments.length > 1) {
            Runnable step = after.remove(
                    arguments[0] instanceof TreeCount
                            ? method.getName()
                            : method.getName() + " " + (arguments[1] instanceof Name name ? name : arguments[0]));
            if (step != null) {
                step.run();
            }
        }
        return result;
    }

    private long mkdir(long parent, String name, int mode, int uid) {
        Attributes made = new Attributes();
        assertEquals(Status.OK, namespace.mkdir(parent, Name.of(name), mode, uid, 0, made));
        return made.id;
    }

    private long create(long parent, String name, int uid) {
        Attributes made = new Attributes();
        assertEquals(Status.OK, namespace.create(parent, Name.of(name), 0600, uid, 0, made));
        return made.id;
    }

    private void moveVaultIn() {
        assertEquals(
                Status.OK,
                namespace.rename(work, Name.of("V"), tree, Name.of("x"), false, new Attributes()),
                "as eve may");
    }

    private long id(long parent, String name) {
        Attributes found = new Attributes();
        return namespace.stat(parent, Name.of(name), found) == Status.OK ? found.id : 0;
    }

    private ResultCode removeTree() {
        ByteBuf frame = Unpooled.buffer(BareService.FRAME_MAX);
        int length = new RemoveTreeEncoder()
                .wrapAndApplyHeader(BareService.window(frame), 0, new MessageHeaderEncoder())
                .correlationId(7)
                .baseId(Namespace.ROOT_ID)
                .path("/w/T")
                .limit();
        return answer(frame, length);
    }

    private ResultCode rename(String source, String target) {
        ByteBuf frame = Unpooled.buffer(BareService.FRAME_MAX);
        int length = new RenameEncoder()
                .wrapAndApplyHeader(BareService.window(frame), 0, new MessageHeaderEncoder())
                .correlationId(7)
                .sourceBaseId(Namespace.ROOT_ID)
                .targetBaseId(Namespace.ROOT_ID)
                .source(source)
                .target(target)
                .limit();
        return answer(frame, length);
    }

    private ResultCode answer(ByteBuf frame, int bytes) {
        worker.frame(session, frame, 0, bytes);
        worker.endBatch();
        int length = session.replies.readIntLE();
        WireBuffer reply = new WireBuffer().wrap(session.replies, session.replies.readerIndex(), length);
        session.replies.skipBytes(length);
        int template = new MessageHeaderDecoder().wrap(reply, 0).templateId();
        return template == FailureDecoder.TEMPLATE_ID
                ? ResultCode.of(new FailureDecoder()
                        .wrapAndApplyHeader(reply, 0, new MessageHeaderDecoder())
                        .code())
                : ResultCode.OK;
    }

    private void reap() {
        worker.service.partition.reapTrees();
    }

    /** As the reaper says when it has looked at all there is. */
    private void idle() {
        OrphanDirectory orphans = worker.service.partition.orphans();
        try {
            orphans.reaped(orphans.await());
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private List<String> amongOrphans() {
        Attributes orphans = new Attributes();
        assertEquals(Status.OK, namespace.orphans(false, orphans));
        List<String> names = new ArrayList<>();
        assertEquals(Status.OK, namespace.list(orphans.id, new ListCursor(), (name, _) -> names.add(name.toString())));
        return names;
    }

    private void take() {
        Attributes orphans = new Attributes();
        assertEquals(Status.OK, worker.service.partition.orphans().open(orphans));
        assertEquals(
                Status.OK, worker.service.partition.orphans().take(orphans, work, Name.of("T"), tree, Change.NONE));
    }

    @Test
    void whatNothingComesIntoIsRemoved() {
        assertEquals(ResultCode.OK, removeTree());
        assertEquals(List.of(Long.toHexString(tree)), amongOrphans());
        assertEquals(0, id(work, "T"));
        reap();
        assertEquals(List.of(), amongOrphans());
        assertEquals(secret, id(vault, "secret"));
    }

    @Test
    void whatComesInBehindTheLookIsLookedAtTooAndAllOfItStays() {
        after.put("list " + tree, this::moveVaultIn); // its end has been read
        assertEquals(ResultCode.ACCESS_DENIED, removeTree());
        assertTrue(after.isEmpty());
        assertEquals(tree, id(work, "T"));
        assertEquals(vault, id(tree, "x"));
        assertEquals(List.of(), amongOrphans());
        reap();
        assertEquals(secret, id(vault, "secret"));
    }

    /** What comes back is counted, though it was away when all that is there was counted. */
    @Test
    void aQuotaThatIsSetAnewMeanwhileHasWhatComesBack() {
        Quotas quotas = worker.service.partition.quotas();
        for (int i = 0; i < 3; i++) { // more than a sum holds, so that the next limits have all counted again
            String name = "large" + i;
            long file = create(work, name, bob);
            assertEquals(Status.OK, namespace.append(work, Name.of(name), file, (1L << 62) - 1));
        }
        assertEquals(Status.OK, quotas.set(work, 1_000, Quota.NONE));
        after.put("list " + tree, () -> {
            moveVaultIn();
            after.put("list " + tree, () -> assertEquals(Status.OK, quotas.set(work, 2_000, Quota.NONE)));
        });
        assertEquals(ResultCode.ACCESS_DENIED, removeTree());
        assertTrue(after.isEmpty());
        assertEquals(tree, id(work, "T"));
        Quota usage = Objects.requireNonNull(quotas.usage(work));
        assertEquals(9, usage.usedNames, "itself, three files, T, inner, f, x and secret");
    }

    /** The second look goes on while the reaper does. */
    @Test
    void whatIsHeldIsNotReapedAndIsGoneForAllUsers() {
        long inner = id(tree, "inner");
        after.put(
                "mkdir " + Long.toHexString(work) + "." + Long.toHexString(tree),
                () -> after.put("list " + inner, () -> {
                    assertEquals(0, id(work, "T"));
                    reap();
                    idle();
                    assertTrue(worker.service.partition.orphans().holds(inner));
                }));
        assertEquals(ResultCode.OK, removeTree());
        assertTrue(after.isEmpty());
        assertTrue(id(inner, "f") != 0, "the reaper has not been there");
    }

    private OrphanDirectory crashInTheSecondLook() throws IOException {
        after.put(
                "mkdir " + Long.toHexString(work) + "." + Long.toHexString(tree),
                () -> after.put("list " + tree, () -> {
                    throw new IllegalStateException("power");
                }));
        assertThrows(AssertionError.class, this::removeTree);
        assertEquals(0, id(work, "T"));
        return BareService.service(
                        namespace,
                        directory.resolve("key"),
                        worker.service.callers,
                        worker.service.observation,
                        Runnable::run)
                .partition
                .orphans();
    }

    private void assertWholeAndNoOrphans() {
        assertTrue(id(id(tree, "inner"), "f") != 0);
        reap();
        assertEquals(List.of(), amongOrphans());
        assertTrue(id(id(tree, "inner"), "f") != 0);
    }

    @Test
    void theNextStartPutsBackWhatWasHeld() throws IOException {
        crashInTheSecondLook().recover();
        assertEquals(tree, id(work, "T"));
        assertWholeAndNoOrphans();
    }

    @Test
    void whatFindsItsNameTakenIsPutBesideIt() throws IOException {
        OrphanDirectory next = crashInTheSecondLook();
        long other = create(work, "T", bob);
        next.recover();
        assertEquals(other, id(work, "T"));
        assertEquals(tree, id(work, Long.toHexString(tree)));
        assertWholeAndNoOrphans();
    }

    @Test
    void whatFindsItsParentGoneIsPutIntoTheRoot() throws IOException {
        OrphanDirectory next = crashInTheSecondLook();
        assertEquals(Status.OK, namespace.delete(vault, Name.of("secret"), new Attributes()));
        assertEquals(Status.OK, namespace.rmdir(work, Name.of("V")));
        assertEquals(Status.OK, namespace.rmdir(Namespace.ROOT_ID, Name.of("w")));
        next.recover();
        assertEquals(tree, id(Namespace.ROOT_ID, Long.toHexString(tree)));
        assertWholeAndNoOrphans();
    }

    @Test
    void aRenameThatWasResolvedBeforeTheStepMovesNoOrphansOutOrIn() {
        after.put("stat w", () -> after.put("stat T", this::take)); // the next that resolves a path below
        assertEquals(ResultCode.NOT_FOUND, rename("/w/T/inner", "/w/e"));
        assertEquals(0, id(work, "e"));
        reap();
        assertEquals(List.of(), amongOrphans());
        assertEquals(vault, id(work, "V"));
    }

    /** Between its look and the move nothing goes to the orphan directory. */
    @Test
    void theStepWaitsForARenameThatHasLooked() throws InterruptedException {
        Thread step = new Thread(this::take);
        boolean[] waited = {false};
        after.put("rename inner", () -> {
            step.start();
            while (step.getState() != Thread.State.WAITING && step.isAlive()) {
                Thread.onSpinWait();
            }
            waited[0] = step.isAlive();
        });
        assertEquals(
                Status.OK,
                worker.service
                        .partition
                        .orphans()
                        .move(tree, Name.of("inner"), work, Name.of("e"), false, Change.NONE, new Attributes(), true));
        step.join();
        assertTrue(waited[0]);
        assertTrue(id(work, "e") != 0);
        assertTrue(worker.service.partition.orphans().holds(tree));
    }

    private void quota(long directory, long names) {
        assertEquals(Status.OK, worker.service.partition.quotas().set(directory, names, Quota.NONE));
    }

    private long counted(long directory) {
        Quota quota = worker.service.partition.quotas().usage(directory);
        return quota == null ? 0 : quota.usedNames;
    }

    /** What happens while the tree is held, before it is looked at again. */
    private void whileHeld(Runnable step) {
        after.put(
                "mkdir " + Long.toHexString(work) + "." + Long.toHexString(tree),
                () -> after.put("list " + tree, step));
    }

    @Test
    void whatLeavesIsCountedNoMoreAndTheReaperLeavesTheLimits() {
        quota(work, 10);
        assertEquals(6, counted(work));
        assertEquals(ResultCode.OK, removeTree());
        assertEquals(3, counted(work));
        reap();
        assertEquals(List.of(), amongOrphans());
        assertEquals(10, worker.service.partition.quotas().limits(work).names);
        assertEquals(3, counted(work));
    }

    @Test
    void whatIsRefusedAndPutBackIsCountedByAQuotaThatCameMeanwhile() {
        after.put("mkdir " + Long.toHexString(work) + "." + Long.toHexString(tree), () -> {
            assertEquals(Status.OK, namespace.chown(tree, Name.of("inner"), bob, 0));
            after.put("list " + tree, () -> quota(work, 10));
        });
        assertEquals(ResultCode.ACCESS_DENIED, removeTree());
        assertTrue(after.isEmpty());
        assertEquals(tree, id(work, "T"));
        assertEquals(6, counted(work));
    }

    @Test
    void aQuotaThatWasSetAnewMeanwhileGivesNothingBack() {
        quota(work, 10);
        whileHeld(() -> {
            quota(work, Quota.NONE);
            quota(work, 20);
        });
        assertEquals(ResultCode.OK, removeTree());
        assertTrue(after.isEmpty());
        assertEquals(3, counted(work));
    }

    /** Between the sum of what moves and the move nothing changes. */
    @Test
    void whatComesIntoATreeThatMovesIsCountedWhereItIsThen() throws InterruptedException {
        long target = mkdir(work, "M", 0700, eve);
        long inner = id(tree, "inner");
        quota(target, 10);
        Thread late = new Thread(() -> new Pipelines(worker.service)
                .newPipeline(true)
                .accounting()
                .mkdir(inner, Name.of("late"), 0700, 0, 0, new long[0], Change.NONE, new Attributes()));
        boolean[] waited = {false};
        after.put("count", () -> {
            late.start();
            while (late.getState() != Thread.State.WAITING && late.isAlive()) {
                Thread.onSpinWait();
            }
            waited[0] = late.isAlive();
        });
        assertEquals(ResultCode.OK, rename("/w/T/inner", "/w/M/inner"));
        late.join();
        assertTrue(waited[0]);
        assertEquals(4, counted(target), "itself, inner, f and late");
        assertTrue(id(inner, "late") != 0);
    }
}
