package io.hmfs.server.op;

import io.hmfs.core.Records;
import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.Status;
import io.hmfs.server.access.Access;
import io.hmfs.server.data.BuiltinData;
import io.hmfs.server.lease.Leases;
import io.hmfs.server.path.PathResolver;
import io.hmfs.server.request.Request;
import io.hmfs.wire.TruncateDecoder;
import io.hmfs.wire.Wire;
import java.io.IOException;

/** Truncate: sets the size of a file that no client is writing, and cuts its objects there if the data store is the server's own. */
public final class TruncateHandler implements Handler {
    /** Objects that are cut while the request has the file's locks, and others wait for them. */
    private static final long OBJECTS_MAX = 64;

    private final TruncateDecoder truncate = new TruncateDecoder();
    private final ChangeTarget target = new ChangeTarget();

    @Override
    public void execute(Request request) {
        request.checkBlock(TruncateDecoder.BLOCK_LENGTH);
        truncate.wrap(request.in(), Wire.HEADER_SIZE, request.blockLength(), request.version());
        int length = truncate.pathLength();
        int at = truncate.limit() + TruncateDecoder.pathHeaderLength();
        Status outcome = ChangeTarget.resolve(request, truncate.baseId(), at, length);
        if (outcome == Status.OK && request.path().isBase) {
            outcome = Status.IS_DIRECTORY;
        }
        if (outcome == Status.OK) {
            truncate(request);
        } else {
            request.reply().status(outcome);
        }
    }

    private void truncate(Request request) {
        try {
            if (target.look(request) == Status.OK) {
                StoredBlock.settleCut(request, target.object().id); // which may take long, and no lock is held yet
            }
            target.lock(request); // the file that is cut in the namespace is the one whose objects are cut
            Status outcome = target.look(request);
            if (outcome == Status.OK) {
                outcome = request.path().may(target.object(), Access.WRITE);
            }
            if (outcome == Status.OK) {
                truncateUnlessWritten(request);
            } else {
                request.reply().status(request.path().seen(outcome));
            }
        } catch (IOException e) {
            StoredBlock.failed(
                    request,
                    "the data of the file cannot be cut now; the server tries it again before the file is changed",
                    e);
        } finally {
            target.unlock(request);
        }
    }

    private void truncateUnlessWritten(Request request) throws IOException {
        Leases leases = request.partition().leases();
        long inode = target.object().id;
        long stamp = leases.alone(inode, request.mayWait());
        try {
            String owner = leases.displaceSilent(inode);
            if (owner != null) {
                WriteLease.replyOwned(request, "TRUNCATE_FILE", truncate.path(), owner);
                return;
            }
            target.look(request); // what was committed until now
            Attributes file = target.object();
            boolean cuts = !file.isDirectory() && truncate.size() < file.size;
            BuiltinData data = request.partition().data();
            if (data != null) {
                data.cuts().settle(request.namespace().records(), inode);
            }
            Status outcome = Status.OK; // as in HDFS, nothing happens at the size that the file has: its times stay
            if (file.isDirectory() || truncate.size() != file.size) {
                outcome = data != null && cuts ? cut(request, data) : truncateNamespace(request);
            }
            request.reply().status(request.path().seen(outcome));
        } finally {
            leases.endAlone(inode, stamp);
        }
    }

    private Status truncateNamespace(Request request) {
        PathResolver path = request.path();
        return request.accounting()
                .truncate(path.parentId, path.name, target.object(), truncate.size(), request.change());
    }

    /**
     * The record † durable before the size, the size † durable before the objects are cut: a size that came back after a crash would lack
     * its bytes. What cannot be cut, or has many objects, keeps its record, and is cut before the file is changed again; until then the bytes behind the size belong to no file.
     */
    private Status cut(Request request, BuiltinData data) throws IOException {
        PathResolver path = request.path();
        Attributes file = target.object();
        Records records = request.namespace().records();
        long hash = records.hash(path.parentId, path.name);
        long record = records.put(Records.Kind.CUT, file.id, path.parentId, hash, file.size);
        if (record == Records.NONE) {
            return Status.NO_SPACE;
        }
        records.fence();
        Status outcome = truncateNamespace(request); // if it throws, the server stops, and the next start settles it
        if (outcome == Status.OK) {
            request.partition().awaitDurable();
            long objects = data.store().blocks(file.size) - data.store().blocks(truncate.size());
            if (objects > OBJECTS_MAX && data.cuts().addBehind(file.id, record, truncate.size(), file.size)) {
                return outcome;
            }
            cutObjects(data, file, record);
        }
        records.clear(record);
        records.fence(); // a record that came back would cut what a later writer has not committed yet
        return outcome;
    }

    private void cutObjects(BuiltinData data, Attributes file, long record) throws IOException {
        long before = file.size;
        try {
            data.store().truncate(file.id, truncate.size(), before);
        } catch (IOException e) {
            data.cuts().add(file.id, record, truncate.size(), before);
            throw e;
        }
    }
}
