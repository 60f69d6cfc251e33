package io.hmfs.client.transport.rdma.disni;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * What {@code native/disni} has beside DiSNI's own methods. A handle is what DiSNI calls an object id; an unknown one is
 * refused. Addresses are not checked.
 */
final class Natives {
    /** Size of what {@link #nextEvent} writes, and where in it each field is. */
    static final int EVENT_SIZE = 284;

    static final int EVENT_STATUS = 4;
    static final int EVENT_ID = 8;
    static final int EVENT_LISTENER = 16;
    static final int EVENT_PRIVATE_LENGTH = 24;
    static final int EVENT_PRIVATE_DATA = 28;
    static final int PRIVATE_DATA_MOST = 256;

    /** Most handles that {@link #await} writes. */
    static final int READY_MOST = 16;

    private Natives() {}

    /** The address of a direct buffer's first byte; 0 for another buffer. */
    static native long address(ByteBuffer buffer);

    /** How many RDMA devices there are, or minus an errno. */
    static native int devices();

    /** How many objects are there, for tests. */
    static native int live();

    /** Reads and acknowledges the next event of a connection manager's channel: its type, or -1 if there is none. */
    static native int nextEvent(long channel, long into) throws IOException;

    /** Reads and acknowledges the next event of a completion channel: the handle of its queue, or 0 if there is none. */
    static native long nextCompletionEvent(long channel) throws IOException;

    /** Refuses a request for a connection; 0 or minus an errno. */
    static native int reject(long id);

    /** Has the events of an id come by another channel; by the thread that reads those of the one that it has; 0 or minus an errno. */
    static native int migrate(long id, long channel);

    /** Sets the time until a message without acknowledgement is sent again, 4.096 µs · 2^exponent; 0 or minus an errno. */
    static native int acknowledgeTimeout(long id, int exponent);

    /** The most bytes of inline data of a queue pair. */
    static native int inlineMost(long queuePair) throws IOException;

    /** The most entries of a completion queue. */
    static native int entriesMost(long context) throws IOException;

    static native long openWaiter() throws IOException;

    static native int closeWaiter(long waiter);

    /** Has a waiter wait for a channel of either kind; reading the channel blocks no more. */
    static native void watch(long waiter, long channel) throws IOException;

    /** Waits, and writes the handles of the channels that can be read; returns how many. A signal ends the wait. */
    static native int await(long waiter, long nanos, long into) throws IOException;

    static native void signal(long waiter);
}
