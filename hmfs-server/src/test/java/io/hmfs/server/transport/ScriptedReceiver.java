package io.hmfs.server.transport;

import io.hmfs.server.metrics.Meters;
import io.hmfs.server.metrics.WorkerMeter;
import io.hmfs.server.share.UserShares;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A receiver of frames without requests: it notes what it is told, and answers each frame with the frame's own number,
 * at once, at the end of the batch, or later, as the frame's first byte says.
 */
final class ScriptedReceiver implements FrameReceiver {
    /** The first byte of a frame. */
    static final byte AT_ONCE = 'a';

    static final byte AT_END = 'e';
    static final byte LATE = 'l';
    static final byte GREETS = 'g';
    static final byte GREETS_LATE = 'h';
    static final byte CLOSES = 'c';
    static final byte LARGE = 'x';

    /** What it was told, in order. */
    final List<String> told = new ArrayList<>();

    /** Replies that come when the test says so. */
    final List<Runnable> late = new ArrayList<>();

    /** What waits for the log. */
    final List<Runnable> unsafe = new ArrayList<>();

    /** What waits until frames may be received again. */
    final List<Runnable> waiting = new ArrayList<>();

    /** Runs each time that it is asked whether frames may be received. */
    Runnable whenAsked = () -> {};

    /** Where peers that greet are one user, who may do what a superuser may; null: peers do not say who they are. */
    @Nullable
    UserShares identifiesIn;

    boolean holds;
    boolean proceeds = true;
    boolean failed;
    int largeBytes;
    int owedBytes;

    private final WorkerMeter meter = new Meters().newMeter();
    private final List<Runnable> atEnd = new ArrayList<>();
    private int peers;

    /** A peer, greeted by a frame of its own. */
    private static final class Peer implements PeerState {
        private final ReplyChannel channel;
        private final int number;
        private boolean greeted;
        private boolean greeting;

        Peer(ReplyChannel channel, int number) {
            this.channel = channel;
            this.number = number;
        }

        @Override
        public boolean isGreeted() {
            return greeted;
        }

        @Override
        public boolean isGreeting() {
            return greeting;
        }
    }

    @Override
    public PeerState accept(ReplyChannel channel) {
        Peer peer = new Peer(channel, peers++);
        told.add(peer.number + " comes");
        return peer;
    }

    @Override
    public void closed(PeerState peer) {
        told.add(((Peer) peer).number + " goes");
    }

    @Override
    public void beginRead() {}

    @Override
    public void frame(PeerState state, ByteBuf frames, int offset, int length) {
        Peer peer = (Peer) state;
        byte kind = frames.getByte(offset);
        byte id = frames.getByte(offset + 1);
        told.add(peer.number + " " + (char) kind + (char) id);
        switch (kind) {
            case AT_END -> atEnd.add(() -> reply(peer.channel, id, 0));
            case LARGE -> reply(peer.channel, id, largeBytes);
            case LATE -> {
                int owed = owedBytes;
                peer.channel.begin(owed);
                late.add(() -> peer.channel.onThread(() -> {
                    ByteBuf bytes = peer.channel.allocator().buffer(16);
                    write(bytes, id, 0);
                    peer.channel.end(bytes, owed);
                }));
            }
            case GREETS -> {
                peer.greeted = true;
                UserShares shares = identifiesIn;
                if (shares != null && !peer.channel.identify(shares.join(1, "u", true))) {
                    throw new AssertionError("a superuser is let in");
                }
                reply(peer.channel, id, 0);
            }
            case GREETS_LATE -> {
                peer.greeting = true;
                peer.channel.begin(0);
                late.add(() -> {
                    peer.greeting = false;
                    peer.greeted = true;
                    ByteBuf bytes = peer.channel.allocator().buffer(16);
                    write(bytes, id, 0);
                    peer.channel.end(bytes, 0);
                });
            }
            case CLOSES -> {
                reply(peer.channel, id, 0);
                peer.channel.closeWhenSent();
            }
            default -> reply(peer.channel, id, 0);
        }
    }

    private static void reply(ReplyTarget target, byte id, int padding) {
        write(target.room(5 + padding), id, padding);
    }

    private static void write(ByteBuf to, byte id, int padding) {
        to.writeIntLE(1 + padding).writeByte(id).writeZero(padding);
    }

    @Override
    public void endBatch() {
        List<Runnable> now = List.copyOf(atEnd);
        atEnd.clear();
        now.forEach(Runnable::run);
        if (!now.isEmpty()) {
            told.add("end of " + now.size());
        }
    }

    @Override
    public boolean mayProceed(PeerState peer) {
        whenAsked.run();
        return proceeds;
    }

    @Override
    public void whenMayProceed(PeerState peer, Runnable task) {
        waiting.add(() -> ((Peer) peer).channel.onThread(task));
    }

    @Override
    public boolean holdsReplies() {
        return holds;
    }

    @Override
    public void whenSafe(Runnable task) {
        unsafe.add(task);
    }

    @Override
    public boolean hasFailed() {
        return failed;
    }

    @Override
    public WorkerMeter meter() {
        return meter;
    }

    /** Runs what waits in a list, oldest first, or only the one with this number. */
    static void run(List<Runnable> list, @Nullable Integer number) {
        if (number != null) {
            list.remove((int) number).run();
            return;
        }
        List<Runnable> now = List.copyOf(list);
        list.clear();
        now.forEach(Runnable::run);
    }
}
