package io.hmfs.server.request;

import io.hmfs.wire.ListManyDecoder;
import io.hmfs.wire.MalformedFrameException;
import io.hmfs.wire.Wire;
import io.hmfs.wire.WireBuffer;

/** Stands on one of the paths of a {@code ListMany} after the other: {@link #next} before the first. Not thread-safe. */
public final class RequestedPaths {
    private WireBuffer in = new WireBuffer();
    private int next;
    private int end;
    private int at;
    private int length;

    /**
     * Goes to the beginning of a request's paths.
     *
     * @return how many there are
     * @throws MalformedFrameException one of them reaches behind the frame, or behind all of them
     */
    public int open(Request request) {
        in = request.in();
        int head = Wire.HEADER_SIZE + request.blockLength();
        int bytes = in.getInt(head, ListManyDecoder.BYTE_ORDER);
        in.check(head + Integer.BYTES, bytes);
        end = head + Integer.BYTES + bytes;
        next = head + Integer.BYTES;
        int count = 0;
        while (next()) {
            count++;
        }
        next = head + Integer.BYTES;
        return count;
    }

    /** Goes to the next path; false: there is none. */
    public boolean next() {
        if (next == end) {
            return false;
        }
        at = next + Short.BYTES;
        length = at > end ? 0 : Short.toUnsignedInt(in.getShort(next, ListManyDecoder.BYTE_ORDER));
        if (at + length > end) {
            throw new MalformedFrameException("a path reaches behind the list of paths", false);
        }
        next = at + length;
        return true;
    }

    /** Where in the frame its bytes begin. */
    public int at() {
        return at;
    }

    public int length() {
        return length;
    }
}
