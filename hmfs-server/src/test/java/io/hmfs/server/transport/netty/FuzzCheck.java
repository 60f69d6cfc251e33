package io.hmfs.server.transport.netty;

import io.hmfs.server.transport.netty.FuzzReference.Exchange;
import io.hmfs.server.transport.netty.FuzzReplies.Reply;
import io.hmfs.server.transport.netty.FuzzSession.Part;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Runs sessions on a server and on a second one, which is given the requests among the frames one by one and nothing else. Says what
 * is wrong after each: a failure, a stack trace in the log, a buffer that was not released, a reply too many or too few, a refused
 * request that changed something, a difference between the two, a change of what is not the users'.
 */
final class FuzzCheck implements FuzzTarget {
    /** More than one connection may make the server keep, whatever it sends and however little it reads. */
    static final long PEAK_MAX = 12L << 20;

    private static final int READ_MAX = 64 << 10;
    private static final int RIVALS_EACH = 4; // sessions

    private final FuzzRig server;
    private final FuzzReference reference;
    private final LogWatch log;
    private final FuzzChannel bystander;
    private List<String> superusers = List.of();
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
        superusers = server.superusers();
        log.take();
    }

    FuzzRig rig() {
        return server;
    }

    @Override
    public FuzzSession session(long seed, long number) {
        return number % RIVALS_EACH == 0
                ? FuzzGenerator.rivals(seed, number, server)
                : FuzzGenerator.session(seed, number, server);
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
        List<Side> sides = session.sides().stream().map(Side::new).toList();
        for (Side side : sides) {
            frames += side.model.frames.size() + (side.model.ends ? 1 : 0);
            malformed += side.model.malformed();
        }
        try {
            String wrong = runOnServer(session, sides);
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

    private @Nullable String runOnServer(FuzzSession session, List<Side> sides) throws IOException {
        long before = server.allocator.live();
        server.allocator.forget();
        for (Side side : sides) {
            side.channel = server.connect();
        }
        List<Integer> order = new ArrayList<>();
        String stuck = send(session, sides, order);
        if (stuck != null) {
            return stuck;
        }
        List<String> ends = new ArrayList<>();
        List<Exchange> exchanges = new ArrayList<>();
        for (Side side : sides) {
            List<Reply> replies = side.channel().takeReplies();
            boolean open = side.channel().isOpen();
            if (open == side.model.ends) {
                ends.add(open ? "the connection goes on" : "the connection has ended: " + replies);
            }
            exchanges.add(new Exchange(side.model, replies));
        }
        sides.forEach(side -> side.channel().leave());
        if (server.failure() != null) {
            return "the server has failed: " + server.failure();
        }
        if (!ends.isEmpty()) {
            return ends.getFirst();
        }
        if (server.allocator.live() != before) {
            return (server.allocator.live() - before) + " bytes of buffers were not released" + leaks();
        }
        if (server.allocator.peak() - before > sides.size() * PEAK_MAX) {
            return "the connection had " + (server.allocator.peak() - before) + " bytes of buffers";
        }
        String wrong = reference.compare(exchanges, order, server);
        return wrong != null ? wrong : trespass(sides);
    }

    /** Whether those who may not change what is the superuser's alone have changed it. */
    private @Nullable String trespass(List<Side> sides) throws IOException {
        boolean superuser = sides.stream().anyMatch(side -> side.model.user.equals(FuzzRig.SUPERUSER));
        List<String> now = server.superusers();
        return superuser || now.equals(superusers) ? null : "the superuser's has changed: " + superusers + " to " + now;
    }

    /** One connection, and what is under way to it. */
    private static final class Side {
        private final StreamModel model;
        private final ByteArrayOutputStream read = new ByteArrayOutputStream();
        private @Nullable FuzzChannel channel;
        private int delivered;
        private int executed; // whole frames of what was delivered

        Side(FuzzSession session) {
            model = new StreamModel(session.stream(), FuzzRig.CLUSTER, FuzzRig.FRAME_MAX);
        }

        FuzzChannel channel() {
            return Objects.requireNonNull(channel);
        }

        /** What waits is read. Null, or why the server does not take it. */
        @Nullable
        String deliver(int piece) {
            String stuck = send(read.toByteArray(), piece, channel());
            delivered += read.size();
            read.reset();
            return stuck;
        }

        /** How many frames became whole since the last call. */
        int takeExecuted() {
            int before = executed;
            executed = model.framesIn(delivered);
            return executed - before;
        }
    }

    /** Where Netty saw them last. */
    private String leaks() {
        System.gc();
        server.allocator.buffer(1).release();
        return ": " + log.take();
    }

    /** Sends all, as long as the server takes it. Null, or why not; {@code order} gets whose frame was executed, one after the other. */
    private static @Nullable String send(FuzzSession session, List<Side> sides, List<Integer> order) {
        for (Part part : session.parts()) {
            int number = part.act() == FuzzAct.RIVAL ? sides.size() - 1 : 0;
            Side side = sides.get(number);
            if (part.stall()) {
                side.channel().stall();
            }
            side.read.writeBytes(part.sent());
            if (part.glued() && part.piece() == 0 && side.read.size() < READ_MAX - part.sent().length) {
                continue;
            }
            String stuck = side.deliver(part.piece());
            order.addAll(Collections.nCopies(side.takeExecuted(), number));
            if (stuck != null) {
                return stuck;
            }
        }
        String stuck = null;
        for (Side side : sides) {
            String last = side.deliver(0);
            stuck = stuck == null ? last : stuck;
            side.channel().take();
            order.addAll(Collections.nCopies(side.takeExecuted(), sides.indexOf(side)));
        }
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
