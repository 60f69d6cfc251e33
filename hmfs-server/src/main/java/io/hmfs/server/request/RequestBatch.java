package io.hmfs.server.request;

import io.hmfs.server.protocol.RequestKind;
import io.hmfs.wire.WireBuffer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What is kept of requests that are executed as one batch, until they are answered: their frames are gone by then. A connection has
 * requests in one batch at a time, so they are executed in its order. Reused: allocates nothing.
 */
public final class RequestBatch {
    private final RequestKind kind;
    private final @Nullable Session[] sessions;
    private final long[] correlationIds;
    private final long[] sequences;
    private final long[] bases;
    private final long[] arrivals;
    private final int[] ends;
    private final ByteBuf paths = Unpooled.buffer(16 << 10); // one behind the other
    private final WireBuffer window = new WireBuffer();
    private int size;
    private int partition; // of all of them
    private boolean alone;

    /** Of requests of one kind. */
    public RequestBatch(RequestKind kind, int capacity) {
        this.kind = kind;
        sessions = new Session[capacity];
        correlationIds = new long[capacity];
        sequences = new long[capacity];
        bases = new long[capacity];
        arrivals = new long[capacity];
        ends = new int[capacity];
    }

    public int size() {
        return size;
    }

    /** Whether this request may stand beside those that are there: a batch has one partition. */
    public boolean isOfPartition(Request request) {
        return size == 0 || partition == request.partitionNumber();
    }

    /** The number of its partition. */
    public int partition() {
        return partition;
    }

    /** Adds a request whose path was resolved. */
    public void add(Request request) {
        request.path().copyTo(begin(size));
        added(request, request.path().base());
    }

    /** Adds a request that tells a directory and a name instead of a path. */
    public void add(Request request, long directory, byte[] name, int length) {
        begin(size).writeBytes(name, 0, length);
        added(request, directory);
    }

    /** Adds the only request, which stays what its thread works on: it keeps its claim, and its connection may have a batch elsewhere. */
    public void addAlone(Request request, long base) {
        alone = true;
        sessions[0] = request.session();
        bases[0] = base;
        ends[0] = 0;
        partition = request.partitionNumber();
        size = 1;
    }

    private ByteBuf begin(int row) {
        return paths.writerIndex(pathAt(row));
    }

    private void added(Request request, long base) {
        Session session = request.session();
        sessions[size] = session;
        correlationIds[size] = request.reply().correlationId();
        sequences[size] = request.handOver();
        bases[size] = base;
        arrivals[size] = request.arrivedNanos();
        ends[size] = paths.writerIndex();
        size++;
        partition = request.partitionNumber();
        session.batch(kind);
    }

    /** The request stands for the one in this row again, as far as its caller, its change and its reply go. */
    public void resume(Request request, int row) {
        Session session = session(row);
        request.begin(session, session.channel(), correlationIds[row]);
        request.resume(sequences[row]);
    }

    public Session session(int row) {
        Session session = sessions[row];
        if (session == null) {
            throw new IllegalStateException("row " + row + " of a batch is empty");
        }
        return session;
    }

    public long sequence(int row) {
        return sequences[row];
    }

    public long arrivedNanos(int row) {
        return arrivals[row];
    }

    /** The directory where the path begins. */
    public long base(int row) {
        return bases[row];
    }

    /** All paths, one behind the other. */
    public WireBuffer paths() {
        return window.wrap(paths, 0, paths.writerIndex());
    }

    public int pathAt(int row) {
        return row == 0 ? 0 : ends[row - 1];
    }

    public int pathLength(int row) {
        return ends[row] - pathAt(row);
    }

    /** Forgets all requests. */
    public void clear() {
        for (int i = 0; i < size && !alone; i++) {
            session(i).batch(null);
        }
        alone = false;
        Arrays.fill(sessions, 0, size, null);
        size = 0;
    }
}
