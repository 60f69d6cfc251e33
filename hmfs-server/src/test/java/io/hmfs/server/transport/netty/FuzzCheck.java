package io.hmfs.server.transport.netty;

import io.hmfs.server.transport.netty.FuzzChannel.Reply;
import io.hmfs.server.transport.netty.FuzzSession.Part;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Runs sessions on a server and on a second one, which is given the requests among the frames one by one and nothing else. Says what
 * is wrong after each: a failure, a stack trace in the log, a buffer that was not released, a reply too many or too few, a refused
 * request that changed something, a difference between the two.
 */
final class FuzzCheck implements FuzzTarget {
    /** More than one connection may make the server keep, whatever it sends and however little it reads. */
    static final long PEAK_MAX = 12L << 20;

    private static final int READ_MAX = 64 << 10;

    private final FuzzRig server;
    private final FuzzReference reference;
    private final LogWatch log;
    private final FuzzChannel bystander;
    private long frames;
    private long malformed;

    FuzzCheck(Path directory, LogWatch log) throws IOException {
        server = new FuzzRig(directory.resolve("server"));
        reference = new FuzzReference(directory.resolve("reference"));
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

    @Override
    public void reset() throws IOException {
        server.reset();
        reference.reset();
        log.take();
    }

    FuzzRig rig() {
        return server;
    }

    @Override
    public FuzzSession session(long seed, long number) {
        return FuzzGenerator.session(seed, number, server);
    }

    @Override
    public long takeFrames() {
        long taken = frames;
        frames = 0;
        return taken;
    }

    @Override
    public long takeMalformed() {
        long taken = malformed;
        malformed = 0;
        return taken;
    }

    @Override
    public @Nullable String run(FuzzSession session) throws IOException {
        StreamModel model = new StreamModel(session.stream(), FuzzRig.CLUSTER, FuzzRig.FRAME_MAX);
        frames += model.frames.size() + (model.ends ? 1 : 0);
        malformed += model.malformed();
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
        return reference.compare(model, replies, server);
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

    @Override
    public void close() throws IOException {
        bystander.leave();
        server.close();
        reference.close();
    }
}
