package io.hmfs.server.metrics;

import io.hmfs.client.ResultCode;
import io.hmfs.server.protocol.RequestKind;
import io.hmfs.wire.WireBuffer;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Audit records on their way from one thread that executes requests to the one that writes them: bytes in a ring, no lock, no
 * allocation after the first record. What does not fit is refused.
 *
 * <pre>
 *   0        4    5         6       8          16     24     32    36    40     44       48        52        56
 *   | length | op | outcome | flags | endNanos | base | base | uid | gid | mode | prefix | source | target  | bytes of these
 * </pre>
 *
 * A record is whole in front of the ring's end; a length of 0 there says that it goes on at the beginning. The tail is stored with
 * release order after the record, the head after its bytes were used: neither side sees what the other one still writes.
 */
@SuppressWarnings("EnumOrdinal") // records live as long as the process, so any numbering will do
public final class AuditRing {
    static final int HAS_TARGET = 1;
    static final int HAS_ATTRIBUTES = 2;
    static final int DIRECTORY = 4;
    static final int REPLACES = 8;

    static final int FIXED = 56;

    /** A power of two; some 4,000 lines of ordinary length. */
    static final int SIZE = 512 << 10;

    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.nativeOrder())
            .withInvokeExactBehavior();
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder())
            .withInvokeExactBehavior();

    private byte[] bytes = {};
    private volatile byte[] shared = bytes; // written once, before the first tail
    private volatile long tail;
    private volatile long head;

    // The producer's own.
    private long headSeen;
    private long end; // where the open record ends
    private int at; // where it begins in the ring

    /** Room for a record whose variable parts have these lengths; false if there is none. Everything below fills it. */
    boolean open(int prefix, int source, int target) {
        if (bytes.length == 0) {
            bytes = new byte[SIZE];
            shared = bytes;
        }
        int length = (FIXED + prefix + source + target + 7) & -8;
        long from = tail;
        int to = (int) from & SIZE - 1;
        long skip = to + length > SIZE ? SIZE - to : 0;
        end = from + skip + length;
        if (end - headSeen > SIZE) {
            headSeen = head;
            if (end - headSeen > SIZE) {
                return false;
            }
        }
        if (skip > 0) {
            INT.set(bytes, to, 0);
        }
        at = skip > 0 ? 0 : to;
        INT.set(bytes, at, length);
        INT.set(bytes, at + 44, prefix);
        INT.set(bytes, at + 48, source);
        INT.set(bytes, at + 52, target);
        return true;
    }

    void put(RequestKind operation, ResultCode outcome, int flags, long endNanos) {
        bytes[at + 4] = (byte) operation.ordinal();
        bytes[at + 5] = (byte) outcome.ordinal();
        bytes[at + 6] = (byte) flags;
        LONG.set(bytes, at + 8, endNanos);
    }

    void putBases(long source, long target) {
        LONG.set(bytes, at + 16, source);
        LONG.set(bytes, at + 24, target);
    }

    void putAttributes(int uid, int gid, int mode) {
        INT.set(bytes, at + 32, uid);
        INT.set(bytes, at + 36, gid);
        INT.set(bytes, at + 40, mode);
    }

    void putPrefix(byte[] prefix) {
        System.arraycopy(prefix, 0, bytes, at + FIXED, prefix.length);
    }

    /** The source stands behind the prefix, the target behind the source. */
    void putPath(int behind, WireBuffer in, int index, int length) {
        in.getBytes(index, bytes, at + FIXED + behind, length);
    }

    /** Hands the record over. True if the ring has just become half full: its reader should not sleep on. */
    boolean close() {
        boolean half = end - headSeen > SIZE / 2;
        tail = end;
        if (!half) {
            return false;
        }
        headSeen = head;
        return end - headSeen > SIZE / 2;
    }

    // ---- the reader's side

    /** Where the oldest record begins in {@link #contents}; -1: there is none. */
    int first() {
        long from = head;
        if (from == tail) {
            return -1;
        }
        int to = (int) from & SIZE - 1;
        if ((int) INT.get(shared, to) == 0) {
            head = from + SIZE - to;
            return 0; // a record follows a skip always
        }
        return to;
    }

    byte[] contents() {
        return shared;
    }

    int intAt(int index) {
        return (int) INT.get(shared, index);
    }

    long longAt(int index) {
        return (long) LONG.get(shared, index);
    }

    /** Lets go of the oldest record. */
    void remove(int first) {
        long from = head; // only this side stores it
        head = from + intAt(first);
    }
}
