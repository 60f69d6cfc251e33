package io.hmfs.server.op;

import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.StatBatch;
import io.hmfs.core.type.Status;
import io.hmfs.server.listing.Exports;
import io.hmfs.server.listing.StatPublisher;
import io.hmfs.server.path.PathResolver;
import io.hmfs.server.protocol.RequestKind;
import io.hmfs.server.request.Reply;
import io.hmfs.server.request.Request;
import io.hmfs.wire.StatDecoder;
import io.hmfs.wire.Wire;

/** Stat: attributes of what a path names. The names of a batch are looked up together, so that their waits for memory overlap. */
public final class StatHandler extends BatchedHandler {
    /** Enough for the waits to overlap; what is fetched for all of them still fits the nearest caches. */
    private static final int CAPACITY = 64;

    private final StatBatch batch;
    private final StatPublisher publisher = new StatPublisher(CAPACITY);
    private final StatDecoder stat = new StatDecoder();

    public StatHandler() {
        this(new StatBatch(CAPACITY));
    }

    private StatHandler(StatBatch batch) {
        super(RequestKind.STAT, batch);
        this.batch = batch;
    }

    private Status resolve(Request request) {
        request.checkBlock(StatDecoder.BLOCK_LENGTH);
        stat.wrap(request.in(), Wire.HEADER_SIZE, request.blockLength(), request.version());
        int length = stat.pathLength();
        int at = stat.limit() + StatDecoder.pathHeaderLength();
        return request.path().resolve(stat.baseId(), request.in(), at, length);
    }

    @Override
    public boolean add(Request request) {
        PathResolver path = request.path();
        if (resolve(request) != Status.OK || path.isBase) {
            return false;
        }
        batch.add(path.parentId, path.name);
        added(request);
        return true;
    }

    @Override
    public void executeAll(Request request) {
        Exports exports = request.partition().exports();
        if (exports.isOn()) {
            publisher.claim(exports, batch);
        }
        request.namespace().statAll(batch);
    }

    @Override
    public void reply(Request request, int row) {
        Attributes found = batch.attributes(row);
        if (!found.isSymlink()) {
            request.reply().entry(batch.directory(row), found);
            if (publisher.isClaimed(row)) {
                publish(request, row);
            }
            return;
        }
        Status status = request.links().look(batch.directory(row), batch.name(row), found);
        if (status == Status.OK) {
            request.reply().entry(batch.directory(row), found, request.links().target());
        } else {
            request.reply().status(PathResolver.seen(status, requests().base(row)));
        }
    }

    private void publish(Request request, int row) {
        Reply reply = request.reply();
        publisher.publish(
                request.partition().exports(),
                request.namespace(),
                row,
                batch.name(row),
                batch.attributes(row),
                reply.buffer(),
                reply.frameAt() + Wire.LENGTH_SIZE,
                reply.frameLength() - Wire.LENGTH_SIZE);
    }

    @Override
    protected void release(Request request, int row) {
        if (publisher.isClaimed(row)) {
            publisher.giveUp(request.partition().exports(), row);
        }
    }

    /** The path is wrong, or names the directory where it begins. */
    @Override
    public void execute(Request request) {
        PathResolver path = request.path();
        Status outcome = resolve(request);
        if (outcome == Status.OK) {
            outcome = path.seen(path.look(request.attributes()));
        }
        if (outcome == Status.OK) {
            long parent = path.isBase ? 0 : path.parentId;
            request.reply().entry(parent, request.attributes(), request.links().target());
        } else {
            request.reply().status(outcome);
        }
    }
}
