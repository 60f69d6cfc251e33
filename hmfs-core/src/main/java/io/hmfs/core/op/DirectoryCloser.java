package io.hmfs.core.op;

import io.hmfs.core.dir.ChildList;
import io.hmfs.core.engine.Engine;
import io.hmfs.core.layout.DirContentRecord;
import io.hmfs.core.pmem.Pmem;
import io.hmfs.core.type.Status;
import org.jspecify.annotations.Nullable;

/**
 * Closes the list of a directory that is to go, by an rmdir or because a rename replaces it: from then on nothing gets linked
 * into it. The caller holds the writer lock of the access object's key.
 */
final class DirectoryCloser {
    private final Engine engine;
    private final Pmem pmem;
    private final ChildList lists;

    DirectoryCloser(Engine engine, ChildList lists) {
        this.engine = engine;
        this.pmem = engine.pmem;
        this.lists = lists;
    }

    /** OK; NOT_EMPTY; null if {@code stale}, a child that an earlier start left half done, must be recovered first. */
    @Nullable
    Status close(long content, long[] stale) {
        for (; ; ) {
            long head = DirContentRecord.childHead(pmem, content);
            if (isList(head)) {
                // † Only because of a child that a stat would show, which is linked durably (I2). A refusal stores
                // nothing, so in mode logged
                // nothing has to be synced for it.
                if (lists.occupancy(content, stale) == ChildList.Occupancy.OCCUPIED) {
                    return Status.NOT_EMPTY;
                }
                if (stale[0] != Pmem.NULL) {
                    return null;
                }
                // An empty list has nothing to sweep, and its sweeper's lock may be another directory's, whose sweep
                // takes
                // long.
                lists.sweep(content, ChildList.Sweep.ALL);
            }
            long mtime = DirContentRecord.mtime(pmem, content);
            head = DirContentRecord.childHead(pmem, content);
            if (isList(head)) {
                engine.locks.awaitOthers(); // something is in flight
                continue;
            }
            long time = Math.max(engine.clock.next(), mtime + 1);
            engine.clock.advance(time);
            // [rmdir.1] CLOSED by an earlier start is closed anew, so that its time says whose it is.
            if (lists.swingHead(content, head, mtime, DirContentRecord.CLOSED, time)) {
                // [rmdir.2] Durable before the access object is on its way out.
                pmem.persist(content, DirContentRecord.SIZE);
                return Status.OK;
            }
        }
    }

    private static boolean isList(long head) {
        return head != Pmem.NULL && head != DirContentRecord.CLOSED;
    }
}
