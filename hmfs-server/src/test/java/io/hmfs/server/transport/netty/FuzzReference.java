package io.hmfs.server.transport.netty;

import io.hmfs.client.ResultCode;
import io.hmfs.server.transport.netty.FuzzReplies.Reply;
import io.hmfs.wire.Wire;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A second server, which is given the requests among a session's frames one by one and nothing else: what the first one has
 * replied, and what stands in its namespace then, must be the same here.
 */
final class FuzzReference implements AutoCloseable {
    private static final int WRITE_BLOCK = 41;
    private static final int FIRST_CHANGE = 20;
    private static final Set<Integer> AT_THE_DISK =
            Set.of(14, 18, 24, 51, 29, 38, 40, 41, 42, 43, 44, 45, 46, 47, 54, 55);

    private final FuzzRig rig;
    private List<String> now = List.of(); // a snapshot, if it is known to be true still

    FuzzReference(Path directory) throws IOException {
        rig = new FuzzRig(directory);
    }

    void reset() throws IOException {
        rig.reset();
    }

    @Nullable
    Throwable failure() {
        return rig.failure();
    }

    /** A connection that was served to its end. */
    record Exchange(StreamModel model, List<Reply> replies) {}

    /** Compares connections that were served beside each other; {@code order}: whose frame was executed, one after the other. Null, or what differs. */
    @Nullable
    String compare(List<Exchange> exchanges, List<Integer> order, FuzzRig server) throws IOException {
        now = List.of();
        for (Exchange each : exchanges) {
            String wrong = miscounted(each.model, each.replies, false);
            if (wrong != null) {
                return wrong;
            }
        }
        boolean data =
                exchanges.stream().flatMap(each -> each.model.frames.stream()).anyMatch(FuzzReference::isWriteOfData);
        List<String> found = server.snapshot(data);
        boolean alone = exchanges.size() == 1;
        FuzzChannel channel = rig.connect();
        int[] next = new int[exchanges.size()];
        for (int side : order) { // ids stay the same on both
            Exchange each = exchanges.get(side);
            StreamModel.Frame frame = each.model.frames.get(next[side]++);
            if (!alone) { // a connection for each, so that here no other user's is open
                channel.leave();
                channel = rig.connect();
                introduce(channel, each.model, frame);
            }
            String wrong = compare(each.model, frame, answers(each.replies, each.model.ends, frame), channel, false);
            if (wrong != null) {
                return wrong;
            }
        }
        channel.leave();
        List<String> expected = rig.snapshot(data);
        return found.equals(expected) ? null : "the malformed had an effect: " + difference(expected, found);
    }

    /**
     * Compares a connection that was cut off: so many of its frames at least were executed, of the others none or all up to some
     * frame, and any of the replies may be missing. Null, or what differs.
     */
    @Nullable
    String compareCut(StreamModel model, List<Reply> replies, FuzzRig server, int executed) throws IOException {
        now = List.of();
        String miscounted = miscounted(model, replies, true);
        if (miscounted != null) {
            return miscounted;
        }
        boolean hasLast = model.ends && replies.size() > model.frames.size();
        boolean data = model.frames.stream().anyMatch(FuzzReference::isWriteOfData);
        List<String> found = server.snapshot(data);
        List<String> expectedState = executed == 0 ? rig.snapshot(data) : List.of();
        boolean isExplained = executed == 0 && found.equals(expectedState);
        FuzzChannel channel = rig.connect();
        try {
            for (int i = 0; i < model.frames.size() && !isExplained; i++) { // ids stay the same on both
                StreamModel.Frame frame = model.frames.get(i);
                String wrong = compare(model, frame, answers(replies, hasLast, frame), channel, true);
                if (wrong != null) {
                    return wrong;
                }
                if (i + 1 >= executed) {
                    expectedState = rig.snapshot(data);
                    isExplained = found.equals(expectedState);
                }
            }
        } finally {
            channel.leave();
        }
        if (executed > model.frames.size()) {
            expectedState = rig.snapshot(data);
            isExplained = found.equals(expectedState);
        }
        return isExplained ? null : "the malformed had an effect: " + difference(expectedState, found);
    }

    /** What is wrong with the number of replies, and with the last one; null: nothing. */
    private static @Nullable String miscounted(StreamModel model, List<Reply> replies, boolean isCut) {
        int due = model.frames.size() + (model.ends ? 1 : 0);
        long optional = isCut
                ? due
                : model.frames.stream()
                        .filter(frame -> isOptional(frame, model))
                        .count();
        if (replies.size() > due || replies.size() < due - optional) {
            return replies.size() + " replies to " + due + " frames: " + replies;
        }
        return model.ends && !isCut && !replies.getLast().isFailure()
                ? "the connection ends without a failure: " + replies
                : null;
    }

    /** The replies to a frame, among all of a connection, the last of which may be of its end. */
    private static List<Reply> answers(List<Reply> replies, boolean hasLast, StreamModel.Frame frame) {
        return replies.subList(0, replies.size() - (hasLast ? 1 : 0)).stream()
                .filter(reply -> reply.correlationId() == frame.correlationId())
                .toList();
    }

    private @Nullable String compare(
            StreamModel model, StreamModel.Frame frame, List<Reply> got, FuzzChannel channel, boolean isCut)
            throws IOException {
        Reply expected = frame.kind() == StreamModel.Kind.MALFORMED ? null : ask(channel, frame);
        if (expected != null && expected.template() == -1) {
            return what(frame) + " was refused and yet changed something: " + expected;
        }
        boolean isMissing = got.isEmpty() && (isCut || isOptional(frame, model));
        return model.isAmbiguous(frame) || isMissing ? null : differs(frame, expected, got);
    }

    private static boolean isWriteOfData(StreamModel.Frame frame) {
        return frame.kind() != StreamModel.Kind.MALFORMED && frame.template() == WRITE_BLOCK;
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

    /** Sends what a connection has begun with, unless that is the frame that comes now. */
    private static void introduce(FuzzChannel channel, StreamModel model, StreamModel.Frame next) {
        StreamModel.Frame hello = model.frames.getFirst();
        if (hello != next) {
            channel.send(bytes(hello));
            channel.takeReplies();
        }
    }

    private static byte[] bytes(StreamModel.Frame frame) {
        byte[] bytes = new byte[Wire.LENGTH_SIZE + frame.bytes().length];
        ByteBuffer.wrap(bytes)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(frame.bytes().length)
                .put(frame.bytes());
        return bytes;
    }

    /** The reply to one request; a template of -1 says that it was refused and changed something. */
    private Reply ask(FuzzChannel channel, StreamModel.Frame frame) throws IOException {
        boolean changes = frame.template() >= FIRST_CHANGE;
        List<String> before = changes && now.isEmpty() ? rig.snapshot(false) : now;
        channel.send(bytes(frame));
        List<Reply> replies = channel.takeReplies();
        if (replies.size() != 1) {
            throw new AssertionError(what(frame) + " alone has replies " + replies);
        }
        Reply reply = replies.getFirst();
        if (!changes) {
            now = List.of(); // a Hello may make principals known
            return reply;
        }
        now = reply.isFailure() ? rig.snapshot(false) : List.of();
        // Parents that it had made stay if a quota stops it then: docs/wire.md.
        boolean leftParents = reply.code() == ResultCode.NAME_QUOTA_EXCEEDED.code() && now.containsAll(before);
        if (reply.isFailure() && !now.equals(before) && !leftParents) {
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
        rig.close();
    }
}
