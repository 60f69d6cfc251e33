package io.hmfs.server.op;

import io.hmfs.client.ResultCode;
import io.hmfs.server.data.BuiltinData;
import io.hmfs.server.request.Request;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * What the requests of a superuser have in common that look for objects that no file refers to (docs/adr/0124). They are of one start of the
 * server, for only that one knows what was moved meanwhile.
 */
final class CensusRun {
    /** Instead of a start, in the first request. */
    static final long BEGIN = 0;

    /** How long a request waits for the data of what was removed before it. */
    private static final long WATCHED_NANOS = 2_000_000_000L; // the client does not wait much longer

    private final long incarnation;

    /** {@code incarnation}: this start of the server. */
    CensusRun(long incarnation) {
        this.incarnation = incarnation;
    }

    long incarnation() {
        return incarnation;
    }

    /** Whether the user is no superuser, or began under another start: then the reply says so. */
    boolean refuses(Request request, long begunUnder) {
        if (request.access().isLimited()) {
            request.reply().status(request.access().deniedToOthersThanSuperusers());
            return true;
        }
        if (begunUnder != BEGIN && begunUnder != incarnation) {
            request.reply().failure(ResultCode.STALE, "the server has been restarted meanwhile: begin again");
            return true;
        }
        return false;
    }

    /** From here on the data of what was removed before is known to be no orphan. */
    static void watchRemoved(BuiltinData data) {
        data.reaper().watch(WATCHED_NANOS);
    }

    /** A field of the request's frame. */
    static ByteBuffer bytes(Request request, int at, int length) {
        request.in().check(at, length);
        byte[] bytes = new byte[length];
        request.in().getBytes(at, bytes, 0, length);
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }
}
