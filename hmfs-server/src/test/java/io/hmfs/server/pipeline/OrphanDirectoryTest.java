package io.hmfs.server.pipeline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
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
import io.hmfs.server.metrics.Meters;
import io.hmfs.server.metrics.Observation;
import io.hmfs.server.metrics.ServerMetrics;
import io.hmfs.server.tree.OrphanDirectory;
import io.hmfs.wire.AppendEncoder;
import io.hmfs.wire.CreateEncoder;
import io.hmfs.wire.FailureDecoder;
import io.hmfs.wire.MessageHeaderDecoder;
import io.hmfs.wire.MessageHeaderEncoder;
import io.hmfs.wire.RenameEncoder;
import io.hmfs.wire.StatEncoder;
import io.hmfs.wire.WireBuffer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: what has gone to the orphan directory is gone for all users, also for one that holds an id of it, and is removed whatever comes in
 * between. Method: a worker and a reaper without threads of their own, on a real pool: before, while and after it is removed.
 */
class OrphanDirectoryTest {
    @TempDir
    private Path directory;

    private final LateSession session = new LateSession();
    private ServerNamespace namespace;
    private ServerMetrics metrics;
    private Pipeline worker;
    private long tree;
    private long inner;
    private long file;

    @BeforeEach
    void open() throws IOException {
        Path pool = directory.resolve("p.pool");
        Hmfs.format(pool, FormatOptions.ofSize(FormatOptions.SIZE_MIN));
        namespace = Hmfs.openForServer(pool, OpenOptions.process());
        Meters meters = new Meters();
        metrics = new ServerMetrics(meters, namespace, "test");
        worker = BareService.greeted(
                namespace,
                directory.resolve("key"),
                "u",
                List.of("staff"),
                new Observation(meters, metrics, null, Long.MAX_VALUE),
                Runnable::run,
                session);
        session.replies.clear();
        tree = mkdir(Namespace.ROOT_ID, "tree");
        inner = mkdir(tree, "inner");
        file = create(inner, "f");
    }

    @AfterEach
    void close() {
        metrics.close();
        namespace.close();
    }

    private long mkdir(long parent, String name) {
        Attributes made = new Attributes();
        assertEquals(Status.OK, namespace.mkdir(parent, Name.of(name), 0755, 0, 0, made));
        return made.id;
    }

    private long create(long parent, String name) {
        Attributes made = new Attributes();
        assertEquals(Status.OK, namespace.create(parent, Name.of(name), 0644, 0, 0, made));
        return made.id;
    }

    private void take() {
        Attributes orphans = new Attributes();
        assertEquals(Status.OK, worker.service.partition.orphans().open(orphans));
        assertEquals(
                Status.OK,
                worker.service
                        .partition
                        .orphans()
                        .take(orphans, Namespace.ROOT_ID, Name.of("tree"), tree, Change.NONE));
    }

    private void reap() throws InterruptedException {
        OrphanDirectory orphans = worker.service.partition.orphans();
        long until = orphans.await();
        worker.service.partition.reapTrees();
        orphans.reaped(until);
    }

    private void assertEmpty(Attributes orphans) {
        assertEquals(Status.OK, namespace.orphans(false, orphans));
        List<String> names = new ArrayList<>();
        assertEquals(Status.OK, namespace.list(orphans.id, new ListCursor(), (name, _) -> names.add(name.toString())));
        assertEquals(List.of(), names);
    }

    private void assertEmpty() {
        Attributes orphans = new Attributes();
        assertEmpty(orphans);
        assertEquals(Status.NO_SUCH_DIRECTORY, namespace.statDirectory(tree, orphans));
        assertEquals(Status.NO_SUCH_DIRECTORY, namespace.statDirectory(inner, orphans));
    }

    private ResultCode append(long parent, long inode, long size) {
        ByteBuf frame = Unpooled.buffer(BareService.FRAME_MAX);
        int length = new AppendEncoder()
                .wrapAndApplyHeader(BareService.window(frame), 0, new MessageHeaderEncoder())
                .correlationId(7)
                .parentId(parent)
                .inode(inode)
                .size(size)
                .name("f")
                .limit();
        return answer(frame, length);
    }

    private ResultCode stat(long base) {
        ByteBuf frame = Unpooled.buffer(BareService.FRAME_MAX);
        int length = new StatEncoder()
                .wrapAndApplyHeader(BareService.window(frame), 0, new MessageHeaderEncoder())
                .correlationId(7)
                .baseId(base)
                .path("f")
                .limit();
        return answer(frame, length);
    }

    private ResultCode answer(ByteBuf frame, int bytes) {
        return answer(worker, frame, bytes);
    }

    private ResultCode answer(Pipeline by, ByteBuf frame, int bytes) {
        by.frame(session, frame, 0, bytes);
        by.endBatch();
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

    @Test
    void aUserThatHoldsAnIdOfItFindsItGoneBeforeItIsRemoved() throws InterruptedException {
        long other = mkdir(Namespace.ROOT_ID, "other");
        long stays = create(other, "f");
        assertEquals(ResultCode.OK, append(inner, file, 5));
        assertEquals(ResultCode.OK, stat(inner));
        take();
        assertEquals(ResultCode.STALE, append(inner, file, 10), "before it is removed");
        assertEquals(ResultCode.NO_SUCH_DIRECTORY, stat(inner));
        Attributes there = new Attributes();
        assertEquals(Status.OK, namespace.stat(inner, Name.of("f"), there));
        assertEquals(5, there.size);
        assertEquals(ResultCode.OK, append(other, stays, 10), "what is not in the orphan directory goes on");
        assertEquals(ResultCode.OK, stat(other));
        assertTrue(worker.service.partition.orphans().isBusy());
        while (worker.service.partition.orphans().isBusy()) {
            reap();
        }
        assertEquals(ResultCode.STALE, append(inner, file, 10), "after it is removed");
        assertEquals(ResultCode.NOT_FOUND, stat(inner));
        assertEquals(ResultCode.OK, append(other, stays, 20));
        assertEmpty();
    }

    @Test
    void treesOfAllShapesAreRemoved() throws InterruptedException {
        long deep = tree;
        for (int i = 0; i < 300; i++) {
            deep = mkdir(deep, "d" + i);
            create(deep, "f");
        }
        for (int i = 0; i < 1_300; i++) { // more than a page of each
            create(mkdir(inner, "d" + i), "f" + i);
            create(inner, "f" + i);
        }
        assertEquals(Status.OK, namespace.symlink(inner, Name.of("s"), new byte[] {'/'}, 0, 0, new Attributes()));
        assertEquals(
                Status.OK, namespace.link(inner, Name.of("f"), Namespace.ROOT_ID, Name.of("kept"), new Attributes()));
        take();
        reap();
        assertEmpty();
        Attributes kept = new Attributes();
        assertEquals(Status.OK, namespace.stat(Namespace.ROOT_ID, Name.of("kept"), kept));
        assertEquals(1, kept.nlink);
        assertEquals(file, kept.id);
    }

    @Test
    void whatIsStillMadeThereGoesToo() throws InterruptedException {
        take();
        create(inner, "late");
        create(mkdir(inner, "later"), "f");
        reap();
        assertEmpty();
    }

    @Test
    void theNextStartGoesOnWithWhatIsLeft() throws Exception {
        take();
        Service next = BareService.service(
                namespace, directory.resolve("key"), worker.service.callers, worker.service.observation, Runnable::run);
        assertFalse(next.partition.orphans().isBusy(), "no thread has looked yet");
        next.partition.orphans().recover();
        assertTrue(next.partition.orphans().isBusy());
        next.partition.reapTrees();
        assertEmpty();
    }

    private ServerNamespace hooked(String method, Runnable step) {
        return (ServerNamespace) Proxy.newProxyInstance(
                OrphanDirectoryTest.class.getClassLoader(),
                new Class<?>[] {ServerNamespace.class},
                (_, called, arguments) -> {
                    if (called.getName().equals(method)) {
                        step.run();
                    }
                    return called.invoke(namespace, arguments);
                });
    }

    private Service service(ServerNamespace around) throws IOException {
        return BareService.service(
                around, directory.resolve("key"), worker.service.callers, worker.service.observation, Runnable::run);
    }

    @Test
    void aFileInPlaceOfADirectoryGoesToo() throws IOException {
        take();
        boolean[] done = {false};
        Service next = service(hooked("rmdir", () -> {
            if (!done[0]) {
                done[0] = true;
                assertEquals(Status.OK, namespace.rmdir(tree, Name.of("inner")));
                create(tree, "inner");
            }
        }));
        next.partition.reapTrees();
        assertTrue(done[0]);
        assertEmpty();
    }

    /** The dead at the head of the list would be walked over again for each page. */
    @Test
    void aLongDirectoryIsReadOnAndNotFromTheStart() throws IOException {
        for (int i = 0; i < 5_000; i++) {
            create(inner, "f" + i);
        }
        take();
        int[] fromStart = {0};
        ServerNamespace counting = (ServerNamespace) Proxy.newProxyInstance(
                OrphanDirectoryTest.class.getClassLoader(),
                new Class<?>[] {ServerNamespace.class},
                (_, called, arguments) -> {
                    if (called.getName().equals("list") && arguments[0].equals(inner)) {
                        fromStart[0] += ((ListCursor) arguments[1]).birth == 0 ? 1 : 0;
                    }
                    return called.invoke(namespace, arguments);
                });
        Service next = service(counting);
        next.partition.reapTrees();
        assertEquals(2, fromStart[0], "once, and once to see that nothing came in");
        assertEmpty();
    }

    private static final Name TEMPORARY = Name.of("temporary-0");

    private long temporaryFile(OrphanDirectory orphans) {
        Attributes made = new Attributes();
        assertEquals(Status.OK, orphans.createTemporaryFile(TEMPORARY, 0644, 0, 0, new long[0], made));
        return made.id;
    }

    @Test
    void aTemporaryFileIsLeftAloneUntilItIsPutInPlace() throws InterruptedException {
        OrphanDirectory orphans = worker.service.partition.orphans();
        long made = temporaryFile(orphans);
        take();
        while (orphans.isBusy()) {
            reap();
        }
        long target = mkdir(Namespace.ROOT_ID, "target");
        long before = create(target, "f");
        Attributes replaced = new Attributes();
        assertEquals(Status.OK, orphans.place(TEMPORARY, target, Name.of("f"), Change.NONE, replaced, true));
        assertEquals(before, replaced.id);
        assertEquals(Status.OK, namespace.stat(target, Name.of("f"), replaced));
        assertEquals(made, replaced.id);
        assertEmpty();
    }

    @Test
    void aTemporaryFileDoesNotGoWhereTheReaperHasLooked() {
        temporaryFile(worker.service.partition.orphans());
        take();
        Attributes replaced = new Attributes();
        assertEquals(
                Status.NO_SUCH_DIRECTORY,
                worker.service.partition.orphans().place(TEMPORARY, inner, Name.of("f"), Change.NONE, replaced, true));
    }

    private ResultCode overwrite(Pipeline by, String path) {
        ByteBuf frame = Unpooled.buffer(BareService.FRAME_MAX);
        return answer(by, frame, overwrite(frame, path));
    }

    private static int overwrite(ByteBuf frame, String path) {
        CreateEncoder create = new CreateEncoder()
                .wrapAndApplyHeader(BareService.window(frame), 0, new MessageHeaderEncoder())
                .correlationId(7)
                .baseId(Namespace.ROOT_ID)
                .mode(0644)
                .parentMode(0755)
                .unmaskedMode(0644)
                .lease(0)
                .expectedInode(0);
        create.flags().clear().overwrite(true);
        return create.path(path).limit();
    }

    /** Nothing is known that the engine would refuse so; whatever it is, it must not be the end of all overwrites. */
    @Test
    void aTemporaryFileThatCannotBeDroppedStopsNoLaterOne() throws IOException {
        boolean[] refuses = {true};
        ServerNamespace around = (ServerNamespace) Proxy.newProxyInstance(
                OrphanDirectoryTest.class.getClassLoader(),
                new Class<?>[] {ServerNamespace.class},
                (_, called, arguments) -> {
                    boolean removes = called.getName().equals("rename")
                            || called.getName().equals("delete");
                    boolean fails =
                            refuses[0] && removes && TEMPORARY.toString().equals(arguments[1].toString());
                    return fails ? Status.NO_SPACE : called.invoke(namespace, arguments);
                });
        Pipeline other = new Pipelines(service(around)).newPipeline();
        BareService.greet(other, "u", session);
        session.replies.clear();
        assertEquals(ResultCode.NO_SPACE, overwrite(other, "/tree/inner/f"));
        Attributes there = new Attributes();
        assertEquals(Status.OK, namespace.stat(inner, Name.of("f"), there));
        assertEquals(file, there.id);
        refuses[0] = false;
        for (int i = 0; i < 3; i++) {
            assertEquals(ResultCode.OK, overwrite(other, "/tree/inner/f"));
            long before = there.id;
            assertEquals(Status.OK, namespace.stat(inner, Name.of("f"), there));
            assertTrue(there.id != before);
        }
        service(namespace).partition.orphans().recover();
        assertEmpty(new Attributes());
    }

    private static int rename(ByteBuf frame, String source, String target) {
        RenameEncoder rename = new RenameEncoder()
                .wrapAndApplyHeader(BareService.window(frame), 0, new MessageHeaderEncoder())
                .correlationId(8)
                .sourceBaseId(Namespace.ROOT_ID)
                .targetBaseId(Namespace.ROOT_ID);
        rename.flags().clear();
        return rename.source(source).target(target).limit();
    }

    /** The thread of the step is the event loop's too, so a request that waited for the step would wait for ever. */
    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void aRequestThatMeetsAStepIntoItGoesToADiskThread() throws IOException {
        ArrayDeque<Runnable> disk = new ArrayDeque<>();
        ArrayDeque<Runnable> within = new ArrayDeque<>();
        Service next = BareService.service(
                hooked("rename", () -> {
                    if (!within.isEmpty()) {
                        within.remove().run();
                    }
                }),
                directory.resolve("key"),
                worker.service.callers,
                worker.service.observation,
                disk::add);
        Pipeline other = new Pipelines(next).newPipeline();
        BareService.greet(other, "u", session);
        session.replies.clear();
        long place = mkdir(Namespace.ROOT_ID, "place");
        create(place, "f");
        long overwritten = create(place, "h");
        Attributes orphans = new Attributes();
        assertEquals(Status.OK, next.partition.orphans().open(orphans));
        within.add(() -> {
            ByteBuf frame = Unpooled.buffer(BareService.FRAME_MAX);
            other.frame(session, frame, 0, rename(frame, "/place/f", "/place/g"));
            ByteBuf second = Unpooled.buffer(BareService.FRAME_MAX);
            other.frame(session, second, 0, overwrite(second, "/place/h"));
            other.endBatch();
            assertFalse(session.replies.isReadable(), "answered during the step");
            assertEquals(2, disk.size());
        });
        assertEquals(
                Status.OK,
                next.partition.orphans().take(orphans, Namespace.ROOT_ID, Name.of("tree"), tree, Change.NONE));
        Attributes there = new Attributes();
        assertEquals(Status.OK, namespace.stat(place, Name.of("f"), there), "renamed during the step");
        assertEquals(Status.OK, namespace.stat(place, Name.of("h"), there));
        assertEquals(overwritten, there.id, "overwritten during the step");
        assertEquals(Status.NOT_FOUND, namespace.stat(orphans.id, TEMPORARY, there), "the new file was left there");
        while (!disk.isEmpty()) {
            disk.remove().run();
        }
        assertEquals(Status.OK, namespace.stat(place, Name.of("g"), there));
        assertEquals(Status.OK, namespace.stat(place, Name.of("h"), there));
        assertTrue(there.id != overwritten);
    }

    @Test
    void aStartRemovesTheDraftsOfTheOneBefore() throws IOException {
        temporaryFile(worker.service.partition.orphans());
        Service next = service(namespace);
        next.partition.orphans().recover();
        assertEmpty(new Attributes());
    }

    @Test
    void theIdOfTheOrphanDirectoryIsNoBaseAlsoWhileItIsEmpty() throws InterruptedException {
        take();
        while (worker.service.partition.orphans().isBusy()) {
            reap();
        }
        Attributes orphans = new Attributes();
        assertEquals(Status.OK, namespace.orphans(false, orphans));
        assertEquals(ResultCode.NO_SUCH_DIRECTORY, stat(orphans.id));
    }
}
