package io.hmfs.server.op;

import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.NameBatch;
import io.hmfs.core.type.Status;
import io.hmfs.server.path.PathResolver;
import io.hmfs.server.protocol.RequestKind;
import io.hmfs.server.request.Request;
import io.hmfs.server.request.RequestBatch;

/**
 * Executes requests of one kind as a batch of n ≥ 1: {@link #add} each, {@link #executeAll}, {@link #reply} or {@link #refuse} for each,
 * {@link #clear}. {@link #execute} is for a request that {@code add} does not take: one that is refused, that waits, or that needs more than
 * the engine's batch does.
 */
public abstract class BatchedHandler implements Handler {
    private final RequestKind kind;
    private final NameBatch batch;
    private final RequestBatch requests;

    protected BatchedHandler(RequestKind kind, NameBatch batch) {
        this.kind = kind;
        this.batch = batch;
        requests = new RequestBatch(kind, batch.capacity());
    }

    /**
     * Decodes a request, resolves and authorizes it, claims its number and adds it to the batch, which has room. False if one of that fails;
     * then nothing has been done.
     */
    public abstract boolean add(Request request);

    /** Has the engine execute the batch. */
    public abstract void executeAll(Request request);

    /** Replies to a request whose status is OK. */
    public abstract void reply(Request request, int row);

    /** Replies to a request that the engine has refused. */
    public void refuse(Request request, int row, Status status) {
        request.reply().status(status);
    }

    /** Releases what {@link #add} has taken for a request. Called once, after its reply. */
    protected void release(Request request, int row) {}

    /** Executes the only request of the batch, which was just added, and replies; its thread has been working on it. */
    protected final void executeAlone(Request request) {
        executeAll(request);
        replyAlone(request);
    }

    /** Replies to the only request of the batch, which was just executed. */
    protected final void replyAlone(Request request) {
        Status status = status(0);
        if (status == Status.OK) {
            reply(request, 0);
        } else {
            refuse(request, 0, status);
        }
        clear(request);
    }

    /** What was just added to the engine's batch is this request, the only one, whose path or directory begins at {@code base}. */
    protected final void addedAlone(Request request, long base) {
        number(request);
        requests.addAlone(request, base);
    }

    /** What was just added to the engine's batch is this request, whose path was resolved. */
    protected final void added(Request request) {
        number(request);
        requests.add(request);
    }

    /** What was just added to the engine's batch is this request, which tells a directory and a name. */
    protected final void added(Request request, long directory, byte[] name, int length) {
        number(request);
        requests.add(request, directory, name, length);
    }

    private void number(Request request) {
        if (request.change().isRecorded()) {
            batch.change(requests.size())
                    .set(request.change().ring(), request.change().sequence());
        }
    }

    /** The kind of all its requests. */
    public final RequestKind kind() {
        return kind;
    }

    /** What is kept of the requests. */
    public final RequestBatch requests() {
        return requests;
    }

    public final boolean isEmpty() {
        return requests.size() == 0;
    }

    public final boolean isFull() {
        return requests.size() == batch.capacity();
    }

    /** What became of a request, as its client, which gave a path, sees it. */
    public final Status status(int row) {
        return PathResolver.seen(batch.status(row), requests.base(row));
    }

    /** What the engine found, made or removed. */
    public final Attributes attributes(int row) {
        return batch.attributes(row);
    }

    /** Forgets the batch: it has been answered, or will not be. Of the request only the partition counts. */
    public final void clear(Request request) {
        for (int i = 0; i < requests.size(); i++) {
            release(request, i);
        }
        requests.clear();
        batch.clear();
    }
}
