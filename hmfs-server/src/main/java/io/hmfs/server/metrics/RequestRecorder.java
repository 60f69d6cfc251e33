package io.hmfs.server.metrics;

import io.hmfs.client.ResultCode;
import io.hmfs.server.protocol.RequestKind;
import io.hmfs.wire.Wire;
import io.hmfs.wire.WireBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Records the requests of one thread, each in turn: counted and timed always, audited and reported as slow where that is asked for.
 * Reused for every request; allocates only for slow ones.
 */
public final class RequestRecorder {
    /** Instead of the directory where a path begins: it is no path of the namespace but a text. */
    public static final long AS_IT_IS = AuditLine.AS_IT_IS;

    private final Meters meters;
    private final WorkerMeter meter;
    private final @Nullable AuditLog log;
    private final @Nullable AuditRing ring;
    private final long slowNanos;

    // The current request.
    private RequestKind operation = RequestKind.STAT;
    private ResultCode outcome = ResultCode.OK;
    private long endNanos;
    private long nanos;
    private WireBuffer in = new WireBuffer();
    private int flags;
    private long sourceBase;
    private int sourceAt;
    private int sourceLength;
    private long targetBase;
    private int targetAt;
    private int targetLength;
    private int uid;
    private int gid;
    private int mode;

    public RequestRecorder(Observation observation) {
        meters = observation.meters();
        meter = meters.newMeter();
        log = observation.audit();
        ring = log == null ? null : log.newRing();
        slowNanos = observation.slowNanos();
    }

    public WorkerMeter meter() {
        return meter;
    }

    /** Counts a request. True if there is more to be told of it. */
    public boolean count(RequestKind newOperation, ResultCode newOutcome, long begunNanos, long newEndNanos) {
        operation = newOperation;
        outcome = newOutcome;
        endNanos = newEndNanos;
        nanos = newEndNanos - begunNanos;
        meters.count(meter, newOperation, newOutcome, nanos);
        return isSlow() || isAudited();
    }

    public boolean isSlow() {
        return nanos >= slowNanos;
    }

    public boolean isAudited() {
        return ring != null && operation.hasPath();
    }

    /** What comes next is about a part of the request that was counted, which has an outcome of its own. */
    public void outcome(ResultCode ofPart) {
        outcome = ofPart;
    }

    /** Forgets the paths of the request before; the next ones stand in this frame. */
    public void clearPaths(WireBuffer frame) {
        in = frame;
        flags = 0;
        sourceBase = Wire.ROOT_ID;
        sourceAt = 0;
        sourceLength = 0;
        targetBase = 0;
        targetAt = 0;
        targetLength = 0;
    }

    public void source(long base, int at, int length) {
        sourceBase = base;
        sourceAt = at;
        sourceLength = length;
    }

    public void target(long base, int at, int length, boolean replaces) {
        flags |= AuditRing.HAS_TARGET | (replaces ? AuditRing.REPLACES : 0);
        targetBase = base;
        targetAt = at;
        targetLength = length;
    }

    /** What the request has made. */
    public void attributes(int newUid, int newGid, int newMode, boolean directory) {
        flags |= AuditRing.HAS_ATTRIBUTES | (directory ? AuditRing.DIRECTORY : 0);
        uid = newUid;
        gid = newGid;
        mode = newMode;
    }

    /** Tells a flight recording, if one runs. */
    public void slow(String user) {
        meter.add(WorkerMeter.Tally.SLOW_OPERATIONS, 1);
        SlowOperation event = new SlowOperation();
        if (event.isEnabled()) {
            event.operation = operation.label();
            event.path = path(sourceBase, sourceAt, sourceLength);
            event.user = user;
            event.status = outcome.name();
            event.timeTaken = nanos;
            event.commit();
        }
    }

    private String path(long base, int at, int length) {
        if (!operation.hasPath()) {
            return "";
        }
        byte[] bytes = new byte[length];
        in.getBytes(at, bytes, 0, length);
        String text = new String(bytes, StandardCharsets.UTF_8);
        String start = base == Wire.ROOT_ID ? "" : "/.reserved/.inodes/" + base;
        return text.startsWith("/") || (text.isEmpty() && !start.isEmpty()) ? start + text : start + "/" + text;
    }

    /** What the audit lines of a connection have in common. */
    public byte[] prefix(String user, String realUser, String peer) {
        return AuditLine.prefix(user, realUser, peer);
    }

    /** Puts the request on its way to the audit log; without room there it is dropped, and counted. */
    public void audit(byte[] prefix) {
        AuditRing to = ring;
        AuditLog known = log;
        if (to == null || known == null) {
            return;
        }
        if (!to.open(prefix.length, sourceLength, targetLength)) {
            meter.add(WorkerMeter.Tally.AUDIT_DROPPED, 1);
            return;
        }
        to.put(operation, outcome, flags, endNanos);
        to.putBases(sourceBase, targetBase);
        to.putAttributes(uid, gid, mode);
        to.putPrefix(prefix);
        to.putPath(prefix.length, in, sourceAt, sourceLength);
        to.putPath(prefix.length + sourceLength, in, targetAt, targetLength);
        if (to.close()) {
            known.wake();
        }
    }
}
