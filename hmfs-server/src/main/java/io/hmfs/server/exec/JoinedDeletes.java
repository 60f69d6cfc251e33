package io.hmfs.server.exec;

import io.hmfs.core.type.Attributes;
import io.hmfs.core.type.DeleteBatch;
import io.hmfs.core.type.Name;
import io.hmfs.core.type.Status;
import io.hmfs.server.data.RemovalRecord;
import io.hmfs.server.metrics.Operation;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Joined deletes of files whose data is not the server's: they share a fence. Each has the lock of its key from when it joins until it is
 * executed, as every delete has; a thread that serves connections waits for none of them, so in whatever order they are taken. What they
 * remove is on record before ({@link RemovalRecord}), which waits for nothing.
 */
final class JoinedDeletes extends JoinedRequests {
    private static final int CAPACITY = 128;

    private final DeleteBatch batch;
    private final int[] stripes = new int[CAPACITY];
    private final int[] slots = new int[CAPACITY];
    private final Attributes seen = new Attributes();
    private final @Nullable RemovalRecord record;

    JoinedDeletes(Worker worker) {
        this(worker, new DeleteBatch(CAPACITY));
    }

    private JoinedDeletes(Worker worker, DeleteBatch batch) {
        super(worker, batch, Operation.DELETE);
        this.batch = batch;
        this.record = worker.service.removals;
    }

    /** Adds a file whose key's lock was just taken; its directory was resolved, from a base. */
    void add(Session session, long baseId, long parentId, Name name, int stripe) {
        long correlationId = makeRoom(session);
        int number = batch.add(parentId, name);
        stripes[number] = stripe;
        joined(session, number, correlationId, baseId);
    }

    @Override
    void executeAll() {
        RemovalRecord to = record;
        if (to == null) {
            worker.namespace.deleteAll(batch);
            return;
        }
        for (int i = 0; i < batch.size(); i++) {
            slots[i] = begin(to, batch.directory(i), batch.name(i));
        }
        worker.namespace.deleteAll(batch);
        int gone = 0;
        for (int i = 0; i < batch.size(); i++) {
            int slot = settle(to, i);
            if (slot != RemovalRecord.NONE) {
                slots[gone++] = slot;
            }
        }
        long position = worker.namespace.logPosition();
        if (position == 0) {
            settle(to, slots, gone);
        } else if (gone > 0) {
            int[] certain = Arrays.copyOf(slots, gone);
            worker.namespace.whenDurable(position, () -> settle(to, certain, certain.length), worker.service::fail);
        }
    }

    /** As in {@link RemoveRequests}: none for one of several names, or a link. */
    private int begin(RemovalRecord to, long directory, Name name) {
        boolean isFile = worker.namespace.stat(directory, name, seen) == Status.OK
                && !seen.isDirectory()
                && !seen.isSymlink()
                && seen.nlink == 1;
        return isFile ? to.begin(seen.id, directory, name, seen.size) : RemovalRecord.NONE;
    }

    /** The slot of what was removed. */
    private int settle(RemovalRecord to, int number) {
        int slot = slots[number];
        if (batch.status(number) == Status.OK && isGone(number)) {
            Attributes removed = batch.attributes(number);
            int taken = slot == RemovalRecord.NONE
                    ? to.begin(removed.id, batch.directory(number), batch.name(number), removed.size)
                    : slot;
            if (taken == RemovalRecord.NONE) {
                to.lost();
            }
            return taken;
        }
        if (slot != RemovalRecord.NONE) {
            to.cancel(slot);
        }
        return RemovalRecord.NONE;
    }

    private static void settle(RemovalRecord to, int[] slots, int count) {
        for (int i = 0; i < count; i++) {
            to.settle(slots[i]);
        }
    }

    /** As far as data goes. */
    private boolean isGone(int number) {
        Attributes removed = batch.attributes(number);
        return removed.nlink == 0 && !removed.isSymlink();
    }

    @Override
    void reply(int number) {
        Attributes removed = batch.attributes(number);
        boolean gone = isGone(number);
        if (gone) {
            worker.service.leases.removed(removed.id);
        }
        worker.reply.done(gone ? removed.id : 0, gone ? removed.size : 0);
    }

    @Override
    void left(int number) {
        worker.service.locks.unlock(stripes[number]);
        worker.charges.passage.left();
    }
}
