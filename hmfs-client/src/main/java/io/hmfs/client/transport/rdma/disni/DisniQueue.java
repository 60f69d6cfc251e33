package io.hmfs.client.transport.rdma.disni;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvWC;
import com.ibm.disni.verbs.SVCPollCq;
import com.ibm.disni.verbs.SVCReqNotify;
import com.ibm.disni.verbs.impl.NatIbvCQ;
import java.io.IOException;
import java.util.Arrays;

/**
 * A completion queue of several connections. It has room for all that they can post. Completions of a closed connection
 * can be in it until it is polled, so the connection's room is free only after that.
 */
final class DisniQueue {
    private static final int BATCH = 32;

    final IbvCQ queue;
    final long handle;

    private final int connectionsMost;
    private final IbvWC[] batch = new IbvWC[BATCH];
    private final SVCPollCq poll;
    private final SVCReqNotify notify;

    private int connections;
    private int closed; // of them, but with completions that may still be here

    /** Whether the next completion makes an event; only the thread that waits knows. */
    boolean armed;

    DisniQueue(IbvCQ queue, int connectionsMost) throws IOException {
        this.queue = queue;
        this.connectionsMost = connectionsMost;
        handle = ((NatIbvCQ) queue).getObjId();
        Arrays.setAll(batch, i -> new IbvWC());
        poll = queue.poll(batch, BATCH);
        notify = queue.reqNotification(false);
    }

    void arm() throws IOException {
        notify.execute();
        armed = true;
    }

    boolean hasRoom() {
        return connections < connectionsMost;
    }

    void open() {
        connections++;
    }

    void close() {
        closed++;
    }

    /** Takes completions out: how many there are in {@link #completion}. */
    int poll() throws IOException {
        int gone = closed;
        int polled = poll.execute().getPolls();
        if (polled < BATCH) {
            connections -= gone;
            closed -= gone;
        }
        return polled;
    }

    /** Whether there may be more than {@link #poll} took. */
    static boolean isFull(int polled) {
        return polled == BATCH;
    }

    IbvWC completion(int index) {
        return batch[index];
    }

    void free() {
        poll.free();
        notify.free();
    }
}
