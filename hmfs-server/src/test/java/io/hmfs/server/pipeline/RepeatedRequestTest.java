package io.hmfs.server.pipeline;

import static io.hmfs.server.pipeline.BareService.FRAME_MAX;
import static io.hmfs.server.pipeline.BareService.window;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.client.ResultCode;
import io.hmfs.core.FormatOptions;
import io.hmfs.core.Hmfs;
import io.hmfs.core.Namespace;
import io.hmfs.core.OpenOptions;
import io.hmfs.core.ServerNamespace;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.server.lock.KeyLocks;
import io.hmfs.server.metrics.Meters;
import io.hmfs.server.metrics.Observation;
import io.hmfs.server.metrics.ServerMetrics;
import io.hmfs.server.request.Session;
import io.hmfs.server.retry.RetryCache;
import io.hmfs.wire.CreateEncoder;
import io.hmfs.wire.DeleteEncoder;
import io.hmfs.wire.DoneDecoder;
import io.hmfs.wire.EntryDecoder;
import io.hmfs.wire.FailureDecoder;
import io.hmfs.wire.MessageHeaderDecoder;
import io.hmfs.wire.MessageHeaderEncoder;
import io.hmfs.wire.Wire;
import io.hmfs.wire.WireBuffer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a change that comes again, over the same connection or the next one, is answered as the first one was: after it, in the same
 * turn, or while it waits for a disk.
 * Method: one worker, two connections of one client, and a disk whose requests run when the test says so.
 */
class RepeatedRequestTest {
    @TempDir
    private Path directory;

    private final ArrayDeque<Runnable> disk = new ArrayDeque<>();
    private final ExecutorService other = Executors.newSingleThreadExecutor();
    private final LateSession first = new LateSession();
    private final LateSession second = new LateSession();
    private ServerNamespace namespace;
    private ServerMetrics metrics;
    private Pipeline worker;

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
                disk::add,
                new LateSession());
        BareService.greet(worker, "u", first, 1, 1);
        BareService.greet(worker, "u", second, 1, 1);
        namespace.principalId("u"); // whose creates may join from the start
        first.replies.clear();
        second.replies.clear();
    }

    @AfterEach
    void close() {
        other.shutdownNow();
        metrics.close();
        namespace.close();
    }

    private void create(Session session, long correlationId, long sequence, String path) {
        ByteBuf frame = Unpooled.buffer(FRAME_MAX);
        CreateEncoder create = new CreateEncoder()
                .wrapAndApplyHeader(window(frame), 0, new MessageHeaderEncoder())
                .correlationId(correlationId)
                .clientId(1)
                .sequence(sequence)
                .baseId(Wire.ROOT_ID)
                .mode(0644)
                .parentMode(0755)
                .unmaskedMode(0644);
        create.flags().clear();
        worker.frame(session, frame, 0, create.path(path).limit());
    }

    private void delete(Session session, long clientId, long sequence, String path) {
        ByteBuf frame = Unpooled.buffer(FRAME_MAX);
        int length = new DeleteEncoder()
                .wrapAndApplyHeader(window(frame), 0, new MessageHeaderEncoder())
                .correlationId(1000 + sequence)
                .clientId(clientId)
                .sequence(sequence)
                .baseId(Wire.ROOT_ID)
                .path(path)
                .limit();
        worker.frame(session, frame, 0, length);
        worker.endBatch();
    }

    private static WireBuffer next(LateSession session) {
        int length = session.replies.readIntLE();
        WireBuffer reply = new WireBuffer().wrap(session.replies, session.replies.readerIndex(), length);
        session.replies.skipBytes(length);
        return reply;
    }

    private static EntryDecoder entry(LateSession session, long correlationId) {
        WireBuffer reply = next(session);
        assertEquals(
                EntryDecoder.TEMPLATE_ID,
                new MessageHeaderDecoder().wrap(reply, 0).templateId());
        EntryDecoder entry = new EntryDecoder().wrapAndApplyHeader(reply, 0, new MessageHeaderDecoder());
        assertEquals(correlationId, entry.correlationId());
        return entry;
    }

    private static ResultCode failure(LateSession session) {
        WireBuffer reply = next(session);
        assertEquals(
                FailureDecoder.TEMPLATE_ID,
                new MessageHeaderDecoder().wrap(reply, 0).templateId());
        return ResultCode.of(new FailureDecoder()
                .wrapAndApplyHeader(reply, 0, new MessageHeaderDecoder())
                .code());
    }

    private static void done(LateSession session, long correlationId) {
        WireBuffer reply = next(session);
        assertEquals(
                DoneDecoder.TEMPLATE_ID,
                new MessageHeaderDecoder().wrap(reply, 0).templateId());
        DoneDecoder decoder = new DoneDecoder().wrapAndApplyHeader(reply, 0, new MessageHeaderDecoder());
        assertEquals(correlationId, decoder.correlationId());
    }

    @Test
    void batchedCreatesAreAnsweredTwiceAndExecutedOnce() {
        create(first, 10, 1, "/a");
        create(first, 11, 2, "/b");
        create(first, 12, 1, "/a"); // in the same turn
        worker.endBatch();
        long a = entry(first, 10).inode();
        long b = entry(first, 11).inode();
        assertNotEquals(a, b);
        assertEquals(a, entry(first, 12).inode());
        create(second, 20, 2, "/b");
        create(second, 21, 3, "/a");
        worker.endBatch();
        assertEquals(b, entry(second, 20).inode());
        assertEquals(ResultCode.EXISTS, failure(second), "another change of the same name");
        create(second, 22, 3, "/a");
        worker.endBatch();
        assertEquals(ResultCode.EXISTS, failure(second));
        assertFalse(second.replies.isReadable());
    }

    @Test
    void inSafeModeWhatWasExecutedIsAnsweredAgainAndWhatWasRefusedStaysSo() {
        create(first, 10, 1, "/a");
        worker.endBatch();
        long a = entry(first, 10).inode();
        worker.service.safeMode.set(true, "u");
        create(second, 20, 1, "/a");
        assertEquals(a, entry(second, 20).inode());
        create(second, 21, 2, "/b");
        assertEquals(ResultCode.SAFE_MODE, failure(second));
        worker.service.safeMode.set(false, "u");
        create(second, 22, 2, "/b");
        worker.endBatch();
        assertEquals(ResultCode.SAFE_MODE, failure(second));
        create(second, 23, 3, "/b");
        worker.endBatch();
        assertNotEquals(a, entry(second, 23).inode());
    }

    @Test
    void whatComesAgainWhileItIsExecutedIsAnsweredWhenThatIsDone() {
        Attributes made = new Attributes();
        assertEquals(Status.OK, namespace.create(Namespace.ROOT_ID, Name.of("f"), 0644, 0, 0, made));
        int stripe = KeyLocks.stripe(Namespace.ROOT_ID, Name.of("f"));
        holdWhile(stripe, () -> delete(first, 1, 1, "/f"));
        assertEquals(1, disk.size());
        delete(second, 1, 1, "/f");
        delete(second, 1, 1, "/f");
        assertEquals(1, disk.size(), "executed twice");
        assertEquals(2, second.inFlight(), "the connection must not end as drained");
        assertFalse(second.replies.isReadable());
        disk.remove().run();
        done(first, 1001);
        done(second, 1001);
        done(second, 1001);
        assertEquals(0, second.inFlight());
        delete(second, 1, 1, "/f");
        done(second, 1001);
        delete(second, 1, 2, "/f");
        assertEquals(ResultCode.NOT_FOUND, failure(second));
    }

    @Test
    void whatIsOvertakenWhileItIsWaitedForIsForgotten() {
        Attributes made = new Attributes();
        assertEquals(Status.OK, namespace.create(Namespace.ROOT_ID, Name.of("f"), 0644, 0, 0, made));
        int stripe = KeyLocks.stripe(Namespace.ROOT_ID, Name.of("f"));
        holdWhile(stripe, () -> delete(first, 1, 1, "/f"));
        delete(second, 1, 1, "/f");
        delete(second, 1, 1 + RetryCache.KEPT, "/g");
        assertEquals(ResultCode.NOT_FOUND, failure(second));
        disk.remove().run();
        done(first, 1001);
        assertEquals(ResultCode.OUTCOME_UNKNOWN, failure(second));
        assertEquals(0, second.inFlight());
    }

    /** Another thread has the lock meanwhile: what meets it goes to the disk's threads. */
    private void holdWhile(int stripe, Runnable task) {
        CompletableFuture.runAsync(() -> worker.service.partition.locks().lock(stripe, true), other)
                .join();
        task.run();
        CompletableFuture.runAsync(() -> worker.service.partition.locks().unlock(stripe), other)
                .join();
    }

    @Test
    void aMalformedChangeIsRefusedAgain() {
        ByteBuf frame = Unpooled.buffer(FRAME_MAX);
        int length = new DeleteEncoder()
                .wrapAndApplyHeader(window(frame), 0, new MessageHeaderEncoder())
                .correlationId(5)
                .clientId(1)
                .sequence(1)
                .baseId(Wire.ROOT_ID)
                .path("/f")
                .limit();
        worker.frame(first, frame, 0, length - 1);
        assertEquals(ResultCode.BAD_REQUEST, failure(first));
        worker.frame(second, frame, 0, length - 1);
        assertEquals(ResultCode.BAD_REQUEST, failure(second));
        delete(second, 1, 2, "/f");
        assertEquals(ResultCode.NOT_FOUND, failure(second));
    }

    @Test
    void aChangeOfAnotherClientOrWithoutSequenceIsRefused() {
        delete(first, 2, 1, "/f");
        assertEquals(ResultCode.BAD_REQUEST, failure(first));
        delete(first, 1, 0, "/f");
        assertEquals(ResultCode.BAD_REQUEST, failure(first));
        delete(first, 1, RetryCache.SEQUENCE_MAX + 1, "/f");
        assertEquals(ResultCode.BAD_REQUEST, failure(first));
        create(first, 5, 0, "/f");
        assertEquals(ResultCode.BAD_REQUEST, failure(first));
        delete(first, 1, 1, "/f");
        assertEquals(ResultCode.NOT_FOUND, failure(first));
        assertTrue(disk.isEmpty());
    }
}
