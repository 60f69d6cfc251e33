package io.hmfs.server.pipeline;

import static io.hmfs.server.pipeline.BareService.FRAME_MAX;
import static io.hmfs.server.pipeline.BareService.window;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hmfs.core.FormatOptions;
import io.hmfs.core.Hmfs;
import io.hmfs.core.Namespace;
import io.hmfs.core.OpenOptions;
import io.hmfs.core.ServerNamespace;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.server.metrics.AuditLog;
import io.hmfs.server.metrics.Meters;
import io.hmfs.server.metrics.Observation;
import io.hmfs.server.metrics.ServerMetrics;
import io.hmfs.server.retry.RetryCache;
import io.hmfs.wire.AppendEncoder;
import io.hmfs.wire.CreateEncoder;
import io.hmfs.wire.DeleteEncoder;
import io.hmfs.wire.EntryDecoder;
import io.hmfs.wire.MessageHeaderDecoder;
import io.hmfs.wire.MessageHeaderEncoder;
import io.hmfs.wire.StatEncoder;
import io.hmfs.wire.Wire;
import io.hmfs.wire.WireBuffer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: executing a request, counting it and recording it for the audit log leaves nothing on the Java heap (I7).
 * Method: one worker on this thread, fed the same frames many times; the JVM's own count of the bytes that the thread allocated.
 */
class WorkerAllocationTest {
    private static final int REQUESTS = 20_000;
    private static final long COMPILED_NANOS = 60_000_000_000L;

    @TempDir
    private Path directory;

    private ServerNamespace namespace;
    private AuditLog audit;
    private Pipeline worker;
    private final FixedSession session = new FixedSession();

    /** A connection whose replies all go into the same buffer. */
    private static final class FixedSession extends BareSession {
        FixedSession() {
            super(new BareChannel(Unpooled.directBuffer(64 << 10)) {
                @Override
                public ByteBuf room(int bytes) {
                    return replies.clear();
                }
            });
        }
    }

    @BeforeEach
    void open() throws IOException {
        Path pool = directory.resolve("p.pool");
        Hmfs.format(pool, FormatOptions.ofSize(FormatOptions.SIZE_MIN));
        namespace = Hmfs.openForServer(pool, OpenOptions.process());
        Meters meters = new Meters();
        ServerMetrics metrics = new ServerMetrics(meters, namespace, "test");
        audit = AuditLog.open(directory.resolve("audit.log"), 1 << 20, 1, meters, namespace::principalName);
        Observation observation = new Observation(meters, metrics, audit, 1_000_000_000);
        worker = BareService.greeted(
                namespace, directory.resolve("key"), "somebody-else", List.of("staff", "u"), observation, session);
        Attributes out = new Attributes();
        assertEquals(Status.OK, namespace.mkdir(Namespace.ROOT_ID, Name.of("directory"), 0755, 0, 0, out));
        assertEquals(Status.OK, namespace.create(out.id, Name.of("a-file-of-some-length"), 0644, 0, 0, out));
    }

    @AfterEach
    void close() {
        audit.close();
        namespace.close();
        session.replies.release();
    }

    /** In the last of many rounds: until the code is compiled, which a busy machine puts off, short-lived objects of it are real. */
    private double bytesPerRequest(ByteBuf frame, int length) {
        int[] count = {0};
        return bytesPerRequest(() -> {
            worker.frame(session, frame, 0, length);
            if ((count[0]++ & 7) == 7) {
                worker.endBatch();
            }
        });
    }

    private double bytesPerRequest(Runnable request) {
        var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        double bytes = Double.MAX_VALUE;
        long begin = System.nanoTime();
        while (bytes >= 1 && System.nanoTime() - begin < COMPILED_NANOS) {
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < REQUESTS; i++) {
                request.run();
            }
            bytes = (double) (threads.getCurrentThreadAllocatedBytes() - before) / REQUESTS;
        }
        return bytes;
    }

    @Test
    void statLeavesNothingOnTheHeap() {
        ByteBuf frame = Unpooled.directBuffer(FRAME_MAX);
        int length = new StatEncoder()
                .wrapAndApplyHeader(window(frame), 0, new MessageHeaderEncoder())
                .correlationId(5)
                .baseId(Wire.ROOT_ID)
                .path("/directory/a-file-of-some-length")
                .limit();
        double bytes = bytesPerRequest(frame, length);
        assertEntry(5);
        assertTrue(bytes < 1, bytes + " bytes per stat");
        frame.release();
    }

    @Test
    void statOfADeepPathLeavesNothingOnTheHeap() {
        StringBuilder path = new StringBuilder();
        Attributes out = new Attributes();
        out.id = Namespace.ROOT_ID;
        int staff = namespace.principalId("staff");
        for (int depth = 0; depth < 10; depth++) {
            path.append("/level").append(depth);
            int mode = depth % 3 == 0 ? 0750 : 0755; // some are restricted
            assertEquals(Status.OK, namespace.mkdir(out.id, Name.of("level" + depth), mode, 0, staff, out));
        }
        assertEquals(Status.OK, namespace.create(out.id, Name.of("file"), 0644, 0, 0, out));
        ByteBuf frame = Unpooled.directBuffer(FRAME_MAX);
        int length = new StatEncoder()
                .wrapAndApplyHeader(window(frame), 0, new MessageHeaderEncoder())
                .correlationId(5)
                .baseId(Wire.ROOT_ID)
                .path(path + "/file")
                .limit();
        double bytes = bytesPerRequest(frame, length);
        assertEntry(5);
        assertTrue(bytes < 1, bytes + " bytes per stat");
        frame.release();
    }

    /** The answer of each is kept; once there are as many as are remembered, nothing of that is new. */
    @Test
    void numberedCreatesLeaveNothingOnTheHeap() {
        Attributes open = new Attributes();
        namespace.principalId("u"); // whose creates join
        assertEquals(Status.OK, namespace.mkdir(Namespace.ROOT_ID, Name.of("open"), 0777, 0, 0, open));
        assertEquals(Status.OK, namespace.create(open.id, Name.of("there"), 0644, 0, 0, new Attributes()));
        FixedSession numbered = new FixedSession();
        BareService.greet(worker, "u", numbered, 1, 1);
        ByteBuf frame = Unpooled.directBuffer(FRAME_MAX);
        CreateEncoder create = new CreateEncoder()
                .wrapAndApplyHeader(window(frame), 0, new MessageHeaderEncoder())
                .correlationId(5)
                .clientId(1)
                .sequence(0)
                .baseId(Wire.ROOT_ID)
                .mode(0644)
                .parentMode(0755)
                .unmaskedMode(0644)
                .expectedInode(0)
                .expectedMtimeNanos(0)
                .expectedSize(0)
                .lease(0);
        create.flags().clear();
        int length = create.path("/open/there").limit();
        long[] sequence = {0};
        double bytes = bytesPerRequest(() -> {
            create.sequence(++sequence[0]);
            worker.frame(numbered, frame, 0, length);
            if ((sequence[0] & 7) == 7) {
                worker.endBatch();
            }
        });
        worker.endBatch();
        assertTrue(bytes < 1, bytes + " bytes per create");
        assertEquals(
                RetryCache.Claim.DONE,
                Objects.requireNonNull(numbered.retries()).claim(sequence[0], true));
        frame.release();
        numbered.replies.release();
    }

    /** By a user for which nothing is checked, so that no grant is needed. */
    @Test
    void batchedAppendsAndDeletesLeaveNothingOnTheHeap() {
        FixedSession unlimited = new FixedSession();
        BareService.greet(worker, "somebody-else", unlimited);
        Attributes out = new Attributes();
        int count = 8;
        Name[] names = new Name[count];
        ByteBuf[] appends = new ByteBuf[count];
        ByteBuf[] deletes = new ByteBuf[count];
        for (int i = 0; i < count; i++) {
            names[i] = Name.of("f" + i);
            assertEquals(Status.OK, namespace.create(Namespace.ROOT_ID, Name.of("a" + i), 0644, 0, 0, out));
            appends[i] = Unpooled.directBuffer(FRAME_MAX);
            int appendLength = new AppendEncoder()
                    .wrapAndApplyHeader(window(appends[i]), 0, new MessageHeaderEncoder())
                    .parentId(Wire.ROOT_ID)
                    .inode(out.id)
                    .size(77)
                    .lease(0)
                    .last((short) 0)
                    .name("a" + i)
                    .limit();
            deletes[i] = Unpooled.directBuffer(FRAME_MAX);
            int deleteLength = new DeleteEncoder()
                    .wrapAndApplyHeader(window(deletes[i]), 0, new MessageHeaderEncoder())
                    .baseId(Wire.ROOT_ID)
                    .emptyDirectory((short) 0)
                    .path("/f" + i)
                    .limit();
            appends[i].writerIndex(appendLength);
            deletes[i].writerIndex(deleteLength);
        }
        double bytes = bytesPerRequest(() -> {
            for (int i = 0; i < count; i++) {
                namespace.create(Namespace.ROOT_ID, names[i], 0644, 0, 0, out);
                worker.frame(unlimited, appends[i], 0, appends[i].writerIndex());
            }
            for (int i = 0; i < count; i++) {
                worker.frame(unlimited, deletes[i], 0, deletes[i].writerIndex());
            }
            worker.endBatch();
        });
        assertTrue(bytes / count < 1, bytes + " bytes for " + count + " appends and deletes");
        assertEquals(Status.NOT_FOUND, namespace.stat(Namespace.ROOT_ID, names[0], out));
        assertEquals(Status.OK, namespace.stat(Namespace.ROOT_ID, Name.of("a1"), out));
        assertEquals(77, out.size);
        for (int i = 0; i < count; i++) {
            appends[i].release();
            deletes[i].release();
        }
        unlimited.replies.release();
    }

    private void assertEntry(long correlationId) {
        int length = session.replies.getIntLE(0);
        WireBuffer reply = new WireBuffer().wrap(session.replies, Wire.LENGTH_SIZE, length);
        EntryDecoder entry = new EntryDecoder().wrapAndApplyHeader(reply, 0, new MessageHeaderDecoder());
        assertEquals(correlationId, entry.correlationId());
        assertEquals(0644, entry.mode());
    }

    @Test
    void statOfWhatIsNotThereLeavesNothingOnTheHeap() {
        ByteBuf frame = Unpooled.directBuffer(FRAME_MAX);
        int length = new StatEncoder()
                .wrapAndApplyHeader(window(frame), 0, new MessageHeaderEncoder())
                .correlationId(5)
                .baseId(Wire.ROOT_ID)
                .path("/directory/_temporary")
                .limit();
        double bytes = bytesPerRequest(frame, length);
        assertTrue(bytes < 1, bytes + " bytes per stat");
        frame.release();
    }
}
