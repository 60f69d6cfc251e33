package io.hmfs.server.transport;

import io.hmfs.server.metrics.WorkerMeter;
import java.util.ArrayDeque;
import java.util.ArrayList;

/**
 * The frames that the connections of one event loop bring in one iteration of the loop. They are executed together
 * where that pays, and answered together when all connections that were ready have been read. Each connection has a
 * share of a batch; frames beyond the share wait until the other connections have been read once more. On the loop's
 * thread (docs/adr/0107-turns-over-connections.md).
 */
public final class EventLoopBatch {
    /** A connection of the loop. */
    interface Member {
        /** Continues with frames that did not go into the batch before. Does not throw. */
        void continueReceived();

        /** Sends the replies of the batch. Does not throw. */
        void flush();
    }

    private final FrameReceiver receiver;
    private final ArrayDeque<Member> continuing = new ArrayDeque<>();
    private final ArrayList<Member> answered = new ArrayList<>();
    private long number;

    /** {@code receiver} executes the frames; it belongs to this loop alone. */
    public EventLoopBatch(FrameReceiver receiver) {
        this.receiver = receiver;
    }

    FrameReceiver receiver() {
        return receiver;
    }

    /** Differs from the number of the batch before. */
    public long number() {
        return number;
    }

    /** So many more bytes have been written into peers' memory, and read from there. */
    public void countLongParts(long writtenBytes, long readBytes) {
        receiver.meter().add(WorkerMeter.Tally.RDMA_WRITTEN_BYTES, writtenBytes);
        receiver.meter().add(WorkerMeter.Tally.RDMA_READ_BYTES, readBytes);
    }

    /** The connection has frames that go into the next batch. At most once until {@link Member#continueReceived}. */
    void continueWith(Member connection) {
        continuing.add(connection);
    }

    /** The connection has replies to send at the end of this batch. At most once until {@link Member#flush}. */
    void sendOf(Member connection) {
        answered.add(connection);
    }

    /** Whether a connection waits for {@link #end}: then the loop must poll for events without blocking. */
    public boolean isAwaited() {
        return !continuing.isEmpty() || !answered.isEmpty();
    }

    /**
     * Executes and answers what was received. Call it when all connections that were ready have been read, also if
     * reading failed.
     */
    public void end() {
        for (int left = continuing.size(); left > 0; left--) {
            continuing.remove().continueReceived();
        }
        try {
            receiver.endBatch();
        } finally {
            for (int i = 0; i < answered.size(); i++) {
                answered.get(i).flush();
            }
            answered.clear();
            number++;
        }
    }
}
