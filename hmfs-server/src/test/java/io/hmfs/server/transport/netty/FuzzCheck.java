package io.hmfs.server.transport.netty;

import io.hmfs.server.transport.netty.FuzzChannel.Reply;
import io.hmfs.server.transport.netty.FuzzSession.Part;
import io.hmfs.wire.Wire;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Runs sessions on a server and on a second one, which is given the requests among the frames one by one and nothing else. Says what
 * is wrong after each: a failure, a stack trace in the log, a buffer that was not released, a reply too many or too few, a refused
 * request that changed something, a difference between the two.
 */
final class FuzzCheck implements AutoCloseable {
    /** More than one connection may make the server keep, whatever it sends and however little it reads. */
    static final long PEAK_MAX = 12L << 20;

    private static final int READ_MAX = 64 << 10;
    private static final int WRITE_BLOCK = 41;
    private static final int FIRST_CHANGE = 20;
    private static final Set<Integer> AT_THE_DISK =
            Set.of(14, 18, 24, 51, 29, 38, 40, 41, 42, 43, 44, 45, 46, 47, 54, 55);

    private final FuzzRig server;
    private final FuzzRig reference;
    private final LogWatch log;
    private final FuzzChannel bystander;
    private List<String> referenceNow = List.of();
    private long frames;
    private long malformed;

    FuzzCheck(Path directory, LogWatch log) throws IOException {
        server = new FuzzRig(directory.resolve("server"));
        reference = new FuzzRig(directory.resolve("reference"));
        this.log = log;
        reset();
        bystander = server.connect();
        bystander.send(bystanders(WireSchema.HELLO));
        bystander.takeReplies();
    }

    private byte[] bystanders(int template) {
        WireSchema.Message message = WireSchema.INSTANCE.request(template);
        return new FuzzRequests(new java.util.Random(1), server).frame(java.util.Objects.requireNonNull(message));
    }

    /** Makes the tree anew that the next session is about. */
    void reset() throws IOException {
        server.reset();
        reference.reset();
        log.take();
    }

    FuzzRig rig() {
        return server;
    }

    /** Frames that were sent since the last call. */
    long takeFrames() {
        long taken = frames;
        frames = 0;
        return taken;
    }

    /** Those of them that were no requests. */
    long takeMalformed() {
        long taken = malformed;
        malformed = 0;
        return taken;
    }

    /** Runs a session that was made after {@link #reset}. Null, or what is wrong. */
    @Nullable
    String run(FuzzSession session) throws IOException {
        StreamModel model = new StreamModel(session.stream(), FuzzRig.CLUSTER, FuzzRig.FRAME_MAX);
        frames += model.frames.size() + (model.ends ? 1 : 0);
        malformed += model.frames.stream()
                        .filter(frame -> frame.kind() == StreamModel.Kind.MALFORMED)
                        .count()
                + (model.ends ? 1 : 0);
        referenceNow = List.of();
        try {
            String wrong = runOnServer(session, model);
            return wrong != null ? wrong : common();
        } catch (RuntimeException | AssertionError e) {
            return "an exception in the pipeline: " + e + " at " + Arrays.toString(e.getStackTrace());
        }
    }

    private @Nullable String common() throws IOException {
        if (server.failure() != null || reference.failure() != null) {
            return "the server has failed: " + server.failure() + " / " + reference.failure();
        }
        bystander.send(bystanders(12));
        int answers = bystander.takeReplies().size();
        if (answers != 1) {
            return "another connection has " + answers + " replies to its request";
        }
        List<String> logged = log.take();
        return logged.isEmpty() ? null : "logged: " + logged;
    }

    private @Nullable String runOnServer(FuzzSession session, StreamModel model) throws IOException {
        long before = server.allocator.live();
        server.allocator.forget();
        FuzzChannel channel = server.connect();
        String stuck = send(session, channel);
        if (stuck != null) {
            return stuck;
        }
        List<Reply> replies = channel.takeReplies();
        boolean open = channel.isOpen();
        channel.leave();
        if (server.failure() != null) {
            return "the server has failed: " + server.failure();
        }
        if (open == model.ends) {
            return open ? "the connection goes on" : "the connection has ended: " + replies;
        }
        if (server.allocator.live() != before) {
            return (server.allocator.live() - before) + " bytes of buffers were not released" + leaks();
        }
        if (server.allocator.peak() - before > PEAK_MAX) {
            return "the connection had " + (server.allocator.peak() - before) + " bytes of buffers";
        }
        return compare(model, replies);
    }

    /** Where Netty saw them last. */
    private String leaks() {
        System.gc();
        server.allocator.buffer(1).release();
        return ": " + log.take();
    }

    /** Sends all, as long as the server takes it. Null, or why not. */
    private static @Nullable String send(FuzzSession session, FuzzChannel channel) {
        ByteArrayOutputStream read = new ByteArrayOutputStream();
        for (Part part : session.parts()) {
            if (part.stall()) {
                channel.stall();
            }
            read.writeBytes(part.sent());
            if (part.glued() && part.piece() == 0 && read.size() < READ_MAX - part.sent().length) {
                continue;
            }
            String stuck = send(read.toByteArray(), part.piece(), channel);
            read.reset();
            if (stuck != null) {
                return stuck;
            }
        }
        String stuck = send(read.toByteArray(), 0, channel);
        channel.take();
        return stuck;
    }

    private static @Nullable String send(byte[] bytes, int piece, FuzzChannel channel) {
        int step = piece == 0 ? READ_MAX : piece;
        for (int at = 0; at < bytes.length; at += step) {
            if (channel.isOpen() && !channel.config().isAutoRead()) {
                channel.take();
            }
            if (!channel.isOpen()) {
                return null;
            }
            if (!channel.config().isAutoRead()) {
                return "the connection is not read though all its replies are";
            }
            channel.send(Arrays.copyOfRange(bytes, at, Math.min(bytes.length, at + step)));
        }
        return null;
    }

    // ---- the reference

    private @Nullable String compare(StreamModel model, List<Reply> replies) throws IOException {
        int due = model.frames.size() + (model.ends ? 1 : 0);
        long optional =
                model.frames.stream().filter(frame -> isOptional(frame, model)).count();
        if (replies.size() > due || replies.size() < due - optional) {
            return replies.size() + " replies to " + due + " frames: " + replies;
        }
        if (model.ends && !replies.getLast().isFailure()) {
            return "the connection ends without a failure: " + replies;
        }
        Map<Long, List<Reply>> byId = new HashMap<>();
        replies.subList(0, replies.size() - (model.ends ? 1 : 0))
                .forEach(reply -> byId.computeIfAbsent(reply.correlationId(), id -> new ArrayList<>())
                        .add(reply));
        FuzzChannel channel = reference.connect();
        boolean data = false;
        try {
            for (StreamModel.Frame frame : model.frames) {
                List<Reply> got = byId.getOrDefault(frame.correlationId(), List.of());
                boolean request = frame.kind() != StreamModel.Kind.MALFORMED;
                data |= request && frame.template() == WRITE_BLOCK;
                Reply expected = request ? ask(channel, frame) : null;
                boolean unclear = model.isAmbiguous(frame) || (got.isEmpty() && isOptional(frame, model));
                String wrong = unclear ? null : differs(frame, expected, got);
                if (expected != null && expected.template() == -1) {
                    wrong = what(frame) + " was refused and yet changed something: " + expected;
                }
                if (wrong != null) {
                    return wrong;
                }
            }
        } finally {
            channel.leave();
        }
        List<String> here = server.snapshot(data);
        List<String> there = reference.snapshot(data);
        return here.equals(there) ? null : "the malformed had an effect: " + difference(there, here);
    }

    /** Whether its reply may come too late for a connection that ends. */
    private static boolean isOptional(StreamModel.Frame frame, StreamModel model) {
        return model.ends && AT_THE_DISK.contains(frame.template());
    }

    private static @Nullable String differs(StreamModel.Frame frame, @Nullable Reply expected, List<Reply> got) {
        if (got.isEmpty()) {
            return what(frame) + " has no reply";
        }
        Reply reply = got.getFirst();
        if (expected == null) {
            return reply.isFailure() ? null : what(frame) + ", malformed, was answered with " + reply;
        }
        boolean same = reply.template() == expected.template() && reply.code() == expected.code();
        boolean raced = frame.template() == WRITE_BLOCK; // with the thread that removes data
        return same || raced ? null : what(frame) + " was answered with " + reply + ", alone with " + expected;
    }

    private static String what(StreamModel.Frame frame) {
        return "request " + frame.correlationId() + " of template " + frame.template();
    }

    /** The reply to one request; a template of -1 says that it was refused and changed something. */
    private Reply ask(FuzzChannel channel, StreamModel.Frame frame) throws IOException {
        boolean changes = frame.template() >= FIRST_CHANGE;
        List<String> before = changes && referenceNow.isEmpty() ? reference.snapshot(false) : referenceNow;
        byte[] bytes = new byte[Wire.LENGTH_SIZE + frame.bytes().length];
        java.nio.ByteBuffer.wrap(bytes)
                .order(java.nio.ByteOrder.LITTLE_ENDIAN)
                .putInt(frame.bytes().length)
                .put(frame.bytes());
        channel.send(bytes);
        List<Reply> replies = channel.takeReplies();
        if (replies.size() != 1) {
            throw new AssertionError(what(frame) + " alone has replies " + replies);
        }
        Reply reply = replies.getFirst();
        if (!changes) {
            referenceNow = List.of(); // a Hello may make principals known
            return reply;
        }
        referenceNow = reply.isFailure() ? reference.snapshot(false) : List.of();
        if (reply.isFailure() && !referenceNow.equals(before)) {
            return new Reply(reply.correlationId(), -1, reply.code());
        }
        return reply;
    }

    private static String difference(List<String> expected, List<String> found) {
        List<String> missing = new ArrayList<>(expected);
        missing.removeAll(found);
        List<String> more = new ArrayList<>(found);
        more.removeAll(expected);
        return "without it " + missing + ", with it " + more;
    }

    @Override
    public void close() throws IOException {
        bystander.leave();
        server.close();
        reference.close();
    }
}
