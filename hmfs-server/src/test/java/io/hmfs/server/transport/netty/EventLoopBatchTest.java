package io.hmfs.server.transport.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.Namespace;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.server.transport.EventLoopBatch;
import io.hmfs.server.transport.netty.FuzzReplies.Reply;
import io.hmfs.wire.CreateEncoder;
import io.hmfs.wire.EntryDecoder;
import io.hmfs.wire.MessageHeaderEncoder;
import io.hmfs.wire.MkdirEncoder;
import io.hmfs.wire.StatEncoder;
import io.hmfs.wire.Wire;
import io.hmfs.wire.WireBuffer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoRegistration;
import io.netty.util.concurrent.ThreadAwareExecutor;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: connections that are read in one event-loop batch are answered at its end, each with its own replies in its
 * order; a connection that brings more than its share waits for the others; one that ends meanwhile delays none.
 * Method: the server with Netty's pipeline but without a network; batches end by hand.
 */
class EventLoopBatchTest {
    private static final int SHARE = 128;
    private static final int SHARE_BYTES = 64 << 10;

    @TempDir
    private Path directory;

    private FuzzRig rig;
    private EventLoopBatch batch;
    private long emptyBytes;
    private final List<FuzzChannel> channels = new ArrayList<>();

    @BeforeEach
    void start() throws IOException {
        rig = new FuzzRig(directory);
        rig.reset();
        emptyBytes = rig.allocator.live();
        batch = rig.batchesByHand();
    }

    @AfterEach
    void nothingIsLeft() throws IOException {
        channels.forEach(FuzzChannel::leave);
        batch.end();
        assertEquals(emptyBytes, rig.allocator.live());
        rig.close();
    }

    private FuzzChannel greeted() {
        FuzzRequests requests = new FuzzRequests(new Random(3), rig);
        FuzzChannel channel = rig.connect();
        channels.add(channel);
        channel.send(requests.current(Objects.requireNonNull(WireSchema.INSTANCE.request(WireSchema.HELLO))));
        batch.end();
        assertFalse(channel.takeReplies().getFirst().isFailure());
        return channel;
    }

    private static ByteBuf room() {
        return Unpooled.buffer(8 << 10);
    }

    private static WireBuffer window(ByteBuf frame) {
        return new WireBuffer().wrap(frame, Wire.LENGTH_SIZE, frame.capacity() - Wire.LENGTH_SIZE);
    }

    private static byte[] whole(ByteBuf frame, int length) {
        frame.setIntLE(0, length);
        byte[] bytes = new byte[Wire.LENGTH_SIZE + length];
        frame.getBytes(0, bytes);
        return bytes;
    }

    private static byte[] stat(long id, String path) {
        ByteBuf frame = room();
        StatEncoder stat = new StatEncoder().wrapAndApplyHeader(window(frame), 0, new MessageHeaderEncoder());
        return whole(
                frame, stat.correlationId(id).baseId(Wire.ROOT_ID).path(path).limit());
    }

    private static byte[] create(long id, String path) {
        ByteBuf frame = room();
        CreateEncoder create = new CreateEncoder().wrapAndApplyHeader(window(frame), 0, new MessageHeaderEncoder());
        create.correlationId(id)
                .baseId(Wire.ROOT_ID)
                .mode(0644)
                .unmaskedMode(0644)
                .flags()
                .clear();
        return whole(frame, create.path(path).limit());
    }

    private static byte[] mkdir(long id, String path) {
        ByteBuf frame = room();
        MkdirEncoder mkdir = new MkdirEncoder().wrapAndApplyHeader(window(frame), 0, new MessageHeaderEncoder());
        mkdir.correlationId(id)
                .baseId(Wire.ROOT_ID)
                .mode(0755)
                .unmaskedMode(0755)
                .flags()
                .clear();
        return whole(frame, mkdir.path(path).limit());
    }

    private static byte[] join(List<byte[]> frames) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        frames.forEach(out::writeBytes);
        return out.toByteArray();
    }

    private static byte[] stats(int from, int to, String path) {
        return join(IntStream.range(from, to).mapToObj(i -> stat(i, path)).toList());
    }

    private static List<Long> ids(FuzzChannel channel) {
        return channel.takeReplies().stream().map(Reply::correlationId).toList();
    }

    @Test
    void repliesLeaveAtTheEndOfTheBatchByTheirConnections() {
        List<FuzzChannel> all = IntStream.range(0, 9).mapToObj(_ -> greeted()).toList();
        for (int i = 0; i < all.size(); i++) {
            all.get(i).send(join(List.of(stat(100 + i, "/f"), create(200 + i, "/new" + i))));
        }
        for (int i = 0; i < all.size(); i++) {
            all.get(i).send(stat(300 + i, "/new" + i));
        }
        all.forEach(channel -> assertEquals(List.of(), channel.replies()));
        batch.end();
        for (int i = 0; i < all.size(); i++) {
            int entry = EntryDecoder.TEMPLATE_ID;
            assertEquals(
                    List.of(
                            new Reply(100 + i, entry, -1),
                            new Reply(200 + i, entry, -1),
                            new Reply(300 + i, entry, -1)),
                    all.get(i).takeReplies());
        }
        assertFalse(batch.isAwaited());
    }

    @Test
    void framesBeyondTheShareComeAfterTheOtherConnections() {
        FuzzChannel flood = greeted();
        FuzzChannel other = greeted();
        flood.send(join(List.of(stats(0, 3 * SHARE, "/f"), stat(3 * SHARE, "/all"))));
        other.send(stat(1, "/f"));
        batch.end();
        assertEquals(SHARE, ids(flood).size());
        assertEquals(List.of(1L), ids(other));
        assertTrue(batch.isAwaited(), "the loop must not wait for the network");
        other.send(mkdir(2, "/made"));
        flood.send(stat(4 * SHARE, "/made")); // behind what waits, so it is executed when that has been
        batch.end();
        assertEquals(List.of(2L), ids(other));
        assertEquals(SHARE, ids(flood).size());
        batch.end();
        assertEquals(SHARE, ids(flood).size());
        batch.end();
        List<Reply> last = flood.takeReplies();
        assertEquals(
                List.of(3L * SHARE, 4L * SHARE),
                last.stream().map(Reply::correlationId).toList());
        assertFalse(last.getLast().isFailure());
        assertFalse(batch.isAwaited());
    }

    @Test
    void whatWaitedIsExecutedAfterWhatOthersBroughtSince() {
        FuzzChannel flood = greeted();
        FuzzChannel other = greeted();
        flood.send(join(List.of(stats(0, SHARE, "/f"), stat(SHARE, "/made"))));
        batch.end();
        other.send(mkdir(1, "/made"));
        batch.end();
        assertFalse(flood.takeReplies().getLast().isFailure());
    }

    @Test
    void longRequestsUseUpAShareToo() {
        String path = "/" + "d/".repeat(2_000);
        int count = 40;
        FuzzChannel flood = greeted();
        flood.send(stats(0, count, path));
        batch.end();
        int share = SHARE_BYTES / (stat(0, path).length - Wire.LENGTH_SIZE) + 1;
        assertEquals(share, ids(flood).size());
    }

    @Test
    void whatIsReadAheadIsBounded() {
        FuzzChannel flood = greeted();
        int reads = 0;
        int each = 500;
        for (; flood.config().isAutoRead() && reads < 50; reads++) {
            flood.send(stats(reads * each, (reads + 1) * each, "/f"));
        }
        int readBytes = each * stat(0, "/f").length;
        assertTrue((reads - 1) * readBytes <= SHARE_BYTES + readBytes, reads + " reads of " + readBytes + " bytes");
        for (int left = reads * each; left > 0; left -= SHARE) {
            batch.end();
            assertEquals(Math.min(left, SHARE), ids(flood).size());
        }
        assertTrue(flood.config().isAutoRead());
    }

    @Test
    void aPeerThatLeavesBeforeTheEndOfTheBatchDelaysNone() {
        FuzzChannel leaver = greeted();
        FuzzChannel flood = greeted();
        FuzzChannel stayer = greeted();
        leaver.send(create(1, "/of-one-who-left"));
        flood.send(stats(0, 2 * SHARE, "/f"));
        stayer.send(create(2, "/of-one-who-stayed"));
        leaver.leave();
        flood.leave();
        batch.end();
        batch.end();
        assertEquals(List.of(2L), ids(stayer));
        for (String name : List.of("of-one-who-left", "of-one-who-stayed")) {
            assertEquals(Status.OK, rig.namespace.stat(Namespace.ROOT_ID, Name.of(name), new Attributes()));
        }
        assertFalse(batch.isAwaited());
    }

    @Test
    void aStreamThatCannotBeReadOnIsRefusedAfterWhatItBroughtBefore() {
        FuzzChannel channel = greeted();
        channel.send(join(List.of(stat(1, "/f"), new byte[] {-1, -1, -1, -1})));
        batch.end();
        List<Reply> replies = channel.takeReplies();
        assertEquals(2, replies.size());
        assertEquals(1, replies.getFirst().correlationId());
        assertTrue(replies.getLast().isFailure());
    }

    /** I/O that only notes how it was asked, and brings what it is told to. */
    private static final class NotedIo implements IoHandler {
        private final List<Boolean> mayBlock = new ArrayList<>();
        private Runnable brings = () -> {};

        @Override
        public int run(IoHandlerContext context) {
            mayBlock.add(context.canBlock() || context.delayNanos(0) > 0);
            brings.run();
            return 1;
        }

        @Override
        public IoRegistration register(IoHandle handle) {
            throw new AssertionError("nothing is registered here");
        }

        @Override
        public void wakeup() {}

        @Override
        public boolean isCompatible(Class<? extends IoHandle> handleType) {
            return true;
        }
    }

    private static final IoHandlerContext BLOCKING = new IoHandlerContext() {
        @Override
        public boolean canBlock() {
            return true;
        }

        @Override
        public long delayNanos(long currentTimeNanos) {
            return 1;
        }

        @Override
        public long deadlineNanos() {
            return 1;
        }
    };

    @Test
    void aLoopEndsItsBatchAfterEachReadAndDoesNotBlockWhileAConnectionWaits() {
        NotedIo noted = new NotedIo();
        IoHandler io = BatchingIoHandler.factory(_ -> noted, () -> batch).newHandler(ImmediateThreadAware.INSTANCE);
        FuzzChannel flood = greeted();
        assertEquals(1, io.run(BLOCKING));
        noted.brings = () -> flood.send(stats(0, 2 * SHARE + 1, "/f"));
        io.run(BLOCKING);
        assertEquals(SHARE, ids(flood).size());
        noted.brings = () -> {};
        io.run(BLOCKING);
        io.run(BLOCKING);
        io.run(BLOCKING);
        assertEquals(SHARE + 1, ids(flood).size());
        assertEquals(List.of(true, true, false, false, true), noted.mayBlock);
    }

    @Test
    void aBatchEndsThoughItsReadsFailed() {
        NotedIo noted = new NotedIo();
        IoHandler io = BatchingIoHandler.factory(_ -> noted, () -> batch).newHandler(ImmediateThreadAware.INSTANCE);
        FuzzChannel channel = greeted();
        noted.brings = () -> {
            channel.send(create(1, "/batched"));
            throw new IllegalStateException("as of a selector that fails");
        };
        assertThrows(IllegalStateException.class, () -> io.run(BLOCKING));
        assertEquals(List.of(1L), ids(channel));
    }

    @Test
    void aConnectionWhoseRepliesCannotBeSentLosesNoReplyOfAnother() {
        FuzzChannel broken = greeted();
        FuzzChannel other = greeted();
        broken.breaks();
        for (int i = 1; i <= 2; i++) {
            long number = batch.number();
            if (i == 1) {
                broken.send(stat(i, "/f"));
            }
            other.send(stat(i, "/f"));
            batch.end();
            assertEquals(List.of((long) i), ids(other));
            assertNotEquals(number, batch.number());
            assertFalse(batch.isAwaited());
        }
    }

    /** Every thread is the loop's. */
    private enum ImmediateThreadAware implements ThreadAwareExecutor {
        INSTANCE;

        @Override
        public boolean isExecutorThread(Thread thread) {
            return true;
        }

        @Override
        public void execute(Runnable command) {
            command.run();
        }
    }
}
