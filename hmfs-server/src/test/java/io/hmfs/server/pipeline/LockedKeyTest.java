package io.hmfs.server.pipeline;

import static io.hmfs.server.pipeline.BareService.FRAME_MAX;
import static io.hmfs.server.pipeline.BareService.window;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
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
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.server.Await;
import io.hmfs.server.lock.KeyLocks;
import io.hmfs.server.metrics.Meters;
import io.hmfs.server.metrics.Observation;
import io.hmfs.server.metrics.ServerMetrics;
import io.hmfs.wire.DeleteEncoder;
import io.hmfs.wire.DoneDecoder;
import io.hmfs.wire.FailureDecoder;
import io.hmfs.wire.MessageHeaderDecoder;
import io.hmfs.wire.MessageHeaderEncoder;
import io.hmfs.wire.RenameEncoder;
import io.hmfs.wire.RmdirEncoder;
import io.hmfs.wire.SetModeEncoder;
import io.hmfs.wire.SetOwnerEncoder;
import io.hmfs.wire.SetTimesEncoder;
import io.hmfs.wire.Wire;
import io.hmfs.wire.WireBuffer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: a thread that serves connections waits for no other request; what would have to goes to a thread that may.
 * Method: another thread holds the key, as a request that waits for the disk does; one request of each kind meets it, as a user that
 * is checked, in a directory with a sticky bit.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LockedKeyTest {
    @TempDir
    private Path directory;

    private final ArrayDeque<Runnable> disk = new ArrayDeque<>();
    private final ExecutorService other = Executors.newSingleThreadExecutor();
    private final LateSession session = new LateSession();
    private ServerNamespace namespace;
    private ServerMetrics metrics;
    private Pipeline worker;
    private long parent;

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
                "somebody else",
                List.of("staff"),
                new Observation(meters, metrics, null, Long.MAX_VALUE),
                disk::add,
                session);
        session.replies.clear();
        Attributes made = new Attributes();
        int user = namespace.principalId("u");
        assertEquals(Status.OK, namespace.mkdir(Namespace.ROOT_ID, Name.of("d"), 01777, user, user, made));
        parent = made.id;
        assertEquals(Status.OK, namespace.create(parent, Name.of("f"), 0644, user, user, made));
        assertEquals(Status.OK, namespace.mkdir(parent, Name.of("sub"), 0755, user, user, made));
    }

    @AfterEach
    void close() {
        other.shutdownNow();
        metrics.close();
        namespace.close();
    }

    /** Executes a request while another thread holds the key of a name, and lets it go on afterwards. */
    private void execute(String held, ByteBuf frame, int length) throws Exception {
        int stripe = KeyLocks.stripe(parent, Name.of(held));
        CountDownLatch release = new CountDownLatch(1);
        CountDownLatch holds = new CountDownLatch(1);
        var holder = other.submit(() -> {
            worker.service.partition.locks().lock(stripe, true);
            holds.countDown();
            try {
                release.await();
            } finally {
                worker.service.partition.locks().unlock(stripe);
            }
            return null;
        });
        holds.await();
        worker.frame(session, frame, 0, length);
        worker.endBatch();
        assertFalse(session.replies.isReadable(), "answered while another request had the key");
        assertEquals(1, disk.size());
        assertEquals(1, session.inFlight());
        release.countDown();
        holder.get();
        disk.remove().run();
        assertDone();
        other.submit(() -> assertTrue(isFree(held))).get();
    }

    /** To be asked on another thread than the one that may have kept it. */
    private boolean isFree(String name) {
        int stripe = KeyLocks.stripe(parent, Name.of(name));
        worker.service.partition.locks().lock(stripe, false);
        worker.service.partition.locks().unlock(stripe);
        return true;
    }

    private void assertDone() {
        session.replies.readIntLE();
        MessageHeaderDecoder header = new MessageHeaderDecoder();
        header.wrap(new io.hmfs.wire.WireBuffer().wrap(session.replies, session.replies.readerIndex(), 64), 0);
        assertEquals(DoneDecoder.TEMPLATE_ID, header.templateId());
        session.replies.clear();
        assertEquals(0, session.inFlight());
    }

    @Test
    void changesOfAttributesGoElsewhere() throws Exception {
        ByteBuf frame = Unpooled.buffer(FRAME_MAX);
        execute(
                "f",
                frame,
                new SetModeEncoder()
                        .wrapAndApplyHeader(window(frame), 0, new MessageHeaderEncoder())
                        .correlationId(1)
                        .baseId(Wire.ROOT_ID)
                        .mode(0600)
                        .path("/d/f")
                        .limit());
        ByteBuf times = Unpooled.buffer(FRAME_MAX);
        execute(
                "f",
                times,
                new SetTimesEncoder()
                        .wrapAndApplyHeader(window(times), 0, new MessageHeaderEncoder())
                        .correlationId(2)
                        .baseId(Wire.ROOT_ID)
                        .mtimeNanos(5)
                        .atimeNanos(5)
                        .path("/d/f")
                        .limit());
        ByteBuf owner = Unpooled.buffer(FRAME_MAX);
        execute(
                "f",
                owner,
                new SetOwnerEncoder()
                        .wrapAndApplyHeader(window(owner), 0, new MessageHeaderEncoder())
                        .correlationId(3)
                        .baseId(Wire.ROOT_ID)
                        .path("/d/f")
                        .owner("")
                        .group("staff")
                        .limit());
    }

    private static int rename(ByteBuf frame, String source, String target) {
        RenameEncoder rename = new RenameEncoder()
                .wrapAndApplyHeader(window(frame), 0, new MessageHeaderEncoder())
                .correlationId(1)
                .sourceBaseId(Wire.ROOT_ID)
                .targetBaseId(Wire.ROOT_ID);
        rename.flags().clear();
        return rename.source(source).target(target).limit();
    }

    /** Of two keys one is held: whichever it is, the other one must not stay locked. */
    @Test
    void renamesGoElsewhereAndKeepNoLock() throws Exception {
        for (String[] keys : new String[][] {{"f", "f", "g"}, {"h", "g", "h"}}) {
            ByteBuf frame = Unpooled.buffer(FRAME_MAX);
            execute(keys[0], frame, rename(frame, "/d/" + keys[1], "/d/" + keys[2]));
            String free = keys[0].equals(keys[1]) ? keys[2] : keys[1];
            other.submit(() -> assertTrue(isFree(free))).get();
        }
    }

    /** Where no sticky bit says otherwise, a delete is executed in a batch: the lock of its key is only tried, and kept until then. */
    @Test
    void aDeleteOfABatchHasItsKey() throws Exception {
        Attributes made = new Attributes();
        assertEquals(Status.OK, namespace.mkdir(Namespace.ROOT_ID, Name.of("p"), 0777, 0, 0, made));
        parent = made.id;
        for (String name : List.of("held", "free")) {
            assertEquals(Status.OK, namespace.create(parent, Name.of(name), 0644, 0, 0, made));
            ByteBuf frame = Unpooled.buffer(FRAME_MAX);
            int length = new DeleteEncoder()
                    .wrapAndApplyHeader(window(frame), 0, new MessageHeaderEncoder())
                    .correlationId(1)
                    .baseId(Wire.ROOT_ID)
                    .path("/p/" + name)
                    .limit();
            if (name.equals("held")) {
                execute(name, frame, length);
            } else {
                worker.frame(session, frame, 0, length);
                ExecutionException taken = assertThrows(
                        ExecutionException.class,
                        () -> other.submit(() -> isFree(name)).get());
                assertInstanceOf(KeyLocks.MustWaitException.class, taken.getCause());
                worker.endBatch();
                assertDone();
                other.submit(() -> assertTrue(isFree(name))).get();
            }
            assertEquals(Status.NOT_FOUND, namespace.stat(parent, Name.of(name), made));
        }
    }

    @Test
    void removalsGoElsewhere() throws Exception {
        ByteBuf delete = Unpooled.buffer(FRAME_MAX);
        execute(
                "f",
                delete,
                new DeleteEncoder()
                        .wrapAndApplyHeader(window(delete), 0, new MessageHeaderEncoder())
                        .correlationId(1)
                        .baseId(Wire.ROOT_ID)
                        .path("/d/f")
                        .limit());
        ByteBuf rmdir = Unpooled.buffer(FRAME_MAX);
        execute(
                "sub",
                rmdir,
                new RmdirEncoder()
                        .wrapAndApplyHeader(window(rmdir), 0, new MessageHeaderEncoder())
                        .correlationId(2)
                        .baseId(Wire.ROOT_ID)
                        .path("/d/sub")
                        .limit());
    }

    /**
     * A request waits for a key; the directory above is closed to its user, and that is answered; then the key is free. What is executed afterwards
     * would be a change that was forbidden before.
     */
    @ParameterizedTest
    @EnumSource
    void rightsThatAreTakenWhileARequestWaitsAreTaken(Late late) throws Exception {
        Attributes made = new Attributes();
        assertEquals(Status.OK, namespace.mkdir(Namespace.ROOT_ID, Name.of("top"), 0755, 0, 0, made));
        Name own = Name.of("own");
        int user = namespace.principalId("u");
        assertEquals(Status.OK, namespace.mkdir(made.id, own, 01755, user, user, made));
        parent = made.id;
        assertEquals(Status.OK, namespace.mkdir(parent, Name.of("sub"), 0755, user, user, made));
        assertEquals(Status.OK, namespace.create(parent, Name.of("f"), 0644, user, user, made));
        ByteBuf frame = Unpooled.buffer(FRAME_MAX);
        int length = encode(late, frame);
        int stripe = KeyLocks.stripe(parent, Name.of(late.key));
        KeyLocks locks = worker.service.partition.locks();
        CountDownLatch holds = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        var holder = other.submit(() -> {
            locks.lock(stripe, true);
            holds.countDown();
            release.await();
            locks.unlock(stripe);
            return null;
        });
        holds.await();
        worker.frame(session, frame, 0, length);
        worker.endBatch();
        Thread waiting = Thread.ofPlatform().start(disk.remove());
        Await.until("the request to wait", () -> waiting.getState() == Thread.State.WAITING);
        Name top = Name.of("top");
        assertEquals(Status.OK, worker.service.partition.versions().chmod(Namespace.ROOT_ID, top, 0700, Change.NONE));
        release.countDown();
        holder.get();
        waiting.join();
        assertEquals(ResultCode.ACCESS_DENIED, failure());
        assertEquals(Status.OK, namespace.stat(parent, Name.of("f"), made));
        assertEquals(0644, made.mode);
        assertEquals(Status.OK, namespace.stat(parent, Name.of("sub"), made));
        other.submit(() -> assertTrue(isFree(late.key))).get();
    }

    private ResultCode failure() {
        session.replies.readIntLE();
        FailureDecoder failure = new FailureDecoder()
                .wrapAndApplyHeader(
                        new WireBuffer()
                                .wrap(session.replies, session.replies.readerIndex(), session.replies.readableBytes()),
                        0,
                        new MessageHeaderDecoder());
        return ResultCode.of(failure.code());
    }

    /** Requests that wait for a key, and its name. */
    enum Late {
        RENAME("f"),
        RENAME_BACK("a"),
        DELETE("f"),
        DELETE_DIRECTORY("sub"),
        SET_MODE("f");

        final String key;

        Late(String key) {
            this.key = key;
        }
    }

    private static int encode(Late late, ByteBuf frame) {
        return switch (late) {
            case RENAME -> rename(frame, "/top/own/f", "/top/own/g");
            case RENAME_BACK -> rename(frame, "/top/own/f", "/top/own/a");
            case DELETE, DELETE_DIRECTORY ->
                new DeleteEncoder()
                        .wrapAndApplyHeader(window(frame), 0, new MessageHeaderEncoder())
                        .correlationId(1)
                        .baseId(Wire.ROOT_ID)
                        .emptyDirectory((short) (late == Late.DELETE ? 0 : 1))
                        .path("/top/own/" + late.key)
                        .limit();
            case SET_MODE ->
                new SetModeEncoder()
                        .wrapAndApplyHeader(window(frame), 0, new MessageHeaderEncoder())
                        .correlationId(1)
                        .baseId(Wire.ROOT_ID)
                        .mode(0600)
                        .path("/top/own/f")
                        .limit();
        };
    }
}
