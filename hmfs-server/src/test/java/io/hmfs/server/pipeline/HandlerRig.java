package io.hmfs.server.pipeline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.hmfs.client.ResultCode;
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
import io.hmfs.server.lease.Leases;
import io.hmfs.server.metrics.Meters;
import io.hmfs.server.metrics.Observation;
import io.hmfs.server.metrics.ServerMetrics;
import io.hmfs.server.partition.Partition;
import io.hmfs.server.setting.ServerSetting;
import io.hmfs.wire.DoneDecoder;
import io.hmfs.wire.FailureDecoder;
import io.hmfs.wire.MessageHeaderDecoder;
import io.hmfs.wire.MessageHeaderEncoder;
import io.hmfs.wire.WireBuffer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A pipeline over an empty pool, for tests of handlers: requests are sent as frames by a superuser, {@link #ROOT}, and by a user that
 * everything is checked for, {@link #USER}; what would be executed by a disk thread is executed at once.
 */
public final class HandlerRig implements AutoCloseable {
    public static final String ROOT = "root";
    public static final String USER = "u";

    /** The length of a block of a file, as each {@link BareService} has it. */
    public static final int BLOCK_SIZE = 1 << 20;

    /** The most bytes of a file's data in one message, as each {@link BareService} has it. */
    public static final int CHUNK_SIZE = 4096;

    private static final int FRAME_MAX = 64 << 10;

    private final Path directory;
    private final boolean durable;
    private final ServerNamespace namespace;
    private final ServerMetrics metrics;
    private final Observation observation;
    private final Callers callers;
    private final @Nullable BuiltinData data;
    private Pipeline pipeline;
    private int offloaded;
    private final Map<String, BareSession> sessions = new HashMap<>();
    private final MessageHeaderDecoder header = new MessageHeaderDecoder();

    /** Encodes a message and its header at the buffer's beginning. */
    public interface Message {
        /** Returns the end of the message. */
        int encode(WireBuffer out, MessageHeaderEncoder header);
    }

    /** Of a server that does not keep the data of files, with clients that do not number their changes. */
    public HandlerRig(Path directory) throws IOException {
        this(directory, false);
    }

    /** The same; {@code keepsData}: of a server that keeps it, or of one that does not. */
    public HandlerRig(Path directory, boolean keepsData) throws IOException {
        this(directory, keepsData, false);
    }

    /** The same; {@code durable}: what was answered survives the machine, as far as the data of files goes. */
    public HandlerRig(Path directory, boolean keepsData, boolean durable) throws IOException {
        this(directory, keepsData, durable, UnaryOperator.identity());
    }

    /** Of a server whose namespace is reached through what {@code seen} makes of it. */
    public HandlerRig(Path directory, UnaryOperator<ServerNamespace> seen) throws IOException {
        this(directory, false, false, seen);
    }

    private HandlerRig(Path directory, boolean keepsData, boolean durable, UnaryOperator<ServerNamespace> seen)
            throws IOException {
        this.directory = directory;
        this.durable = durable;
        Path pool = directory.resolve("p.pool");
        Hmfs.format(pool, FormatOptions.ofSize(FormatOptions.SIZE_MIN));
        namespace = seen.apply(Hmfs.openForServer(pool, OpenOptions.process().keepingDataElsewhere()));
        data = keepsData ? BuiltinData.open(directory.resolve("data"), namespace, BLOCK_SIZE, durable) : null;
        Meters meters = new Meters();
        metrics = new ServerMetrics(meters, namespace, "test");
        observation = new Observation(meters, metrics, null, Long.MAX_VALUE);
        AccessConfig access = ServerConfig.builder(Path.of("p"))
                .set(ServerSetting.SUPERUSER, ROOT)
                .build()
                .access();
        callers = new Callers(namespace, access, _ -> List.of("staff"), Runnable::run, 1, System::nanoTime);
        pipeline = start(0);
    }

    /**
     * Starts a server that knows nothing but what is in the pool, as after a crash. From here on clients number their changes: their id is
     * 1, and they have sent sequences below {@code next}.
     */
    public void restart(long next) throws IOException {
        pipeline = start(next);
    }

    private Pipeline start(long next) throws IOException {
        Path key = directory.resolve("key");
        Pipeline started = new Pipelines(
                        BareService.service(namespace, key, callers, observation, this::execute, data, durable))
                .newPipeline();
        for (String user : List.of(ROOT, USER)) {
            BareSession session = new LateSession();
            BareService.greet(started, user, session, Math.min(next, 1), next);
            session.replies.clear();
            sessions.put(user, session);
        }
        return started;
    }

    /** From here on, replies of at least so many bytes may be compressed. */
    public void compressFrom(int bytes) {
        sessions.values().forEach(session -> session.compressFrom(bytes));
    }

    /** From here on memory for replies is scarce, or is not. */
    public void scarceReplies(boolean now) {
        sessions.values().forEach(session -> session.scarce(now));
    }

    /** The disk threads are the caller's. */
    private void execute(Runnable task) {
        offloaded++;
        task.run();
    }

    /** Requests that disk threads have executed so far. */
    public int offloaded() {
        return offloaded;
    }

    /** What the requests of this server share. */
    public Partition partition() {
        return pipeline.service.partition;
    }

    public ServerNamespace namespace() {
        return namespace;
    }

    /** Makes a directory of the superuser in the root; its id. */
    public long mkdir(String name, int mode) {
        Attributes made = new Attributes();
        assertEquals(Status.OK, namespace.mkdir(Namespace.ROOT_ID, Name.of(name), mode, 0, 0, made));
        return made.id;
    }

    /** Makes a file of the superuser. */
    public long create(long parent, String name, int mode) {
        Attributes made = new Attributes();
        assertEquals(Status.OK, namespace.create(parent, Name.of(name), mode, 0, 0, made));
        return made.id;
    }

    /** The user's client gets this lease on a file that no other client writes. */
    public void take(String user, long inode, long lease) {
        Leases leases = partition().leases();
        long stamp = leases.alone(inode, true);
        assertNull(leases.take(inode, session(user).client(), "host", lease));
        leases.endAlone(inode, stamp);
    }

    /** The user's client ends its lease. */
    public void end(String user, long inode, long lease) {
        partition().leases().end(inode, session(user).client(), lease);
    }

    /** What is there under this name. */
    public Attributes stat(long parent, String name) {
        Attributes found = new Attributes();
        assertEquals(Status.OK, namespace.stat(parent, Name.of(name), found));
        return found;
    }

    /** Sends a request, which may be executed at the end of the event-loop batch. */
    public void send(String user, Message message) {
        ByteBuf frame = Unpooled.buffer(FRAME_MAX);
        int length = message.encode(new WireBuffer().wrap(frame, 0, FRAME_MAX), new MessageHeaderEncoder());
        pipeline.frame(session(user), frame, 0, length);
    }

    /** Sends a request; whether it has joined an event-loop batch, which goes on. */
    public boolean isBatched(String user, Message message) {
        send(user, message);
        return !session(user).replies.isReadable();
    }

    /** Ends the event-loop batch. */
    public void endBatch() {
        pipeline.endBatch();
    }

    /** The user's next reply, a frame without its length word. */
    public WireBuffer reply(String user) {
        ByteBuf replies = session(user).replies;
        int length = replies.readIntLE();
        byte[] frame = new byte[length];
        replies.readBytes(frame);
        return new WireBuffer().wrap(Unpooled.wrappedBuffer(frame), 0, length);
    }

    /** Sends a request and returns its reply, of which there is one. */
    public WireBuffer ask(String user, Message message) {
        send(user, message);
        endBatch();
        WireBuffer reply = reply(user);
        assertFalse(session(user).replies.isReadable(), "more than one reply");
        return reply;
    }

    /** Sends a request and returns its outcome. */
    public ResultCode outcome(String user, Message message) {
        return outcome(ask(user, message));
    }

    /** What a reply says: OK unless it is a failure. */
    public ResultCode outcome(WireBuffer reply) {
        header.wrap(reply, 0);
        return header.templateId() == FailureDecoder.TEMPLATE_ID
                ? ResultCode.of(new FailureDecoder()
                        .wrapAndApplyHeader(reply, 0, header)
                        .code())
                : ResultCode.OK;
    }

    /** The template id of a reply. */
    public int template(WireBuffer reply) {
        return header.wrap(reply, 0).templateId();
    }

    /** Fails unless the reply is Done. */
    public void assertDone(WireBuffer reply) {
        assertEquals(ResultCode.OK, outcome(reply));
        assertEquals(DoneDecoder.TEMPLATE_ID, template(reply));
    }

    private BareSession session(String user) {
        BareSession session = sessions.get(user);
        if (session == null) {
            throw new IllegalArgumentException(user);
        }
        return session;
    }

    @Override
    public void close() throws IOException {
        metrics.close();
        if (data != null) {
            data.close();
        }
        namespace.close();
    }
}
